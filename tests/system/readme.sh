#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What README.md shows as output is what the commands print.
#
#     readme.sh BUILD_DIR            compares
#     readme.sh BUILD_DIR --write    writes the output into README.md
#
# A line `<!-- output: tidegate ARGS -->` stands before each block between ``` lines.
set -eu

build=$(CDPATH='' cd -- "$1" && pwd)
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
passed=0
failed=0

marks=$(sed -n 's/^<!-- output: tidegate \(.*\) -->$/\1/p' README.md)
[ -n "$marks" ] || { echo 'README.md shows no output' >&2; exit 1; }

cp README.md "$work/new"
while read -r args; do
    # shellcheck disable=SC2086 # words of a command line
    "$build/tidegate" $args >"$work/output" 2>/dev/null || true
    awk -v output="$work/output" -v mark="<!-- output: tidegate $args -->" '
        $0 == mark { wanted = 1 }
        inside && $0 == "```" { inside = 0 }
        !inside { print }
        wanted && $0 == "```text" {
            wanted = 0; inside = 1
            while ((getline line < output) > 0) print line
        }' "$work/new" >"$work/next"
    mv "$work/next" "$work/new"
    if diff README.md "$work/new" >&2; then
        passed=$((passed + 1))
    else
        echo "README.md does not show what 'tidegate $args' prints: readme.sh BUILD_DIR --write" >&2
        failed=$((failed + 1))
    fi
done <<END
$marks
END

if [ "${2-}" = --write ]; then
    cp "$work/new" README.md
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
