#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lint.sh - run every check of scripts/lint/ (each: sh CHECK BUILD_DIR... in the root of the project,
# silent and 0 when all is well) and say which hold. Each BUILD_DIR has compile commands; the first is the
# host's.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd -- "$root" || exit 1

failed=0
for check in scripts/lint/*.sh; do
    name=$(basename "$check" .sh)
    start_s=$(date +%s)
    if sh "$check" "$@"; then
        verdict=ok
    else
        verdict=FAILED
        failed=$((failed + 1))
    fi
    printf 'lint: %-10s %-6s %3d s\n' "$name" "$verdict" $(($(date +%s) - start_s))
done
[ "$failed" -eq 0 ]
