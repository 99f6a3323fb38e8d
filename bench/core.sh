#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: bench
#
# core.sh - the receive path next to DPDK's: instructions (callgrind), then time.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count PROGRAM: lines "measurement instructions".
count() {
    valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$work/profile" \
        "$build/bench/$1" --count >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    awk '/^desc: Trigger: Client Request: / { name = $5 }
         /^(summary|totals): / && name { print name, $2; name = "" }' "$work"/profile.*
    rm "$work"/profile.*
}

build=$1
count core_bench >"$work/counts"
count core_bench_library | sed -n 's/^tidegate-/library-/p' >>"$work/counts"
"$build/bench/core_bench" --counts "$work/counts"
