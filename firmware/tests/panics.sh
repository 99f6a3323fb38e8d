#!/bin/sh
# SPDX-License-Identifier: MIT
#
# panics.sh RUNNER KERNEL_TEST - what must stop the program does, says why on the UART, and exits with 3.
set -u

passed=0
failed=0

# stops WAY TEXT
stops() {
    status=0
    said=$("$runner" "$program" "panic=$1" 2>&1) || status=$?
    case $status:$said in
    3:*"panic: $2"*"(thread part)"*) passed=$((passed + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "$1: exit code $status, said: $said"
        ;;
    esac
}

runner=$1
program=$2
stops overflow 'stack overflow'
stops moment 'stack overflow'
stops mutex 'a thread ends that holds a mutex'
stops null 'data abort at'
stops undefined 'undefined instruction at'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
