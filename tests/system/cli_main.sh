#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command as a whole: help, version, wrong usage.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/cli_lib.sh"

run 2
err 'usage: tidegate COMMAND'
silent out
run 0 --help
out 'classify'
out 'explain'
out 'exit status: 0 holds, 1 does not hold, 2 bad usage or file'
silent err
run 0 -h
out 'usage: tidegate COMMAND'
run 0 --version
out 'tidegate 0.'
run 2 clasify
err "unknown command 'clasify', allowed: "
err ' classify, explain,'
silent out

for command in classify explain; do
    run 0 "$command" --help
    out "usage: tidegate $command"
    out '--json'
    out '--help'
    silent err
    run 2 "$command"
    err "tidegate $command: "
    silent out
    run 2 "$command" --no-such-option
    err "unknown option '--no-such-option', allowed: "
    run 2 "$command" --json=1
    err '--json takes no value'
    run 2 "$command" --json --json
    err '--json is given twice'
    run 2 "$command" --mtu
    err '--mtu needs a value: --mtu BYTES'
done
run 2 classify a b c
err "'c' is one argument too many"
err 'usage: tidegate classify'
run 2 classify a
err 'CAPTURE is missing'
run 2 classify -- --each b
err '--each: cannot be read: No such file or directory'

# What cannot be written is no success.
status=0
"$build/tidegate" --help >/dev/null
"$build/tidegate" classify "$examples/rules.txt" "$examples/office.pcap" >/dev/full 2>err || status=$?
: >out
said='tidegate classify >/dev/full'
if [ "$status" -eq 3 ]; then pass; else flunk "$said: status $status"; fi
err 'standard output cannot be written'
finish
