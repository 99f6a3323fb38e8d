#!/bin/sh
# SPDX-License-Identifier: MIT
#
# smoke.sh RUNNER SMOKE [first] - frames through the emulated GEM: nothing is lost silently, the gate closes and
# opens, the urgent flow gets everything under a flood, and all of it is the same each time. `first`: end at the
# first thing that is wrong.
# shellcheck disable=SC1091,SC2154,SC2016 # scenario.sh and what it sets; the dollars are awk's
set -u

. "$(dirname -- "$0")/scenario.sh"

# check WHAT CONDITION: of awk over the last run's output; names of flows are arrays of columns.
check() {
    holds "$1" '
        NF == 8 && $1 != "flow" {
            sent[$1] = $2; full[$1] = $3; pass[$1] = $4; budget[$1] = $5; none[$1] = $6; got[$1] = $7
            all_sent += $2; verdicts += $4 + $5 + $6; all_got += $7
        }
        /^received/ { received = $2 + 0; malformed = $4 + 0; spurious = $6 + 0; closed = $9 + 0; no_buffer = $5 + 0 }
        END { exit !('"$2"') }'
}

# A flood of 200,000 packets a second, which the urgent flow does not feel.
for kind in direct broker; do
    run kind=$kind high=1000 low=200000 other=1000
    check "$kind: every frame has a verdict" 'all_sent == received && received == verdicts + malformed'
    check "$kind: what passed is delivered" 'all_got == pass["high"] + pass["low"] + pass["other"]'
    check "$kind: all arrivals are counted" 'sent["low"] + full["low"] == 19995 && sent["high"] + full["high"] == 100'
    check "$kind: the urgent flow gets all" 'sent["high"] == 100 && got["high"] == 100'
    check "$kind: the flood gets its budget" 'budget["low"] > 19000 && got["low"] >= 400 && got["low"] <= 408'
    check "$kind: no interrupt for nothing" 'spurious == 0'
done

# A gate that the flood spends: polled, a full ring drops, and interrupts come back after the flood.
run gate=20 gate_us=1000 high=1000 low=100000 low_ms=50 "trace=$out/trace"
check 'gate: every frame has a verdict' 'all_sent == received && received == verdicts + malformed'
check 'gate: the ring was full' 'full["low"] > 1000 && sent["low"] + full["low"] == 4998'
check 'gate: closed, and few interrupts' 'closed >= 1 && closed <= 3'
check 'gate: the urgent flow is back after the flood' 'got["high"] >= 50'
od -An -v -tu1 -w16 "$out/trace" | awk '
    # Columns: at_ns 1..8, subject 9 and 10, kind 11 (tidegate/trace.h), value 12, lost 13..16.
    $11 == 8 { closes += $12 == 1; opens += $12 == 0; last = $12 }
    $11 == 1 { interrupts++; after += last == 0 && opens > 0 }
    $11 == 9 { links++ }
    END { exit !(closes >= 1 && opens == closes && last == 0 && after > 10 && links == 1) }' || {
    fails
    echo 'the trace does not show the gate closed, open again, and interrupts after that'
}
check 'gate: no interrupts while it is polled' 'spurious <= 1'
cp "$out/said" "$out/first"
cp "$out/trace" "$out/first-trace"
run gate=20 gate_us=1000 high=1000 low=100000 low_ms=50 "trace=$out/trace"
if ! cmp "$out/said" "$out/first" || ! cmp "$out/trace" "$out/first-trace"; then
    fails
fi

# Long frames: the part behind the head arrives, too.
run payload=1000 high=1000 low=10000
check 'long frames' 'got["high"] == 100 && all_sent == received && received == verdicts'

# The stock driver.
run variant=stock high=1000 low=100000
check 'stock: all are delivered' 'all_got == received && all_sent == received && got["high"] == 100'
run variant=stock high=1000 low=1000000 ms=20
check 'stock: overload is counted' 'all_sent == received && all_got == received - no_buffer && full["low"] + sent["low"] == 19975'

finish
