#!/bin/sh
# SPDX-License-Identifier: MIT
#
# arm.sh BUILD_DIR - the guest's driver on a bare Cortex-A15: freestanding, and of the rest it needs
# nothing but the core, the port, memcpy and memset.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
out=$1/nic-arm
rm -rf "$out"
mkdir -p "$out"
for source in "$root"/src/nic/driver/*.c; do
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-a15 -O2 -ffreestanding -nostdlib -Wall -Wextra \
        -Wconversion -Wshadow -Werror -I"$root/include" -I"$root/src" -c "$source" \
        -o "$out/$(basename "$source" .c).o"
done
arm-none-eabi-ld -r -o "$out/all.o" "$out/driver.o" "$out/receive.o" "$out/transmit.o"
needs=$(arm-none-eabi-nm -u "$out/all.o" | awk '{ print $2 }' |
    grep -vE '^(tg_port_(lock|unlock|assert_failed)|tg_rxq_(attach|fill|unfill|link|interrupt)|memcpy|memset)$') ||
    true
if [ -n "$needs" ]; then
    echo "the driver needs: $needs" >&2
    exit 1
fi
arm-none-eabi-size "$out/all.o" | awk 'NR == 2 { print "driver on a Cortex-A15: " $1 " bytes of code" }'
