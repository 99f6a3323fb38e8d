#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR [NAME] - the node, broken in every way that mutants.txt lists: the script
# that each names must fail with it. (That it passes with the whole node is the script's own test.)
# With NAME only that one; prints `caught` or what is wrong.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
list=$here/mutants.txt
build=$(CDPATH='' cd -- "$1" && pwd)

if [ $# -eq 1 ]; then
    awk '/^[a-z]/ { print $1 }' "$list" | xargs -P "$(nproc)" -n 1 sh "$0" "$build" | awk '
        $0 == "caught" { passed++; next }
        { failed++; print }
        END { printf "%d passed, %d failed\n", passed, failed; exit failed != 0 }'
    exit
fi

name=$2
script=$(awk -v name="$name" '$1 == name { print $2 }' "$list")
source=$(awk -v name="$name" '$1 == name { print $3 }' "$list")
broken=mutants/net/$name # from the build directory, where commands run: without spaces
work=$build/$broken
mkdir -p "$work"
fail() {
    echo "$name: $*"
    exit 0
}

awk -v name="$name" -v root="$root" -f "$here/../../mutants/mutate.awk" "$list" >"$work/mutant.c" \
    2>"$work/log" || fail "$(cat "$work/log")"

# As the build compiles and links it; the broken object stands before the library that has the whole
# one.
cd -- "$build"
object=src/node/CMakeFiles/tg_node.dir/$(basename "$source").o
ninja -t commands "$object" | tail -n 1 |
    sed "s# -MD .* -o .*# -w -o $broken/mutant.o -c $broken/mutant.c#" >"$work/compile"
ninja -t commands tidegate-node | tail -n 1 |
    sed "s# -o tidegate-node # $broken/mutant.o -o $broken/tidegate-node #" >"$work/link"
{ sh "$work/compile" && sh "$work/link"; } >"$work/log" 2>&1 || fail "it does not build: $(tail -n 1 "$work/log")"

ln -sf "$build/tidegate" "$build/CMakeCache.txt" "$work"
if timeout 120 sh "$here/$script.sh" "$work" >"$work/log" 2>&1; then
    fail "it survives $script.sh"
fi
grep -q FAILED "$work/log" || fail "$script.sh fails for another reason: $(tail -n 1 "$work/log")"
echo caught
rm -rf "$work"
