# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# world.sh - a node, a wire and a client in network namespaces of their own.
#
#     net0 192.0.2.2  <------ veth ------>  node0, no address    the node: 192.0.2.1
#     ping, socat, hping3, tcpreplay ...   tidegate-node
#
# Or a tap device net0, whose other end is the node itself.
#
# The namespaces have no names, and their first process is the script that includes this: when it
# ends, even killed, the kernel removes processes, wire and namespaces.
#
# Use: . world.sh, in a script with the argument BUILD_DIR; then wire_up or tap_up.
if [ -z "${TG_WORLD-}" ]; then
    # Without root: a user namespace. Then there are no real-time priorities, all else is the same.
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=--map-root-user
    # shellcheck disable=SC2086 # nothing or one word
    TG_WORLD=1 exec unshare $as_root --net --pid --fork --kill-child --mount-proc sh "$0" "$@"
fi

build=$(CDPATH='' cd -- "$1" && pwd)
client_ip=192.0.2.2 client_mac=02:00:00:00:00:02
flooder_ip=192.0.2.4 # another address of the same host: a client that counts its answers gets no others
# shellcheck disable=SC2034 # for those who include this
node_ip=192.0.2.1 node_mac=02:00:00:00:00:01 node_ip6=fe80::ff:fe00:1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit # trafgen writes beside itself
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

flunk() {
    failed=$((failed + 1))
    echo "FAILED: $*" >&2
}

# check WHAT COMMAND...: the command succeeds.
check() {
    what=$1
    shift
    if "$@"; then pass; else flunk "$what"; fi
}

die() {
    echo "$*" >&2
    exit 1
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# within SECONDS COMMAND...: the command succeeds, at once or later.
within() {
    last_s=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -le "$last_s" ] || return 1
        sleep 0.05
    done
}

# on_node_side COMMAND...: in the namespace of the node's end of the wire.
on_node_side() {
    nsenter --target "$node_side" --net "$@"
}

is_elsewhere() {
    [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

wire_up() {
    interface=node0
    unshare --net sleep infinity &
    node_side=$!
    within 10 is_elsewhere "$node_side" || die 'no second network namespace'
    ip link add net0 type veth peer name node0 netns "$node_side"
    on_node_side sh -c 'echo 1 >/proc/sys/net/ipv6/conf/node0/disable_ipv6'
    on_node_side ip link set node0 up
    client_up
}

tap_up() {
    interface=net0
    node_side=$$
    ip tuntap add dev net0 mode tap
    client_up
}

# Nothing is on the wire but what a test sends: no IPv6 from the client. The client knows the node's
# address: a neighbour entry that expires during a flood would be the client's loss. And its frames
# are segments of one packet each: the node has no hardware that cuts longer ones.
client_up() {
    echo 1 >/proc/sys/net/ipv6/conf/net0/disable_ipv6
    ip link set net0 address "$client_mac" gso_max_segs 1 up
    ip link set lo up
    ip address add "$client_ip/24" dev net0
    ip address add "$flooder_ip/24" dev net0
    ip neighbour add "$node_ip" lladdr "$node_mac" dev net0 nud permanent
}

# node_up FILE POLICY [COMMAND...]: start the node, by that command if there is one, and wait until
# it receives.
node_up() {
    system=$1 policy=$2
    shift 2
    XDG_RUNTIME_DIR=$work
    export XDG_RUNTIME_DIR
    nsenter --target "$node_side" --net "$@" "$build/tidegate-node" "$system" --policy "$policy" \
        --interface "$interface" --address "$node_ip/24" --json >"$work/final" 2>"$work/node.log" &
    node=$!
    within 20 node_answers || die "the node does not start: $(cat "$work/node.log")"
}

node_answers() {
    "$build/tidegate" top --json "$interface" >"$work/counters" 2>/dev/null
}

# figure FILTER: from the counters of the running node, by jq.
figure() {
    node_answers && jq ".scenarios[0].policies[0] | $1" "$work/counters"
}

# flow NAME FILTER: of this flow.
flow() {
    figure ".flows[] | select(.name == \"$1\") | $2"
}

# No frame has come for a moment.
has_settled() {
    received=$(figure .queues[0].received)
    sleep 0.05
    [ "$(figure .queues[0].received)" -eq "$received" ]
}

# And no buffer is held. lwIP keeps fragments of packets that never become whole for 15 s.
is_quiet() {
    has_settled && [ "$(jq .buffers_held "$work/counters")" -eq 0 ]
}

# Each frame that was read has one verdict, and what was passed has been delivered. When settled.
is_balanced() {
    figure '.queues[0].received == ([.flows[].sent] | add) and ([.flows[] | .sent ==
        .delivered + .dropped_budget + .dropped_no_buffer + .malformed + .unregistered] | all)' |
        grep -qx true
}

# Stop the node: it gives every buffer back, and a sanitizer has nothing to say. Status 1 only says
# that a task was late, as it may be on a loaded machine.
node_down() {
    kill "$node"
    status=0
    wait "$node" || status=$?
    check "the node ends with status $status: $(cat "$work/node.log")" test "$status" -le 1
    check "$(cat "$work/node.log")" is_clean
    check 'buffers are lost' test "$(jq .buffers_lost "$work/final")" -eq 0
}

is_clean() {
    ! grep -q 'Sanitizer\|runtime error' "$work/node.log"
}

# flood_frames KIND: one packet of the flood, or several in turn, in the language of trafgen.
flood_frames() {
    to="eth(da=$node_mac, sa=$client_mac)"
    ip="ip4(sa=$flooder_ip, da=$node_ip, ttl=64)"
    # Senders that do not exist: what the node answers finds nobody.
    spoofed="ip4(sa=192.0.2.64, sa[3]=drnd(64, 254), da=$node_ip, ttl=64)"
    case $1 in
    registered) echo "{ $to, $ip, udp(sp=4000, dp=5001) }" ;;
    unregistered) echo "{ $to, $ip, udp(sp=4000, dp=9) }" ;;
    syn) echo "{ $to, $spoofed, tcp(sp=drnd(1024, 65535), dp=7, syn, win=1024, seq=drnd()) }" ;;
    icmp) echo "{ $to, $spoofed, icmp4(echorequest, id=7, seq=dinc()), fill(0x55, 18) }" ;;
    arp) echo "{ eth(sa=02:00:00:00:01:00, sa[5]=drnd()),
                 arp(request, sip=192.0.2.64, sip[3]=drnd(64, 254), tip=$node_ip,
                     smac=02:00:00:00:01:00, smac[5]=drnd()), fill(0, 18) }" ;;
    broadcast) echo "{ eth(da=ff:ff:ff:ff:ff:ff, sa=$client_mac),
                       ip4(sa=$flooder_ip, da=192.0.2.255, ttl=64), udp(sp=137, dp=137),
                       fill(0x55, 50) }" ;;
    fragments) echo "{ $to, ip4(sa=$flooder_ip, da=$node_ip, ttl=64, proto=17, id=drnd(), mf,
                                frag=drnd(0, 3)), fill(0x55, 32) }" ;;
    malformed) echo "{ $to, ip4(sa=$flooder_ip, da=$node_ip, ttl=64, ihl=4), udp(dp=5000) }
                     { $to, ip4(sa=$flooder_ip, da=$node_ip, ttl=64, len=1500), udp(dp=5000) }
                     { $to, $ip, udp(dp=5000, len=7) }
                     { eth(da=$node_mac, sa=$client_mac, type=0x800), fill(0xff, 46) }" ;;
    *) die "no such flood: $1" ;;
    esac
}

# shellcheck disable=SC2034 # for those who include this
flood_kinds='registered unregistered icmp arp broadcast fragments malformed syn'

# flood KIND PPS COUNT [COMMAND...]: returns when it is over. trafgen writes the frames, tcpreplay
# keeps the rate, run by that command if there is one.
flood() {
    flood_frames "$1" >"$work/flood"
    trafgen --cpus 1 --no-sock-mem --num 1000 --out "$work/flood.pcap" --in "$work/flood" \
        >"$work/log" 2>&1 || die "trafgen: $(cat "$work/log")"
    pps=$2 count=$3
    shift 3
    "$@" tcpreplay --quiet --preload-pcap --timer=nano --intf1=net0 --pps="$pps" --loop=0 \
        --limit="$count" "$work/flood.pcap" >"$work/tcpreplay" 2>&1 ||
        die "tcpreplay: $(cat "$work/tcpreplay")"
}
