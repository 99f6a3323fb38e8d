#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh LIST PROGRAM TEST [CASE] - run the program as ctest would run TEST of this list, with the
# same random numbers each time, and no more of them than mutants need. Exits as the program does; 124
# if it does not end.
set -eu

cd -- "$(dirname -- "$1")"
program=$2
test=$3
# Only that case of the test.
[ $# -lt 4 ] || export TG_CASE="$4"
case $test in
*:*) set -- sh "${test#*:}.sh" "$(dirname -- "$program")" ;;
frame_vectors) set -- "$program" ../vectors/*.tsv ;;
*) set -- "$program" ;;
esac
TG_SEED=1 TG_SYSTEMS=800 exec timeout 400 "$@"
