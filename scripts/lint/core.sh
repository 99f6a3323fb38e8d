#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The core on a bare Cortex-M4: no function calls itself, even through others, and none takes a stack
# that depends on its input or exceeds the limit. (size.sh: no heap, no library.)
set -eu

stack_limit_bytes=256
out=$1/lint-core
rm -rf "$out"
mkdir -p "$out"

for source in src/core/*.c; do
    [ -e "$source" ] || exit 0
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m4 -mthumb -Os -DNDEBUG -ffreestanding -nostdlib \
        -Wall -Wextra -Wconversion -Wshadow -Werror -fstack-usage -fcallgraph-info -Iinclude \
        -Isrc/core -c "$source" -o "$out/$(basename "$source" .c).o"
done

bad=0
# A .ci file has one edge a line: edge: { sourcename: "f" targetname: "g" ... }
sed -n 's/^edge: { sourcename: "\([^"]*\)" targetname: "\([^"]*\)".*/\1 \2/p' "$out"/*.ci |
    awk '$1 == $2 { print $1 " calls itself" > "/dev/stderr"; bad = 1 } { print } END { exit bad }' \
        >"$out/calls" || bad=1
if ! tsort "$out/calls" >/dev/null 2>"$out/loops"; then
    cat "$out/loops" >&2
    echo 'src/core: the functions above call each other in a circle' >&2
    bad=1
fi

if awk -F '\t' -v limit="$stack_limit_bytes" '$3 != "static" || $2 > limit' "$out"/*.su |
    grep . >&2; then
    echo "src/core: stack of the functions above: over $stack_limit_bytes bytes or not fixed" >&2
    bad=1
fi
exit "$bad"
