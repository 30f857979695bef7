#!/usr/bin/env bash
# Builds the bench of mem_unit for one data width: tb/mem/build.sh WIDTH writes build/mem/WIDTH/mem_bench.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tool-env.sh

width=${1:-256}
case $width in 128) beat_w=9 ;; 256) beat_w=8 ;; *) beat_w=7 ;; esac
clients=$(sed -n 's/.* GATES *= *\([0-9][0-9]*\);.*/\1/p' rtl/memory/mem_unit.sv)
out=build/mem/$width
mkdir -p "$out"
"$VERILATOR" --cc --exe --build -j 2 --assert -Wall -O3 --x-assign unique --x-initial unique \
  -Irtl/ib -Irtl/prim -Irtl/memory --top-module mem_unit \
  -GDATA_W="$width" -GMRS=32 -GMTTS=2048 -GSLOT_W=3 -GBEAT_W=$beat_w \
  -CFLAGS "-std=c++17 -O2 -DDATA_W=$width -DGATE_CLIENTS=$clients" -MAKEFLAGS "$VERILATOR_MAKEFLAGS" \
  --Mdir "$out" -o mem_bench rtl/memory/mem_unit.sv "$PWD/tb/mem/mem_bench.cpp" >"$out/build.log" 2>&1 ||
  { cat "$out/build.log" >&2; exit 1; }
