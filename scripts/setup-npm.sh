#!/usr/bin/env bash
# Installs the npm packages of the lock file, then leaves the stamp that make looks at.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "setup: npm packages"
start=$SECONDS
npm ci --no-audit --no-fund --loglevel=error
mkdir -p build
touch build/.npm
echo "setup: npm packages took $((SECONDS - start)) s"
