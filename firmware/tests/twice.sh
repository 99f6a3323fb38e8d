#!/bin/sh
# SPDX-License-Identifier: MIT
#
# twice.sh RUNNER PROGRAM [KEY=VALUE...] - the same program does the same, byte for byte.
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$@" >"$out/first"
"$@" >"$out/second"
[ -s "$out/first" ] # nothing said is nothing compared
cmp "$out/first" "$out/second"
