#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate sweep: cells in order, whoever computes them; a killed sweep goes on; what is refused.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/cli_lib.sh"

plc=$examples/plc.yaml
motor=$examples/motor.yaml

# same FILE FILE: byte for byte.
same() {
    if cmp "$1" "$2" >&2; then pass; else flunk "$said: $1 and $2 differ"; fi
}

# rows FILE: all but the two lines of the head.
rows() {
    sed 1,2d "$1"
}

# The last --vary goes fastest; units are in the head.
run 1 sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us --jobs 1
silent err
cp out one
out 'gate.packets,receive.eager (ns),verdict,worst slack (ns),worst,tasks.io-scan.bound (ns),'
rows out | cut -d, -f1,2 >cells
for packets in 4 8 16 32 64; do
    for eager in 1000 2000 3000 4000 5000 6000; do
        echo "$packets,$eager"
    done
done >wanted
same cells wanted
out '64,3000,fails,'

# A cell says what `check` says of the file with these values.
sed 's/eager: 1 us/eager: 3 us/; s/gate: {packets: 16/gate: {packets: 8/' "$plc" >cell.yaml
run 0 check --json cell.yaml
bound=$("$build/tests/json_value" tasks.1.response.bound_ns <out)
slack=$("$build/tests/json_value" tasks.0.slack_ns <out)
if grep -q "^8,3000,holds,$slack,io-scan,[0-9]*,$bound," one; then pass; else
    flunk "sweep: the row of 8,3000 has not the bound $bound and the slack $slack of check"
fi

# All jobs write the same.
for jobs in 2 7; do
    run 1 sweep "$plc" --vary=gate.packets=4..64:x2 --vary receive.eager=1us..6us --jobs $jobs
    same one out
done
run 1 sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us -o file.csv
silent out
same one file.csv

# So do ranks, into a file, too; rank 0 alone has it.
mpi() {
    ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_rmaps_base_oversubscribe=1 \
        mpirun --allow-run-as-root --oversubscribe -n "$@"
}
for ranks in 1 3; do
    said="mpirun -n $ranks tidegate sweep"
    status=0
    mpi $ranks "$build/tidegate" sweep "$plc" --vary gate.packets=4..64:x2 \
        --vary receive.eager=1us..6us >out 2>err || status=$?
    if [ $status -eq 1 ]; then pass; else flunk "$said: status $status, not 1"; fi
    same one out
done
head -n 9 one >ranks.csv
printf '8,30' >>ranks.csv
mpi 3 "$build/tidegate" sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us \
    -o ranks.csv >out 2>err || true
same one ranks.csv
status=0
mpi 3 "$build/tidegate" sweep "$plc" --vary gate.packets=4..x >out 2>err || status=$?
if [ $status -eq 2 ]; then pass; else flunk "mpirun, a bad range: status $status, not 2"; fi

# What the loader refuses is a row of its own.
run 1 sweep "$motor" --vary receive.eager=600ns..1us:3
out '600,invalid,,,'
out '"receive.driver: found 700 ns; allowed: at most eager, of which it is a part, 600 ns"'
out '800,fails,272400,setpoint,'

# run counts what the simulator did under tidegate.
run 1 sweep "$motor" --command run --scenario 'flood 40 kpps' --vary queues.all.gate.packets=8..32:2
cut -d, -f1-3 out | rows /dev/stdin >cells
printf '8,fails,0\n32,holds,0\n' >wanted
same cells wanted
run 0 run "$motor" --scenario 'flood 40 kpps' --policy tidegate --json
run 0 sweep "$motor" --command run --scenario 'flood 40 kpps' --vary queues.all.gate.packets=32..32
out '32,holds,0,0,32997,15255,0,17742,'

# Killed at any time, it goes on with what it has: long enough to be killed in the midst of it.
run 1 sweep "$plc" --vary receive.eager=1us..9us:40 --vary gate.packets=4..19 -o whole.csv
"$build/tidegate" sweep "$plc" --vary receive.eager=1us..9us:40 --vary gate.packets=4..19 \
    -o killed.csv >out 2>err &
killed=$!
until [ -e killed.csv ] && [ "$(wc -l <killed.csv)" -gt 20 ]; do sleep 0.01; done
kill -9 $killed
wait $killed 2>err || true
said='a sweep that is killed'
cp killed.csv part.csv
if [ "$(wc -l <part.csv)" -lt "$(wc -l <whole.csv)" ]; then pass; else flunk "$said: too late"; fi
run 1 sweep "$plc" --vary receive.eager=1us..9us:40 --vary gate.packets=4..19 -o killed.csv
err ' of 640 cells are there already'
same whole.csv killed.csv
# Complete: nothing is computed, and it says the same.
run 1 sweep "$plc" --vary receive.eager=1us..9us:40 --vary gate.packets=4..19 -o killed.csv
err '640 of 640 cells are there already'
same whole.csv killed.csv
# Cut in the head, too.
for bytes in 0 10 200; do
    head -c $bytes one >cut.csv
    run 1 sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us -o cut.csv
    same one cut.csv
done

# Another grid, another file, another command, another text: refused, and nothing is written.
cp one other.csv
run 2 sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..5us -o other.csv
err 'other.csv:1:1: found another sweep, or none; allowed: rows of this file and grid'
sed 's/plc/PLC/' "$plc" >PLC.yaml
run 2 sweep PLC.yaml --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us -o other.csv
run 2 sweep "$plc" --command run --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us \
    -o other.csv
same one other.csv
echo 'my notes' >notes
run 2 sweep "$plc" --vary gate.packets=4..8 -o notes
if [ "$(cat notes)" = 'my notes' ]; then pass; else flunk "$said: notes were overwritten"; fi
sed 5s/,/,9/ one >odd.csv
run 2 sweep "$plc" --vary gate.packets=4..64:x2 --vary receive.eager=1us..6us -o odd.csv
err 'odd.csv:5:1: found a row of another grid'

# Another capture of the same name, too.
cp "$examples/office.pcap" sent.pcap
sed '/^scenarios:/,$d' "$plc" >sent.yaml
cat >>sent.yaml <<'END'
scenarios:
  - name: office
    run: {for: 10 ms, seed: 1}
    traffic: [{capture: sent.pcap}]
END
for try in first second; do
    said="sweep of a capture, $try"
    "$build/tidegate" sweep sent.yaml --command run --vary gate.packets=4..5 -o sent.csv \
        >out 2>err || true
done
err '2 of 2 cells are there already'
printf '\377' | dd of=sent.pcap bs=1 seek=60 conv=notrunc 2>dd.log
run 2 sweep sent.yaml --command run --vary gate.packets=4..5 -o sent.csv
err 'sent.csv:1:1: found another sweep, or none'

# A page with a map, for one value, two and three.
run 0 sweep "$plc" --vary gate.packets=4..64:x2 --report page.html
run 1 sweep "$plc" --vary receive.eager=1us..4us --vary gate.packets=4..32:x2 \
    --vary 'flows.outputs.budget.packets=1..2' --report page.html
if [ "$(grep -c '<figure>' page.html)" -eq 4 ]; then pass; else flunk "$said: not four maps"; fi
if grep -q 'receive.eager = 3 us' page.html; then pass; else flunk "$said: no title"; fi

# What is refused: with the place in the file, or the column of the option.
run 2 sweep "$motor" --vary foo=1..2
err "motor.yaml:10:1: foo: found no 'foo' written here; allowed: name, cpu, tasks,"
run 2 sweep "$motor" --vary flows.setpiont.budget.packets=1..2
err "allowed: setpoint, telemetry, arp-reply, arp"
run 2 sweep "$motor" --vary flows.setpoint.match=1..2
err "motor.yaml:41:12: flows.setpoint.match: found 'udp dst port 5000'; allowed: a number,"
run 2 sweep "$motor" --vary receive=1..2
err "motor.yaml:22:3: receive: found no '' written here"
run 2 sweep "$motor" --vary receive.eager.x=1us..2us
err "found one value here, which has no 'x'"
run 2 sweep "$motor" --vary receive.eager=1..2
err "column 15: found '1..2'; allowed: a duration, as 10us"
run 2 sweep "$motor" --vary receive.eager=2us..1us
err "column 20: found '1us'; allowed: not less"
run 2 sweep "$motor" --vary receive.eager=1us..2us:x1
err "column 24: found 'x1'"
run 2 sweep "$motor" --vary flows.setpoint.budget.packets=1..3:9
err 'as many values as there are whole numbers'
run 2 sweep "$motor" --vary receive.eager
err "column 1: found 'receive.eager'; allowed: PATH=FROM..TO"
run 2 sweep "$motor" --vary tasks.control.period=1ns..1s
err 'at most 100000 values'
run 2 sweep "$motor" --vary receive.eager=1us..1000us --vary receive.deferred=1us..1000us
err 'found 1000000 cells; allowed: at most 100000'
run 2 sweep "$motor" --vary receive.eager=1us..3us --vary receive.eager=1us..3us
err 'allowed: each value once'
run 2 sweep "$motor" --vary a=1..2 --vary a=1..2 --vary a=1..2 --vary a=1..2 --vary a=1..2
err '--vary is given too often, allowed: 4 times'
run 2 sweep "$motor"
err '--vary is missing'
run 2 sweep "$motor" --vary receive.eager=1us..3us --jobs 0
err "--jobs: found '0'; allowed: 1..256"
run 2 sweep "$motor" --vary receive.eager=1us..3us --command fit
err "--command: found 'fit'; allowed: check, run"
run 2 sweep "$motor" --vary receive.eager=1us..3us --command run --scenario storm
err "has no scenario 'storm', allowed: 'flood 40 kpps', 'flood 1 Mpps'"
run 2 sweep "$motor" --vary receive.eager=1us..3us -o no/such/directory
err '-o: no/such/directory: No such file or directory'

# Another policy, and the column that a map is to show.
nic=$examples/nic.yaml
timers='--vary queues.bulk.absolute_timer=125us..4ms:x2 --vary queues.bulk.ring=4..64:x2'
# shellcheck disable=SC2086 # words of a command line
run 1 sweep "$nic" --command run --scenario 'flood 100 kpps' --policy nic $timers \
    --map 'flows.upload.worst (ns)' --report timers.html
# As docs/simulator.md has it.
best=$(grep '^The least' "$tests/../../docs/simulator.md")
err "$best"
if grep -qF "$best" timers.html && grep -q '<picture>' timers.html
then pass; else flunk "$said: no map, or not its best cell"; fi
# The best cell is one that holds, and has the least of those.
least=$(rows out | awk -F, '$3 == "holds" { print $28 + 0 }' | sort -n | head -n 1)
if [ -n "$least" ] && [ "${best#* is "$least",}" != "$best" ]
then pass; else flunk "$said: the least is '$least', not as in: $best"; fi
# shellcheck disable=SC2086
run 0 sweep "$nic" --command run --scenario 'flood 100 kpps' $timers
out ', command run, scenario flood 100 kpps, policy combined,'
silent err
run 1 sweep "$motor" --command run --scenario 'flood 40 kpps' --policy stock-high \
    --vary receive.eager=1us..2us --map interrupts
err 'No cell holds.'
run 2 sweep "$motor" --command run --vary receive.eager=1us..2us --policy stock-limited
err "--policy: found 'stock-limited'; allowed: stock-high, stock-low, stock-moderated, nic, tidegate"
run 2 sweep "$motor" --vary receive.eager=1us..2us --policy nic
err '--policy is for --command run'
run 2 sweep "$motor" --vary receive.eager=1us..2us --map speed
err "--map: found 'speed'; allowed: a column of worst slack (ns),worst,tasks.control.bound (ns),"

finish
