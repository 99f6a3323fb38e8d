#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR [NAME...] - the NIC, broken in every way that mutants.txt lists: the test that each
# names must pass on the whole NIC and fail on the broken one.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
build=$(CDPATH='' cd -- "$1" && pwd)
list=$here/mutants.txt
shift
# shellcheck disable=SC2046 # names have no spaces
[ $# -gt 0 ] || set -- $(awk '/^[a-z]/ { print $1 }' "$list")
work=$build/mutants/nic
rm -rf "$work"
mkdir -p "$work"
passed=0
failed=0

cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$build/CMakeCache.txt")

run() {
    (cd -- "$here" && TG_SEED=1 exec timeout 60 "$@")
}

complain() {
    failed=$((failed + 1))
    echo "$1"
}

field() {
    awk -v name="$1" -v n="$2" '$1 == name { print $n }' "$list"
}

# break_it NAME: what is wrong with the mutant, or nothing.
break_it() {
    test=$(field "$1" 2)
    file=$(field "$1" 3)
    case_name=$(field "$1" 4)
    [ -n "$file" ] || {
        echo "$1: there is no such mutant"
        return
    }
    rm -rf "$work/src"
    mkdir -p "$work/src"
    cp -R "$root/src/nic" "$work/src"
    awk -v name="$1" -v root="$root" -f "$here/../mutants/mutate.awk" "$list" >"$work/$file" \
        2>"$work/log" || {
        cat "$work/log"
        return
    }
    # Paths from here on have no spaces. A header can be part of any source of the model, which is
    # where guests are checked.
    cd -- "$build"
    case $file in
    *.c) sources=mutants/nic/$file ;;
    *) sources=$(echo mutants/nic/src/nic/model/*.c) ;;
    esac
    objects=$(find tests/nic -path "*/CMakeFiles/$test.dir/*.o" | sort)
    # The broken objects stand before the libraries, so they replace theirs. -w: a mutant leaves parts unused.
    # shellcheck disable=SC2086 # flags, and paths below the build directory
    "$cc" $flags -std=c11 -O1 -DNDEBUG -D_GNU_SOURCE -w -I"$work/src" -I"$root/src" \
        -I"$root/include" $sources $objects -o "$work/$test" $archives -lcmocka -lyaml -lpcap -lm \
        -pthread >"$work/log" 2>&1 || {
        echo "$1: it does not build: $(grep -m 1 -e error -e undefined "$work/log")"
        return
    }
    status=0
    # shellcheck disable=SC2086 # a name or nothing
    run "$work/$test" $case_name >"$work/log" 2>&1 || status=$?
    case $status in
    0) echo "$1: it survives $test" ;;
    124) echo "$1: $test does not end" ;;
    esac
}

archives='tests/nic/libtg_nic_bench.a src/nic/libtg_nic_device.a src/nic/libtg_nic_driver.a
    src/nic/libtg_nic_model.a tests/support/libtg_test_support.a
    src/iface/libtg_iface.a src/system/libtg_system.a ports/libtg_port_sim.a src/core/libtg_core.a'

# A test that fails anyway would catch everything.
# shellcheck disable=SC2013 # names have no spaces
for test in $(awk '/^[a-z]/ { print $2 }' "$list" | sort -u); do
    run "$build/tests/$test" >"$work/log" 2>&1 || complain "$test fails on the whole NIC"
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
