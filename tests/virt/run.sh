#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh BUILD_DIR [CASE...] - `tidegate run --on virt`: all cases, or these. Nothing here depends on how long
# anything takes: the emulator, the NIC's process and the sender share the processors with everybody else.
set -eu

# Who is not root is root in a user namespace.
if [ "$(id -u)" -ne 0 ]; then
    exec unshare --map-root-user sh "$0" "$@"
fi

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tidegate=$(CDPATH='' cd -- "$1" && pwd)/tidegate
shift
work=$(mktemp -d)
cd "$work"
TG_LAB_CACHE=$work/cache
export TG_LAB_CACHE
passed=0
failed=0
run=
clean() {
    [ -z "$run" ] || kill "$run" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

# check WHAT FOUND OPERATOR WANTED: as test has it.
check() {
    if test "$2" "$3" "$4"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "[  FAILED  ] $1: found $2, not $3 $4"
    fi
}

# on_virt FILE SCENARIO: under combined, into out.json.
on_virt() {
    status=0
    "$tidegate" run "$here/$1" --on virt --scenario "$2" --policy combined --json >out.json 2>err || status=$?
    [ "$status" -eq 0 ] || cat err
    check "$2: exit status (delivered = taken out of the rings)" "$status" -eq 0
}

# flow NAME FIELD, queue NAME FIELD, nic NAME FIELD: of the result, the last of the NIC's own counters.
flow() {
    jq -r --arg name "$1" ".scenarios[0].policies[0].flows[] | select(.name == \$name) | .$2" out.json
}

queue() {
    jq -r --arg name "$1" ".scenarios[0].policies[0].queues[] | select(.name == \$name) | .$2" out.json
}

nic() {
    jq -r --arg name "$1" ".nics[0].queues[] | select(.name == \$name) | .$2" out.json
}

# vectors QUEUE FLOW: a frame for queue k raises vector k and no other; all frames arrive.
vectors() {
    on_virt node.yaml "only $1"
    check "$1: sent" "$(flow "$2" sent)" -gt 0
    check "$1: delivered" "$(flow "$2" delivered)" -eq "$(flow "$2" sent)"
    for other in urgent normal bulk; do
        wanted=-eq
        [ "$other" != "$1" ] || wanted=-gt
        check "frames for $1: vectors of $other" "$(queue "$other" interrupts)" "$wanted" 0
        check "frames for $1: frames in $other" "$(queue "$other" received)" "$wanted" 0
    done
}

case_urgent() {
    vectors urgent setpoint
}

case_normal() {
    vectors normal log
}

case_bulk() {
    vectors bulk bulk
}

# More frames at once than an interrupt takes.
case_burst() {
    on_virt node.yaml burst
    check 'burst: delivered' "$(flow setpoint delivered)" -eq "$(flow setpoint sent)"
    check 'burst: sent' "$(flow setpoint sent)" -eq 60
}

# While a task runs without end, the queue above it is served, frame by frame; of the one below nothing comes:
# its ring fills up, the NIC drops the rest, and it holds the interrupt back, as the kernel has told it what runs.
case_priorities() {
    on_virt priorities.yaml 'above and below'
    check 'above: sent' "$(flow setpoint sent)" -gt 0
    check 'above: delivered' "$(flow setpoint delivered)" -eq "$(flow setpoint sent)"
    check 'above: vectors' "$(queue urgent interrupts)" -gt 0
    check 'below: sent' "$(flow bulk sent)" -gt 64
    check 'below: into the ring' "$(queue bulk received)" -eq 64
    check 'below: dropped by the NIC' "$(queue bulk lost)" -eq "$(($(flow bulk sent) - 64))"
    check 'below: out of the ring' "$(flow bulk in_flight)" -eq 64
    check 'below: interrupts' "$(nic bulk interrupts)" -eq 0
    check 'below: vectors' "$(queue bulk interrupts)" -eq 0
    check 'below: held by the running task' "$(nic bulk held_running)" -gt 0
}

# One queue, as an ordinary controller has it: every frame raises its vector.
case_stock() {
    "$tidegate" run "$here/node.yaml" --on virt --scenario 'only bulk' --policy stock-high --json >out.json 2>err ||
        cat err
    check 'stock: delivered' "$(flow bulk delivered)" -eq "$(flow bulk sent)"
    check 'stock: in the one queue' "$(queue stock received)" -ge "$(flow bulk sent)"
    check 'stock: vectors' "$(queue stock interrupts)" -gt 0
}

# Clients of the system, in the network of the run, while the lowest queue is flooded.
case_clients() {
    : >err # what an earlier case has left there would be taken for this run's
    "$tidegate" run "$here/node.yaml" --on virt --scenario flood --policy combined --json >out.json 2>err &
    run=$!
    tries=0
    while ! grep -q 'nsenter --net=.* COMMAND$' err && [ "$tries" -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    network=$(sed -n 's/.*nsenter --net=\([^ ]*\) .*/\1/p' err)
    answers=$(nsenter --net="$network" ping -n -c 20 -i 0.1 -W 10 192.0.2.1 2>&1 |
        sed -n 's/.* \([0-9]*\) received.*/\1/p')
    check 'answers to ping' "${answers:-0}" -eq 20
    echo question >question
    # Ten datagrams, one after the other: each is asked for again by nobody.
    echoes=0
    for n in 1 2 3 4 5 6 7 8 9 10; do
        said=$(echo "question $n" | nsenter --net="$network" socat -t 10 - UDP4:192.0.2.1:7,readbytes=$((10 + ${#n})) 2>&1) || true
        [ "$said" != "question $n" ] || echoes=$((echoes + 1))
    done
    check 'UDP echoes' "$echoes" -eq 10
    # From the ports of services: an answer could go round for ever.
    for port in 7 19 5008; do
        nsenter --net="$network" socat -u OPEN:question "UDP4-SENDTO:192.0.2.1:7,sourceport=$port"
    done
    check 'the flood goes on' "$(kill -0 "$run" 2>/dev/null && echo 1 || echo 0)" -eq 1
    status=0
    wait "$run" || status=$?
    run=
    check 'flood: exit status' "$status" -eq 0
    check 'flood: sent' "$(flow bulk sent)" -gt 1000
    check 'flood: more than its queue takes' "$(queue bulk lost)" -gt 0
    check 'setpoints, and 13 questions' "$(flow setpoint delivered)" -eq "$(($(flow setpoint sent) + 13))"
    check 'questions from services' "$(jq .nics[0].unanswered out.json)" -eq 3
    check 'pings' "$(flow ping delivered)" -eq 20
}

# Without the rights of root it says so. Nothing is left of the network or of the files.
case_misuse() {
    status=0
    setpriv --bounding-set=-all "$tidegate" run "$here/node.yaml" --on virt --scenario 'only bulk' \
        --policy combined >out 2>err || status=$?
    check 'not root: exit status' "$status" -eq 3
    check 'not root: why' "$(grep -c 'needs root' err)" -eq 1
    check 'not root: files left' "$(find "$TG_LAB_CACHE" -name 'virt.*' | wc -l)" -eq 0
    status=0
    "$tidegate" run "$here/node.yaml" --on virt --policy tidegate >out 2>err || status=$?
    check 'policy: exit status' "$status" -eq 2
    check 'policy: what is allowed' "$(grep -c 'allowed on target virt: stock-high' err)" -eq 1
    awk '{ print }
        /^flows:/ {
            for (i = 0; i < 20; i++) {
                printf "  - {name: more %d, match: udp dst port %d, priority: 1, budget: unlimited, reserve: 1}\n",
                    i, 3000 + i
            }
        }' "$here/node.yaml" >ports.yaml
    status=0
    "$tidegate" run ports.yaml --on virt >out 2>err || status=$?
    check 'ports: exit status' "$status" -eq 2
    check 'ports: which one is too many, and what is allowed' \
        "$(grep -c "^ports.yaml:[0-9]*:[0-9]*: flow 'more 16' has one more UDP port; allowed on target virt: 16$" err)" -eq 1
}

[ $# -ne 0 ] || set -- urgent normal bulk burst priorities stock clients misuse
for name in "$@"; do
    "case_$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
