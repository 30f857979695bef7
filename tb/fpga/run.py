"""Builds and runs a bench of this folder: run.py BENCH [--out FOLDER] [--seed N] [NAME=VALUE ...]

Prints a line per test, `ok` or `FAIL`, and ends with 1 when one failed. NAME=VALUE sets a parameter of the top.
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def sources():
    """The files of both lists, and the include folders."""
    lines = [line for name in ("rtl/files.f", "rtl/fpga/files.f") for line in (ROOT / name).read_text().splitlines()]
    files = [ROOT / line for line in lines if line and not line.startswith(("//", "+"))]
    return files, [ROOT / line.removeprefix("+incdir+") for line in lines if line.startswith("+incdir+")]


def main():
    arguments = argparse.ArgumentParser(prog="run.py", description=__doc__)
    benches = sorted(path.stem.removeprefix("test_") for path in HERE.glob("test_*.py"))
    arguments.add_argument("bench", choices=benches)
    arguments.add_argument("--out", type=Path, help="where the simulation is built; build/fpga/BENCH unless told")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("parameters", nargs="*", metavar="NAME=VALUE")
    options = arguments.parse_args()

    top = TOPS.get(options.bench, options.bench)
    parameters = dict(each.split("=", 1) for each in options.parameters)
    name = "-".join([options.bench, *options.parameters])
    out = (options.out or ROOT / "build/fpga" / name).resolve()
    files, includes = sources()
    runner = get_runner("icarus")
    runner.build(
        sources=[*files, *sorted(HERE.glob("*.v"))],
        includes=includes,
        hdl_toplevel=top,
        parameters=parameters,
        build_args=["-g2012"],
        build_dir=out,
        timescale=("1ns", "1ps"),
        log_file=out.with_suffix(".build.log"),
        always=True,
    )
    results = runner.test(
        hdl_toplevel=top,
        test_module=f"test_{options.bench}",
        test_dir=HERE,
        build_dir=out,
        plusargs=[f"+seed={options.seed}"],
        results_xml=str(out / "results.xml"),
        log_file=out.with_suffix(".log"),
    )
    failed = 0
    for case in ElementTree.parse(results).iter("testcase"):
        bad = [each for each in case if each.tag in ("failure", "error", "skipped")]
        failed += bool(bad)
        print(f"{'FAIL' if bad else 'ok'} {case.get('name')}" + "".join(f": {each.get('message')}" for each in bad))
    return 1 if failed else 0


# Tops that are not called as their bench.
TOPS = {}

if __name__ == "__main__":
    sys.exit(main())
