#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR - core and simulator, broken in every way that mutants.txt lists: the test that
# each names must pass on the whole code and fail on the broken one.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
list=$here/mutants.txt
out=$build/mutants
mkdir -p "$out"

field() {
    awk -v n="$1" '/^[a-z]/ { print $n }' "$list"
}

# A test that fails anyway would catch everything.
for test in $(field 2 | sort -u); do
    sh "$here/run.sh" "$build/tests/$test" "$test" >"$out/log" 2>&1 || {
        tail -n 5 "$out/log"
        echo "$test fails on the whole code"
        exit 1
    }
done

{
    # Each rule of the receive path and each row of the frame table has a mutant that is named after it.
    for rule in 1 2 3 4 5 6 7 8 9 10 11 12; do
        field 1 | grep -q "^rule_${rule}_" || echo "rule $rule has no mutant"
    done
    for row in 1 2 3 4 4a 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        field 1 | grep -q "^row_${row}_" || echo "row $row has no mutant"
    done
    field 1 | sort | uniq -d | sed 's/$/: the name is used twice/'

    field 1 | xargs -P "$(nproc)" -n 1 sh "$here/one.sh" "$build"
} | awk '
    $0 == "caught" { passed++; next }
    { failed++; print }
    END { printf "%d passed, %d failed\n", passed, failed; exit (failed != 0) }'
