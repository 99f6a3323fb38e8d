#!/bin/sh
# SPDX-License-Identifier: MIT
#
# coverage.sh - each rule of the receive path, each row of the frame table and each cache operation of
# the core has a mutant.
set -eu

cd -- "$(dirname -- "$0")/.."
missing=$(
    for rule in 1 2 3 4 5 6 7 8 9 10 11 12; do
        grep -q "^rule_${rule}_" mutants/mutants.txt || echo "rule $rule has no mutant"
    done
    for row in 1 2 3 4 4a 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        grep -q "^row_${row}_" mutants/mutants.txt || echo "row $row has no mutant"
    done
    operations=$(cat ../src/core/*.[ch] | grep -c 'tg_port_cache_invalidate(')
    known=$(grep -c '^cache_' port/mutants.txt)
    [ "$operations" -eq "$known" ] ||
        echo "the core has $operations cache operations, but mutants leave out $known"
)
[ -z "$missing" ] || {
    echo "$missing"
    exit 1
}
