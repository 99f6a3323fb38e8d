#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh PROGRAM [KEY=VALUE...] - run a program on QEMU's machine `virt`, with these parameters. Prints what
# it prints and exits with its code; 124 if it does not end within TG_VIRT_SECONDS (default 120).
# TG_VIRT_NIC=SOCKET,VECTORS: with the NIC of a `tidegate nic --socket SOCKET` that runs, and that has so
# many queues. TG_VIRT_GDB=1: wait for gdb on port 1234.
#
# Time is that of the host, so no run is like another one.
set -eu

program=$1
shift
arguments=arg=$(basename "$program")
for word in "$@"; do
    arguments=$arguments,arg=$word
done
if [ -n "${TG_VIRT_NIC-}" ]; then
    set -- -chardev "socket,path=${TG_VIRT_NIC%,*},id=nic" \
        -device "ivshmem-doorbell,chardev=nic,vectors=${TG_VIRT_NIC##*,}"
else
    set --
fi

exec timeout -k 5 "${TG_VIRT_SECONDS:-120}" qemu-system-arm -M virt,gic-version=2,highmem=off \
    -cpu cortex-a15,cntfrq=100000000 -m 128 -display none -monitor none -nodefaults \
    -chardev stdio,id=console,mux=on,signal=off -serial chardev:console \
    -semihosting-config "enable=on,target=native,chardev=console,$arguments" \
    "$@" ${TG_VIRT_GDB:+-gdb tcp::1234 -S} -kernel "$program" </dev/null
