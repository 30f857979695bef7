#!/usr/bin/env bash
# Writes the lists of sources that every tool reads: rtl/files.f of the core, packages, then folders from low to high, each by
# name; rtl/fpga/files.f of what stands around it in an FPGA. With --check it only says whether the lists are current.
set -euo pipefail
cd "$(dirname "$0")/.."

core() {
  echo '// Written by scripts/files.sh: include folders, packages, then the modules from low to high.'
  for folder in rtl/prim rtl/ib rtl/memory rtl/transport; do echo "+incdir+$folder"; done
  find rtl -name '*_pkg.sv' | LC_ALL=C sort
  for folder in prim ib link memory queue transport control hca; do
    [ -d "rtl/$folder" ] || continue
    find "rtl/$folder" -name '*.sv' ! -name '*_pkg.sv' | LC_ALL=C sort
  done
}

fpga() {
  echo '// Written by scripts/files.sh: what stands around the core in an FPGA, to be read behind rtl/files.f.'
  find rtl/fpga -name '*.sv' -o -name '*.v' | LC_ALL=C sort
}

for list in core fpga; do
  file=rtl/files.f
  [ $list = core ] || file=rtl/fpga/files.f
  if [ "${1:-}" = --check ]; then
    diff <($list) $file >&2 || { echo "files: $file is not current: run scripts/files.sh" >&2; exit 1; }
  else
    new=$($list)
    [ -f $file ] && [ "$new" = "$(cat $file)" ] || { echo "$new" >$file; echo "files: wrote $file"; }
  fi
done
