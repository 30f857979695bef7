#!/usr/bin/env bash
# Every check that needs no simulation. All of them run; the exit code says whether one failed.
#
#   LINT_ICARUS=1   Icarus must be there (it is used whenever it is)
#   LINT_ONLY=rtl   only the Verilog, or only the TypeScript with LINT_ONLY=ts
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/tool-env.sh

only=${LINT_ONLY:-all}
work=build/lint
mkdir -p "$work"
failed=()

# Runs a command; its output is shown only when it fails.
check() {
  local title=$1 log start=$SECONDS
  shift
  log="$work/$(echo "$title" | tr -c 'a-zA-Z0-9\n' '-').log"
  if "$@" >"$log" 2>&1 </dev/null; then
    printf '  ok    %s (%d s)\n' "$title" $((SECONDS - start))
  else
    printf '  FAIL  %s\n' "$title"
    sed 's/^/        /' "$log" | head -n 60
    failed+=("$title")
  fi
}

# The list of rtl/files.f, in what the tools take from a command line.
mapfile -t sources < <(grep -v '^//' rtl/files.f | grep -v '^+incdir+')
mapfile -t includes < <(sed -n 's/^+incdir+/-I/p' rtl/files.f)
mapfile -t modules < <(printf '%s\n' "${sources[@]}" | grep -v -e '_pkg\.sv$' -e '/hca\.sv$')

# What stands around the core in an FPGA.
mapfile -t fpga_sources < <(grep -v '^//' rtl/fpga/files.f)
mapfile -t fpga_modules < <(printf '%s\n' "${fpga_sources[@]}" | xargs -n 1 basename | sed 's/\.s\?v$//')

verilator_lint() { "$VERILATOR" --lint-only -Wall --quiet rtl/lint.vlt -f rtl/files.f --top-module "$@"; }
verilator_fpga() {
  local module status=0
  for module in "${fpga_modules[@]}"; do verilator_lint "$module" -f rtl/fpga/files.f || status=1; done
  verilator_lint hca_axi -f rtl/fpga/files.f -GDATA_W=512 -GAXIL_DATA_W=64 -GIRQ_LINES=64 || status=1
  return $status
}
verilator_each() {
  local file status=0
  for file in "${modules[@]}"; do verilator_lint "$(basename "$file" .sv)" || status=1; done
  return $status
}
yosys_read() { "$YOSYS" -q -p "read_verilog -sv ${includes[*]} ${sources[*]}; $1"; }
# Yosys only warns of a port that it cuts.
yosys_fpga() { "$YOSYS" -q -e 'Resizing cell port' -p "read_verilog -sv ${includes[*]} ${sources[*]} ${fpga_sources[*]}; $1"; }
icarus_fpga() { iverilog -g2012 -tnull "${includes[@]}" -s example "${sources[@]}" "${fpga_sources[@]}"; }
icarus() { iverilog -g2012 -tnull "${includes[@]}" "$@" "${sources[@]}"; }

lint_rtl() {
  check 'list of sources' bash scripts/files.sh --check
  check "Verilator, each of ${#modules[@]} modules as top" verilator_each

  local have_hca=0
  [ -f rtl/hca/hca.sv ] && have_hca=1
  if [ $have_hca = 1 ]; then
    for width in 128 256 512; do check "Verilator, hca with DATA_W=$width" verilator_lint hca "-GDATA_W=$width"; done
    check 'Yosys, hca' yosys_read 'hierarchy -check -top hca; proc; check -assert'
  else
    check 'Yosys, all modules' yosys_read 'hierarchy -check; proc; check -assert'
  fi

  check "Verilator, each of ${#fpga_modules[@]} modules of rtl/fpga as top" verilator_fpga
  check 'Yosys, example and open_board' yosys_fpga 'hierarchy -check -top open_board; proc; check -assert'

  if command -v iverilog >/dev/null; then
    check 'Icarus, all modules' icarus
    check 'Icarus, example of rtl/fpga' icarus_fpga
    if [ $have_hca = 1 ]; then
      for width in 128 256 512; do check "Icarus, hca with DATA_W=$width" icarus -s hca "-Phca.DATA_W=$width"; done
    fi
  elif [ "${LINT_ICARUS:-0}" = 1 ]; then
    check 'Icarus' command -v iverilog
  else
    echo '  --    Icarus: not installed, left out'
  fi
}

lint_ts() {
  check 'Biome' npx biome check --colors=off
  check 'tsc' npx tsc --noEmit
  check 'generated files are current' node bin/openhca.js gen --check
}

echo 'lint:'
[ "$only" = ts ] || lint_rtl
[ "$only" = rtl ] || lint_ts

if [ ${#failed[@]} -gt 0 ]; then
  echo "lint: ${#failed[@]} failed: ${failed[*]/%/;}" >&2
  exit 1
fi
echo 'lint: all passed'
