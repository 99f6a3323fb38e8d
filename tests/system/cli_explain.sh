#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate explain: the way of one frame.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/cli_lib.sh"

rules=$examples/rules.txt
udp=02000000000102000000000208004500001c000100004011f6ccc0000202c00002019c4013880008cc11
other=02000000000102000000000208004500001d000100004011f6cbc0000202c00002019c4000090009678e78
fragment=02000000000102000000000208004500001c000120004011d6ccc0000202c00002019c4013880008cc11
land=02000000000102000000000208004500001c000100004011f6ccc0000202c00002029c4013880008cc11

run 0 explain "$rules" --hex "$udp"
silent err
out 'frame                    42 bytes'
out '02:00:00:00:00:02 > 02:00:00:00:00:01'
out 'IPv4 192.0.2.2 > 192.0.2.1'
out 'UDP 40000 > 5000, 8 bytes'
out 'gate     receive rule 1'
out 'frame rule 15: UDP; malformed if cut'
out 'this frame is well formed, and handed to matching'
out '6 shapes in use, most specific first'
out " 1  tcp dst port and tcp[tcpflags]: no flow"
out " 2  vlan and udp|tcp dst port: no flow"
out " 3  udp|tcp dst port: flow 'setpoint'"
out '3 per 1 ms: takes 1, leaves 2'
out "passed, to flow 'setpoint'"

# What the NIC stripped, and other ways to write bytes.
run 0 explain "$rules" --tci 0xc014 --hex "$udp"
out 'stripped tag 0xc014'
out 'vlan 20'
out 'priority bits 6'
out " 2  vlan and udp|tcp dst port: flow 'camera'"
run 0 explain --tci 49172 --hex "$udp" "$rules"
out "flow 'camera'"
printf '02:00:00:00:00:01 02:00:00:00:00:02\n0800 \t4500001c 00010000 4011F6CC\nC0000202c0000201 9c4013880008cc11\n' |
    "$build/tidegate" explain "$rules" --hex - >out 2>err || :
said='tidegate explain --hex -'
out "passed, to flow 'setpoint'"

run 0 explain "$rules" --hex "$other"
out ' 6  ether proto: no flow'
out 'no flow takes it: best effort'
out '10 per 10 ms: takes 1, leaves 9'
out 'passed, to best_effort'
run 0 explain "$rules" --hex "$fragment"
out 'frame rule 10: IPv4 fragment'
out 'not looked up: best effort by frame rule 10'
run 0 explain "$rules" --hex "$land"
out 'frame rule 9: IPv4 source and destination are the same'
out 'this frame is malformed'
out 'dropped: malformed'
if grep -q '^budget' out; then flunk "$said: a budget for a malformed frame"; else pass; fi
run 0 explain "$rules" --hex ''
out 'frame rule 1: shorter than 14 bytes'
run 0 explain "$rules" --station 02:00:00:00:00:02 --hex "$udp"
out 'frame rule 2: source address'
run 0 explain "$rules" --mtu 68 --hex "${udp}00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
out 'frame rule 4a: longer than MTU'

run 0 explain --json "$rules" --hex "$udp"
silent err
json rule '"15"'
json class '"matching"'
json shapes.1 '{"shape": "vlan and udp|tcp dst port", "flow": null}'
json shapes.2.flow '"setpoint"'
json flow '"setpoint"'
json budget.packets 3
json verdict '"passed"'
json frame.bytes 42
json frame.stripped_tci null
run 0 explain --json "$rules" --tci 1 --hex "$land"
json flow null
json shapes '[]'
json verdict '"malformed"'
json frame.stripped_tci 1

run 2 explain "$rules"
err 'the frame is missing: --hex HEX'
run 2 explain "$rules" --hex 02000
err '--hex, column 5: found half a byte'
run 2 explain "$rules" --hex '02 0 0'
err '--hex, column 4: found half a byte'
run 2 explain "$rules" --hex 02xx
err "--hex, column 3: found 'x'"
run 2 explain "$rules" --hex 0g
err "--hex, column 2: found 'g'"
run 2 explain "$rules" --hex "$udp" --tci 65536
err "--tci: found '65536', allowed: 0 to 65535"
for tci in -1 '' 0x x 1x ' 1'; do
    run 2 explain "$rules" --hex "$udp" --tci "$tci"
    err "--tci: found '$tci'"
done
run 2 explain 'no such rules' --hex "$udp"
err 'no such rules: cannot be read'
head -c 131072 /dev/zero | tr '\0' a | "$build/tidegate" explain "$rules" --hex - >out 2>err && said=no
said='tidegate explain --hex - of 65536 bytes'
err 'one byte too many, allowed: 65535'
finish
