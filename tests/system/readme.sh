#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What README.md and docs/simulator.md show as output is what the commands print.
#
#     readme.sh BUILD_DIR            compares
#     readme.sh BUILD_DIR --write    writes the output into them
#
# A line `<!-- output: tidegate ARGS -->` stands before each block between ``` lines; ARGS as a shell reads them.
set -eu

build=$(CDPATH='' cd -- "$1" && pwd)
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
passed=0
failed=0

tidegate() {
    "$build/tidegate" "$@"
}

# show FILE ARGS: what the file shows of this command line, compared with what it prints.
show() {
    eval "tidegate $2" >"$work/output" 2>/dev/null || true
    awk -v output="$work/output" -v mark="<!-- output: tidegate $2 -->" '
        $0 == mark { wanted = 1 }
        inside && $0 == "```" { inside = 0 }
        !inside { print }
        wanted && $0 == "```text" {
            wanted = 0; inside = 1
            while ((getline line < output) > 0) print line
        }' "$work/new" >"$work/next"
    mv "$work/next" "$work/new"
    if diff "$1" "$work/new" >&2; then
        passed=$((passed + 1))
    else
        echo "$1 does not show what 'tidegate $2' prints: readme.sh BUILD_DIR --write" >&2
        failed=$((failed + 1))
    fi
}

for file in README.md docs/simulator.md; do
    sed -n 's/^<!-- output: tidegate \(.*\) -->$/\1/p' "$file" >"$work/marks"
    [ -s "$work/marks" ] || { echo "$file shows no output" >&2; exit 1; }
    cp "$file" "$work/new"
    while read -r args; do
        show "$file" "$args"
    done <"$work/marks"
    [ "${2-}" != --write ] || cp "$work/new" "$file"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
