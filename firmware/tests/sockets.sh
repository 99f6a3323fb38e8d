#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sockets.sh RUNNER SOCKETS [first] - through lwIP into sockets and back out: behind Tidegate the urgent
# receiver gets everything under a flood and no buffer stays away; behind the stock driver all arrives that
# can. `first`: end at the first thing that is wrong.
# shellcheck disable=SC1091,SC2154,SC2016 # scenario.sh and what it sets; the dollars are awk's
set -u

. "$(dirname -- "$0")/scenario.sh"

# check WHAT CONDITION: of awk over the last run's output.
check() {
    holds "$1" '
        NF == 8 && $1 != "flow" { sent[$1] = $2; pass[$1] = $4; got[$1] = $7; all_sent += $2; all_got += $7 }
        /^received/ { received = $2 + 0; no_buffer = $5 + 0 }
        /^lwip:/ { lwip = $3 + 0; dropped = $5 + 0; refused = $7 + 0; back = $9 + 0; answers = $11 + 0; held = $13 + 0 }
        END { exit !('"$2"') }'
}

run high=1000 low=100000
check 'the urgent receiver gets all' 'sent["high"] == 100 && got["high"] == 100'
check 'what passed is received' 'all_got == pass["high"] + pass["low"] && lwip == all_got && dropped == 0'
check 'all buffers are back' 'held == 0'

run high=1000 low=1000 echo=1
check 'what is received is answered' 'got["high"] == 100 && got["low"] == 100 && back == 200 && answers == 200'

run kind=broker high=1000 low=20000 payload=1000
check 'broker, long datagrams' 'got["high"] == 100 && held == 0 && lwip == all_got && dropped == 0'

run variant=stock high=1000 low=20000
check 'stock: all arrive' 'all_got == all_sent && got["high"] == 100 && refused == 0 && no_buffer == 0'
run variant=stock high=1000 low=100000 stack=30
# Below the receivers lwIP would leave some of them without a buffer.
check 'stock: lwIP runs above its receivers' 'all_got == all_sent'
run variant=stock high=1000 low=150000 stack=30
check 'stock: what is lost is counted' 'no_buffer > 0 && all_sent == received && lwip == received - no_buffer - refused'
cp "$out/said" "$out/first"
run variant=stock high=1000 low=150000 stack=30
cmp "$out/said" "$out/first" || fails

finish
