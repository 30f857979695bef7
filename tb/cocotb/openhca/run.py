"""Builds the bench and runs cocotb tests in it, as cocotb_tools.runner does for a design of one's own."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TOP = "bench"
LIBRARY = "libopenhca.so"


def folder_of(simulator, data_width=256, variant=""):
    """Where sim/cocotb/build.sh leaves what it builds."""
    end = f"-{variant}" if variant else ""
    return ROOT / f"build/sim/cocotb-{simulator}-w{data_width}{end}"


def start_options(simulator, folder, seed):
    """For runner.test: how the simulator is started with the harness in it."""
    library = str(Path(folder) / LIBRARY)
    icarus = simulator == "icarus"
    return {
        "hdl_toplevel": TOP,
        "hdl_toplevel_lang": "verilog",
        "build_dir": Path(folder) / "obj",
        # In Icarus the harness takes $error and $fatal, for which it must be there before the design.
        "test_args": ["-n", "-m", library] if icarus else [],
        # Registers without a reset value start random; in Icarus the harness does that.
        "plusargs": [] if icarus else ["+verilator+rand+reset+2", f"+verilator+seed+{seed}"],
        "extra_env": {"OPENHCA_LIBRARY": library},
    }


def run(test_module, simulator="icarus", data_width=256, seed=1, **options):
    """Runs the cocotb tests of a module over the RTL; further options are those of runner.test. Raises when one fails."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    subprocess.run([str(ROOT / "sim/cocotb/build.sh"), simulator, str(data_width)], check=True)
    folder = folder_of(simulator, data_width)
    start = {"test_dir": folder, **start_options(simulator, folder, seed)}
    start["extra_env"].update(options.pop("extra_env", {}))
    results = get_runner(simulator).test(test_module=test_module, **{**start, **options})
    tests, failed = get_results(results)
    if tests == 0 or failed > 0:
        raise RuntimeError(f"{test_module}: {failed} of {tests} tests failed")
