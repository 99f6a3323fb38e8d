#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR [NAME] - the adaptor, broken in every way that mutants.txt lists: the test that each
# names must pass on the whole adaptor and fail on the broken one. With NAME only that one; prints `caught`
# or what is wrong.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
list=$here/mutants.txt
build=$(CDPATH='' cd -- "$1" && pwd)
work=$build/mutants/lwip
mkdir -p "$work"

field() {
    awk -v name="$1" -v n="$2" '$1 == name { print $n }' "$list"
}

# A broken lock may wait for ever.
run() {
    TG_SEED=1 timeout 60 "$@"
}

if [ $# -eq 1 ]; then
    # A test that fails anyway would catch everything.
    # shellcheck disable=SC2013 # names have no spaces
    for test in $(awk '/^[a-z]/ { print $2 }' "$list" | sort -u); do
        run "$build/tests/$test" >"$work/log" 2>&1 || {
            tail -n 5 "$work/log"
            echo "$test fails on the whole adaptor"
            exit 1
        }
    done
    awk '/^[a-z]/ { print $1 }' "$list" | xargs -P "$(nproc)" -n 1 sh "$0" "$build" | awk '
        $0 == "caught" { passed++; next }
        { failed++; print }
        END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
    exit
fi

name=$2
test=$(field "$name" 2)
cd -- "$build"
setting() {
    sed -n "s/^$1:[A-Z]*=//p" CMakeCache.txt
}
stack=$(setting TG_LWIP_SOURCE)
awk -v name="$name" -v root="$root" -f "$here/../mutants/mutate.awk" "$list" >"$work/$name.c" \
    2>"$work/$name.log" || {
    cat "$work/$name.log"
    exit 0
}

case $test in
lwip_threads_test) world=ports/libtg_port_posix.a ;;
*) world='tests/lwip/libtg_lwip_station.a tests/support/libtg_test_support.a ports/libtg_port_sim.a' ;;
esac
options=
[ "$test" != lwip_input_test ] || options=-Wl,--wrap=tg_rx_done
lwip='stacks/lwip/libtg_lwip.a stacks/lwip/libtg_lwip_stack.a stacks/lwip/libtg_lwip_posix.a'

# The broken object stands before the libraries, so it replaces theirs. -w: a mutant leaves parts unused.
# shellcheck disable=SC2046,SC2086 # lists of paths below the build directory, and flags
"$(setting CMAKE_C_COMPILER)" $(setting CMAKE_C_FLAGS) -std=c11 -O1 -DNDEBUG -D_DEFAULT_SOURCE -w \
    -I"$root/include" \
    -I"$root/stacks/lwip" -I"$root/stacks/lwip/options" -I"$root/stacks/lwip/posix" \
    -isystem "$stack/src/include" "$work/$name.c" \
    $(find tests/lwip -path "*/CMakeFiles/$test.dir/*.o") -o "$work/$name" $options \
    -Wl,--start-group $world $lwip src/core/libtg_core.a -Wl,--end-group -lcmocka -lpthread \
    >"$work/$name.log" 2>&1 || {
    echo "$name: it does not build: $(grep -m 1 -e error -e undefined "$work/$name.log")"
    exit 0
}
status=0
run "$work/$name" >"$work/$name.log" 2>&1 || status=$?
case $status in
0) echo "$name: it survives $test" ;;
124) echo "$name: $test does not end" ;;
*)
    echo caught
    rm -f "$work/$name" "$work/$name.c" "$work/$name.log"
    ;;
esac
