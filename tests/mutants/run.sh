#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAM TEST - run the program as ctest would run TEST, with the same random numbers each time.
# Exits as the program does; 124 if it does not end.
set -eu

cd -- "$(dirname -- "$0")/.."
program=$1
test=$2
set --
[ "$test" != frame_vectors ] || set -- vectors/*.tsv
TG_SEED=1 exec timeout 120 "$program" "$@"
