#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The lists in docs/ are what the core gives, and the rules are those of the header.
#
#     docs.sh BUILD_DIR            compares
#     docs.sh BUILD_DIR --write    writes the lists into the documents
set -eu

build=$1
docs=$(CDPATH='' cd -- "$(dirname -- "$0")/../../docs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# with_list FILE LIST: the file, with that list between its marks.
with_list() {
    "$build/tests/doc_lists" "$2" >"$work/list"
    awk -v list="$work/list" -v mark="<!-- list: $2 -->" '
        $0 == "<!-- end -->" { inside = 0 }
        !inside { print }
        $0 == mark { inside = 1; n++; while ((getline line < list) > 0) print line }
        END { exit n != 1 }' "$1"
}

compare() {
    with_list "$docs/$1" "$2" >"$work/new"
    if [ "${3-}" = --write ]; then
        cp "$work/new" "$docs/$1"
    fi
    if diff "$docs/$1" "$work/new" >&2; then
        passed=$((passed + 1))
    else
        echo "docs/$1: its list of $2 is not what the core gives; write it with docs.sh --write" >&2
        failed=$((failed + 1))
    fi
}

# Every rule of the header is in the list, in its order.
compare_rules() {
    sed -n 's/^ *\(TG_RULE_[A-Z0-9_]*\) *=.*/\1/p' "$docs/../include/tidegate/frame.h" >"$work/header"
    # shellcheck disable=SC2016 # the backquotes are those of the document
    sed -n 's/.*`\(TG_RULE_[A-Z0-9_]*\)`.*/\1/p' "$docs/frames.md" >"$work/document"
    if [ -s "$work/header" ] && diff "$work/header" "$work/document" >&2; then
        passed=$((passed + 1))
    else
        echo 'docs/frames.md and include/tidegate/frame.h differ in their rules' >&2
        failed=$((failed + 1))
    fi
}

compare matches.md shapes "${2-}"
compare frames.md rules "${2-}"
compare_rules
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
