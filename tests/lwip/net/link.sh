#!/bin/sh
# SPDX-License-Identifier: MIT
#
# link.sh BUILD_DIR - a node that is found by its address, whose interface goes down and comes back,
# that is killed and started again.
# shellcheck disable=SC1091,SC2154 # world.sh and what it sets
set -eu

net=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$net/world.sh"

file=$net/node.yaml

answers() {
    ping -q -c 1 -W 1 "$node_ip" >"$work/ping"
}

echoes() {
    [ "$(echo hello | socat -t 5 - "TCP4:$node_ip:7,connect-timeout=5" 2>"$work/log")" = hello ]
}

wire_up
node_up "$file" tidegate
# As a client that knows nothing.
ip neighbour delete "$node_ip" dev net0
check 'no answer' within 10 answers
check "the node says it is $(ip neighbour show "$node_ip")" \
    sh -c "ip neighbour show $node_ip | grep -q 'lladdr $node_mac'"

# Under a flood, so that frames are on their way when the link goes.
flood registered 5000 10000 &
flooding=$!
sleep 0.5
on_node_side ip link set node0 down
sleep 0.3
check 'nothing is said about the interface' grep -q node0 "$work/node.log"
check 'the counters are gone with the link' node_answers
on_node_side ip link set node0 up
wait "$flooding" || :
ip neighbour replace "$node_ip" lladdr "$node_mac" dev net0 nud permanent
check 'no answer when the link is back' within 10 answers
check 'no TCP connection when the link is back' within 10 echoes
check 'buffers are held when the link is back' within 20 is_quiet
node_down

# Killed in the middle of a flood, with a connection open; the next one starts in the same place.
node_up "$file" tidegate
flood registered 5000 5000 &
flooding=$!
socat -u OPEN:/dev/zero "TCP4:$node_ip:9,connect-timeout=5" 2>"$work/log" &
client=$!
sleep 0.5
kill -KILL "$node"
wait "$node" 2>/dev/null || :
wait "$flooding" || die 'no flood'
node_up "$file" tidegate
check 'no answer after a kill' within 10 answers
check 'no TCP connection after a kill' within 10 echoes
kill -KILL "$client" 2>/dev/null || : # the new node may have ended it
wait "$client" 2>/dev/null || :
check 'buffers are held after a kill' within 20 is_quiet
node_down
finish
