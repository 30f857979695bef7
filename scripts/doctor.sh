#!/usr/bin/env bash
# Names every missing prerequisite in one message; silent about what is there, but for one line.
set -u

missing=()
have() { command -v "$1" >/dev/null 2>&1; }

if ! have node; then
  missing+=("node: expected version 20 or later, found none (https://nodejs.org)")
elif major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null); [ "${major:-0}" -lt 20 ]; then
  missing+=("node: expected version 20 or later, found $(node --version 2>/dev/null || echo 'one that does not run')")
fi

have npm || missing+=("npm: expected on the PATH, found none (comes with Node.js)")

if ! have python3; then
  missing+=("python3: expected version 3.10 or later, found none (Debian: python3)")
else
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    missing+=("python3: expected version 3.10 or later, found $(python3 --version 2>&1)")
  fi
  if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    missing+=("python3 venv: expected the modules venv and ensurepip, found none (Debian: python3-venv)")
  fi
fi

have perl || missing+=("perl: expected on the PATH, found none (Debian: perl)")
have make || missing+=("make: expected on the PATH, found none (Debian: make)")

if ! have g++; then
  missing+=("g++: expected on the PATH, found none (Debian: g++)")
  missing+=("zlib.h: cannot be looked for without g++ (Debian: zlib1g-dev)")
elif ! echo '#include <zlib.h>' | g++ -x c++ -E - >/dev/null 2>&1; then
  missing+=("zlib.h: expected among the headers of g++, found none (Debian: zlib1g-dev)")
fi

if [ ${#missing[@]} -gt 0 ]; then
  {
    echo "doctor: ${#missing[@]} missing:"
    printf '  - %s\n' "${missing[@]}"
  } >&2
  exit 1
fi
[ "${1:-}" = --quiet ] || echo "doctor: everything needed is here"
