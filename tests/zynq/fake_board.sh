#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fake_board.sh - in the place of qemu-system-arm: reads the plan that is named on its command line and prints
# what a board might. TG_FAKE says how: whole, half, hostile, panic, silent, doubled; TG_FAKE_TRACE likewise how
# the trace is, if one is wanted: whole, half, hostile, foreign, none. One line per run goes to TG_FAKE_LOG: samples,
# arrivals, ticks before the second arrival.
set -eu

case ${1-} in --version)
    echo 'a fake board'
    exit
    ;;
esac
plan=$(printf '%s\n' "$@" | sed -n 's/.*,arg=plan=\([0-9a-f]*\.plan\).*/\1/p')
trace=$(printf '%s\n' "$@" | sed -n 's/.*,arg=trace=\([0-9a-f]*\.trace\).*/\1/p')
# The words of struct lab_plan (src/lab/plan.h); times fit into one of their two words here, but for_ns.
# shellcheck disable=SC2046 # one word per number
set -- $(od -An -v -tu4 -N80 "$plan")
shift=$4 tasks=$5 flows=$6 frames=$7 arrivals=$8 samples=${13} for_low=${19} for_high=${20}
second=$((104 + 56 * tasks + 32 * flows + 12 * frames + 8))
echo "$samples $arrivals $(od -An -v -tu4 -N4 -j$second "$plan" | tr -d ' ')" >>"$TG_FAKE_LOG"

whole() {
    awk -v shift="$shift" -v tasks="$tasks" -v flows="$flows" -v n="$arrivals" -v samples="$samples" \
        -v ns="$((for_low + for_high * 4294967296))" 'BEGIN {
        jobs = int(ns / 5000000)
        left = int(ns / 2 ^ shift) - 700 * n - tasks * jobs * (500000 / 2 ^ shift + 600)
        print "around 107 131\nqueue " n " 0 0 0 0 5\nstock 0\nworker " (left > 0 ? left : 0)
        for (i = 0; i < tasks; i++) print "task", i, jobs, jobs, 0, 51000
        for (i = 0; i < flows; i++) {
            print "flow", i, i == 1 ? n " 0 " n " 0 70 0 0 1" : "0 0 0 0 0 0 0 0"
            if (i == 1 && n > 0) print "range_ns 1 700 700\nlatency 1 171 " n
        }
        if (samples > 1) print "sample 250 1\nsample", 300 + 10 * flows, samples - 1
        print "end 0"
    }'
}

# Flows that have the same UDP port: lwIP gives a port once.
if od -An -v -w32 -tu4 -j$((104 + 56 * tasks)) -N$((32 * flows)) "$plan" |
    awk '$8 != 0 && seen[$8]++ { twice = 1 } END { exit !twice }'; then
    echo 'panic: lwIP refuses a port'
    exit 3
fi

# event AT_NS KIND SUBJECT VALUE: a record (firmware/apps/station.h); kinds are those of src/lab/plan.h.
event() {
    for byte in $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)) 0 0 0 0 \
        $(($3 & 255)) $(($3 >> 8)) "$2" "$4" 2 0 0 0; do
        # shellcheck disable=SC2059 # an octal number
        printf "$(printf '\\%03o' "$byte")"
    done
}

# A job of the first task, cut by an interrupt that takes a packet of best effort; a job that had begun before.
events() {
    event 1000 64 0 0
    event 100001500 72 0 0
    event 100002000 1 0 0
    event 100002000 65 0 0
    event 100003000 3 0 0
    event 100004000 2 0 0
    event 100009000 73 0 1
    event 100009500 73 1 0
}

if [ -n "$trace" ]; then
    case ${TG_FAKE_TRACE-whole} in
    whole) events >"$trace" ;;
    half) events | head -c 40 >"$trace" ;;
    hostile) { event 1000 64 0 0 && event 2000 72 9999 0; } >"$trace" ;;
    foreign) events | tail -c +17 >"$trace" ;;
    none) ;;
    esac
fi

case $TG_FAKE in
whole) whole ;;
half) whole | head -n 6 ;;
doubled) whole && whole ;;
hostile) printf 'around 1 1\nqueue -1 0 0 0 0 99999999999999999999\n\033[2J\000\377' ;;
panic)
    echo 'panic: stack overflow (thread task)'
    echo 'the emulator has something to say' >&2
    exit 3
    ;;
silent) ;;
esac
