#!/usr/bin/env bash
# Fails when a page of docs/ is not the one that is committed: after `make synth` and `make bench` it would be stale.
set -euo pipefail

git diff --exit-code -- docs && exit 0
echo "docs: expected the pages that are committed, found the changes above: commit what make synth and make bench write" >&2
exit 1
