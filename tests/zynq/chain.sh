#!/bin/sh
# SPDX-License-Identifier: MIT
#
# chain.sh BUILD_DIR - the chain of evidence, for the examples with this board's costs: no response and no
# latency on the board or in the simulator exceeds its bound, and on the same arrivals the board does what the
# simulator says, to 5 % (or two packets).
#
# Files whose controller has several queues get one: the board's has no more. Where both are compared, releases have
# no jitter: the board's have none.
set -eu

tidegate=$1/tidegate
root=$(cd ../.. && pwd)
cache=$1/lab-cache
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# costs OUT OPTION...: what this board costs a file.
costs() {
    to=$1
    shift
    "$tidegate" lab calibrate --cache "$cache" "$@" >"$to" 2>"$out/errors" || {
        cat "$out/errors"
        exit 1
    }
}

# with_costs COSTS FILE: the file with these in place of its own, but for the work of the stack, and with one
# queue.
with_costs() {
    awk '
        FNR == NR { if (NF == 3 && $1 !~ /deferred|lock/) { cost[$1] = $2 " " $3 } next }
        /^[a-z]/ { section = $1 }
        section == "receive:" && $1 == "deferred:" {
            print "  refused: " cost["refused:"]
            print "  tick: " cost["tick:"]
        }
        (section == "cpu:" || section == "receive:") && ($1 in cost) { print "  " $1 " " cost[$1]; next }
        /isolated: true/ { next }
        { gsub(/priorities: [0-9]+\.\.[0-9]+, /, ""); sub(/, absolute_timer.*packets: 8}/, "}"); print }
    ' "$1" "$2"
}

without_jitter() {
    awk '/^[a-z]/ { section = $1 } section == "tasks:" { sub(/, jitter: [0-9]+ [mun]?s/, "") } { print }'
}

say() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$2"
    fi
}

# Tasks and flows of a result whose worst case exceeds the bound; at least one bound must be finite.
beyond='[.scenarios[].policies[] | (.tasks[] | select(.bound_ns != null) | {name, worst: .worst_ns, bound_ns}),
    (.flows[] | select(.bound_ns != null and .latency_ns != null) |
    {name, worst: .latency_ns.max, bound_ns})] |
    if length == 0 then "no bound is finite" else .[] | select(.worst > .bound_ns) end'

# What differs by more than 5 % between two results: jobs and packets, load of the CPU, worst responses.
# shellcheck disable=SC2016 # jq's own dollars
differs='def far(a; b): ((a - b) | fabs) > 0.05 * ([a, b] | max);
    [.[].scenarios[0].policies[0]] as [$board, $sim] |
    [range($sim.tasks | length) as $i | $sim.tasks[$i] as $s | $board.tasks[$i] as $b |
        select(far($b.worst_ns; $s.worst_ns) or $b.jobs != $s.jobs) |
        {name: $s.name, board: $b.worst_ns, sim: $s.worst_ns}] +
    [range($sim.flows | length) as $i | $sim.flows[$i] as $s | $board.flows[$i] as $b |
        select((far($b.delivered; $s.delivered) and ($b.delivered - $s.delivered | fabs) > 2) or
            $b.sent != $s.sent) |
        {name: $s.name, board: $b.delivered, sim: $s.delivered}] +
    [{name: "CPU", board: (.[0].scenarios[0].for_ns - $board.cpu_ns.idle),
        sim: (.[0].scenarios[0].for_ns - $sim.cpu_ns.idle)} | select(far(.board; .sim))] | .[]'

# check FILE SCENARIO
check() {
    costs "$out/safe" --system "$root/examples/$1.yaml"
    costs "$out/typical" --system "$root/examples/$1.yaml" --scenario "$2"
    with_costs "$out/safe" "$root/examples/$1.yaml" >"$out/safe.yaml"
    with_costs "$out/typical" "$root/examples/$1.yaml" | without_jitter >"$out/typical.yaml"
    for target in sim zynq; do
        TG_LAB_CACHE=$cache "$tidegate" run "$out/safe.yaml" --scenario "$2" --policy tidegate --on $target --json \
            >"$out/$target.json" 2>"$out/errors" || [ $? -eq 1 ] || {
            cat "$out/errors"
            exit 1
        }
        jq -c "$beyond" "$out/$target.json" >"$out/beyond"
        [ ! -s "$out/beyond" ]
        say $? "$1, '$2': beyond its bound on $target: $(cat "$out/beyond")"
    done
    "$tidegate" run "$out/typical.yaml" --scenario "$2" --policy tidegate --json >"$out/typical.json" \
        2>"$out/errors" || [ $? -eq 1 ]
    jq -s -c "$differs" "$out/zynq.json" "$out/typical.json" >"$out/differs"
    [ ! -s "$out/differs" ]
    say $? "$1, '$2': board and simulator differ: $(cat "$out/differs")"
}

set +e
check motor 'flood 40 kpps'
check sensor 'udp flood'
check gimbal 'udp flood'
check plc 'arp storm'
check drone 'fake ground station'
check drone 'udp flood'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
