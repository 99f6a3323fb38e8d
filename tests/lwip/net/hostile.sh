#!/bin/sh
# SPDX-License-Identifier: MIT
#
# hostile.sh BUILD_DIR - frames and clients that mean no good. After each of them every buffer is
# back, every frame is accounted for, and the node answers; at the end nothing has leaked (in a
# sanitizer build that is LeakSanitizer's verdict, too).
# shellcheck disable=SC1091,SC2154 # world.sh and what it sets
set -eu

net=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$net/world.sh"

# Not the client: its kernel would end connections that it knows nothing of.
stranger_ip=192.0.2.3

# send_packets COUNT: from standard input, in the language of trafgen.
send_packets() {
    trafgen --cpus 1 --no-sock-mem --jumbo-support --rate 2000pps --num "$1" --out net0 --in - \
        >"$work/log" 2>&1 || die "trafgen: $(cat "$work/log")"
}

# unharmed WHAT
unharmed() {
    check "$1: buffers are held when all is over" within 30 is_quiet
    check "$1: frames are missing from the counters" is_balanced
    check "$1: no answer to a ping" answers
}

answers() {
    within 10 ping -q -c 1 -W 1 "$node_ip" >"$work/ping"
}

# Every frame of the vectors, and of the corpus of the fuzz target `frame` (behind three bytes of
# choices), that is long enough for the wire.
stored_frames() {
    {
        awk -F '\t' '!/^#/ && NF >= 3 { print $3 }' "$net"/../../vectors/*.tsv
        for input in "$net"/../../fuzz/corpus/frame/*; do
            od -An -v -tx1 -j3 "$input" 2>/dev/null | tr -d ' \n'
            echo
        done
    } | grep -E '^.{28}' | sed 's/../0x&,/g; s/^/{ /; s/,$/ }/'
}

# all_frames LESS: all of them, or so many less: the kernel drops those with half a tag from a veth.
# What lwIP keeps of them, fragments, it must give back when the node ends.
all_frames() {
    stored_frames >"$work/frames"
    n=$(wc -l <"$work/frames")
    before=$(figure '.queues[0] | .received + .lost')
    send_packets "$n" <"$work/frames"
    within 10 has_settled
    arrived=$(($(figure '.queues[0] | .received + .lost') - before))
    check "$interface: only $arrived of $n stored frames arrived" test "$arrived" -ge $((n - $1))
    check "$interface: stored frames are missing from the counters" is_balanced
    check "$interface: no answer to a ping after the stored frames" answers
    node_down
}

# segment FLAGS SEQ ACK [BYTES]: one of the stranger's, to the echo service.
segment() {
    echo "{ eth(da=$node_mac, sa=$client_mac), ip4(sa=$stranger_ip, da=$node_ip, ttl=64),
        tcp(sp=40000, dp=7, seq=$2, aseq=$3, win=4096, $1)${4:+, $4} }"
}

# segments ACK PLACE...: one byte each, in this order.
segments() {
    ack_of_all=$1
    shift
    for place in "$@"; do
        segment 'ack, psh' $((1001 + place)) "$ack_of_all" "'x'"
    done
}

# Sixteen bytes come out of order, the first one last: those that lwIP holds must leave a buffer for
# it.
out_of_order() {
    tcpdump -Z root -i net0 -nn -S -l --immediate-mode "dst host $stranger_ip and tcp" \
        >"$work/seen" 2>"$work/log" &
    dump=$!
    within 10 grep -q listening "$work/log" || die "tcpdump: $(cat "$work/log")"
    echo "{ eth(sa=$client_mac), arp(request, sip=$stranger_ip, tip=$node_ip, smac=$client_mac),
        fill(0, 18) }" | send_packets 1
    segment syn 1000 0 | send_packets 1
    within 10 grep -q 'Flags \[S\.\]' "$work/seen" || die 'out of order: the node takes no connection'
    isn=$(sed -n 's/.*Flags \[S\.\], seq \([0-9]*\),.*/\1/p' "$work/seen" | head -n 1)
    ack=$(((isn + 1) % 4294967296))
    segment ack 1001 "$ack" | send_packets 1

    segments "$ack" 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 | send_packets 16
    segments "$ack" 0 | send_packets 1
    check 'out of order: the missing byte finds no buffer' \
        within 10 grep -q 'ack 10\(0[2-9]\|1[0-8]\),' "$work/seen"
    segments "$ack" 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 | send_packets 17
    check 'out of order: not all bytes arrive when they are sent again' \
        within 10 grep -q 'ack 1018,' "$work/seen"
    segment rst 1018 "$ack" | send_packets 1
    kill "$dump"
    wait "$dump" 2>/dev/null || :
    unharmed 'out of order'
}

# Nobody reads what the node echoes: its window closes, and what it got waits in its buffers.
unread_stream() {
    socat -u OPEN:/dev/zero "TCP4:$node_ip:7,connect-timeout=5" 2>"$work/log" &
    reader=$!
    sleep 2
    kill -KILL "$reader" 2>/dev/null || :
    wait "$reader" 2>/dev/null || :
    unharmed 'a client that does not read'
}

# The service takes a millisecond for each packet.
slow_stream() {
    head -c 200000 /dev/zero | nc -N -w 30 "$node_ip" 9 || flunk 'a slow reader: not all is taken'
    unharmed 'a slow reader'
}

# 50 connection requests from changing ports that nobody completes, then 50 that the client's kernel
# resets.
requests() {
    flood syn 500 50
    hping3 -q -S -p 7 -i u2000 -c 50 "$node_ip" >"$work/log" 2>&1 || :
    unharmed '50 requests'
}

# More than the service can take: its reserve is full, the others have theirs.
unread_datagrams() {
    hping3 -q -2 -p 5002 -d 1 -i u1000 -c 100 "$node_ip" >"$work/log" 2>&1 || :
    check 'unread datagrams: no echo from another socket' datagram_echoes
    unharmed 'unread datagrams'
    held=$(flow slow .most_held)
    check "unread datagrams: $held buffers held, of 8" test "$held" -eq 8
}

datagram_echoes() {
    [ "$(echo hello | nc -u -w 2 "$node_ip" 5000)" = hello ]
}

# The first fragment of a packet, of each IP family. The rest never comes: the node gives back what
# lwIP still keeps of them when it ends.
incomplete_packets() {
    check 'incomplete packets: their fragments are not kept' within 20 keeps_both
    node_down
}

# Again and again: a node does not listen to its new IPv6 address at once.
keeps_both() {
    {
        echo "{ eth(da=$node_mac, sa=$client_mac), ip4(sa=$client_ip, da=$node_ip, proto=17, id=7, mf),
            fill(0x55, 32) }"
        echo "{ eth(da=$node_mac, sa=$client_mac, type=0x86dd),
            ip6(nh=44, len=40, sa=fe80::2, da=$node_ip6), 17, 0, c16(1), c32(7), fill(0x55, 32) }"
    } | send_packets 2
    has_settled && [ "$(jq .buffers_held "$work/counters")" -eq 2 ]
}

tap_up
ip link set net0 mtu 9100 # longer than what the node takes
node_up "$net/node.yaml" tidegate
all_frames 0
ip link delete net0

wire_up
ip link set net0 mtu 9100
on_node_side ip link set node0 mtu 9100
node_up "$net/node.yaml" tidegate
out_of_order
unread_stream
slow_stream
requests
unread_datagrams
all_frames 20
node_up "$net/node.yaml" tidegate
incomplete_packets
finish
