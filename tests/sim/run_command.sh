#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tidegate run` as its users meet it: exit status, messages, JSON, the same bytes everywhere.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

motor=$examples/motor.yaml
golden=$tests/golden.yaml

# none TEXT: no line on standard output begins with it.
none() {
    if grep -q -- "^$1" out; then flunk "$said: '$1' on standard output"; else pass; fi
}

# same FILE: standard output is this file, byte for byte.
same() {
    if cmp out "$1" >&2; then pass; else flunk "$said: not the same as $1"; fi
}

run 0 run "$motor"
plain
out 'plant-controller: flood 40 kpps (1 s, seed 1, 32997 frames)'
out 'plant-controller: flood 1 Mpps (1 s, seed 1, 800997 frames)'
out 'stock-limited takes 15 packets per 1 ms, as the file says.'
out 'tidegate    bound'
out '             bound      '
out 'of setpoint were lost in the NIC: its ring all is shared with'
err 'packets simulated in'
cp out first
run 0 run "$motor"
same first

run 1 run "$motor" --policy stock-high
run 1 run "$motor" --policy stock-low,tidegate --scenario 'flood 40 kpps'
none stock-high
none stock-limited
out 'stock-low  does not hold'
run 0 run "$motor" --policy tidegate --on sim

run 0 run "$motor" --json
json target '"sim"'
json holds true
json scenarios.0.name '"flood 40 kpps"'
json scenarios.0.policies.0.policy '"stock-high"'
json scenarios.0.policies.0.holds false
json scenarios.0.policies.2.gate.packets 15
json scenarios.0.policies.3.policy '"tidegate"'
json scenarios.0.policies.3.tasks.0.missed 0
json scenarios.0.policies.3.flows.1.name '"setpoint"'
# The bounds that `check` proves stand beside the figures of tidegate, and of no other policy.
json scenarios.0.policies.3.tasks.0.bound_ns 747000
json scenarios.0.policies.3.flows.0.bound_ns null
json scenarios.0.policies.2.tasks.0.bound_ns '(status 1)'
if tr '{' '\n' <out | awk -F'[:,}] *' '
    /"worst_ns"/ && /"bound_ns"/ { n++; for (i = 1; i < NF; i++) {
        if ($i ~ /"worst_ns"/) worst = $(i + 1)
        if ($i ~ /"bound_ns"/) bound = $(i + 1) }
        if (bound == "null" || worst + 0 > bound + 0) exit 1 }
    END { exit n != 4 }'
then pass; else flunk "$said: a response is beyond its bound"; fi
json scenarios.0.policies.3.flows.1.delivered 997
json scenarios.0.policies.3.flows.1.late 0
json scenarios.1.policies.3.tasks.1.missed 0

# Controllers are compared where the file has a queue for stock drivers; then combined is judged.
nic=$examples/nic.yaml
run 0 run "$nic"
out 'task       jobs  deadline     stock-high  stock-moderated            nic       combined    bound'
none stock-low
none tidegate
run 0 run "$nic" --json --scenario 'flood 100 kpps'
json scenarios.0.policies.0.queues.0.name '"stock"'
json scenarios.0.policies.0.queues.1.name '(status 1)'
json scenarios.0.policies.2.policy '"nic"'
json scenarios.0.policies.2.queues.2.name '"bulk"'
json scenarios.0.policies.2.tasks.0.bound_ns '(status 1)'
json scenarios.0.policies.3.policy '"combined"'
json scenarios.0.policies.3.tasks.0.missed 0
json holds true
run 1 run "$nic" --policy stock-moderated,combined --scenario 'flood 100 kpps'
run 0 run "$nic" --policy tidegate,combined --scenario 'flood 100 kpps'
run 2 run "$motor" --policy stock-moderated
err "policy stock-moderated needs stock.queue in $motor"
silent out
run 0 run "$motor" --policy combined

# Everything random in one small system, and a gate that is searched: the same bytes on every machine.
run 0 run "$golden"
plain
same "$tests/golden.txt"
run 0 run "$golden" --json
same "$tests/golden.json"

run 2 run "$motor" --policy tidegate,stock
err "unknown policy 'stock', allowed: stock-high, stock-low, stock-limited, stock-moderated, nic,"
silent out
run 2 run "$motor" --policy ''
err "unknown policy ''"
run 2 run "$motor" --on moon
err "unknown target 'moon', allowed: sim"
run 2 run "$motor" --scenario calm
err "has no scenario 'calm', allowed: 'flood 40 kpps', 'flood 1 Mpps'"
silent out
run 2 run no/such/file.yaml
err 'no/such/file.yaml'
run 2 run "$motor" --fast
err "unknown option '--fast'"
run 2 run
silent out

sed '/^scenarios:/,$d' "$motor" >none.yaml
run 2 run none.yaml
err 'none.yaml has no scenarios'

# A capture is found to be missing when the file is read, to be no capture when it is played.
sed 's/{frames: udp dst port 9, rate: 40 kpps.*/{capture: none.pcap}/' "$motor" >capture.yaml
run 2 run capture.yaml
err 'none.pcap'
: >none.pcap
run 2 run capture.yaml
err 'none.pcap'
silent out

run 0 run --help
plain
out 'usage: tidegate run'

status=0
"$build/tidegate" run "$golden" >/dev/full 2>err || status=$?
said='tidegate run to a full disk'
if [ "$status" -eq 3 ]; then pass; else flunk "$said: status $status"; fi
err 'cannot be written'

finish
