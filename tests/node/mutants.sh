#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR [NAME] - the node's drivers, broken in every way that mutants.txt lists: iface_test
# must pass on the whole ones and fail on the broken one. With NAME only that one; prints `caught` or what
# is wrong.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
list=$here/mutants.txt
build=$(CDPATH='' cd -- "$1" && pwd)
work=$build/mutants/node
mkdir -p "$work"

if [ $# -eq 1 ]; then
    # A test that fails anyway would catch everything.
    timeout 60 "$build/tests/iface_test" >"$work/log" 2>&1 || {
        tail -n 5 "$work/log"
        echo 'iface_test fails on the whole drivers'
        exit 1
    }
    awk '/^[a-z]/ { print $1 }' "$list" | xargs -P "$(nproc)" -n 1 sh "$0" "$build" | awk '
        $0 == "caught" { passed++; next }
        { failed++; print }
        END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
    exit
fi

name=$2
cd -- "$build"
setting() {
    sed -n "s/^$1:[A-Z]*=//p" CMakeCache.txt
}
awk -v name="$name" -v root="$root" -f "$here/../mutants/mutate.awk" "$list" >"$work/$name.c" \
    2>"$work/$name.log" || {
    cat "$work/$name.log"
    exit 0
}

# The broken object stands before the libraries, so it replaces theirs. -w: a mutant leaves parts unused.
# shellcheck disable=SC2046 # lists of paths below the build directory, and flags
"$(setting CMAKE_C_COMPILER)" $(setting CMAKE_C_FLAGS) -std=c11 -D_GNU_SOURCE -O1 -DNDEBUG -w \
    -I"$root/include" -I"$root/src" -I"$root/src/node" -I"$root/ports/posix" "$work/$name.c" \
    $(find tests/node -path '*/CMakeFiles/iface_test.dir/*.o') -o "$work/$name" \
    src/node/libtg_node.a src/iface/libtg_iface.a src/system/libtg_system.a ports/libtg_port_posix.a src/core/libtg_core.a \
    -lcmocka -lpthread >"$work/$name.log" 2>&1 || {
    echo "$name: it does not build: $(grep -m 1 -e error -e undefined "$work/$name.log")"
    exit 0
}
status=0
timeout 60 "$work/$name" >"$work/$name.log" 2>&1 || status=$?
case $status in
0) echo "$name: it survives iface_test" ;;
124) echo "$name: iface_test does not end" ;;
*)
    echo caught
    rm -f "$work/$name" "$work/$name.c" "$work/$name.log"
    ;;
esac
