#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The registers of docs/nic.md are those of the header: the same names at the same offsets.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rows `| 0x014 | NAME |`, also `| 0x050–0x05c | NAME |` and `| 0x1040 + 0x40 k | NAME |`; behind the heading
# of a queue the names begin with Q_.
awk -F '|' '
    /^#/ { prefix = /Queue k/ ? "Q_" : "" }
    $2 ~ /^ *0x/ && $3 ~ /^ *[A-Z_]+ *$/ {
        match($2, /0x[0-9a-f]+/)
        offset = substr($2, RSTART + 2, RLENGTH - 2)
        gsub(/ /, "", $3)
        sub(/^0+/, "", offset)
        print prefix $3, offset
    }' "$root/docs/nic.md" | sort >"$work/document"

# From the first register to the last, and the words of the guest; not limits and values.
awk '
    /---- Values/ { is_on = 0 }
    /---- Registers/ || /---- Words of the guest/ { is_on = 1 }
    is_on && $1 == "#define" && $2 ~ /^TG_NIC_/ && /0x[0-9a-f]+u/ {
        name = substr($2, 8)
        sub(/\(.*/, "", name)
        if (name ~ /(_BLOCK|_STRIDE|_END|_MAX|^DATA)$/) {
            next
        }
        match($0, /0x[0-9a-f]+u/)
        offset = substr($0, RSTART + 2, RLENGTH - 3)
        sub(/^0+/, "", offset)
        print name, offset
    }' "$root/src/nic/wire/registers.h" | sort >"$work/header"

[ "$(wc -l <"$work/header")" -gt 60 ]
diff "$work/header" "$work/document"
