#!/bin/sh
# SPDX-License-Identifier: MIT
#
# frame_vectors_test.sh BUILD_DIR - does frame_vectors report what differs, and refuse what is no vector
# file, with the place and the exit status that it promises?
set -eu

program=$1/tests/frame_vectors
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
file=$scratch/vectors.tsv
passed=0
failed=0

udp=02000000000102000000000208004500001c000100004011f6ccc0000202c00002019c4013880008cc11
flows='# flows: hp "udp dst port 5000", dns "udp src port 53"'

# check NAME STATUS PATTERN LINE...: the file of these lines gives this exit status, and output that
# matches the pattern.
check() {
    name=$1
    status=$2
    pattern=$3
    shift 3
    printf '%b\n' "$@" >"$file"
    found=0
    "$program" "$file" >"$scratch/out" 2>&1 || found=$?
    if [ "$found" -eq "$status" ] && grep -Eq -- "$pattern" "$scratch/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: expected status %s and /%s/, found %s and:\n' "$name" "$status" "$pattern" "$found"
        cat "$scratch/out"
    fi
}

check agrees 0 '^1 passed, 0 failed$' "$flows" "a\thp\t$udp"
check differs 1 'vectors.tsv:2: a: expected dns, found hp' "$flows" "a\tdns\t$udp"
check counts 1 '^2 passed, 1 failed$' "$flows" "a\thp\t$udp" "b\tD\t$udp" "c\tD\t00"
check empty_frame 0 '^1 passed, 0 failed$' "a\tD\t"
check nothing 0 '^0 passed, 0 failed$' '' '   '
check upper_case 0 '^1 passed' "$flows" "a\thp\t$(printf '%s' "$udp" | tr a-f A-F)"
check carriage_return 0 '^1 passed' "$flows\r" "a\thp\t$udp\r"
check two_lists 0 '^2 passed' '# flows: x "arp",' "$flows" "a\thp\t$udp" "b\tD\t"
check later_list 0 '^2 passed' "a\tB\t$udp" "$flows" "b\thp\t$udp"
check tag_decimal 0 '^1 passed' '# flows: v "vlan 100 and udp dst port 5000"' "a\tv\t$udp\t100"
check tag_hex 0 '^1 passed' '# flows: v "vlan 100 and udp dst port 5000"' "a\tv\t$udp\t0xe064"
check station 0 '^2 passed' "$flows" "a\thp\t$udp" \
    '# Station address 02:00:00:00:00:02, MTU 1500.' "b\tD\t$udp"
check mtu 0 '^1 passed' '# Station address 02:00:00:00:00:01, MTU 68.' \
    "a\tD\t$udp$(printf '%0140d' 0)"

check bad_digit 2 'vectors.tsv:1: not a frame' "a\tD\t0g"
check odd_digits 2 'vectors.tsv:1: not a frame' "a\tD\t000"
check two_columns 2 'vectors.tsv:1: expected: name' "a\tD"
check five_columns 2 'vectors.tsv:1: more than 4' "a\tD\t00\t1\t2"
check no_name 2 'vectors.tsv:1: expected: name' "\tD\t00"
check unknown_flow 2 "vectors.tsv:2: neither D, B nor.*'x'" "$flows" "a\tx\t00"
check bad_tag 2 'vectors.tsv:1: not a tag' "a\tD\t00\t65536"
check negative_tag 2 'vectors.tsv:1: not a tag' "a\tD\t00\t-1"
check bad_match 2 'vectors.tsv:1: flow x: .*column' '# flows: x "udp port 5"'
check no_quotes 2 'vectors.tsv:1: expected: name' '# flows: x arp'
check no_comma 2 'vectors.tsv:1: expected a comma' '# flows: x "arp" y "icmp"'
check same_name 2 'vectors.tsv:1: the name' '# flows: x "arp", x "icmp"'
check reserved_name 2 'vectors.tsv:1: the name' '# flows: D "arp"'
check same_match 2 'vectors.tsv:1: another flow' '# flows: x "arp", y "arp"'
check bad_station 2 'vectors.tsv:1: expected: Station' '# Station address here, MTU 1500'
check bad_mtu 2 'vectors.tsv:1: the MTU' '# Station address 02:00:00:00:00:01, MTU 67'

if "$program" "$scratch/none" 2>"$scratch/out" || [ $? -ne 2 ]; then
    failed=$((failed + 1))
    echo 'a file that is not there: expected status 2'
else
    passed=$((passed + 1))
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
