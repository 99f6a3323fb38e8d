#!/bin/sh
# SPDX-License-Identifier: MIT
#
# qemu.sh BUILD_DIR - the real ivshmem-doorbell of QEMU against `tidegate nic`, without a guest: the test
# stands in for its CPU (qtest). It finds the device on PCI, sets a queue up as docs/nic.md says, and each
# frame must make the interrupt of its queue's vector pending, and no other.
set -eu

build=$(CDPATH='' cd -- "$1" && pwd)
work=$(mktemp -d)
cd "$work"
passed=0
failed=0
server=
qemu=
clean() {
    [ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: found $2, not $3"
    fi
}

cat >rules.txt <<'END'
one = udp dst port 5000
END
"$build/tidegate" nic --frames 'generator:1 kpps,8' --rules rules.txt --socket s --for 60s --json >counters 2>said &
server=$!
tries=0
while [ ! -S s ] && [ "$tries" -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done

mkfifo in out
qemu-system-arm -M virt,gic-version=2,highmem=off -cpu cortex-a15 -m 128 -display none -nodefaults -S \
    -chardev socket,path=s,id=iv -device ivshmem-doorbell,chardev=iv,vectors=2 -qtest stdio <in >out 2>log &
qemu=$!
exec 3>in 4<out

# ask COMMAND: what QEMU answers, without OK.
ask() {
    echo "$1" >&3
    answer=
    while read -r line <&4; do
        case $line in
        OK*) answer=${line#OK} && break ;;
        FAIL*) echo "$1: $line" && exit 1 ;;
        esac
    done
}

# word ADDRESS: the 32 bits there, in decimal.
word() {
    ask "readl $1"
    echo $((answer))
}

set_word() {
    ask "writel $1 $2"
}

# ---- Probing

ecam=0x3f000000
device=
for slot in 0 1 2 3; do
    at=$((ecam + slot * 0x8000))
    [ "$(word $at)" != $((0x11101af4)) ] || device=$at
done
[ -n "$device" ] || {
    echo 'no ivshmem on the bus'
    exit 1
}
bar0=0x10000000 bar1=0x10001000 memory=0x10400000
set_word $((device + 0x10)) $bar0
set_word $((device + 0x14)) $bar1
set_word $((device + 0x18)) $memory
set_word $((device + 0x1c)) 0
set_word $((device + 4)) 6

# MSI-X: vector k is INTID 80 + k through the GICv2m frame.
capability=$((device + $(word $((device + 0x34))) % 256))
check 'the capability is MSI-X' $(($(word $capability) % 256)) 17
for vector in 0 1; do
    set_word $((bar1 + 16 * vector)) 0x08020040
    set_word $((bar1 + 16 * vector + 4)) 0
    set_word $((bar1 + 16 * vector + 8)) $((80 + vector))
    set_word $((bar1 + 16 * vector + 12)) 0
done
set_word $capability $(($(word $capability) | 0x80000000))
set_word 0x08000c14 0xaaaaaaaa # edges: INTID 80 to 95
pending() {
    echo $(($(word 0x08000208) >> 16 & 3)) # of vectors 1 and 0
}

check IDENT "$(word $memory)" $((0x314e4754))
check 'queues and vectors' $(($(word $((memory + 8))) % 65536)) $((0x202))
peer=$(word $((bar0 + 8)))
check 'the first peer' "$peer" 1

# ---- Set-up, as the data sheet has it

index=$(word $((memory + 0x30)))
# put OFFSET VALUE: write a register through the write port.
put() {
    slot=$((memory + 0x1400 + index % 64 * 16))
    set_word $slot "$1"
    set_word $((slot + 4)) "$2"
    index=$((index + 1))
    set_word $((memory + 0x1000)) $index
    set_word $((bar0 + 12)) 0
    tries=0
    while [ "$(word $((memory + 0x30)))" != "$index" ] && [ "$tries" -lt 2000 ]; do
        tries=$((tries + 1))
    done
    check "write of $1" "$(word $((slot + 8)))" 1
}

put 0x18 1
put 0x20 "$peer"
for queue in 0 1; do
    block=$((0x400 + 0x100 * queue))
    ring=$((0x2000 + 0x100 * queue))
    for descriptor in 0 1 2 3; do
        set_word $((memory + ring + 16 * descriptor)) $((0x4000 + 0x2000 * queue + 0x800 * descriptor))
        set_word $((memory + ring + 16 * descriptor + 4)) 0x800
    done
    put $((block + 4)) $ring
    put $((block + 8)) 4
    set_word $((memory + 0x1040 + 0x40 * queue)) 4 # offered
    # Only the queue of the rule is armed.
    set_word $((memory + 0x1044 + 0x40 * queue)) $queue
done
check 'nothing is pending' "$(pending)" 0
put 0x400 1
put 0x500 1

# ---- Frames: four of each kind, the rule's in queue 1

tries=0
while [ "$(word $((memory + 0x80)))" != 8 ] && [ "$tries" -lt 20000 ]; do
    tries=$((tries + 1))
done
check 'frames received' "$(word $((memory + 0x80)))" 8
check 'delivered to queue 0' "$(word $((memory + 0x438)))" 4
check 'delivered to queue 1' "$(word $((memory + 0x538)))" 4
check 'vector 1 is pending, and no other' "$(pending)" 2
check 'one interrupt' "$(word $((memory + 0x568)))" 1
check 'a frame of rule 1' "$(word $((memory + 0x210c)))" 1
check 'a frame of no rule' "$(word $((memory + 0x200c)))" 0
check 'no error' "$(word $((memory + 0x1c)))" 0

# ---- QEMU goes: the device resets, and ends well

kill "$qemu"
wait "$qemu" 2>/dev/null || true
qemu=
kill "$server"
status=0
wait "$server" || status=$?
server=
check 'the end of tidegate nic' "$status" 0
check 'resets: the driver, and QEMU gone' "$(sed -n 's/ *"resets": \([0-9]*\),/\1/p' counters)" 2
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
