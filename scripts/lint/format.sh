#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Layout: clang-format leaves every C file as it is, comments end at column 100.
set -eu

bad=0
sh scripts/files.sh '*.[ch]' | tr '\n' '\0' | xargs -0 -r clang-format --dry-run -Werror || bad=1
if sh scripts/files.sh '*.[ch]' | tr '\n' '\0' | LC_ALL=C.UTF-8 xargs -0 -r grep -HnE '.{101}' >&2
then
    echo 'the lines above are longer than 100 columns' >&2
    bad=1
fi
exit "$bad"
