#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bound.sh OBJECT FRAMES [FUNCTION] - the longest receive interrupt of the lab's system, derived from the compiled
# code: vector entry to exit, in instructions. FRAMES: lab (those of `tidegate lab fig10`) or any; with FUNCTION:
# of those that do not come to it (close: the gate stays open). See bound.awk.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
code=$(mktemp)
trap 'rm -f "$code"' EXIT
arm-none-eabi-objdump -dl --inlines --no-show-raw-insn "$1" >"$code"
awk -v entry=interrupt -v given="$2" -v without="${3-}" -f "$here/bound.awk" "$here/bound.txt" - <"$code"
