#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Dependencies point down only: cli -> report, analysis, sim, stacks -> system -> core, and the core
# includes nothing of the project but include/tidegate/ and its own private headers.
set -eu

# may_use DIRECTORY ALLOWED: quoted includes below DIRECTORY name include/tidegate/, a file beside
# the including one, or a header of one of the ALLOWED directories.
may_use() {
    [ -d "$1" ] || return 0
    find "$1" -name '*.[ch]' | while read -r file; do
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$file" | while read -r header; do
            # What `tidegate gen` writes lies nowhere in the tree.
            case $header in tidegate/* | tidegate_config.h) continue ;; esac
            [ ! -e "$(dirname "$file")/$header" ] || continue
            for lower in "$1" $2; do
                [ ! -e "src/$header" ] || case $header in "${lower#src/}"/*) continue 2 ;; esac
                [ ! -e "$lower/$header" ] || continue 2
            done
            echo "$file: may not include \"$header\""
        done
    done
}

problems=$(
    may_use src/core ''
    # The shadow port is the sim port with a cache; the API of CMSIS-RTOS2 comes from who offers it.
    may_use ports 'ports/sim firmware/kernel'
    may_use firmware/kernel 'firmware/kernel/armv7a firmware/boards/zynq'
    may_use firmware/cortex_a 'firmware/kernel firmware/boards/zynq'
    may_use firmware/boards/zynq 'firmware/cortex_a firmware/kernel firmware/kernel/armv7a ports/cmsis_rtos2'
    may_use firmware/boards/virt 'firmware/cortex_a firmware/kernel firmware/kernel/armv7a ports/cmsis_rtos2 src/nic/wire src/nic/driver'
    may_use firmware/lwip 'firmware/kernel firmware/boards/zynq firmware/apps stacks/lwip'
    may_use firmware/apps 'firmware/cortex_a firmware/kernel firmware/kernel/armv7a firmware/boards/zynq firmware/boards/virt firmware/apps/lab firmware/lwip stacks/lwip src/lab'
    may_use stacks/lwip '' # and lwIP, in angle brackets
    may_use src/system 'src/core'
    may_use src/analysis 'src/system src/core'
    may_use src/nic/wire ''
    may_use src/nic/model 'src/nic/wire src/core'
    may_use src/nic/driver 'src/nic/wire'
    may_use src/iface 'src/system'
    may_use src/nic/device 'src/iface src/nic/model src/nic/wire src/system src/core'
    may_use src/sim 'src/system src/core ports/sim'
    may_use src/report 'src/system src/core'
    may_use src/node 'src/iface src/cli src/report src/sim src/system src/core ports/posix stacks/lwip stacks/lwip/posix'
    may_use src/cli 'src/iface src/lab src/report src/analysis src/sim src/nic src/system src/core ports/sim'
    # The core is freestanding: of the C library only the headers that need no library.
    find src/core -name '*.[ch]' -exec grep -HE '^[ \t]*#[ \t]*include[ \t]*<' {} + |
        grep -vE '<(stdint|stdbool|stddef|stdarg|limits|tidegate/[a-z_]*)\.h>'
) || true
[ -z "$problems" ] || {
    printf '%s\n' "$problems" >&2
    exit 1
}
