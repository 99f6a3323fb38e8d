#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh RUNNER DIR - each broken kernel of mutants.txt, built as DIR/NAME: the tests must fail on it.
set -u

runner=$1
directory=$2
passed=0
failed=0

list=$(dirname -- "$0")/mutants.txt
names=$(awk '/^[a-z]/ { print $1 }' "$list")
for name in $names; do
    status=0
    parameters=$(awk -v name="$name" '$1 == name && sub(/.*:/, "", $2) { gsub(/,/, " ", $2); print $2 }' "$list")
    # shellcheck disable=SC2086 # one word per parameter
    said=$(TG_ZYNQ_SECONDS=30 "$runner" "$directory/$name" $parameters 2>&1) || status=$?
    case $status:$said in
    *'[   FAIL   ]'* | 3:*panic:*) passed=$((passed + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "$name is not noticed: exit code $status"
        ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
