"""Writes down the command and the environment it is started with, for launch.py: record.py FILE COMMAND..."""

import json
import os
import sys

NAMES = ("COCOTB_", "GPI_", "PYGPI_", "OPENHCA_", "PYTHONPATH", "TOPLEVEL", "LIBPYTHON")

environment = {name: value for name, value in os.environ.items() if name.startswith(NAMES)}
with open(sys.argv[1], "w") as file:
    json.dump({"command": sys.argv[2:], "environment": environment}, file, indent=2)
