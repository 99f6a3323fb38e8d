#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tidegate gen`: both files, clean for every compiler that is here, also beside nothing but the headers.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

include=$tests/../../include

# compiles COMPILER: what was generated, with the headers of the core and nothing else.
compiles() {
    if "$1" -std=c11 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror "-I$include" \
        -c tables/tidegate_config.c -o tables/config.o 2>err
    then pass; else flunk "$said: $1 does not take it"; fi
}

for file in "$examples"/*.yaml "$tests/odd.yaml"; do
    rm -rf tables
    run 0 gen "$file" -o tables
    silent out
    silent err
    for compiler in gcc clang arm-none-eabi-gcc; do
        compiles "$compiler"
    done
done
cp tables/tidegate_config.h out
said='tidegate_config.h of odd.yaml'
out 'TIDEGATE_FLOW_BEST_EFFORT = 0,'
out 'TIDEGATE_FLOW_BEST_EFFORT__1 = 1,'
out 'TIDEGATE_QUEUE_A_B__0 = 0,'
out 'TIDEGATE_QUEUE_A_B__1 = 1,'
cp tables/tidegate_config.c out
said='tidegate_config.c of odd.yaml'
out 'static tg_ns windows[67];'
out '.window = &windows[3]'

# Into a directory that is there, and again over its own files.
run 0 gen "$examples/motor.yaml" -o tables
run 0 gen "$examples/motor.yaml" -o tables
out=tables/tidegate_config.h
if grep -q 'TIDEGATE_FLOW_SETPOINT = 1,' "$out" && grep -q 'TIDEGATE_QUEUE_ALL = 0,' "$out"
then pass; else flunk "$said: no names"; fi

run 2 gen "$examples/motor.yaml"
err 'the directory is missing: -o DIR'
run 3 gen "$examples/motor.yaml" -o no/such/directory
err 'no/such/directory: cannot be written'
: >file
run 3 gen "$examples/motor.yaml" -o file
err 'cannot be written'
run 2 gen no-such-file -o tables
err 'no-such-file: cannot be opened'
finish
