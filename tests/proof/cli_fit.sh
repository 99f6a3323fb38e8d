#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tidegate fit`: what it writes passes `check`, is maximal, and is the user's file otherwise.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

# only_others: the names of those that something else than the proof limits.
only_others() {
    sed -n '/^  "gate": .*"only_gate": true/s/.*/the gate/p
        s/^    {"queue": "\([^"]*\)".*"only_gate": true.*/gate of \1/p
        s/^    {"name": "\([^"]*\)".*"only_gate": true.*/\1/p' out
}

# maximal FILE: it holds, and does not with one packet more anywhere but where `fit` said so.
maximal() {
    only_others >names
    if xargs -d '\n' "$build/tests/fit_maximal" "$1" <names 2>err
    then pass; else flunk "$said: $1 is not maximal"; fi
}

# same_but_budgets A B
same_but_budgets() {
    for file in "$1" "$2"; do
        sed 's/packets: [0-9]*, period: [0-9]* [a-z]*/BUDGET/g' "$file" >"other.$(basename "$(dirname "$file")")"
    done
    if cmp "other.$(basename "$(dirname "$1")")" "other.$(basename "$(dirname "$2")")" >err
    then pass; else flunk "$said: more than budgets is different"; fi
}

mkdir fitted
for name in plc drone sensor gimbal; do
    run 0 fit "$examples/$name.yaml" --write "fitted/$name.yaml"
    plain
    silent err
    out 'one more is stopped by'
    out 'Order: the gate first, then by descending priority:'
    run 0 fit "$examples/$name.yaml" --json
    json holds true
    maximal "fitted/$name.yaml"
    same_but_budgets "$examples/$name.yaml" "fitted/$name.yaml"
    if cmp -s "$examples/$name.yaml" "fitted/$name.yaml"
    then flunk "$said: nothing was raised"; else pass; fi
    run 0 check "fitted/$name.yaml"
done
# What is proved holds in the simulator, too.
run 0 run fitted/plc.yaml --policy tidegate --scenario 'arp storm'

run 0 fit "$examples/plc.yaml"
out 'ring of cyclic'
out 'reserve of outputs'
out 'One packet more for outputs, and io-scan: the bound'
if [ "$(grep -c '^ *[0-9]* [mun]s  *[0-9-]' out)" -eq 5 ]; then pass; else flunk "$said: not five periods"; fi

# What the user fixed stays fixed.
mkdir fixed
sed 's/gate: {packets: 16, period: 250 us}/gate: {packets: 16, period: 250 us, fixed: true}/
    s/budget: {packets: 4, period: 2 ms}/budget: {packets: 4, period: 2 ms, fixed: true}/' \
    "$examples/plc.yaml" >fixed/plc.yaml
run 0 fit fixed/plc.yaml --write fitted/fixed.yaml --json
json gate.packets 16
json gate.period_ns 250000
json gate.fixed true
json flows.0.name '"outputs"'
json flows.0.packets 4
json flows.0.stopped_by '"fixed in the file"'
json candidates.1 '(status 1)'
maximal fitted/fixed.yaml

# A sporadic budget has a largest size of its own.
sed 's/budget: {packets: 20, period: 10 ms}/budget: {packets: 20, period: 10 ms, kind: sporadic}/' \
    "$examples/plc.yaml" >fixed/sporadic.yaml
run 0 fit fixed/sporadic.yaml --write fitted/sporadic.yaml
out 'a sporadic budget has 64 at most'
run 0 check fitted/sporadic.yaml

# No budget helps a flow whose ring a flood can fill.
run 1 fit "$examples/motor.yaml" --write fitted/motor.yaml
plain
out 'No budgets hold: setpoint: queue all can be filled by a flood'
err 'fitted/motor.yaml is not written'
if [ -e fitted/motor.yaml ]; then flunk "$said: it was written"; else pass; fi
run 1 fit "$examples/motor.yaml" --json
json holds false
json candidates.0.holds false

# Without that deadline its tasks decide.
sed '/^    deadline: 1 ms$/d' "$examples/motor.yaml" >fixed/motor.yaml
run 0 fit fixed/motor.yaml --json --write fitted/motor.yaml
maximal fitted/motor.yaml

# A budget for the gate of each queue; periods stay.
run 0 fit "$examples/nic.yaml" --write fitted/nic.yaml
plain
out 'enough: never spent'
out 'Order: gate of urgent, gate of normal, gate of bulk first, then by descending priority:'
run 0 fit "$examples/nic.yaml" --json
json gates.0.queue '"urgent"'
json gates.0.never_spent true
json gates.1.period_ns 1000000
json gates.2.file_packets 16
json gate '(status 1)'
maximal fitted/nic.yaml
same_but_budgets "$examples/nic.yaml" fitted/nic.yaml
run 0 check fitted/nic.yaml
run 0 run fitted/nic.yaml --policy tidegate --scenario 'flood 100 kpps'
run 0 fit "$tests/odd.yaml"
out 'unlimited in the file'
run 2 fit
err 'FILE is missing'
run 3 fit "$examples/plc.yaml" --write no/such/directory.yaml
err 'no/such/directory.yaml: cannot be written'
finish
