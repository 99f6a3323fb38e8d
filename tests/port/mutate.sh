#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutate.sh NAME SOURCE - SOURCE broken as mutants.txt says, on stdout. What does not apply changes
# nothing: then the mutant survives, and mutants.sh says so.
set -eu

how=$(sed -n "s/^$1 [a-z_]* //p" "$(dirname -- "$0")/mutants.txt")
case $how in
[0-9])
    awk -v nth="$how" '
        /tg_port_cache_invalidate\(/ && ++n == nth { sub(/tg_port_cache_invalidate\(/, "(void)(") }
        { print }' "$2"
    ;;
*) sed -e "$how" "$2" ;;
esac
