#!/usr/bin/env bash
# Writes the lists of sources that every tool reads: rtl/files.f of the core, packages, then folders from low to high, each by
# name; rtl/fpga/files.f of what stands around it in an FPGA; openhca.core of both for FuseSoC. With --check it only says
# whether the lists are current.
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

# As FuseSoC wants them: one by one, headers with their folder.
fusesoc() {
  cat <<'END'
CAPI=2:
# Written by scripts/files.sh. Docs: docs/fpga.md, docs/parameters.md.
name: openhca:hca:hca:0.1.0
description: An InfiniBand host channel adapter, with AXI4, AXI4-Lite and AXI4-Stream around it

filesets:
  core:
    file_type: systemVerilogSource
    files:
END
  core | grep -v '^//' | grep -v '^+' | sed 's/^/      - /'
  find rtl -name '*.svh' | LC_ALL=C sort | while read -r header; do
    echo "      - $header: { is_include_file: true, include_path: $(dirname "$header") }"
  done
  printf '%s\n' '  fpga:' '    file_type: systemVerilogSource' '    files:'
  fpga | grep '\.sv$' | sed 's/^/      - /'
  fpga | grep '\.v$' | sed 's/.*/      - &: { file_type: verilogSource }/'
  cat <<'END'
  waivers:
    files:
      - rtl/lint.vlt: { file_type: vlt }
  bench:
    files:
END
  find rtl tb/fpga -name '*.f' -o -name '*.py' | LC_ALL=C sort | sed 's/.*/      - &: { file_type: user }/'
  cat <<'END'

scripts:
  axil_bar: { cmd: [python3, src/openhca_hca_hca_0.1.0/tb/fpga/run.py, axil_bar] }
  axi_read: { cmd: [python3, src/openhca_hca_hca_0.1.0/tb/fpga/run.py, axi_read] }
  axi_write: { cmd: [python3, src/openhca_hca_hca_0.1.0/tb/fpga/run.py, axi_write] }

parameters:
  DATA_W: { datatype: int, paramtype: vlogparam, description: 'datapath width, bits: 128, 256 or 512' }
  AXIL_DATA_W: { datatype: int, paramtype: vlogparam, description: 'of the register window, bits: 32 or 64' }

targets:
  default:
    filesets: [core, fpga]
  lint:
    flow: lint
    flow_options: { tool: verilator, verilator_options: [-Wall] }
    filesets: [waivers, core, fpga]
    parameters: [DATA_W, AXIL_DATA_W]
    toplevel: hca_axi
  sim:
    flow: sim
    flow_options: { tool: icarus, iverilog_options: [-g2012] }
    filesets: [core, fpga, bench]
    toplevel: axi_write
    hooks: { pre_run: [axil_bar, axi_read, axi_write] }
END
}

write() {
  local list=$1 file=$2 new
  if [ "$check" = 1 ]; then
    diff <($list) "$file" >&2 || { echo "files: $file is not current: run scripts/files.sh" >&2; exit 1; }
  else
    new=$($list)
    [ -f "$file" ] && [ "$new" = "$(cat "$file")" ] || { echo "$new" >"$file"; echo "files: wrote $file"; }
  fi
}

check=0
[ "${1:-}" != --check ] || check=1
write core rtl/files.f
write fpga rtl/fpga/files.f
write fusesoc openhca.core
