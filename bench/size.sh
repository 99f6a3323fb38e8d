#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: arm
#
# size.sh BUILD_DIR [--update] - text and RAM of the core on a Cortex-M4, next to what bench/sizes.txt
# keeps; --update writes them there. Also a test: fails when a figure grew, or when the core needs a symbol
# that a bare target does not have.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
kept=$root/bench/sizes.txt
out=$1/size
rm -rf "$out"
mkdir -p "$out"

# compile OPTION... SOURCE -o OBJECT
compile() {
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m4 -mthumb -Os -ffreestanding -nostdlib -DNDEBUG \
        -I"$root/include" -c "$@"
}

mkdir "$out/apart"
for source in "$root"/src/core/*.c; do
    name=$(basename "$source" .c)
    case $name in
    check) ;; # invariants for tests: nothing of the core calls them
    moderation) compile "$source" -o "$out/apart/$name.o" ;; # not linked by who receives only
    *) compile "$source" -o "$out/$name.o" ;;
    esac
done
mkdir "$out/probe"
compile "$root/bench/size_probe.c" -o "$out/probe/probe.o"

# What is left of the core when a linker takes only what is called.
mkdir "$out/linked"
for source in "$root"/src/core/*.c "$root/bench/size_receiver.c"; do
    compile -ffunction-sections "$source" -o "$out/linked/$(basename "$source" .c).o"
done
arm-none-eabi-ld --gc-sections --entry=receive --unresolved-symbols=ignore-all \
    -o "$out/linked/receiver.elf" "$out/linked"/*.o

{
    for object in "$out"/*.o "$out"/apart/*.o; do
        part=text
        [ "$(dirname "$object")" = "$out" ] || part=apart
        arm-none-eabi-size "$object" |
            awk -v part="$part" -v name="$(basename "$object" .o)" 'NR == 2 { print part, name, $1 }'
    done
    arm-none-eabi-size "$out/linked/size_receiver.o" "$out/linked/receiver.elf" |
        awk 'NR == 2 { own = $1 } NR == 3 { print "linked receiver", $1 - own }'
    arm-none-eabi-nm --print-size --radix=d "$out/probe/probe.o" |
        awk '{ print "ram", $4, $2 + 0 }'
} >"$out/parts"
awk '{ print; sum[$1] += $3 } END { print "text total", sum["text"]; print "ram total", sum["ram"] }' \
    "$out/parts" >"$out/sizes"

failed=0
if [ "${2-}" = --update ]; then
    cp "$out/sizes" "$kept"
fi
awk '
    BEGIN {
        bar["text total"] = 8192
        bar["ram total"] = 6144
    }
    FILENAME ~ /sizes\.txt$/ { kept[$1 " " $2] = $3; next }
    { rows[$1] = rows[$1] row($1 " " $2, $2, $3) }
    END {
        heading = "%-20s %6s %6s %6s\n%s"
        printf heading, "text, bytes", "now", "kept", "bar", rows["text"]
        printf heading, "apart, bytes", "now", "kept", "bar", rows["apart"]
        printf heading, "linked, bytes", "now", "kept", "bar", rows["linked"]
        printf heading, "RAM, bytes", "now", "kept", "bar", rows["ram"]
        print "(RAM: 16 flows and best effort, 64 buffers, 32 priorities)"
        exit bad
    }
    function row(key, name, now,    verdict) {
        verdict = "ok"
        if (!(key in kept)) {
            verdict = "NEW: ./dev bench size --update"
        } else if (now > kept[key]) {
            verdict = "GREW"
        }
        if (verdict != "ok") {
            bad = 1
        } else if (key in bar && now > bar[key]) {
            verdict = "over the bar" # known, and kept from growing
        }
        return sprintf("  %-18s %6d %6s %6s  %s\n", name, now, kept[key], bar[key], verdict)
    }
' "$kept" "$out/sizes" || failed=1

arm-none-eabi-ld -r -o "$out/core.elf" "$out"/*.o "$out"/apart/*.o
grep -ohE '\<tg_port_[a-z_]+' "$root/include/tidegate/port.h" "$root/include/tidegate/common.h" |
    sort -u >"$out/allowed"
printf 'memcpy\nmemset\n' >>"$out/allowed"
arm-none-eabi-nm -u "$out/core.elf" | awk '{ print $2 }' >"$out/undefined"
printf 'undefined symbols:%s\n' "$(tr '\n' ' ' <"$out/undefined" | sed 's/^/ /')"
if grep -vxFf "$out/allowed" "$out/undefined" >"$out/foreign"; then
    printf 'not of port.h, and not memcpy or memset: %s\n' "$(tr '\n' ' ' <"$out/foreign")"
    failed=1
fi
exit "$failed"
