/* SPDX-License-Identifier: MIT
 *
 * rig.h - a receive path on the simulated port with a software ring per queue: what most tests
 * drive.
 *
 * The rig plays the machine: the NIC's side of the rings, edge-triggered interrupts that are
 * lost while they are masked, the timer, and the protocol task. Only the port is replaced; the
 * core is the real one.
 */
#ifndef TG_TESTS_RIG_H
#define TG_TESTS_RIG_H

#include "test_frame.h"
#include "sim_port.h"
#include "soft_ring.h"
#include "tidegate/rx.h"

#define RIG_FLOWS_MAX  16u
#define RIG_EVENTS     256u
#define RIG_NO_FLOW    (-1)
#define RIG_START_NS   UINT64_C(1000000000)
#define RIG_PERIOD_NS  UINT64_C(1000000)
#define RIG_MAX_FRAMES 64u     /* of one call into the core */
#define RIG_ROUNDS_MAX 100000u /* of a loop; a core that never comes to an end fails the test */

/* How the machine is built. The pointers in core are set by rig_init. */
struct rig_config {
    struct tg_config core;
    struct tg_gate_config gates[TG_GATES_MAX];
    struct tg_queue_config queues[TG_QUEUES_MAX];
    struct tg_flow_config flows[RIG_FLOWS_MAX];
    uint32_t spare_flows;   /* slots for tg_rx_bind */
    uint32_t spare_buffers; /* beyond rings and reserves */
    uint32_t n_buckets;
    uint32_t buffer_bytes;
    tg_ns start_ns;
};

struct rig {
    struct tg_sim_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct soft_ring rings[TG_QUEUES_MAX];
    struct tg_rxq *queues[TG_QUEUES_MAX];
    struct tg_storage storage;
    struct tg_snapshot snapshot;
    struct tg_trace trace;
    struct tg_event events[RIG_EVENTS];
    uint8_t *bytes;
    uint32_t pending; /* bit k: an interrupt of queue k is latched */
    int bad_flow;     /* as tg_protocol_init said */
};

/* One queue (ring of 8) behind one unlimited gate, no flow, best effort of 4 buffers at priority 0,
 * floor 0, room for 8 more flows and 32 more buffers. */
struct rig_config rig_config(void);

/* The same with this gate, and buffers for more frames than any test sends. */
struct rig_config rig_config_gate(struct tg_server_config budget, enum tg_refill refill);

/* The same with a deferrable gate of this budget per RIG_PERIOD_NS, refilled by timestamp. */
struct rig_config rig_config_limited(uint32_t budget_pkts);

/* The same with a sporadic gate; window has room for budget_pkts. */
struct rig_config rig_config_sporadic(uint32_t budget_pkts, tg_ns *window);

/* A deferrable gate with two queues behind it. Number 0 has the lower rank. */
struct rig_config rig_config_ranked(uint32_t budget_pkts);

/* An unlimited flow for UDP datagrams to this port. */
struct tg_flow_config rig_udp_flow(uint16_t dst_port, uint8_t priority, uint16_t reserve_pkts);

/* A budget that is counted and never runs out in a test. */
struct tg_server_config rig_plenty(void);

/* Such budgets for the gate, best effort and all flows so far, and no events: the core may take its
 * shortcut then. */
void rig_allow_shortcut(struct rig_config *c);

/* The flow gets id core.n_flows. */
void rig_add_flow(struct rig_config *c, struct tg_flow_config flow);

/* Returns: what tg_protocol_init says; rig_free is due either way. */
int rig_init(struct rig *rig, const struct rig_config *c);

/* Fill the rings and bring all links up. */
void rig_up(struct rig *rig);

/* rig_init, which must succeed, and rig_up. */
void rig_start(struct rig *rig, const struct rig_config *c);

void rig_free(struct rig *rig);

/* The NIC receives a frame and raises its edge, which is lost if the queue is masked.
 * Returns: false if the NIC dropped it, the ring being full. */
bool rig_receive(struct rig *rig, uint32_t queue, const struct frame *f);

/* So many UDP datagrams to this port; all must fit into the ring. */
void rig_receive_udp(struct rig *rig, uint32_t queue, uint32_t n, uint16_t port);

/* Frames of this queue that have got a verdict. */
uint64_t rig_received(struct rig *rig, uint32_t queue);

bool rig_is_masked(const struct rig *rig, uint32_t queue);

/* Run latched interrupts, highest rank first, until none is left. */
void rig_interrupts(struct rig *rig);

/* Receive a frame into an empty ring and hand it to tg_rx_eager at once; without a verdict it is
 * gone. */
enum tg_verdict rig_eager(struct rig *rig, uint32_t queue, const struct frame *f);

/* The clock moves on; the timer fires when it is due, and its handler polls. */
void rig_wait(struct rig *rig, tg_ns duration_ns);

/* The timer's handler now: tick, then poll to the end. */
void rig_tick(struct rig *rig);

/* The protocol task takes and finishes a packet, which its socket keeps. Returns: it, or NULL. */
struct tg_buffer *rig_process(struct rig *rig);

/* The same, and the socket frees it. Returns: its flow, or RIG_NO_FLOW. */
int rig_deliver(struct rig *rig);

/* rig_deliver until nothing waits. Returns: how many. */
uint32_t rig_drain(struct rig *rig);

/* Every invariant of the core, and what the port was told: priority and masks. */
void rig_check(const struct rig *rig);

/* A fresh snapshot, in rig->snapshot. */
const struct tg_snapshot *rig_snapshot(struct rig *rig);

/* Counters of one flow, of a fresh snapshot. */
const struct tg_flow_counters *rig_flow(struct rig *rig, uint32_t flow);

#endif
