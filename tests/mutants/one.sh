#!/bin/sh
# SPDX-License-Identifier: MIT
#
# one.sh BUILD_DIR NAME [TEST] - break core or simulator as mutants.txt says, link the test that it names (or TEST)
# with it, and see that the test fails. Prints `caught` or `NAME: what is wrong`; exits 0 either way.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
name=$2
test=${3-$(awk -v name="$name" '$1 == name { print $2 }' "$here/mutants.txt")}
file=$(awk -v name="$name" '$1 == name { print $3 }' "$here/mutants.txt")
cd -- "$1" || exit 1

work=mutants/$name
rm -rf "$work"
mkdir -p "$work/src"
cp -R "$root/include" "$work"
cp -R "$root/src/core" "$root/src/sim" "$work/src"

# say WHAT: the one line of this mutant. What was caught leaves nothing behind.
say() {
    echo "$1"
    [ "$1" != caught ] || rm -rf "$work"
    exit 0
}

[ -n "$file" ] || say "$name: there is no such mutant"
awk -v name="$name" -v root="$root" -f "$here/mutate.awk" "$here/mutants.txt" \
    >"$work/$file" 2>"$work/log" || say "$(cat "$work/log")"

# A header can be part of any source.
case $file in
*.c) sources=$work/$file ;;
*) sources=$(echo "$work"/src/core/*.c) ;;
esac
libraries='tests/support/libtg_test_support.a src/system/libtg_system.a ports/libtg_port_sim.a
    src/core/libtg_core.a'
# The simulator runs the core; it reads files.
case $file in
src/sim/*)
    libraries="tests/sim/libtg_sim_world.a src/sim/libtg_sim.a src/sim/libtg_sim_results.a $libraries
        -lyaml -lpcap"
    ;;
esac
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' CMakeCache.txt)
objects=$(find tests -path "*/CMakeFiles/$test.dir/*.o" | sort)

# The broken objects stand before the library, so they replace its own. -w: a mutant leaves parts unused.
# shellcheck disable=SC2086 # lists of paths inside the build directory, which have no spaces
"$cc" -std=c11 -O1 -DNDEBUG -w -I"$work/include" -I"$work/src" -I"$root/src" -I"$root/ports/sim" \
    $sources $objects -o "$work/program" $libraries -lcmocka >"$work/log" 2>&1 ||
    say "$name: it does not build: $(grep -m 1 error "$work/log")"

sh "$here/run.sh" "$(pwd)/$work/program" "$test" >"$work/log" 2>&1
case $? in
0) say "$name: it survives $test" ;;
124) say "$name: $test does not end" ;;
*) say caught ;;
esac
