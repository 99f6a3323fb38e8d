#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh BUILD_DIR - each broken firmware of mutants.txt, linked as the whole one was: the case of run.sh that
# the list names must fail on it, and say what is wrong.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
list=$here/mutants.txt
firmware=${TG_VIRT_BUILD:-$root/build-virt}
application=firmware/apps/node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

field() {
    awk -v name="$1" -v n="$2" '$1 == name { print $n }' "$list"
}

# of_source FIELD SOURCE: of its compile command.
of_source() {
    jq -r --arg file "$root/$2" "[.[] | select(.file == \$file)][0].$1" "$firmware/compile_commands.json"
}

# make NAME: the broken object, and a build directory that links it: in place of its own, or before the
# libraries.
make() {
    source=$(field "$1" 3)
    mkdir -p "$work/$1/$application"
    broken=$work/$1/$(basename "$source")
    awk -v name="$1" -v root="$root" -f "$root/tests/mutants/mutate.awk" "$list" >"$broken" || return 1
    command=$(of_source command "$source")
    (cd "$firmware" && eval "${command%% -o *} -w -I\"$(dirname "$root/$source")\" -o \"$broken.o\" -c \"$broken\"") ||
        return 1
    for file in link.sh parts.txt; do
        awk -v whole="node.dir/./$(of_source output "$source" | sed 's,.*/node\.dir/,,')" -v broken="$broken.o" '
            {
                line = $0
                at = index(line, whole)
                if (at != 0) {
                    start = at
                    while (start > 1 && substr(line, start - 1, 1) != "\"") {
                        start--
                    }
                    line = substr(line, 1, start - 1) broken substr(line, at + length(whole))
                } else {
                    sub(/--start-group/, "& \"" broken "\"", line)
                }
                print line
            }' "$firmware/$application/$file" >"$work/$1/$application/$file"
    done
}

names=$(awk '/^[a-z]/ { print $1 }' "$list")
for name in $names; do
    if ! said=$(make "$name" 2>&1); then
        said="it does not build: $said"
    elif said=$(TG_VIRT_BUILD="$work/$name" sh "$here/run.sh" "$1" "$(field "$name" 2)" 2>&1); then
        said="it survives: $said"
    elif echo "$said" | grep -q -F -e '[  FAILED  ]' -e 'panic: '; then
        passed=$((passed + 1))
        continue
    fi
    failed=$((failed + 1))
    echo "$name: $said"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
