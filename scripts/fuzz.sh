#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fuzz.sh - run one libFuzzer target of BUILD_DIR for so many SECONDS. The corpus that it grows stays
# in BUILD_DIR/corpus; an input that breaks something goes to tests/fuzz/corpus, where it becomes a
# test of every build once it is committed.
set -eu

build_dir=$1
name=$2
seconds=$3
seeds=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/tests/fuzz/corpus/$name
grown=$build_dir/corpus/$name
mkdir -p "$seeds" "$grown"

log=$build_dir/fuzz-$name.log
if ! "$build_dir/tests/fuzz_$name" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$seeds/found-" "$grown" "$seeds" >"$log" 2>&1; then
    cat "$log" >&2
    printf 'fuzz: %s FAILED; the input is in tests/fuzz/corpus/%s\n' "$name" "$name"
    exit 1
fi
printf 'fuzz: %-12s ok, %s inputs tried, %s kept\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: //p' "$log")" \
    "$(find "$grown" -type f | wc -l)"
