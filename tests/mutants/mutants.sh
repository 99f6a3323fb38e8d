#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh LIST BUILD_DIR [NAME...] - the code, broken in every way that LIST says (the format:
# mutants.txt), or in these: the test that each names must pass on the whole code and fail on the
# broken one. Firmware has its own one.sh beside its list.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
build=$(CDPATH='' cd -- "$2" && pwd)
shift 2

names=$(awk '/^[a-z]/ { print $1 }' "$list")
# shellcheck disable=SC2086 # names have no spaces
[ $# -gt 0 ] || set -- $names
# Scripts, and what tests firmware, are tests of their own.
one=$(dirname -- "$list")/one.sh
tests=
[ -e "$one" ] || {
    one=$here/one.sh
    tests=$(printf '%s\n' "$@" | awk '
        NR == FNR { wanted[$1]; next }
        $1 in wanted && $2 !~ /:/ { print $2 }' - "$list" | sort -u)
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A test that fails anyway would catch everything.
for test in $tests; do
    sh "$here/run.sh" "$list" "$build/tests/$test" "$test" >"$log" 2>&1 || {
        tail -n 5 "$log"
        echo "$test fails on the whole code"
        exit 1
    }
done

{
    echo "$names" | sort | uniq -d | sed 's/$/: the name is used twice/'
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh "$one" "$list" "$build"
} | awk -v wanted=$# '
    $0 == "caught" { passed++; next }
    { failed++; print }
    END {
        if (passed + failed < wanted) {
            print "one.sh ends without a word"
            failed = wanted - passed
        }
        printf "%d passed, %d failed\n", passed, failed
        exit (failed != 0)
    }'
