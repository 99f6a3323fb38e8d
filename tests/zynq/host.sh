#!/bin/sh
# SPDX-License-Identifier: MIT
#
# host.sh BUILD_DIR - the command's part of target zynq without the emulator: a script prints what a board
# might (fake_board.sh). What is cut off, doubled or hostile is no result and says so; what was kept and is
# broken is run again; what belongs to other firmware is not used. TG_CASE=first: up to what fails first.
set -eu

tidegate=$1/tidegate
root=$(cd ../.. && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# A broken command lies elsewhere (tests/mutants); it looks for the sources two levels up.
[ -e "$1/../firmware" ] || ln -sfn "$root/firmware" "$1/../firmware"
mkdir -p "$out/bin" "$out/a build/firmware/apps/lab" "$out/kept"
cp fake_board.sh "$out/bin/qemu-system-arm"
chmod +x "$out/bin/qemu-system-arm"
firmware=$out/a\ build/firmware/apps/lab
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\ncp "$1/tidegate_config.c" "$2"\n' >"$firmware/link.sh"
echo 'one' >"$firmware/part one.o"
printf '%s\n' "$firmware/link.sh" "$firmware/part one.o" >"$firmware/parts.txt"
printf '%s\n' 330 310 330 >"$firmware/bound.txt"
PATH=$out/bin:$PATH
TG_ZYNQ_BUILD=$out/a\ build
TG_LAB_CACHE=$out/kept
TG_FAKE_LOG=$out/runs
export PATH TG_ZYNQ_BUILD TG_LAB_CACHE TG_FAKE_LOG

say() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2: exit status $status, standard error:"
        head -n 5 "$out/errors"
        [ "${TG_CASE-}" != first ] || exit 1
    fi
}

# check WHAT COMMAND...
check() {
    what=$1
    shift
    result=0
    "$@" >/dev/null 2>&1 || result=1
    say $result "$what"
}

# run HOW ARGUMENT...: the command before a board that behaves so; keeps status, output, errors, the number of runs.
run() {
    : >"$out/runs"
    status=0
    TG_FAKE=$1
    export TG_FAKE
    shift
    "$tidegate" "$@" >"$out/said" 2>"$out/errors" || status=$?
    runs=$(wc -l <"$out/runs")
}

says() {
    grep -q "$1" "$out/errors"
}

run whole lab calibrate
check 'costs' [ "$status" -eq 0 ]
check 'costs of every kind' [ "$(grep -c ' ns$' "$out/said")" -ge 9 ]
check 'what is refused has its own' grep -q '^  refused: [0-9]* ns$' "$out/said"
check 'in as many runs as there are cells' [ "$runs" -ge 15 ]
check 'without a word' [ ! -s "$out/errors" ]
check 'nothing but programs and results is kept' \
    [ -z "$(find "$out/kept" -type f ! -name '*.elf' ! -name '*.txt')" ]
cp "$out/said" "$out/first"
cells=$runs

run whole lab calibrate
check 'what was run is kept' [ "$runs" -eq 0 ]
check 'and is the same' cmp "$out/first" "$out/said"

# What the code may take counts, also where nothing took as long; an instruction takes 4 ns.
eager() {
    sed -n 's/^  eager: \([0-9]*\) ns$/\1/p' "$1"
}
printf '%s\n' 330 310 500 >"$firmware/bound.txt"
run whole lab calibrate
cp "$out/said" "$out/bound"
printf '%s\n' 330 310 600 >"$firmware/bound.txt"
run whole lab calibrate
check 'the bound of the code for any frame' \
    [ "$(eager "$out/said")" -eq $(($(eager "$out/bound") + 4 * 100)) ]
printf '%s\n' 330 310 >"$firmware/bound.txt"
run whole lab calibrate
check 'without the bound no costs' [ "$status" -eq 3 ]
check 'is said, with the file' says 'a build/firmware/apps/lab/bound.txt does not hold the three bounds'
printf '%s\n' 330 310 330 >"$firmware/bound.txt"

# For a file: a look-up goes through its kinds of matches, so nothing that is kept is of use.
{
    cat "$root/examples/motor.yaml"
    cat <<'END'
  - name: mixed
    run: {for: 10 ms, seed: 1}
    traffic:
      - {flow: setpoint, every: 1 ms}
      - {frames: udp dst port 5000, every: 1 ms, form: malformed}
      - {frames: udp dst port 9, every: 5 ms, burst: 3}
  - name: bad
    run: {for: 10 ms, seed: 1}
    traffic:
      - {frames: udp dst port 5000, every: 1 ms, form: malformed}
END
} >"$out/a file.yaml"
run whole lab calibrate --system "$out/a file.yaml"
check 'costs for a file' [ "$status" -eq 0 ]
check 'in runs of their own, all of them' [ "$runs" -eq "$cells" ]
# Three more kinds of matches make this board's interrupts 30 instructions longer. So much more has a packet that is
# found by the last of them.
check 'of a frame that all of them are tried on' [ "$(eager "$out/said")" -eq $(($(eager "$out/first") + 4 * 2 * 30)) ]
run whole lab calibrate --system "$out/a file.yaml" --scenario mixed
check 'typical costs' grep -q '^  refused: [0-9]* ns$' "$out/said"
check 'each frame alone, accepted once and refused once, but those that never are accepted' \
    [ "$(cat "$out/runs")" = '16 16 20000
16 16 20000' ]
run whole lab calibrate --system "$out/a file.yaml" --scenario 'flood 40 kpps'
check 'of many frames some, from all over the scenario' [ "$(head -n 1 "$out/runs")" = '1941 1941 20000' ]
run whole lab calibrate --system "$out/a file.yaml" --scenario bad
check 'a scenario of which nothing can be accepted' [ "$status" -eq 2 ]
check 'is said' says "scenario 'bad' sends nothing that could be accepted"
run whole lab calibrate --system "$out/a file.yaml" --scenario none
check 'a scenario that is not there' [ "$status" -eq 2 ]
check 'is said, with the file and what is allowed' \
    says "a file.yaml has no scenario 'none', allowed: .*'mixed', 'bad'$"
run whole lab calibrate --scenario mixed
check 'a scenario without its file' [ "$status" -eq 2 ]
check 'is said' says '[-]-scenario needs --system FILE'
run whole lab fig10 --system "$out/a file.yaml"
check 'figures are not of a file' [ "$status" -eq 2 ]
sed 's/eager: 2 us /eager: 2 xs/' "$root/examples/motor.yaml" >"$out/bad.yaml"
run whole lab calibrate --system "$out/bad.yaml"
check 'a file that is none' [ "$status" -eq 2 ]
check 'and where' says "bad.yaml:24:12: receive.eager: "
run whole lab calibrate --system "$root/examples/nic.yaml"
check 'costs for a file, one of whose flows has a port of the experiments' [ "$status" -eq 0 ]
sed 's/vlan 10 /vlan 5 /' "$root/examples/nic.yaml" >"$out/taker.yaml"
run whole lab calibrate --system "$out/taker.yaml"
check 'a file, one of whose flows takes frames of the experiments' [ "$status" -eq 2 ]
check 'is said, with the match' says "match 'vlan 5 and udp dst port 5000' takes frames"
run whole lab calibrate --system "$out/a file.yaml" --json
check 'costs are no JSON document' [ "$status" -eq 2 ]
run whole lab calibrate --report "$out/page.html"
check 'and have no page' [ "$status" -eq 2 ]
rm -f "$out"/kept/*.txt
run whole lab calibrate

# Kept results, broken: cut off, emptied, another's, bytes of any kind, a directory.
ls "$out"/kept/*.txt >"$out/list"
nth() {
    sed -n "$1p" "$out/list"
}
for i in 1 2 3 4; do
    file=$(nth "$i")
    case $i in
    1) printf '%s' "$(cat "$file")" >"$file.cut" && mv "$file.cut" "$file" ;;
    2) : >"$file" ;;
    3) echo 'end 0' >"$file" ;;
    4) head -c 5000 /dev/urandom >"$file" ;;
    esac
done
run whole lab calibrate
check 'what is broken is run again, and nothing else' [ "$runs" -eq 4 ]
check 'which is said, with the place' says "$(nth 2):1: .*"
check 'and gives the same' cmp "$out/first" "$out/said"

echo 'two' >"$firmware/part one.o"
run whole lab calibrate
check 'results of other firmware are not used' [ "$runs" -eq "$cells" ]
rm "$firmware/part one.o"
run whole lab calibrate
check 'firmware of which a part is missing' [ "$status" -eq 3 ]
check 'is said to be incomplete' says 'parts.txt, or what it names, is missing'
echo 'one' >"$firmware/part one.o"

# What the board gives is no result. Its first line in the first file is where it goes wrong.
for how in half hostile doubled silent; do
    rm -f "$out"/kept/*.txt
    run "$how" lab calibrate
    check "a board's result that is $how: no costs come of it" [ ! -s "$out/said" ]
    check "a board's result that is $how" [ "$status" -eq 3 ]
    check "a board's result that is $how: the file, the line, what was found" \
        says 'kept/[0-9a-f]*.txt:[0-9]*: this is no result of the board'
done
run panic lab calibrate
check 'a board that stops' [ "$status" -eq 3 ]
check 'where it is written why' says 'failed, see .*output'
check 'what it said' grep -q 'stack overflow' "$out"/kept/output.*
check 'what the emulator said' grep -q 'something to say' "$out"/kept/output.*.errors
rm -f "$out"/kept/*.txt "$out"/kept/output.*

run whole run "$root/examples/motor.yaml" --on zynq --json
check 'a system file' [ "$status" -le 1 ]
check 'with a result for each scenario' jq -e '[.scenarios[].policies | length >= 3] | all' "$out/said"
rm -f "$out"/kept/*.txt
run hostile run "$root/examples/motor.yaml" --on zynq --json
check 'a system file on a hostile board' [ "$status" -eq 3 ]

# The trace, in the default window: the board's clock was at 1000 ns when the run began.
rm -f "$out"/kept/*.txt
trace() {
    TG_FAKE_TRACE=$1
    export TG_FAKE_TRACE
    run whole run "$root/examples/motor.yaml" --on zynq --scenario 'flood 40 kpps' --policy tidegate \
        --trace "$out/trace.json"
}
# has EXPRESSION: of jq over the trace.
has() {
    jq -e ".traceEvents | $1" "$out/trace.json"
}
trace whole
check 'a trace' [ "$status" -le 1 ]
check 'a job, from its start to its end' \
    has 'map(select(.ph == "X" and .name == "control")) | length == 1 and .[0].ts == 100000.5 and .[0].dur == 7.5'
check 'that it was late' has 'any(.name == "finished past its deadline")'
check 'an interrupt' has 'any(.ph == "X" and .ts == 100001 and .dur == 2)'
check 'what came and what became of it' has 'any(.name == "arrives: best effort") and any(.name == "passed: best effort")'
check 'what had begun before' has 'any(.ph == "X" and .name == "logger" and .ts == 99000)'
check 'what found no room' jq -e '.otherData["events that found no room"] == 14' "$out/trace.json"
trace whole
check 'a trace is kept' [ "$runs" -eq 0 ]
rm "$out"/kept/*.trace
for how in half hostile foreign; do
    trace "$how"
    check "a trace that is $how" [ "$status" -eq 3 ]
    check "a trace that is $how: the file, the record" says 'kept/[0-9a-f]*.trace:[0-9]: this is no event of the board'
done
trace none
check 'a trace that is not there' [ "$status" -eq 3 ]
trace whole
check 'is written the next time' [ "$status" -le 1 ]

run whole lab fig9 --quick --cache "$out/no/such/directory"
check 'no place for results' [ "$status" -eq 3 ]
check 'is said' says 'cache DIR'
status=0
PATH=$out/none "$tidegate" lab fig9 --quick >"$out/said" 2>"$out/errors" || status=$?
check 'no emulator' [ "$status" -eq 3 ]
check 'but its package' says 'there is no qemu-system-arm; install'

# A status of 1 is that of a bar that does not hold: this board's figures are nobody's.
run whole lab all --quick --json
check 'all experiments run' [ "$status" -le 1 ]
check 'and give one document' jq -e '.fig9 and .fig10 and .fig11 and (.bars | length == 8)' "$out/said"
check 'in more runs than costs take' [ "$runs" -ge 30 ]
check 'without a word' [ ! -s "$out/errors" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
