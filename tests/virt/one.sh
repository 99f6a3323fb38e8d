#!/bin/sh
# SPDX-License-Identifier: MIT
#
# one.sh LIST BUILD_DIR NAME - a broken firmware, linked as the whole one was: the case of run.sh that LIST names
# must fail on it, and say what is wrong. Prints and exits as tests/mutants/one.sh.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
list=$1
build=$2
name=$3
firmware=${TG_VIRT_BUILD:-$root/build-virt}
application=firmware/apps/node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

field() {
    awk -v name="$name" -v n="$1" '$1 == name { print $n }' "$list"
}

# of_source FIELD SOURCE: of its compile command.
of_source() {
    jq -r --arg file "$root/$2" "[.[] | select(.file == \$file)][0].$1" "$firmware/compile_commands.json"
}

# The broken object, and a build directory that links it: in place of its own, or before the libraries.
make() {
    source=$(field 3)
    mkdir -p "$work/$application"
    broken=$work/$(basename "$source")
    awk -v name="$name" -v root="$root" -f "$root/tests/mutants/mutate.awk" "$list" >"$broken" || return 1
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
            }' "$firmware/$application/$file" >"$work/$application/$file"
    done
}

case_name=$(field 2)
if ! said=$(make 2>&1); then
    echo "$name: it does not build: $said"
elif said=$(TG_VIRT_BUILD="$work" sh "$here/run.sh" "$build" "$case_name" 2>&1); then
    echo "$name: it survives $case_name"
elif echo "$said" | grep -q -F -e '[  FAILED  ]' -e 'panic: '; then
    echo caught
else
    echo "$name: $case_name fails for another reason: $(echo "$said" | tail -n 1)"
fi
