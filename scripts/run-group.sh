#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run-group.sh - run the ctest tests of BUILD_DIR with the label GROUP ('.' for any, without the
# mutants), print one line with the count and the time, append "TITLE PASSED FAILED" to COUNTS.
set -eu

build_dir=$1
group=$2
title=$3
limit_s=$4
counts=$5
here=$(dirname -- "$0")
junit=$build_dir/junit-$(printf '%s' "$title" | tr -c 'a-z0-9' -).xml

case $group in
.) set -- -LE '^mutants$' ;;
*) set -- -L "^$group\$" ;;
esac

# Timing-free tests may share the machine. The count decides, not the exit code: it also sees skips.
rm -f "$junit"
start_s=$(date +%s)
ctest --test-dir "$build_dir" -j "$(nproc)" --no-tests=ignore --output-on-failure \
    --test-output-size-passed 10000000 --test-output-size-failed 10000000 \
    --output-junit "$junit" "$@" >"$build_dir/ctest.log" 2>&1 || cat "$build_dir/ctest.log" >&2
elapsed_s=$(($(date +%s) - start_s))

[ -e "$junit" ] || exit 0 # no such tests
count=$(awk -f "$here/count-tests.awk" "$junit")
[ "$count" != '0 0' ] || exit 0
printf '%s %s\n' "$title" "$count" >>"$counts"
printf '%-12s %5d passed, %d failed, %4d s (limit %d s)\n' \
    "$title" "${count% *}" "${count#* }" "$elapsed_s" "$limit_s"
