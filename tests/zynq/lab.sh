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

# Names of all results that are kept.
results() {
    (cd "$cache" && find . -name '*.txt' | sort)
}

# One after the other, to know which results are whose; what an earlier test has left would hide them. Those of
# fig10 are the ones that costs are made of.
rm -f "$cache"/*.txt
before=/dev/null
for figure in fig10 fig9 fig11; do
    run $figure --quick --json --cache "$cache" >"$out/$figure"
    results >"$out/after.$figure"
    comm -13 "$before" "$out/after.$figure" >"$out/$figure.results"
    before=$out/after.$figure
done
run all --quick --json --cache "$cache" >"$out/all"
for bar in 'low packets at 100 kpps, 18 bytes' 'low packets at 100 kpps, 1000 bytes' \
    'interrupts stay on up to 8 times' 'urgent packets: all delivered' 'urgent packets: never fewer' 'critical task'; do
    check "$bar" "[.bars[] | select(.bar | startswith(\"$bar\")) | .holds] == [true]"
done
longest='def longest(name): [.fig10[] | select(.outcome == name) | .lengths[].instructions] | max;
    def shortest(name): [.fig10[] | select(.outcome == name) | .lengths[].instructions] | min;'
check 'a packet over its budget is cheaper than one that is taken' \
    "$longest shortest(\"drop budget\") < shortest(\"enqueue low, task busy\")"
check 'no interrupt is longer than documented' "$longest ([.fig10[].outcome as \$o | longest(\$o)] | max) <= 1020"
check 'the shortest way through the core' "$longest shortest(\"drop budget\") <= 320"

# The bounds that the compiled code gives, see docs/lab.md: the longest attains its own.
{
    read -r bound
    read -r open
    read -r any
} <"${TG_ZYNQ_BUILD:-../../build-zynq}/firmware/apps/lab/bound.txt"
check "the longest interrupt is the code's bound, $bound" \
    "$longest ([.fig10[].outcome as \$o | longest(\$o)] | max) == $bound and $bound <= $any"
check "none that leaves the gate open exceeds $open" \
    "$longest [.fig10[].outcome as \$o | select(\$o != \"enqueue high, gate closes\") | longest(\$o)] | max <= $open"
check 'each outcome was measured each time' \
    '[.fig10[] | [.lengths[].interrupts] | add] | all(. == 1500)'

check 'nothing else became of a packet than what was measured' '[.fig10[].others] | all(. <= 1)'

# Some cells of each figure again, elsewhere: the same bytes, and the same document.
cp -R "$cache" "$out/elsewhere"
for figure in fig10 fig9 fig11; do
    awk 'NR % 5 == 1 && NR <= 30' "$out/$figure.results" >"$out/again"
    (cd "$out/elsewhere" && xargs rm <"$out/again")
    run $figure --quick --json --cache "$out/elsewhere" >"$out/document"
    same=0
    while read -r result; do
        cmp "$cache/$result" "$out/elsewhere/$result" || same=1
    done <"$out/again"
    if [ -s "$out/again" ] && [ $same -eq 0 ] && cmp "$out/$figure" "$out/document"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$figure: two runs give different results"
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
