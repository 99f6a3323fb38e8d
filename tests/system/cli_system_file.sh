#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A system file where a list of rules could stand: its flows, budgets, station and best effort.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/cli_lib.sh"

motor=$examples/motor.yaml
udp=02000000000102000000000208004500001c000100004011f6ccc0000202c00002019c4013880008cc11
other=02000000000102000000000208004500001d000100004011f6cbc0000202c00002019c4000090009678e78
own=02000000000202000000000108004500001c000100004011f6ccc0000202c00002019c4013880008cc11

run 0 explain "$motor" --hex "$udp"
silent err
out "3 per 1 ms: takes 1, leaves 2"
out "passed, to flow 'setpoint'"
run 0 explain "$motor" --hex "$other"
out 'passed, to best_effort'

# The station is the file's, unless an option names another; the MTU likewise.
run 0 explain "$motor" --hex "$own"
out 'malformed'
run 0 explain "$motor" --station 02:00:00:00:00:07 --hex "$own"
out "passed, to flow 'setpoint'"
sed 's/mtu: 1500/mtu: 68/' "$motor" >short.yaml
long=$udp$(printf '%0120d' 0)
run 0 explain short.yaml --hex "$long"
out 'malformed'
run 0 explain short.yaml --mtu 1500 --hex "$long"
out "passed, to flow 'setpoint'"

# No best effort; a sporadic budget, whose memory is the rules' own.
sed -e 's/^best_effort.*/unregistered: drop/' \
    -e 's/budget: {packets: 3, period: 1 ms}/budget: {packets: 3, period: 1 ms, kind: sporadic}/' \
    "$motor" >drop.yml
run 0 explain drop.yml --hex "$other"
out 'unregistered'
run 0 explain drop.yml --hex "$udp"
out "passed, to flow 'setpoint'"

"$build/tests/office_capture" office.pcap
run 0 classify "$motor" office.pcap
out 'setpoint'
out 'udp dst port 5000'

# Errors are those of the system file, with their places.
sed 's/period: 20 ms/period: 20/' "$motor" >bad.yaml
run 2 classify bad.yaml office.pcap
silent out
err "bad.yaml:19:41: tasks[logger].period: found '20', a number without a unit; allowed: "
run 2 explain none.yaml --hex "$udp"
err 'none.yaml: cannot be opened: No such file or directory'
finish
