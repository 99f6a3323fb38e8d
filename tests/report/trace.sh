#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate run --trace: a trace that readers open, complete to the nanosecond, bounded, and honest about it.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

system=$tests/report.yaml

# trace: ./trace.json is a trace; what it says is then ./out.
trace() {
    if "$build/tests/trace_check" <trace.json >out 2>err; then pass; else flunk "$said: no trace"; fi
}

# All of each run: the time of every runner is that of the results.
run 0 run "$system" --trace trace.json --trace-window '0 ns..1 s'
cp out tables
run 0 run "$system"
if cmp out tables >&2; then pass; else flunk 'a trace changes the results'; fi
run 0 run "$system" --json
cp out results.json
trace
process=0
for scenario in 0 1 2; do
    for policy in 0 1 2 3; do
        process=$((process + 1))
        at=scenarios.$scenario.policies.$policy
        wanted=$process
        for share in interrupts protocol receivers tasks; do
            wanted="$wanted $("$build/tests/json_value" "$at.cpu_ns.$share" <results.json)"
        done
        out "$wanted "
    done
done
out ' a \"flood\" & more, tidegate'
out 'lost 0'

# What happens is there by name.
for name in '"arrives: set & point"' '"lost: best effort"' '"passed: set & point"' '"no_buffer: best effort"' \
    '"done: best effort"' '"received"' '"released"' '"finished"' '"masked, polled"' '"unmasked"' \
    '"priority of the protocol task"' '"poll"' '"tick"' '"network controller"' '"polling task"'; do
    if grep -qF -- "\"name\": $name" trace.json; then pass; else flunk "$said: no event $name"; fi
done

# The window of its own: around the start of the flood, and slices are cut where it ends.
run 0 run "$system" --trace trace.json --policy tidegate --scenario 'ten times that' \
    --trace-window '5 ms .. 5100 us'
trace
if awk '$1 == 1 { sum = $2 + $3 + $4 + $5; exit !(sum > 0 && sum <= 100000) }' out
then pass; else flunk "$said: more than the window"; fi
run 0 run "$system" --trace trace.json --policy tidegate --scenario 'ten times that'
trace
if awk '$1 == 1 { sum = $2 + $3 + $4 + $5; exit !(sum > 1000000 && sum <= 21000000) }' out
then pass; else flunk "$said: not the window that the manual says"; fi

# The same bytes again.
cp trace.json first.json
run 0 run "$system" --trace trace.json --policy tidegate --scenario 'ten times that'
if cmp trace.json first.json >&2; then pass; else flunk "$said: not the same again"; fi

# No more than fits, and the rest is counted.
sed 's/rate: 400 kpps/rate: 100 Mpps/; s/for: 30 ms/for: 26 ms/' "$system" >large.yaml
run 0 run large.yaml --trace trace.json --policy tidegate --scenario 'ten times that'
err 'events found no room, 200000 fit for each policy; --trace-window chooses which'
lost=$(sed -n 's/^tidegate run: --trace: \([0-9]*\) events.*/\1/p' err)
trace
out "lost $lost"
if [ "$lost" -gt 1000000 ]; then pass; else flunk "$said: $lost lost"; fi

run 2 run "$system" --trace no/such/directory/trace.json
err '--trace: no/such/directory/trace.json: No such file or directory'
silent out
run 2 run "$system" --trace-window '0 ns..1 s'
err '--trace-window needs --trace'
for window in 5 '1 ms' '1 ms..' '..1 ms' '2 ms..1 ms' '1 ms..1 ms' '1..2'; do
    run 2 run "$system" --trace trace.json --trace-window "$window"
    err "--trace-window: found '$window', allowed: two times as in '100 ms..120 ms', the second later"
done
run 3 run "$system" --trace /dev/full
err '--trace: /dev/full cannot be written'
finish
