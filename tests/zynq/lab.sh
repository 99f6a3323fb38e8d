#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lab.sh BUILD_DIR - `tidegate lab all --quick`: the bars that are met stay met, the lengths of interrupts stay
# where docs/lab.md has them, and a second run gives the same bytes.
set -eu

tidegate=$1/tidegate
cache=$1/lab-cache
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# run ARGUMENT...: status 1, a bar that does not hold, is judged below.
run() {
    "$tidegate" lab "$@" 2>"$out/errors" || [ $? -eq 1 ] || {
        cat "$out/errors" >&2
        exit 1
    }
}

# check WHAT EXPRESSION: of jq over the results.
check() {
    if jq -e "$2" "$out/all" >/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: not so: $(jq -c .bars "$out/all")"
    fi
}

run all --quick --json --cache "$cache" >"$out/all"
for bar in 'low packets at 100 kpps, 18 bytes' 'low packets at 100 kpps, 1000 bytes' \
    'urgent packets: all delivered' 'urgent packets: never fewer' 'critical task'; do
    check "$bar" "[.bars[] | select(.bar | startswith(\"$bar\")) | .holds] == [true]"
done
longest='def longest(name): [.fig10[] | select(.outcome == name) | .lengths[].instructions] | max;
    def shortest(name): [.fig10[] | select(.outcome == name) | .lengths[].instructions] | min;'
check 'a packet over its budget is cheaper than one that is taken' \
    "$longest shortest(\"drop budget\") < shortest(\"enqueue low, task busy\")"
check 'no interrupt is longer than documented' "$longest ([.fig10[].outcome as \$o | longest(\$o)] | max) <= 1400"
check 'the shortest way through the core' "$longest shortest(\"drop budget\") <= 450"
check 'each outcome was measured each time' \
    '[.fig10[] | [.lengths[].interrupts] | add] | all(. == 1500)'

check 'nothing else became of a packet than what was measured' '[.fig10[].others] | all(. <= 1)'

run fig10 --quick --json --cache "$cache" >"$out/first"
run fig10 --quick --json --cache "$out" >"$out/second"
if cmp "$out/first" "$out/second"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
