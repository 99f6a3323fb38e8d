#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh LIST BUILD_DIR [NAME...] - the code, broken in every way that LIST says (the format:
# mutants.txt), or in these: the test that each names must pass on the whole code and fail on the
# broken one.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
build=$(CDPATH='' cd -- "$2" && pwd)
shift 2

# field N: of the line of each mutant.
field() {
    awk -v n="$1" '/^[a-z]/ { print $n }' "$list"
}

# shellcheck disable=SC2046 # names have no spaces
[ $# -gt 0 ] || set -- $(field 1)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A test that fails anyway would catch everything. Scripts are tests of their own.
for test in $(field 2 | grep -v : | sort -u); do
    sh "$here/run.sh" "$list" "$build/tests/$test" "$test" >"$log" 2>&1 || {
        tail -n 5 "$log"
        echo "$test fails on the whole code"
        exit 1
    }
done

{
    field 1 | sort | uniq -d | sed 's/$/: the name is used twice/'
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh "$here/one.sh" "$list" "$build"
} | awk '
    $0 == "caught" { passed++; next }
    { failed++; print }
    END { printf "%d passed, %d failed\n", passed, failed; exit (failed != 0) }'
