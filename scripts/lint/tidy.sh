#!/bin/sh
# SPDX-License-Identifier: MIT
#
# clang-tidy (checks in .clang-tidy) over every file that the build compiles.
set -eu

[ -s "$1/compile_commands.json" ]

# One file a process: clang-tidy 14 takes va_start in the second file of a process for unknown.
# "N warnings generated" counts those suppressed in system headers.
sed -n 's/^  "file": "\(.*\)",\{0,1\}$/\1/p' "$1/compile_commands.json" | sort -u | tr '\n' '\0' |
    xargs -0 -r -n 1 -P "$(nproc)" clang-tidy --quiet -p "$1" 2>"$1/tidy.err" || {
    grep -v 'warnings\{0,1\} generated' "$1/tidy.err" >&2
    exit 1
}
