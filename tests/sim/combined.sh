#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the tables of docs/combined.md show is what the simulator says of examples/nic.yaml: what the software, the
# controller, and both buy; and the rings of the controller under stock software.
#
#     combined.sh BUILD_DIR            compares
#     combined.sh BUILD_DIR --print    prints the tables
#     combined.sh BUILD_DIR --write    writes them into the page
# shellcheck disable=SC2016 # the backquotes are those of the page
set -eu

build=$(CDPATH='' cd -- "$1" && pwd)
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
page=$root/docs/combined.md
system=$root/examples/nic.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run FILE ARGS...: its figures, a line for each row of the document. A policy that does not hold is no error here.
run() {
    status=0
    "$build/tidegate" run "$@" --json >"$work/json" 2>"$work/err" || status=$?
    [ "$status" -le 1 ] || { cat "$work/err" >&2; exit 1; }
    cat "$work/json"
}

# figures LABELS [both]: a row for each policy of the documents on standard input, under its label in `policy=label`
# lines; with both: the larger flood, too.
figures() {
    awk -v labels="$1" -v both="${2-}" '
        function number(key,    rest) {
            if (!match($0, "\"" key "\": [0-9]+")) return 0
            rest = substr($0, RSTART, RLENGTH)
            sub(/.*: /, "", rest)
            return rest + 0
        }
        function word(    rest) {
            rest = $0
            sub(/^[^:]*: "/, "", rest)
            sub(/".*/, "", rest)
            return rest
        }
        function span(ns) {
            if (ns >= 10000000) return sprintf("%.0f ms", ns / 1000000)
            if (ns >= 1000000) return sprintf("%.2f ms", ns / 1000000)
            return sprintf(ns >= 100000 ? "%.0f µs" : "%.1f µs", ns / 1000)
        }
        function added(p, s,    ns) {
            ns = control[p, s] - control[p, "no flood"]
            return (unfinished[p, s] ? "more than " : "") span(ns > 0 ? ns : 0)
        }
        BEGIN {
            n = split(labels, pairs, "\n")
            for (i = 1; i <= n; i++) {
                split(pairs[i], pair, "=")
                order[i] = pair[1]
                label[pair[1]] = pair[2]
            }
        }
        /^\[.*\]$/ { prefix = substr($0, 2, length($0) - 2); next }
        /^      "name": / { scenario = word(); next }
        /^          "policy": / { policy = prefix word(); next }
        /"name": "control", "jobs"/ {
            control[policy, scenario] = number("worst_ns")
            unfinished[policy, scenario] = number("unfinished")
        }
        /"name": "setpoint", "sent"/ {
            delivered[policy, scenario] = number("delivered") "/" number("sent")
            p50[policy] = number("p50"); p99[policy] = number("p99"); most[policy, scenario] = number("max")
            if (scenario == "flood 100 kpps")
                latency[policy] = span(p50[policy]) " | " span(p99[policy]) " | " span(most[policy, scenario])
        }
        /"name": "upload", "sent"/ {
            upload[policy, scenario] = number("delivered") / 0.8
            upload_p99[policy, scenario] = number("p99")
        }
        /^          "interrupts": / { cost[policy, scenario] = number("interrupts") }
        /^          "ticks": / { cost[policy, scenario] += number("ticks") }
        END {
            a = "flood 100 kpps"
            b = "flood 1 Mpps"
            for (i = 1; i <= n; i++) {
                p = order[i]
                printf "| %s | %d | %.1f %% | %s | %s | %.0f /s | %s |", label[p], cost[p, a],
                    100 - 100 * cost[p, a] / cost["stock-high", a], added(p, a), latency[p],
                    upload[p, a], span(upload_p99[p, a])
                if (both != "") printf " %s | %s |", added(p, b), delivered[p, b]
                printf "\n"
            }
        }'
}

# What the software has alone: one queue with one gate, polled in the tick handler, for there is no lower range.
awk '/^queues:/ { print "queues: [{name: all, ring: 48, gate: {packets: 16, period: 500 us}}]"; skip = 1; next }
    skip && /^  - / { next }
    { skip = 0 }
    /^  poll_priority:/ { next }
    { print }' "$system" >"$work/one-queue.yaml"

parts() {
    echo '| | interrupts and ticks | saved | added to control | setpoint p50 | p99 | max | upload | its p99 | 1 Mpps: added to control | setpoints |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|'
    {
        run "$system" --policy stock-high,stock-moderated,nic,tidegate,combined
        echo '[one ]'
        run "$work/one-queue.yaml" --policy tidegate
    } | figures 'stock-high=nothing: one queue, stock driver (`stock-high`)
stock-moderated=moderation of that queue (`stock-moderated`)
one tidegate=the software, on one queue
nic=the controller, under stock software (`nic`)
tidegate=both, without the running priority (`tidegate`)
combined=both (`combined`)' both
}

# The lowest queue of the controller under stock software: frames in its ring, and its absolute timer.
rings() {
    echo '| ring, absolute timer of `bulk` | interrupts | saved | added to control | setpoint p50 | p99 | max | upload | its p99 |'
    echo '|---|---|---|---|---|---|---|---|---|'
    {
        run "$system" --scenario 'flood 100 kpps' --policy stock-high
        for cell in '1, 800 us' '2, 1 ms' '4, 1 ms' '8, 1 ms' '16, 2 ms'; do
            sed "s/\(name: bulk, .* ring: \)16, absolute_timer: 2 ms/\1${cell%,*}, absolute_timer:${cell#*,}/" \
                "$system" >"$work/ring.yaml"
            echo "[$cell ]"
            run "$work/ring.yaml" --policy nic
        done
    } | figures '1, 800 us nic=1, 800 µs
2, 1 ms nic=2, 1 ms
4, 1 ms nic=4, 1 ms
8, 1 ms nic=8, 1 ms
16, 2 ms nic=16, 2 ms (the file)'
}

parts >"$work/parts"
rings >"$work/rings"
if [ "${2-}" = --print ]; then
    cat "$work/parts" "$work/rings"
    exit
fi
# A table stands between <!-- table: NAME --> and an empty line.
awk -v work="$work" '
    inside && /^$/ { inside = 0 }
    !inside { print }
    /^<!-- table: [a-z]+ -->$/ {
        inside = 1
        while ((getline line < (work "/" $3)) > 0) print line
    }' "$page" >"$work/page"
if [ "${2-}" = --write ]; then
    cp "$work/page" "$page"
elif diff "$page" "$work/page" >&2 && grep -c '^| both (`combined`)' "$page" >/dev/null; then
    echo "1 passed, 0 failed"
else
    echo "docs/combined.md does not show what the simulator says: tests/sim/combined.sh BUILD_DIR --write" >&2
    exit 1
fi
