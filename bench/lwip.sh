#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: bench lwip-source lwip
#
# lwip.sh - instructions per packet, lwIP alone and with Tidegate in front, in one run of callgrind.
set -eu

bench=$1/bench/lwip_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$work/profile" \
    "$bench" --count >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
awk '/^desc: Trigger: Client Request: / { name = $5 }
     /^totals: / && name { print name, $2; name = "" }' "$work"/profile.* >"$work/counts"
"$bench" --counts "$work/counts"

# Bytes on a Cortex-M4, with the options of the example.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
example=$root/stacks/lwip/example
"$1/tidegate" gen -o "$work" "$root/examples/motor.yaml" >/dev/null
for source in "$root/stacks/lwip/tg_lwip.c" "$root/stacks/lwip/tg_lwip_socket.c" "$example/gate.c"; do
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m4 -mthumb -Os -DNDEBUG -I"$example" -I"$root/stacks/lwip" \
        -I"$root/stacks/lwip/options" -I"$root/include" -I"$work" \
        -isystem "$root/build-lwip/source/src/include" -c "$source" \
        -o "$work/$(basename "$source" .c).o"
done
size() {
    arm-none-eabi-size "$work/$1.o" | awk 'NR == 2 { print $1 }'
}
# bytes_of SYMBOL COUNT: of one element of an array in gate.c
bytes_of() {
    arm-none-eabi-nm -S -t d "$work/gate.o" |
        awk -v name="$1" -v n="$2" '$4 ~ "^" name "[.0-9]*$" { print $2 / n }'
}
printf '\n%-40s %12s\n' 'Cortex-M4, -Os' bytes
printf '%-40s %12d\n' 'text, packets (tg_lwip.c)' "$(size tg_lwip)" \
    'text, sockets (tg_lwip_socket.c)' "$(size tg_lwip_socket)" \
    'RAM, per buffer' "$(bytes_of pbufs 128)" 'RAM, per socket with a flow' "$(bytes_of sockets 8)"
