#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutants.sh RUNNER DIR - each broken kernel of mutants.txt, built as DIR/NAME: the tests must fail on it.
set -u

runner=$1
directory=$2
passed=0
failed=0

here=$(dirname -- "$0")
list=$here/mutants.txt

# field NAME N: of a mutant's line.
field() {
    awk -v name="$1" -v n="$2" '$1 == name { print $n }' "$list"
}

# fails NAME: the test that the list names fails, and says what is wrong.
fails() {
    program=$(field "$1" 2)
    case $program in
    smoke | sockets) ! sh "$here/$program.sh" "$runner" "$directory/$1" first ;;
    *)
        parameters=
        case $program in *:*) parameters=$(echo "${program#*:}" | tr , ' ') ;; esac
        # shellcheck disable=SC2086 # one word per parameter
        ! "$runner" "$directory/$1" $parameters
        ;;
    esac
}

names=$(awk '/^[a-z]/ { print $1 }' "$list")
for name in $names; do
    if said=$(TG_ZYNQ_SECONDS=30 fails "$name" 2>&1); then
        case $said in
        *'[   FAIL   ]'* | *'panic: '* | *': not so:'* | *'does not show'*)
            passed=$((passed + 1))
            continue
            ;;
        esac
    fi
    failed=$((failed + 1))
    echo "$name is not noticed: $said"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
