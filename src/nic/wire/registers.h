/* SPDX-License-Identifier: MIT
 *
 * registers.h - what device and driver agree on: the layout of the shared memory and the registers.
 * docs/nic.md is the data sheet.
 *
 *     0x0000 ┌───────────────────────────────┐
 *            │ registers, as they read now   │  the device writes, the guest reads
 *     0x1000 ├───────────────────────────────┤
 *            │ words of the guest            │  the guest writes, the device reads
 *            │ write port (a ring)           │  both, as ring.h says
 *     0x2000 ├───────────────────────────────┤
 *            │ rings and buffers             │  both, as ring.h says
 *            └───────────────────────────────┘
 *
 * A store to shared memory has no side effect. So a register is written through the write port: its
 * offset and value become a descriptor of that ring, and a doorbell tells the device. The device
 * performs the writes in their order, each once.
 */
#ifndef TG_NIC_WIRE_REGISTERS_H
#define TG_NIC_WIRE_REGISTERS_H

#define TG_NIC_MEMORY_BYTES 0x400000u /* of the shared memory, BAR 2 */
#define TG_NIC_QUEUES_MAX   8u
#define TG_NIC_RULES_MAX    1024u
#define TG_NIC_RING_MAX     4096u /* descriptors; 2 or more, a power of two */
#define TG_NIC_RING_ALIGN   64u
#define TG_NIC_FRAME_MIN    14u
#define TG_NIC_FRAME_MAX    65535u

/* PCI identity and BAR 0 of ivshmem, see docs/nic.md. */
#define TG_NIC_PCI_VENDOR    0x1af4u
#define TG_NIC_PCI_DEVICE    0x1110u
#define TG_NIC_BAR0_POSITION 8u  /* the driver's own peer id */
#define TG_NIC_BAR0_DOORBELL 12u /* peer id << 16 | vector */
#define TG_NIC_DEVICE_PEER   0u  /* of the NIC; it has vector 0 only */

/* ---- Registers: one word each ---------------------------------------------------------------- */

#define TG_NIC_IDENT         0x000u /* RO */
#define TG_NIC_VERSION       0x004u /* RO */
#define TG_NIC_CAPABILITY    0x008u /* RO */
#define TG_NIC_RULES         0x00cu /* RO */
#define TG_NIC_MEMORY        0x010u /* RO */
#define TG_NIC_GENERATION    0x014u /* RO */
#define TG_NIC_CONTROL       0x018u /* WO */
#define TG_NIC_ERRORS        0x01cu /* W1C */
#define TG_NIC_PEER          0x020u /* RW */
#define TG_NIC_UNREGISTERED  0x024u /* RW */
#define TG_NIC_HELD          0x028u /* RO */
#define TG_NIC_GATED         0x02cu /* RO */
#define TG_NIC_WRITES_DONE   0x030u /* RO: `returned` of the write port */
#define TG_NIC_RULE_FIELDS   0x040u /* RW, all of the window */
#define TG_NIC_RULE_KIND     0x044u
#define TG_NIC_RULE_PORTS    0x048u
#define TG_NIC_RULE_FLAGS    0x04cu
#define TG_NIC_RULE_SRC      0x050u /* 4 words */
#define TG_NIC_RULE_DST      0x060u /* 4 words */
#define TG_NIC_RULE_ID       0x070u /* RW */
#define TG_NIC_RULE_COMMAND  0x074u /* WO */
#define TG_NIC_RULE_RESULT   0x078u /* RO */
#define TG_NIC_RX_FRAMES     0x080u /* RO, 64 bits; likewise below */
#define TG_NIC_RX_MALFORMED  0x088u
#define TG_NIC_RX_REFUSED    0x090u
#define TG_NIC_RX_NO_QUEUE   0x098u
#define TG_NIC_TX_SENT       0x0a0u
#define TG_NIC_TX_DROPPED    0x0a8u
#define TG_NIC_TX_CONTROL    0x0c0u /* RW */
#define TG_NIC_TX_RING_BASE  0x0c4u /* RW */
#define TG_NIC_TX_RING_SIZE  0x0c8u /* RW */
#define TG_NIC_TX_RETURNED   0x0ccu /* RO */
#define TG_NIC_QUEUE_BLOCK   0x400u /* of queue 0 */
#define TG_NIC_QUEUE_STRIDE  0x100u
#define TG_NIC_REGISTERS_END 0xc00u

/* Of a queue, from TG_NIC_QUEUE(k) on. */
#define TG_NIC_QUEUE(k)          (TG_NIC_QUEUE_BLOCK + (k)*TG_NIC_QUEUE_STRIDE)
#define TG_NIC_Q_CONTROL         0x00u /* RW */
#define TG_NIC_Q_RING_BASE       0x04u /* RW, like those up to GATE_PERIOD while disabled only */
#define TG_NIC_Q_RING_SIZE       0x08u
#define TG_NIC_Q_PRIORITIES      0x0cu
#define TG_NIC_Q_VECTOR          0x10u
#define TG_NIC_Q_PACKETS         0x14u
#define TG_NIC_Q_ABSOLUTE_NS     0x18u
#define TG_NIC_Q_PACKET_NS       0x1cu
#define TG_NIC_Q_GATE_BUDGET     0x20u
#define TG_NIC_Q_GATE_PERIOD     0x24u
#define TG_NIC_Q_RETURNED        0x28u /* RO */
#define TG_NIC_Q_FRAMES          0x30u /* RO, 64 bits; likewise below */
#define TG_NIC_Q_DELIVERED       0x38u
#define TG_NIC_Q_DROP_DISABLED   0x40u
#define TG_NIC_Q_DROP_EMPTY      0x48u
#define TG_NIC_Q_DROP_INDEX      0x50u
#define TG_NIC_Q_DROP_DESCRIPTOR 0x58u
#define TG_NIC_Q_DROP_LONG       0x60u
#define TG_NIC_Q_RAISED_COUNTER  0x68u
#define TG_NIC_Q_RAISED_ABSOLUTE 0x70u
#define TG_NIC_Q_RAISED_PACKET   0x78u
#define TG_NIC_Q_HELD_RUNNING    0x80u
#define TG_NIC_Q_HELD_GATE       0x88u
#define TG_NIC_Q_RAISED_LOST     0x90u
#define TG_NIC_Q_LONGEST_WAIT    0x98u
#define TG_NIC_Q_END             0xa0u

/* ---- Values ---------------------------------------------------------------------------------- */

#define TG_NIC_IDENT_VALUE   0x314e4754u /* "TGN1" */
#define TG_NIC_VERSION_VALUE 1u

/* CAPABILITY: queues in 7:0, vectors in 15:8. */
#define TG_NIC_CAPABILITY_RUNNING 0x10000u /* RUNNING is looked at */

#define TG_NIC_CONTROL_RESET 1u /* self-clearing */
#define TG_NIC_ENABLE        1u /* CONTROL of a queue, TX_CONTROL */

#define TG_NIC_ERROR_WRITE      1u /* a write that the register does not take */
#define TG_NIC_ERROR_INDEX      2u /* offered - returned exceeds a ring's size */
#define TG_NIC_ERROR_DESCRIPTOR 4u /* a buffer is not within rings and buffers */

#define TG_NIC_PRIORITY_BITS       0x1f00u /* 12:8, of UNREGISTERED and RULE_FLAGS */
#define TG_NIC_UNREGISTERED_ACCEPT 1u      /* UNREGISTERED: as best effort of this priority */

#define TG_NIC_RULE_BROADCAST 1u /* RULE_FLAGS, with the receiver's priority */
#define TG_NIC_RULE_BIND      1u /* RULE_COMMAND */
#define TG_NIC_RULE_UNBIND    2u

/* ---- Words of the guest ---------------------------------------------------------------------- */

#define TG_NIC_WRITES_OFFERED 0x1000u /* `offered` of the write port */
#define TG_NIC_RUNNING        0x1004u /* priority + 1 of the running task; 0: hold nothing back */
#define TG_NIC_TX_OFFERED     0x1008u
#define TG_NIC_Q_OFFERED(k)   (0x1040u + (k)*0x40u)
#define TG_NIC_Q_ARM(k)       (0x1044u + (k)*0x40u) /* 0: masked; another value: armed anew */
#define TG_NIC_WRITE_PORT     0x1400u
#define TG_NIC_WRITE_PORT_MAX 64u /* descriptors */
#define TG_NIC_DATA           0x2000u

#endif
