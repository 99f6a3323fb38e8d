#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The core fits a bare Cortex-M4: no larger than bench/sizes.txt keeps, and it needs nothing but
# memcpy, memset and the port. So: no heap, no 64-bit division.
set -eu

sh bench/size.sh "$1" >"$1/size.log" 2>&1 || {
    cat "$1/size.log" >&2
    exit 1
}
