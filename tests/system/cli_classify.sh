#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate classify: figures, frames, captures and rules of all kinds.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/cli_lib.sh"

rules=$examples/rules.txt
office=$examples/office.pcap

# The example is what its program writes.
"$build/tests/office_capture" office.pcap
said='examples/office.pcap' && : >out && : >err
if cmp office.pcap "$office" >&2; then pass; else flunk 'examples/office.pcap is out of date'; fi

run 0 classify "$rules" "$office"
silent err
row setpoint passed 40 2000
row camera passed 5 310
row connect passed 1 54
row modbus passed 8 528
row arp-reply passed 2 84
row arp passed 3 126
row arp budget 18 756
row best_effort passed 14 662
row best_effort budget 31 1335
row - malformed 1 42
out 'rule 9: IPv4 source and destination are the same'
if grep -q '^all  *130  *6343$' out; then pass; else flunk "$said: the sum"; fi
if grep -q ' $' out; then flunk "$said: blanks at the end of a line"; else pass; fi

# The same figures as JSON, and for each frame.
run 0 classify --json "$rules" "$office"
silent err
json flows.0.name '"setpoint"'
json flows.0.match '"udp dst port 5000"'
json flows.0.budget.packets 3
json flows.0.budget.period_ns 1000000
json flows.0.verdicts.passed.frames 40
json flows.6.name '"arp"'
json flows.6.verdicts.budget.frames 18
json flows.6.verdicts.budget.bytes 756
json best_effort.verdicts.budget.frames 31
json malformed.frames 2
json malformed.rules.0 '{"rule": "8", "frames": 1, "bytes": 42}'
json malformed.rules.1.rule '"9"'
json cut.frames 0
json all.frames 130
json truncated false
run 0 classify --each --json "$rules" "$office"
json each.129.number 130
json each.0.verdict '"passed"'
json each.0.flow '"setpoint"'
json each.0.time_ns 0
json each.0.rule '"15"'
json each.0.transport '"UDP 40000 > 5000"'
json all.frames 130
run 0 classify --each "$rules" "$office"
out '     1     0.000000    50  passed       setpoint           15  02:00:00:00:00:02 > 02:00:00:00:00:01, IPv4 192.0.0.2 > 192.0.0.1, UDP 40000 > 5000'
if [ "$(grep -c ' passed  *setpoint ' out)" -eq 40 ]; then pass; else flunk "$said: setpoints"; fi
if [ "$(grep -c ' budget  *arp ' out)" -eq 18 ]; then pass; else flunk "$said: arp"; fi

# The same from standard input, and from a path with blanks.
mkdir 'a directory'
cp "$office" 'a directory/a file'
run 0 classify "$rules" - <"$office"
row setpoint passed 40 2000
run 0 classify "$rules" 'a directory/a file'
row setpoint passed 40 2000

# The station and the MTU decide.
run 0 classify --station 02:00:00:00:00:02 "$rules" "$office"
out 'rule 2: source address is the station'
row setpoint passed 0 0
run 0 classify --mtu=68 "$rules" "$office"
out 'rule 4a: longer than MTU'
run 2 classify --station 02:00:00:00:00 "$rules" "$office"
err "--station: found '02:00:00:00:00'"
run 2 classify --mtu 67 "$rules" "$office"
err "--mtu: found '67', allowed: 68 to 65000"

# Cut off in the middle: used up to there, and said.
for bytes in 8446 8400 4000 100 25; do
    head -c "$bytes" "$office" >truncated.pcap
    run 0 classify --json "$rules" truncated.pcap
    json truncated true
    err 'truncated.pcap: truncated after frame '
done
head -c 4000 "$office" >truncated.pcap
run 0 classify "$rules" truncated.pcap
err 'truncated.pcap: truncated after frame 62 ('
out 'setpoint'
head -c 24 "$office" >empty.pcap
run 0 classify --json "$rules" empty.pcap
json all.frames 0
json truncated false
silent err

# Captures that are none, or not ours.
run 2 classify "$rules" 'no such file'
err 'no such file: No such file or directory'
silent out
head -c 23 "$office" >short.pcap
run 2 classify "$rules" short.pcap
err 'short.pcap: '
run 2 classify "$rules" "$rules"
err 'rules.txt: unknown file format'
run 2 classify "$rules" .
err '.: '
"$build/tests/odd_capture" cooked cooked.pcap
run 2 classify "$rules" cooked.pcap
err 'cooked.pcap: found link type 113 (LINUX_SLL), allowed: 1 (EN10MB, Ethernet)'
silent out
"$build/tests/odd_capture" damaged damaged.pcap
run 2 classify --json "$rules" damaged.pcap
err 'damaged.pcap: damaged after frame 1: '
json flows.0.verdicts.passed.frames 1

# Frames that were captured cut are judged by their length on the wire, or not at all.
"$build/tests/odd_capture" cut cut.pcap
run 0 classify "$rules" cut.pcap
row setpoint passed 1 542
out 'captured too short to tell'
run 0 classify --json --each "$rules" cut.pcap
json flows.0.verdicts.passed.frames 1
json cut.frames 2
json malformed.frames 0
json all.frames 3
json each.1.verdict '"cut"'
json each.2.network '""'

# pcapng; a clock that steps back freezes no budget; frames longer than any wire takes.
"$build/tests/odd_capture" pcapng pcapng.pcapng
run 0 classify --json --each "$rules" pcapng.pcapng
json flows.0.verdicts.passed.frames 2
json each.1.time_ns 1000000000
"$build/tests/odd_capture" backwards backwards.pcap
printf 'one = udp dst port 5000 budget 1 per 1 s\n' >one.txt
run 0 classify --json --each one.txt backwards.pcap
json each.0.verdict '"passed"'
json each.1.time_ns -3000000000
json each.3.verdict '"passed"'
json flows.0.verdicts.passed.frames 2
run 0 classify --each one.txt backwards.pcap
out '   -3.000000 '
"$build/tests/odd_capture" huge huge.pcap
run 0 classify --json "$rules" huge.pcap
json malformed.rules.0 '{"rule": "4a", "frames": 3, "bytes": 144549}'
run 0 classify --json --mtu 9000 "$rules" huge.pcap
json malformed.frames 2
json flows.0.verdicts.passed.frames 1

# Rules: every error at once, each with file, line and column.
run 2 classify 'no such rules' "$office"
err 'no such rules: cannot be read: No such file or directory'
printf 'a = udp port 53\n\nb = arp budget 3 per second\n' >bad.txt
run 2 classify bad.txt "$office"
err "bad.txt:1:9: 'port' does not say which, allowed: 'src port N' or 'dst port N'"
err "bad.txt:3:22: found 'second'"
silent out
printf 'counted = udp dst port 5000\n' >counted.txt
run 0 classify counted.txt "$office"
out 'counted      passed'
out '  -       udp dst port 5000'
row best_effort passed 83 3949
run 0 classify --json counted.txt "$office"
json flows.0.budget null
json best_effort.budget null

# Colour on a terminal that has it, unless NO_COLOR says otherwise.
on_terminal() {
    said="$1 on a terminal"
    env TERM=xterm "$1" script -qec "'$build/tidegate' classify '$rules' '$office'" /dev/null \
        >out 2>err
}
escape=$(printf '\033')
on_terminal NO_COLOR=
if grep -q "$escape\[32mpassed$escape\[0m" out; then pass; else flunk "$said: no colour"; fi
on_terminal NO_COLOR=1
if grep -q "$escape" out; then flunk "$said: colour"; else pass; fi
on_terminal TERM=dumb
if grep -q "$escape" out; then flunk "$said: colour"; else pass; fi
run 0 classify "$rules" "$office"
if grep -q "$escape" out; then flunk "$said: colour in a file"; else pass; fi
finish
