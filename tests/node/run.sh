#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh BUILD_DIR - `tidegate run --on lwip` and `tidegate top`, in a network of their own: options and
# errors, real clients, every service, all policies, both kinds of interface, every way to end.
#
#     peer0 10.0.0.1  <---- veth ---->  node0, no address     the node: 10.0.0.2
#     tap0 10.0.1.1 of the kernel       tap0, its other end   the node: 10.0.1.2
# shellcheck disable=SC1091,SC2154,SC2034 # cli_lib.sh, what it sets and what it reads
set -eu

if [ -z "${TG_IN_NAMESPACE-}" ]; then
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=--map-root-user
    # When this script ends, even killed, processes and interfaces are gone.
    # shellcheck disable=SC2086 # nothing or one word
    TG_IN_NAMESPACE=1 exec unshare $as_root --net --pid --fork --kill-child --mount-proc sh "$0" "$@"
fi

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../system/cli_lib.sh"
file=$here/echo.yaml
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR

# check WHAT COMMAND...: the command succeeds.
check() {
    said=$1
    shift
    if "$@" >out 2>err; then pass; else flunk "$said"; fi
}

answers() {
    "$build/tidegate" top "$name" --json >counters 2>err
}

# start INTERFACE ADDRESS [OPTIONS]: a node, until it receives; `launch` in front of it, if set.
launch=
start() {
    name=$1
    interface=$1 address=$2
    shift 2
    : >said.out
    # shellcheck disable=SC2086 # a command of several words
    $launch "$build/tidegate" run "$file" --on lwip --interface "$interface" --address "$address" "$@" \
        >said.out 2>said.err &
    node=$!
    within 20 answers || {
        cat said.err >&2
        exit 1
    }
}

# stop SIGNAL: the node ends well, and says so.
stop() {
    kill "-$1" "$node"
    status=0
    wait "$node" || status=$?
    check "SIG$1: status $status: $(cat said.err)" test "$status" -eq 0
    check "SIG$1: the socket is still there" test ! -e "$work/tidegate-$name.sock"
}

# figure FILTER: by jq, from the node as it runs.
figure() {
    answers && jq -r ".scenarios[0].policies[0] | $1" counters
}

# delivered FLOW AT_LEAST
delivered() {
    [ "$(figure ".flows[] | select(.name == \"$1\").delivered")" -ge "$2" ]
}

udp_echoes() {
    [ "$(echo hello | nc -u -w 2 "$1" 7)" = hello ]
}

tcp_echoes() {
    timeout 20 socat -t 15 - "TCP:$1:7" <random >echoed && cmp -s echoed random
}

sends() {
    timeout 20 socat -u "$1" "$2"
}

# ---- The wires --------------------------------------------------------------------------------------

ip link set lo up
ip link add node0 type veth peer name peer0
ip link set node0 up
ip link set peer0 gso_max_segs 1
ip link set peer0 up
ip address add 10.0.0.1/24 dev peer0
ip tuntap add tap0 mode tap
ip link set tap0 up
ip address add 10.0.1.1/24 dev tap0
head -c 100000 /dev/urandom >random

# ---- What is refused --------------------------------------------------------------------------------

# on_lwip STATUS [OPTIONS]
on_lwip() {
    wanted_status=$1
    shift
    run "$wanted_status" run "$file" --on lwip "$@"
}

on_lwip 2
err 'target lwip needs --interface NAME'
on_lwip 2 --interface node0 --report r.html
err '--report is not for target lwip'
on_lwip 2 --interface node0 --scenario x
err '--scenario is not for target lwip'
run 2 run "$file" --interface node0
err '--interface is not for target sim'
run 2 run "$file" --on sim --name x
err '--name is not for target sim'
on_lwip 2 --interface node0 --policy stock-high,tidegate
err "--policy: found 'stock-high,tidegate'; allowed on target lwip: one of stock-high, stock-low"
on_lwip 2 --interface node0 --policy nic
err "--policy: found 'nic'; allowed on target lwip: one of stock-high"
for address in 10.0.0.2 10.0.0.2/ 10.0.0.2/0 10.0.0.2/32 10.0.0/24 fe80::1/64 10.0.0.2/2x; do
    on_lwip 2 --interface node0 --address "$address"
    err "--address: found '$address'; allowed: an IPv4 address and its prefix 1..31"
done
on_lwip 2 --interface node0 --for 10
err "--for: found '10', a number without a unit; allowed: a duration, as in 10s"
on_lwip 2 --interface node0 --name a/b
err "'a/b' cannot be a node's name"
on_lwip 3 --interface nowhere0
err "there is no interface 'nowhere0' here"
err 'ip tuntap add nowhere0 mode tap'
on_lwip 3 --interface lo
err "interface 'lo' does not carry Ethernet frames"
ip link set node0 down
on_lwip 3 --interface node0
err "interface 'node0' is down: ip link set node0 up"
ip link set node0 up
run 2 run nowhere.yaml --on lwip --interface node0
err 'nowhere.yaml: cannot be opened'
run 2 run "$examples/plc.yaml" --on lwip --interface node0
err 'queues: found 2; allowed on target lwip: one'
sed '/station:/d' "$file" >stationless.yaml
run 2 run stationless.yaml --on lwip --interface node0
err "stationless.yaml: receive.station is missing; target lwip needs the node's own Ethernet address"
sed 's/reserve: 24}/reserve: 3}/' "$file" >small.yaml
run 3 run small.yaml --on lwip --interface node0
err 'a reserve is too small for lwIP: allowed: best effort '
echo kept >tidegate-node0.sock
on_lwip 3 --interface node0
err 'tidegate-node0.sock: Address already in use'
check 'a file in place of the socket was removed' grep -q kept tidegate-node0.sock
rm tidegate-node0.sock
run 3 top node0
err "no node 'node0' is running: nobody listens at $work/tidegate-node0.sock"
run 2 top a/b
err "'a/b' cannot be a node's name"
mkdir alone
cp "$build/tidegate" alone/
build_before=$build
build=$work/alone
on_lwip 3 --interface node0
err 'target lwip needs tidegate-node beside tidegate: in a source tree, '
build=$build_before

# ---- Real clients -----------------------------------------------------------------------------------

start node0 10.0.0.2/24
check 'no answer to ping' ping -q -c 3 -i 0.1 -W 5 10.0.0.2
check 'the node has another address than the file says' sh -c \
    'ip neighbour show 10.0.0.2 | grep -q 02:00:00:01:23:45'
check 'no echo by UDP' udp_echoes 10.0.0.2
check 'no echo by TCP' tcp_echoes 10.0.0.2
check 'the TCP discard service does not take all' sends OPEN:random TCP:10.0.0.2:9
check 'the TCP sink does not take all' sends OPEN:random TCP:10.0.0.2:10
check 'no answer to ping over IPv6' within 5 ping -q -c 1 -W 2 fe80::ff:fe01:2345%peer0
for port in 9 10; do
    echo hello | nc -u -w 1 10.0.0.2 "$port"
done
check 'a closed port answers' sh -c '! nc -w 5 10.0.0.2 11 </dev/null'
check 'ping is not counted' within 5 delivered ping 3
check 'UDP echo is not counted' within 5 delivered setpoint 1
check 'UDP discard is not counted' within 5 delivered log 1
check 'UDP sink is not counted' within 5 delivered jobs 1
check 'TCP echo is not counted' within 5 delivered stream 60
check 'connection requests are not counted' within 5 delivered requests 1
check 'TCP discard is not counted' within 5 delivered bulk 60
check 'TCP sink is not counted' within 5 delivered slow 60
# From the ports of services, well-known and its own: an answer could go round for ever.
for port in 19 5007; do
    echo hello | socat -u - "UDP4-SENDTO:10.0.0.2:5007,sourceport=$port"
done
check 'what services send is not counted' within 5 delivered mirror 2
check 'what services send is answered' test "$(jq .unanswered counters)" -eq 2
check 'the tasks do not run' test "$(figure '.tasks[0].jobs')" -gt 10
check 'the sinks use no CPU time' test "$(figure '.cpu_ns.receivers')" -gt 1000000
check 'the CPU shares are empty' test "$(figure '.cpu_ns | .interrupts > 0 and .protocol > 0')" = true

# ---- tidegate top -----------------------------------------------------------------------------------

run 0 top node0 --once
out 'echo-node on node0 (tidegate, '
out 'setpoint'
out 'control'
out 'started late'
silent err
run 0 top node0 --json
json target '"lwip"'
json interface '"node0"'
json system '"echo-node"'
json holds true
on_lwip 3 --interface node0
err 'a node with this name is running; --name gives it another one'
# On a terminal in place, until q.
# The shell that `script` starts puts the path in, spaces and all.
check 'top on a terminal fails' env TOP="$build/tidegate" sh -c \
    "(sleep 1.5; printf q) | TERM=xterm timeout 10 script -qec '\"\$TOP\" top node0' seen"
check 'top on a terminal does not draw in place' grep -q "$(printf '\033\\[H.*echo-node on node0')" seen
# Elsewhere one after the other, until the node ends.
has_two_pictures() {
    [ "$(grep -c 'echo-node on node0' lines)" -ge 2 ]
}

"$build/tidegate" top node0 >lines &
top=$!
check 'top shows no second picture' within 20 has_two_pictures
stop TERM
check 'top does not end with the node' wait "$top"
cp said.out out
out '2 datagrams from the port of a service were not echoed.'
out 'All 256 packet buffers are back.'
check 'the table has not what arrived' grep -Eq '^setpoint +tidegate +1 +0 +0 +0 +0 ' said.out

# ---- Other ways -------------------------------------------------------------------------------------

# Every policy on the same driver.
for policy in stock-high stock-low stock-limited; do
    start node0 10.0.0.2/24 --policy "$policy"
    check "$policy: no answer to ping" ping -q -c 2 -i 0.1 -W 5 10.0.0.2
    check "$policy: no echo by UDP" udp_echoes 10.0.0.2
    check "$policy: no echo by TCP" tcp_echoes 10.0.0.2
    check "$policy: another policy runs" test "$(figure .policy)" = "$policy"
    check "$policy: UDP echo is not counted" within 5 delivered setpoint 1
    stop INT
    cp said.out out
    out 'All 256 packet buffers are back.'
done

# A tap device; the name for `top` is chosen.
start tap0 10.0.1.2/24
check 'tap: no answer to ping' ping -q -c 3 -i 0.1 -W 5 10.0.1.2
check 'tap: no echo by UDP' udp_echoes 10.0.1.2
check 'tap: no echo by TCP' tcp_echoes 10.0.1.2
check 'tap: the queue does not have the length of the ring' sh -c 'ip link show tap0 | grep -q "qlen 32$"'
stop TERM

# The end by time, as one document.
on_lwip 0 --interface node0 --address 10.0.0.2/24 --for 300ms --json
json buffers_lost 0
json buffers_held 0
json holds true

# Without the right to real-time priorities.
launch='setpriv --inh-caps=-sys_nice --bounding-set=-sys_nice prlimit --rtprio=0:0'
start node0 10.0.0.2/24
check 'no warning without SCHED_FIFO' grep -q 'no right to real-time priorities' said.err
check 'no answer to ping without SCHED_FIFO' ping -q -c 2 -i 0.1 -W 5 10.0.0.2
check 'no echo without SCHED_FIFO' tcp_echoes 10.0.0.2
stop TERM
cp said.out out
out 'Ordinary threads, no right to real-time priorities: no bound holds.'
out 'All 256 packet buffers are back.'
launch=

# A job past its deadline is status 1.
sed 's/wcet: 50 us, deadline: 600 s/wcet: 8 ms, deadline: 5 ms/' "$file" >late.yaml
run 1 run late.yaml --on lwip --interface node0 --for 300ms
out 'does not hold'
finish
