#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate nic: its options, what it prints, and whose socket it takes. (guest_test: what it does.)
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

plc=$examples/plc.yaml
some='generator:10 kpps,100'

run 0 nic --help
out 'usage: tidegate nic'
run 2 nic
err '--frames is missing'
run 2 nic --frames "$some" --socket s
err '--rules is missing'
run 2 nic --frames "$some" --rules "$plc"
err '--socket is missing'
for source in nothing tap: veth generator:x,1 generator:1kpps generator:1kpps,0 generator:0pps,1 pcap:none.pcap; do
    run 2 nic --frames "$source" --rules "$plc" --socket s
    err '--frames:'
done
err 'none.pcap'
run 2 nic --frames "$some" --rules "$plc" --socket s --for 0s
err "--for: found '0s'"
run 2 nic --frames "$some" --rules none.yaml --socket s
err 'none.yaml'
printf 'bad = udp dst port 99999\n' >bad.txt
run 2 nic --frames "$some" --rules bad.txt --socket s
err 'bad.txt:1:'
run 2 nic --frames veth:tgnone --rules "$plc" --socket s
err 'tgnone'

# Nobody connects: the source with times does not start. Counters of all queues, in their order.
run 0 nic --frames "$some" --rules "$plc" --socket s --for '50 ms'
err 'serving 2 queues'
err 'vectors=2'
out 'frames: 0 received'
out 'cyclic'
out 'longest wait'
if [ -e s ]; then flunk "$said: the socket is still there"; else pass; fi
run 0 nic --frames "pcap:$examples/office.pcap" --rules "$examples/rules.txt" --socket s --for 50ms --json
json received 0
json queues.0.name '"rest"'
json queues.1.name '"rules"'
json queues.1.interrupts_absolute 0
json resets 0

# A socket that somebody listens at is not taken, nor any other file; one that was left behind is.
"$build/tidegate" nic --frames "$some" --rules "$plc" --socket s --for 20s >/dev/null 2>&1 &
server=$!
within 10 test -S s || flunk 'no socket'
run 3 nic --frames "$some" --rules "$plc" --socket s --for 50ms
err 'Address already in use'
kill -KILL "$server"
wait "$server" 2>/dev/null || true
if [ -S s ]; then pass; else flunk 'a killed server leaves its socket'; fi
run 0 nic --frames "$some" --rules "$plc" --socket s --for 50ms
echo kept >file
run 3 nic --frames "$some" --rules "$plc" --socket file --for 50ms
if [ "$(cat file)" = kept ]; then pass; else flunk 'a file was overwritten'; fi

# SIGUSR1 prints the counters, SIGTERM ends it well.
"$build/tidegate" nic --frames "$some" --rules "$plc" --socket s --json >out 2>err &
server=$!
within 10 test -S s || flunk 'no socket'
said='SIGUSR1 and SIGTERM'
kill -USR1 "$server"
within 10 test -s out || flunk "$said: no counters"
kill -TERM "$server"
if wait "$server"; then pass; else flunk "$said: status $?"; fi
if [ "$(grep -c '"queues"' out)" = 2 ]; then pass; else flunk "$said: not two documents"; fi

finish
