#!/bin/sh
# SPDX-License-Identifier: MIT
#
# model.sh BUILD_DIR - spin searches all interleavings of the ring protocol (ring.pml): none may break it;
# and each mutation of the protocol that ring.pml knows must break it.
set -eu

model=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/ring.pml
work=$1/ring-model
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cp "$model" .
passed=0
failed=0

# search [MUTANT]: the errors that spin finds, or nothing if it did not come to an end.
search() {
    # shellcheck disable=SC2086 # an option or nothing
    spin -a ${1:+-D$1} ring.pml >log 2>&1 && cc "$optimise" -w -DSAFETY -o pan pan.c >>log 2>&1 ||
        return 0
    ./pan -m100000 -w22 >>log 2>&1 || return 0
    # A search that was cut short has found nothing, which means nothing.
    ! grep -q -e 'max search depth' -e 'out of memory' log || return 0
    sed -n 's/.*errors: \([0-9]*\)$/\1/p' log
}

verdict() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: errors found: '$2', not '$3'"
        tail -n 5 log
    fi
}

optimise=-O1
verdict 'the protocol' "$(search)" 0
printf 'ring model: %s states, no error\n' "$(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' log)"
optimise=-O0 # compiling takes longer than finding the error
# shellcheck disable=SC2013 # names have no spaces
for mutant in $(grep -o 'MUTANT_[A-Z_]*' ring.pml | sort -u); do
    verdict "$mutant" "$(search "$mutant")" 1
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
