#!/bin/sh
# SPDX-License-Identifier: MIT
#
# one.sh LIST BUILD_DIR NAME - break the code as LIST says, compile and link it as BUILD_DIR was, and
# see that the test that it names fails. Prints `caught` or `NAME: what is wrong`; exits 0 either way.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
list=$1
name=$3
cd -- "$2"

# From the build directory, where its commands run: a path without spaces.
work=mutants/$(basename -- "$(dirname -- "$list")")/$name
rm -rf "$work"
mkdir -p "$work"

# say WHAT: the one line of this mutant. What was caught leaves nothing behind.
say() {
    echo "$1"
    [ "$1" != caught ] || rm -rf "$work"
    exit 0
}

field() {
    awk -v name="$name" -v n="$1" '$1 == name { print $n }' "$list"
}

test=$(field 2)
file=$(field 3)
case_name=$(field 4)
[ -n "$file" ] || say "$name: there is no such mutant"
program=${test%%:*}
[ -e "$program" ] || program=tests/$program

# A header can be part of any source of its library, and all that includes it must find the broken
# one: so the whole code lies beside it.
case $file in
*.h) cp -R "$root/include" "$root/ports" "$root/src" "$root/stacks" "$work" ;;
*) mkdir -p "$work/$(dirname "$file")" ;;
esac
awk -v name="$name" -v root="$root" -f "$here/mutate.awk" "$list" >"$work/$file" 2>"$work/log" ||
    say "$(cat "$work/log")"

case $file in
include/*) part=src/core/ ;;
*.h) part=$(echo "$file" | cut -d / -f 1,2)/ ;;
*) part=$file ;;
esac

# The broken objects stand before the libraries, so they replace their own. -w: a mutant leaves parts
# unused.
ninja -t commands "$program" | awk -v root="$root/" -v part="$part" -v work="$work" \
    -v program="$program" -v beside="$(dirname "$file")" '
    # Read from the broken code what the line reads from the whole.
    function moved(line,    all, at, rest) {
        while ((at = index(line, root)) != 0) {
            rest = substr(line, at + length(root))
            all = all substr(line, 1, at - 1) (rest ~ /^(include|ports|src|stacks)/ ? work "/" : root)
            line = rest
        }
        return all line
    }
    { last = $0; source = $0 }
    sub(/.* -c ["\047]?/, "", source) && index(source, root part) == 1 {
        object = work "/" ++n ".o"
        source = work "/" substr(source, length(root) + 1)
        sub(/["\047]$/, "", source)
        if (match($0, / -o [^ ]+ -c /)) {
            whole[n] = substr($0, RSTART + 4, RLENGTH - 8)
        }
        sub(/ -MD .* -o .* -c .*/, "")
        print (part ~ /\.c$/ ? $0 " -iquote \"" root beside "\"" : moved($0)) \
            " -O1 -w -o " object " -c " source
        objects = objects " " object
    }
    END {
        # An object that the program names itself would be there twice.
        for (i in whole) {
            at = index(last, " " whole[i] " ")
            last = at == 0 ? last : substr(last, 1, at - 1) substr(last, at + length(whole[i]) + 1)
        }
        sub(" -o " program " ", objects " -o " work "/" program " ", last)
        print last
    }' >"$work/build.sh"
mkdir -p "$work/tests"
sh -e "$work/build.sh" >"$work/log" 2>&1 ||
    say "$name: it does not build: $(grep -m 1 -e error -e undefined "$work/log")"
[ -e "$work/$program" ] || say "$name: ninja does not say how $program is built"

# What a script that runs the program finds beside it, and tidegate beside itself: no symbolic link.
ln -s "$PWD/CMakeCache.txt" "$work"
[ "$program" = tidegate ] || [ ! -e tidegate ] || ln tidegate "$work"
status=0
# shellcheck disable=SC2086 # a name or nothing
sh "$here/run.sh" "$list" "$PWD/$work/$program" "$test" $case_name >"$work/log" 2>&1 || status=$?
case $test:$status in
*:0) say "$name: it survives $test" ;;
*:124) say "$name: $test does not end" ;;
*:*:*) grep -q FAILED "$work/log" || say "$name: $test fails for another reason: $(tail -n 1 "$work/log")" ;;
esac
say caught
