#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: bench report lwip lwip-source lwip-bench
#
# lwip-net.sh BUILD_DIR [ROUNDS] - lwIP behind a stock driver and behind Tidegate, on the same
# interface, under floods of each kind: what becomes of an urgent UDP flow, a TCP transfer and a
# periodic task, and how long the node needs afterwards. The node has one core, everybody else the
# other. Medians over the rounds.
# shellcheck disable=SC1091,SC2154 # world.sh and what it sets
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tests/lwip/net/world.sh"

file=$root/bench/lwip-net.yaml
rounds=${2:-1}
rows=$build/lwip-net.csv
cells=$build/lwip-net.txt

policies='stock-high stock-low stock-limited tidegate'
sweep='0 50000 100000 140000 200000 400000'
storm=100000
seconds=2 # of each flood
asked=$((seconds * 1000 - 200))
world_cpu=0 # where trafgen puts itself
node_cpu=1

# Latencies in us of the requests that were answered, and how many were sent, from what tcpdump saw:
# the source port is the number of the request.
latencies() {
    awk -v node="$node_ip.5000" '
        { sub(/:$/, "", $5) }
        $5 == node { sent[$3] = $1; n++; next }
        $3 == node && $5 in sent { printf "%.0f\n", ($1 - sent[$5]) * 1e6; delete sent[$5] }
        END { print n >"'"$work/asked"'" }' "$work/seen" | sort -n >"$work/latencies"
}

# The p-th percentile, or nothing.
percentile() {
    awk -v p="$1" '{ v[NR] = $1 } END { if (NR) print v[int((NR - 1) * p / 100) + 1] }' "$work/latencies"
}

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

has_all_back() {
    node_answers && [ "$(jq .buffers_held "$work/counters")" -eq 0 ]
}

# The stream of TCP starts before the flood and goes on after its end.
start_clients() {
    chrt -f 3 tcpdump -Z root -i net0 -nn -tt -l --immediate-mode "host $client_ip and udp port 5000" \
        >"$work/seen" 2>"$work/log" &
    dump=$!
    within 10 grep -q listening "$work/log" || die "tcpdump: $(cat "$work/log")"
    timeout $((seconds + 10)) iperf -c "$node_ip" -p 7 -l 2K -b 20m -t "$seconds" -y C \
        >"$work/iperf" 2>"$work/log" &
    stream=$!
    sleep 0.1
}

# measure POLICY KIND PPS: one row.
measure() {
    node_up "$file" "$1" taskset -c "$node_cpu" chrt -o 0
    within 5 ping -q -c 1 -W 1 "$node_ip" >"$work/ping" || die 'the node does not answer'
    start_clients
    flooding=
    echo 'Rated: , , 0 pps' >"$work/tcpreplay"
    if [ "$3" -gt 0 ]; then
        flood "$2" "$3" $(($3 * seconds)) chrt -f 1 &
        flooding=$!
    fi
    chrt -f 3 hping3 -q -2 -p 5000 -d 16 -i u1000 -c "$asked" "$node_ip" >"$work/hping" 2>&1 || :
    [ -z "$flooding" ] || wait "$flooding"

    over=$(milliseconds)
    ping_ms=$(chrt -f 3 ping -c 1 -W 1 "$node_ip" | sed -n 's/.* time=\([0-9.]*\) ms/\1/p')
    within 30 has_all_back || :
    back_ms=$(($(milliseconds) - over))
    wait "$stream" || :
    kill "$dump"
    wait "$dump" 2>/dev/null || :
    latencies
    mbits=$(tail -n 1 "$work/iperf" | awk -F, '{ printf "%.1f", $9 / 1e6 }')
    figure "[.queues[0].received, .queues[0].lost, (.tasks[0] | .jobs, .missed, .worst_ns / 1e6),
        .most_held, .cpu_ns.interrupts / 1e9, .cpu_ns.protocol / 1e9] | @csv" | tr -d '"' >"$work/figures"
    pps=$(sed -n 's/^Rated: .*, \([0-9.]*\) pps$/\1/p' "$work/tcpreplay")
    echo "$2,$3,$1,$pps,$(cat "$work/asked"),$(wc -l <"$work/latencies"),$(percentile 50),$(
        percentile 99),$mbits,${ping_ms:-1000},$back_ms,$(jq .buffers_held "$work/counters"),$(
        cat "$work/figures")" >>"$rows"
    kill "$node"
    wait "$node" || : # 1: a deadline was missed
}

# Delivery and latency of the urgent flow and what becomes of the task, over the rate of two floods.
plot() {
    gnuplot <<END
set terminal svg size 1000,1000
set output '$build/lwip-net.svg'
set multiplot layout 3,2 title 'Urgent UDP flow of 1000/s and a task of 5 ms under zero-length UDP, by policy'
set logscale x
set xrange [40000:500000]
set xtics ('50k' 50000, '100k' 100000, '140k' 140000, '200k' 200000, '400k' 400000)
set xlabel 'flood, asked for [packets/s]'
set grid
set key bottom left
rows(kind, policy) = "<awk '\$1 == \"".kind."\" && \$2 && \$3 == \"".policy."\"' $cells"
do for [y in '4 5 6'] {
    if (y == 4) {
        set ylabel 'answered [%]'
        set yrange [80:101]
    }
    if (y == 5) {
        set ylabel 'p99 of the answers [us]'
        set yrange [10:100000]
        set logscale y
        set key bottom right
    }
    if (y == 6) {
        set ylabel 'jobs of the task missed [%]'
        unset logscale y
        set yrange [-2:102]
        set key top left
    }
    do for [kind in 'registered unregistered'] {
        set title 'to a port that is '.kind
        plot for [policy in '$policies'] rows(kind, policy) using 2:(column(int(y))) \
            with linespoints title policy
    }
}
END
    echo
    echo "plot: $build/lwip-net.svg"
    echo "rows: $rows"
}

# The world's processes are real-time threads, too: other work on this machine is not part of it.
taskset -p -c "$world_cpu" $$ >/dev/null
chrt -f -p 2 $$
wire_up
echo "flood,asked_pps,policy,sent_pps,asked,answers,p50_us,p99_us,tcp_mbits,ping_ms,back_ms,held,\
received,lost,jobs,missed,worst_ms,most_held,driver_s,protocol_s" >"$rows"
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    for kind in $flood_kinds; do
        case $kind in
        registered | unregistered) rates=$sweep ;;
        *) rates=$storm ;;
        esac
        for rate in $rates; do
            for policy in $policies; do
                measure "$policy" "$kind" "$rate"
            done
        done
    done
done
awk -v cells="$cells" -f "$root/bench/lwip-net.awk" "$rows"
plot
