#!/bin/sh
# SPDX-License-Identifier: MIT
#
# flood.sh BUILD_DIR - a node behind Tidegate under each kind of flood, with clients that nobody
# here wrote. Nothing depends on how fast this machine is: what the kernel dropped because the node
# came too late is not asked for, and no time is asserted.
# shellcheck disable=SC1091,SC2154 # world.sh and what it sets
set -eu

net=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$net/world.sh"

asked=30
pings=5

# The sanitizers make the node ten times slower.
flood_pps=20000
! grep -q -- '-fsanitize' "$build/CMakeCache.txt" || flood_pps=2000

# Data, slowly: a connection is there before the flood and after it.
trickle() {
    for _ in 1 2 3 4 5 6 7 8; do
        head -c 2000 /dev/urandom | tee -a "$work/sent"
        sleep 0.1
    done
}

has_echoed() {
    [ -s "$work/echoed" ]
}

# Requests to the urgent flow, a line each; what comes back.
ask() {
    n=0
    while [ "$n" -lt "$asked" ]; do
        echo "request $n of $1"
        n=$((n + 1))
        sleep 0.02
    done | tee "$work/requests" | socat -t 2 - "UDP4:$node_ip:5000" >"$work/answers"
}

# As much was read and delivered as was sent, but for what the kernel dropped.
at_least() {
    [ "$2" -ge "$1" ]
}

# sent_in_vain INTERFACE [COMMAND...]: frames that the other end's kernel had no room for.
sent_in_vain() {
    interface_asked=$1
    shift
    "$@" ip -json -statistics link show "$interface_asked" | jq '.[0].stats64.tx.dropped'
}

# Frames that kernels dropped, at either end of the wire.
dropped() {
    echo $(($(figure .queues[0].lost) + $(sent_in_vain net0 env) +
        $(sent_in_vain node0 on_node_side)))
}

# By the client's sockets: the flood comes from none.
datagrams_sent() {
    awk '$1 == "Udp:" && $5 != "OutDatagrams" { print $5 }' /proc/net/snmp
}

# Under the flood KIND.
withstand() {
    kind=$1
    lost=$(dropped)
    pinged=$(flow ping .delivered)
    served=$(flow setpoint .delivered)
    requests=$(datagrams_sent)
    rm -f "$work/sent" "$work/echoed"
    trickle | socat -t 30 - "TCP4:$node_ip:7,connect-timeout=5" >"$work/echoed" &
    transfer=$!
    within 10 has_echoed || die "$kind: no TCP connection"

    flood "$kind" "$flood_pps" $((flood_pps / 2)) &
    flooding=$!
    ping -q -i 0.1 -c "$pings" -W 2 "$node_ip" >"$work/ping" &
    pinging=$!
    ask "$kind"
    check "$kind: no ping answered" wait "$pinging"
    wait "$flooding" || die "$kind: no flood"
    check "$kind: the TCP transfer does not end" wait "$transfer"
    check "$kind: TCP: what came back is not what was sent" cmp -s "$work/sent" "$work/echoed"

    check "$kind: buffers are held when all is over" within 30 is_quiet
    check "$kind: no answer to the first ping" ping -q -c 1 -W 5 "$node_ip" >"$work/first"
    check "$kind: frames are missing from the counters" is_balanced
    lost=$(($(dropped) - lost))
    if [ "$lost" -eq 0 ]; then
        check "$kind: not all urgent requests are answered" cmp -s "$work/requests" "$work/answers"
    else
        check "$kind: no urgent request is answered" test -s "$work/answers"
    fi
    requests=$(($(datagrams_sent) - requests))
    served=$(($(flow setpoint .delivered) - served))
    check "$kind: $served of $requests urgent requests, $lost frames lost in the kernel" \
        at_least $((requests - lost)) "$served"
    # The flood takes the budget of ICMP, as it should.
    pinged=$(($(flow ping .delivered) - pinged))
    [ "$kind" = icmp ] || check "$kind: only $pinged of $pings pings, $lost frames lost in the kernel" \
        at_least $((pings - lost)) "$pinged"
}

wire_up
node_up "$net/node.yaml" tidegate
within 10 ping -q -c 1 -W 1 "$node_ip" >"$work/first" || die 'the node does not answer'
for kind in $flood_kinds; do
    withstand "$kind"
done
node_down
finish
