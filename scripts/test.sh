#!/usr/bin/env bash
# Unit, block and system tests: scripts/test.sh [vitest arguments]
#
#   SHARD=i/n   that part of them, for one of n machines; what each leaves in build/reports/shards, brought together
#               in one folder, `make test-merge` makes one report of
set -euo pipefail
cd "$(dirname "$0")/.."

args=(run --project unit --project block --project system)
export REPORT=test
if [ -n "${SHARD:-}" ]; then
  [[ $SHARD =~ ^([1-9][0-9]{0,3})/([1-9][0-9]{0,3})$ ]] && [ "${BASH_REMATCH[1]}" -le "${BASH_REMATCH[2]}" ] || {
    echo "SHARD: expected i/n with i from 1 to n, as 2/3, found \"$SHARD\"" >&2
    exit 2
  }
  export REPORT=test-${SHARD//\//-of-}
  args+=("--shard=$SHARD")
fi
exec npx --no-install vitest "${args[@]}" "$@"
