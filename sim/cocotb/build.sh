#!/usr/bin/env bash
# Builds a simulator that cocotb runs: sim/cocotb/build.sh verilator|icarus [DATA_W]
#
# DATA_W is 128, 256 (the default) or 512; what starts it lands in build/sim/cocotb-<simulator>-w<DATA_W>/openhca-sim
# and is used as build/sim/w<DATA_W>/openhca-sim is. SIM_VARIANT, SIM_ARGS (-DNAME and -GNAME=value), SIM_OPT and SIM_RTL
# mean what they mean to sim/build.sh. With SIM_PUBLIC=1 cocotb sees every signal of a Verilator model, which costs half
# of its speed and a long build; without it those of the benches and the ports of the pair. Nothing is built when neither sources nor flags changed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

simulator=${1:-}
width=${2:-256}
case $simulator in verilator | icarus) ;; *) echo "build.sh: simulator: expected verilator or icarus, got '$simulator'" >&2; exit 1 ;; esac
case $width in 128 | 256 | 512) ;; *) echo "build.sh: DATA_W: expected 128, 256 or 512, got $width" >&2; exit 1 ;; esac
out=build/sim/cocotb-$simulator-w$width${SIM_VARIANT:+-$SIM_VARIANT}
python=.venv/bin/python

if [ ! -x "$python" ] || ! "$python" -c 'import cocotb' 2> /dev/null; then
  echo "build.sh: expected cocotb in .venv, found none: run make setup" >&2
  exit 1
fi
if [ "$simulator" = icarus ] && ! { command -v iverilog && command -v vvp; } > /dev/null; then
  echo "build.sh: expected Icarus Verilog, found none: install it (Debian: apt install iverilog)" >&2
  exit 1
fi

mkdir -p "$out"
exec 9> "$out/lock"
flock 9

tools=$("$python" -c 'import cocotb, cocotb_tools.config as c, sys; print(sys.version, cocotb.__version__, c.libs_dir)')
[ "$simulator" = verilator ] || tools+=$(iverilog -V 2> /dev/null | head -1)
sources=$(find rtl tb/pair.sv sim/harness sim/vpi sim/verilator/hooks.cpp sim/cocotb/{build.sh,build.py,record.py} ${SIM_RTL:-} \
  -type f | sort -u)
stamp=$({ printf '%s\n' "$tools" "$PWD" "$width" "${SIM_VARIANT:-}" "${SIM_ARGS:-}" "${SIM_OPT:-}" "${SIM_PUBLIC:-}" "${SIM_RTL:-}"
  sha256sum $sources; } | sha256sum | cut -c1-64)
if [ -x "$out/openhca-sim" ] && [ "$(cat "$out/stamp" 2> /dev/null)" = "$stamp" ]; then exit 0; fi
rm -f "$out/stamp"

if ! "$python" sim/cocotb/build.py "$simulator" "$width" "$PWD/$out" > "$out/build.log" 2>&1; then
  cat "$out/build.log" >&2
  exit 1
fi
printf '#!/bin/sh\nexec %q -I %q %q\n' "$PWD/$python" "$PWD/sim/cocotb/launch.py" "$PWD/$out" > "$out/openhca-sim"
chmod +x "$out/openhca-sim"
echo "$stamp" > "$out/stamp"
