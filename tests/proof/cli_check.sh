#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tidegate check` as its users meet it: bounds, verdicts, reasons, parts that add up.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

# line PATTERN: a line matches this regular expression.
line() {
    if grep -qE -- "$1" out; then pass; else flunk "$said: no line like '$1'"; fi
}

# adds_up N: N bounds or more, each the sum of its parts.
adds_up() {
    if tr '{' '\n' <out | sed -n 's/^"bound_ns": \([0-9]\)/\1/p' | tr -d ',}' | awk -v least="$1" '
        { sum = $3 + $5 + $7 + $9 + $11 + $13 + $15 - $17 }
        sum != $1 { print "bound " $1 " is not " sum; bad = 1 }
        END { exit bad || NR < least }' >&2
    then pass; else flunk "$said: a bound is not the sum of its parts"; fi
}

# The motor controller: its tasks are proved, the setpoint on the one ring is not.
run 1 check "$examples/motor.yaml"
plain
silent err
line '^control +20 +747 us +1 ms +253 us +holds$'
line '^logger +4 +11\.0 ms +20 ms +9\.04 ms +holds$'
line '^setpoint +21 .* 1 ms .* does not hold$'
out 'setpoint: does not hold: queue all can be filled by a flood, so the NIC may drop any packet of it.'
out 'best effort: no bound once accepted: '
line '^CPU under any arrival: interrupts [0-9.]+ %, protocol [0-9.]+ %, tasks [0-9.]+ %, in all'
line '^packet buffers: [0-9]+ in use at most, 96 there'
out 'Not every deadline holds.'
run 1 check "$examples/motor.yaml" --json
json holds false
json tasks.0.name '"control"'
json tasks.0.response.bound_ns 747000
json tasks.0.slack_ns 253000
json tasks.0.holds true
json tasks.0.blocking.packet_of '"telemetry"'
json flows.0.holds false
json flows.0.lossless false
json flows.4.accepted.bound_ns null
json buffers 96
adds_up 7

# With receive queues everything is proved.
for name in plc drone sensor gimbal; do
    run 0 check "$examples/$name.yaml"
    plain
    out 'Every deadline holds.'
    if grep -q 'does not hold' out; then flunk "$said: something does not hold"; else pass; fi
    if awk '/^task/ { on = 1; next } /^$/ { on = 0 } on && /holds$/ { n++ } END { exit n < 4 }' out
    then pass; else flunk "$said: not all tasks have bounds"; fi
    run 0 check "$examples/$name.yaml" --json
    json holds true
    adds_up 10
done

# One bound, part by part.
run 0 check "$examples/plc.yaml" --explain outputs
plain
line '^reception +253200 +from the NIC'
out 'a packet of modbus that has begun, 9600 ns; the stack'"'"'s lock, 6600 ns'
out 'no bound: flow modbus does not'
if awk '
    /^part/ { sum = 0 }
    /^[a-z]/ && $2 ~ /^-?[0-9]+$/ && $1 != "bound" { sum += $2 }
    /^own work/ { sum += $3 }
    $1 == "bound" { if (sum != $2) exit 1; n++ }
    END { exit n != 4 }' out
then pass; else flunk "$said: the parts do not add up"; fi
run 0 check "$examples/plc.yaml" --explain io-scan
out 'task io-scan, priority 24'
out 'The worst job is number 1 of a busy window of'
run 0 check "$examples/plc.yaml" --explain outputs --json
json flows.0.name '"outputs"'
json flows.1 '(status 1)'
json tasks.0 '(status 1)'
run 2 check "$examples/plc.yaml" --explain nobody
err "no task or flow 'nobody', allowed: 'io-scan', "
silent out

# What rests on an assumption says so, and what does not does not.
sed 's/^    deadline: 2 ms$/&\n    assume_conforming: true/' "$examples/plc.yaml" >assumed.yaml
run 0 check assumed.yaml
plain
line '^io-scan .* holds +assume_conforming$'
line '^outputs .* holds +assume_conforming$'
out 'assume_conforming: nobody can spoof outputs.'
run 0 check assumed.yaml --json
json tasks.0.rests_on_assume_conforming true
run 0 check "$examples/plc.yaml"
if grep -q assume_conforming out; then flunk "$said: an assumption that is not there"; else pass; fi

# Without a gate nothing is proved, and the reason is the gate.
sed 's/gate: {packets: 32, period: 500 us}/gate: unlimited/' "$examples/motor.yaml" >open.yaml
run 1 check open.yaml
plain
out 'control: does not hold: interrupts can take all of the CPU: no gate is set on queue all.'
line '^control +20 +none +1 ms +- +does not hold$'
run 1 check open.yaml --json
json tasks.0.response.bound_ns null
json tasks.0.why '"interrupts can take all of the CPU: no gate is set on queue all"'

# Too much to do.
sed 's/wcet: 300 us/wcet: 700 us/' "$examples/motor.yaml" >slow.yaml
run 1 check slow.yaml
out 'is later than the deadline 1 ms.'
line '^control .* -[0-9.]+ (us|ms) +does not hold$'

# A controller with a running-priority register: the file is about one, or the user says so. Interrupts
# of moderated queues may come more often, and queues are held back.
run 0 check "$examples/nic.yaml"
plain
line '^robot-cell: under any flood, policy combined$'
line '^normal +[0-9.]+ ms '
run 0 check "$examples/nic.yaml" --json
json policy '"combined"'
json queues.0.held_ns 0
json tasks.0.response.bound_ns 437400
sed '/^stock:/,/^$/d' "$examples/nic.yaml" >plain.yaml
run 0 check plain.yaml
line '^robot-cell: under any flood$'
run 0 check plain.yaml --json
json policy '"tidegate"'
json queues.1.held_ns 0
json tasks.0.response.bound_ns 412200
run 0 check plain.yaml --policy combined --json
json policy '"combined"'
json tasks.0.response.bound_ns 437400
run 0 check "$examples/nic.yaml" --policy tidegate --json
json tasks.0.response.bound_ns 412200
run 0 run plain.yaml --policy combined --scenario 'no flood' --json
json scenarios.0.policies.0.tasks.0.bound_ns 437400
run 0 run plain.yaml --policy tidegate --scenario 'no flood' --json
json scenarios.0.policies.0.tasks.0.bound_ns 412200
run 2 check "$examples/nic.yaml" --policy nic
err "--policy: found 'nic'; allowed: tidegate, combined"
silent out

run 0 check "$tests/odd.yaml"
out 'There are no deadlines.'

run 2 check
err 'FILE is missing'
run 2 check no-such-file
err 'no-such-file: cannot be opened'
sed 's/wcet: 300 us/wcet: 300/' "$examples/motor.yaml" >bad.yaml
run 2 check bad.yaml
err 'tasks[control].wcet'
silent out
status=0
"$build/tidegate" check "$examples/plc.yaml" >/dev/full 2>err || status=$?
: >out
said='tidegate check >/dev/full'
if [ "$status" -eq 3 ]; then pass; else flunk "$said: status $status"; fi
finish
