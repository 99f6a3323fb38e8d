#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every public function has its contract right above it: Context, Returns when it is an error code,
# Cost; or says whose it shares (`Context, cost: as tg_x`, `the same result as tg_x`). Not port.h: it states context and cost
# once, for all its functions.
set -eu

# shellcheck disable=SC2016 # awk's own dollars
sh scripts/files.sh '*.h' | grep '^./include/' | grep -v '/port\.h$' | tr '\n' '\0' | xargs -0 -r awk '
    FNR == 1 || /^$/ || /^#/ { comment = "" }
    /^\/\*/ { in_comment = 1; comment = "" }
    in_comment {
        comment = comment $0 "\n"
        in_comment = !index($0, "*/")
        next
    }
    # A declaration or an inline definition starts at column 0 and names a tg_ function.
    /^[A-Za-z].*[ *]tg_[a-z0-9_]+\(/ && !/^(typedef|struct [a-z_]+ \{)/ {
        flat = comment
        gsub(/\n( \*)?/, "", flat)
        said = flat ~ /Context[a-z, ]*:/ && flat ~ /(Cost|Context, [a-z, ]*cost):/
        if (/(^|[ ])int tg_/ && flat !~ /(Returns|Context, [a-z, ]*returns[a-z, ]*):/) {
            said = 0
        }
        said = said || flat ~ /the same [a-z]+ as tg_/
        if (!said) {
            match($0, /tg_[a-z0-9_]+\(/)
            print FILENAME ":" FNR ": " substr($0, RSTART, RLENGTH) ") lacks its contract"
            bad = 1
        }
    }
    END { exit bad }' >&2
