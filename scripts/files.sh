#!/usr/bin/env bash
# Writes rtl/files.f, the one list of sources that every tool reads: packages, then folders from low to
# high, each by name. With --check it only says whether the list is current.
set -euo pipefail
cd "$(dirname "$0")/.."

list() {
  echo '// Written by scripts/files.sh: include folders, packages, then the modules from low to high.'
  for folder in rtl/prim rtl/ib rtl/memory rtl/transport; do echo "+incdir+$folder"; done
  find rtl -name '*_pkg.sv' | LC_ALL=C sort
  for folder in prim ib link memory queue transport control hca; do
    [ -d "rtl/$folder" ] || continue
    find "rtl/$folder" -name '*.sv' ! -name '*_pkg.sv' | LC_ALL=C sort
  done
}

if [ "${1:-}" = --check ]; then
  diff <(list) rtl/files.f >&2 || { echo 'files: rtl/files.f is not current: run scripts/files.sh' >&2; exit 1; }
else
  new=$(list)
  [ -f rtl/files.f ] && [ "$new" = "$(cat rtl/files.f)" ] || { echo "$new" >rtl/files.f; echo 'files: wrote rtl/files.f'; }
fi
