#!/bin/sh
# SPDX-License-Identifier: MIT
#
# example.sh BUILD_DIR - the firmware of stacks/lwip/example compiles, before and after, for this machine and
# for a Cortex-M4; so does the adaptor where lwIP has fewer protocols; the change is what docs/lwip.md shows, in
# under ten lines.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
example=$root/stacks/lwip/example
docs=$root/docs/lwip.md
stack=$(sed -n 's/^TG_LWIP_SOURCE:[A-Z]*=//p' "$1/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
passed=0
failed=0

verdict() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$2"
    fi
}

# compile COMPILER... FILE
compile() {
    status=0
    "$@" -std=c11 -DNDEBUG -Wall -Wextra -Wconversion -Wshadow -Werror -I"$example" \
        -I"$root/stacks/lwip" -I"$root/stacks/lwip/options" -I"$root/include" -I"$work" \
        -isystem "$stack/src/include" -c -o "$work/object" || status=1
    verdict "$status" "$*: does not compile"
}

"$1/tidegate" gen -o "$work" "$root/examples/motor.yaml" >/dev/null
for file in "$example"/*.c "$root"/stacks/lwip/*.c "$work/tidegate_config.c"; do
    compile gcc -O2 "$file"
    compile arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os "$file"
done

# A small device. lwIP's init.c refuses options that do not go together.
for without in LWIP_IPV4 LWIP_IPV6 LWIP_TCP 'LWIP_UDP LWIP_DHCP LWIP_DNS' 'LWIP_TCP LWIP_IPV6'; do
    # shellcheck disable=SC2086 # several words
    options=$(printf -- '-D%s=0 ' $without)
    for file in "$root"/stacks/lwip/*.c "$stack/src/core/init.c"; do
        # shellcheck disable=SC2086 # as above
        compile arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os $options "$file"
    done
done

# Without the two header comments, which differ as the files do.
body() {
    sed '1,/^ \*\/$/d' "$1"
}
body "$example/network_stock.c" >"$work/before"
body "$example/network.c" >"$work/after"
diff "$work/before" "$work/after" | sed -n 's/^> //p' >"$work/added"
lines=$(wc -l <"$work/added")
verdict $((lines < 1 || lines > 9)) "the change takes $lines lines"

# shown FILE PREFIX: every line of FILE stands in the docs.
shown() {
    sed "/^\$/d; s/^/$2/" "$1" >"$work/lines"
    grep -Fxvf "$docs" "$work/lines" && return 1
    return 0
}
status=0
shown "$work/added" + || status=1
verdict "$status" 'docs/lwip.md does not show these lines of network.c'
status=0
body "$example/gate.c" | sed '/^#include/d' >"$work/gate"
shown "$work/gate" '' || status=1
verdict "$status" 'docs/lwip.md does not show these lines of gate.c'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
