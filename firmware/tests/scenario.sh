# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# scenario.sh - for the tests of small applications: run one on the board, count what holds.
# Use: . scenario.sh, in a script with the arguments RUNNER PROGRAM [first].
runner=$1
program=$2
first=${3-} # end at the first thing that is wrong
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0
export TG_ZYNQ_SHIFT=2

fails() {
    failed=$((failed + 1))
    [ -z "$first" ] || exit 1
}

# holds WHAT PROGRAM: of awk over the last run's output; it exits as the condition says.
holds() {
    if awk "$2" "$out/said"; then
        passed=$((passed + 1))
    else
        echo "$1: not so:"
        cat "$out/said"
        fails
    fi
}

# run KEY=VALUE...
run() {
    "$runner" "$program" "$@" >"$out/said" 2>"$out/errors" || {
        cat "$out/said" "$out/errors"
        fails
    }
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
