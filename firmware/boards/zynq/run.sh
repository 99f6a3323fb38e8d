#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAM [KEY=VALUE...] - run a program on the emulated board, with these parameters. Prints what
# it prints and exits with its code; 124 if it does not end within TG_ZYNQ_SECONDS (default 120).
# TG_ZYNQ_SHIFT: 2^SHIFT ns an instruction (default 4). TG_ZYNQ_GDB=1: wait for gdb on port 1234.
#
# The same program with the same parameters does the same, instruction by instruction.
set -eu

program=$1
shift
arguments=arg=$(basename "$program")
for word in "$@"; do
    arguments=$arguments,arg=$word
done

# The machine has 200 MB of flash, which QEMU fills: three times as fast in large pages.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
exec timeout -k 5 "${TG_ZYNQ_SECONDS:-120}" qemu-system-arm -M xilinx-zynq-a9 -m 128 -display none \
    -monitor none -chardev stdio,id=console,mux=on,signal=off -serial chardev:console \
    -semihosting-config "enable=on,target=native,chardev=console,$arguments" \
    -icount "shift=${TG_ZYNQ_SHIFT:-4},sleep=off" \
    -nic hubport,hubid=0 -nic hubport,hubid=0 ${TG_ZYNQ_GDB:+-gdb tcp::1234 -S} -kernel "$program" \
    </dev/null
