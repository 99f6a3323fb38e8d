#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR - run on each broken port or core of mutants.txt the conformance case that must
# notice, and see that it does. A new cache operation of the core needs a mutant too.
set -eu

here=$(dirname -- "$0")
passed=0
failed=0

note() {
    if [ "$1" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$2"
    fi
}

names=$(grep '^[a-z]' "$here/mutants.txt" | cut -d ' ' -f 1)
for name in $names; do
    case_name=$(sed -n "s/^$name \([a-z_]*\) .*/\1/p" "$here/mutants.txt")
    status=0
    output=$(TG_CASE=$case_name timeout 60 "$1/tests/port/mutants/$name" 2>&1) || status=$?
    case $status:$output in
    0:*) note no "$name survives $case_name" ;;
    *"[ RUN      ] $case_name"*) note yes '' ;;
    *) note no "$name: there is no $case_name" ;;
    esac
done

operations=$(cat "$here"/../../src/core/*.[ch] | grep -c 'tg_port_cache_invalidate(')
known=$(echo "$names" | grep -c '^cache_')
note "$([ "$operations" -eq "$known" ] && echo yes)" \
    "the core has $operations cache operations, but mutants leave out $known"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
