#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: bench
#
# core.sh - the receive path next to DPDK's: instructions (callgrind), then time.
set -eu

bench=$1/bench/core_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$work/profile" \
    "$bench" --count >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
awk '/^desc: Trigger: Client Request: / { name = $5 }
     /^(summary|totals): / && name { print name, $2; name = "" }' "$work"/profile.* >"$work/counts"
"$bench" --counts "$work/counts"
