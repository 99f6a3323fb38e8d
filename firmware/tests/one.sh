#!/bin/sh
# SPDX-License-Identifier: MIT
#
# one.sh LIST BUILD_DIR NAME - the program of a mutant, which the build has linked: the test that LIST names must
# fail on it. Prints and exits as tests/mutants/one.sh.
set -u

here=$(dirname -- "$0")
list=$1
directory=$2/firmware/tests/mutants
name=$3
runner=$here/../boards/zynq/run.sh

# fails PROGRAM[:PARAMETER,...]: and says what is wrong.
fails() {
    case $1 in
    smoke | sockets) ! sh "$here/$1.sh" "$runner" "$directory/$name" first ;;
    *)
        parameters=
        case $1 in *:*) parameters=$(echo "${1#*:}" | tr , ' ') ;; esac
        # shellcheck disable=SC2086 # one word per parameter
        ! sh "$runner" "$directory/$name" $parameters
        ;;
    esac
}

test=$(awk -v name="$name" '$1 == name { print $2 }' "$list")
if said=$(TG_ZYNQ_SECONDS=30 fails "$test" 2>&1); then
    case $said in
    *'[   FAIL   ]'* | *'panic: '* | *': not so:'* | *'does not show'*)
        echo caught
        exit 0
        ;;
    esac
fi
echo "$name: it survives $test: $(echo "$said" | tail -n 1)"
