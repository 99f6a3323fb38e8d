#!/bin/sh
# SPDX-License-Identifier: MIT
#
# files.sh - the files of the project whose names match one of the patterns, one a line. Asks no git:
# an unpacked archive and a clone of another user must lint as well.
set -eu

names=
for pattern in "$@"; do
    names="$names${names:+ -o }-name $pattern"
done
set -f # the patterns are for find
# shellcheck disable=SC2086 # several words
find . \( -path './build*' -o -path ./.git \) -prune -o -type f \( $names \) -print | sort
