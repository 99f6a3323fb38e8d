#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR [NAME...] - the analysis, broken in every way that mutants.txt lists: the test that
# each names must pass on the whole analysis and fail on the broken one.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
build=$(CDPATH='' cd -- "$1" && pwd)
shift
# shellcheck disable=SC2046 # names have no spaces
[ $# -gt 0 ] || set -- $(awk '/^[a-z]/ { print $1 }' "$here/mutants.txt")
work=$build/mutants/analysis
mkdir -p "$work"
passed=0
failed=0

cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$build/CMakeCache.txt")

# The same systems each time, and no more than needed.
run() {
    (cd -- "$here" && TG_SEED=1 TG_SYSTEMS=800 exec timeout 120 "$@")
}

complain() {
    failed=$((failed + 1))
    echo "$1"
}

# break_it NAME: what is wrong with the mutant, or nothing.
break_it() {
    test=$(awk -v name="$1" '$1 == name { print $2 }' "$here/mutants.txt")
    awk -v name="$1" -v root="$root" -f "$here/../mutants/mutate.awk" "$here/mutants.txt" \
        >"$work/$1.c" 2>"$work/$1.log" || {
        cat "$work/$1.log"
        return
    }
    objects=$(cd -- "$build" && find tests/analysis -path "*/CMakeFiles/$test.dir/*.o")
    # The broken object stands before the library, so it replaces the library's own. -w: a mutant leaves
    # parts unused.
    cd -- "$build"
    # shellcheck disable=SC2086 # flags, and paths below the build directory
    "$cc" $flags -std=c11 -O1 -DNDEBUG -w -I"$root/src" -I"$root/include" "$work/$1.c" $objects \
        -o "$work/$1" "$build/tests/sim/libtg_sim_world.a" \
        "$build/src/analysis/libtg_analysis_lower.a" "$build/src/analysis/libtg_analysis.a" \
        "$build/src/sim/libtg_sim.a" "$build/src/sim/libtg_sim_results.a" \
        "$build/src/system/libtg_system.a" "$build/tests/support/libtg_test_support.a" \
        "$build/src/core/libtg_core.a" "$build/ports/libtg_port_sim.a" -lcmocka -lyaml -lpcap -lm >"$work/$1.log" 2>&1 || {
        echo "$1: it does not build: $(grep -m 1 -e error -e undefined "$work/$1.log")"
        return
    }
    status=0
    run "$work/$1" >"$work/$1.log" 2>&1 || status=$?
    case $status in
    0) echo "$1: it survives $test" ;;
    124) echo "$1: $test does not end" ;;
    esac
}

# A test that fails anyway would catch everything.
# shellcheck disable=SC2013 # names have no spaces
for test in $(awk '/^[a-z]/ { print $2 }' "$here/mutants.txt" | sort -u); do
    run "$build/tests/$test" >"$work/log" 2>&1 || complain "$test fails on the whole analysis"
done
for name in "$@"; do
    wrong=$(break_it "$name")
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
    else
        complain "$wrong"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
