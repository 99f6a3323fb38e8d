/* SPDX-License-Identifier: MIT
 *
 * world.h - all around a port: software NICs, a protocol task, receivers that check each byte.
 *
 *   producers ─▶ NIC ring ─▶ core ─▶ world_process ─▶ mailbox ─▶ world_consume
 *   (4)          (per queue)         (protocol task)  (2)        overwrites and releases the buffer
 *
 * A frame says who sent it, and its number; the rest of its payload follows from both. So whoever
 * has the packet can tell whether it is whole, in order, and his alone. What is wrong is noted and
 * reported at the end, since threads cannot assert.
 */
#ifndef TG_TESTS_PORT_WORLD_H
#define TG_TESTS_PORT_WORLD_H

#include "rng.h"
#include "tidegate/rx.h"

#include <stdalign.h>
#include <stdatomic.h>

#define WORLD_QUEUES       2u
#define WORLD_RING         16u
#define WORLD_PRODUCERS    4u
#define WORLD_CONSUMERS    2u
#define WORLD_FLOWS        8u /* best effort, one per producer, the rest come and go */
#define WORLD_BUCKETS      16u
#define WORLD_BUFFERS      96u
#define WORLD_BUFFER_BYTES 704u
#define WORLD_EVENTS       64u

/* A NIC queue. The receive side (taken) is guarded by the port's lock, the NIC's side by a lock of
 * the harness, the two counters pass descriptors from one to the other. */
struct world_ring {
    struct world *world;
    struct tg_rxq *queue;
    struct {
        struct tg_buffer *buffer;
        uint32_t len_bytes;
    } slots[WORLD_RING];
    atomic_uint filled; /* frames written so far */
    atomic_uint given;  /* descriptors given to the NIC so far */
    uint32_t taken;
};

struct world_mailbox {
    struct tg_buffer *packets[WORLD_BUFFERS];
    atomic_uint put;
    atomic_uint got;
};

struct world_config {
    struct tg_gate_config gates[WORLD_QUEUES];
    uint8_t gate_of[WORLD_QUEUES];
    uint32_t frames_per_producer; /* UINT32_MAX: until they are stopped */
    bool produces;                /* the harness lets producers and administrator run */
    bool is_manual;               /* the case is the protocol task */
    bool trace;
};

struct world {
    alignas(64) uint8_t memory[WORLD_BUFFERS * WORLD_BUFFER_BYTES];
    void *port;
    struct world_config cfg;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct tg_buffer buffers[WORLD_BUFFERS];
    struct tg_flow flows[WORLD_FLOWS];
    uint32_t buckets[WORLD_BUCKETS];
    struct tg_flow_counters counted[WORLD_FLOWS];
    tg_ns window[8];
    struct tg_event events[WORLD_EVENTS];
    struct tg_trace trace;
    struct world_ring rings[WORLD_QUEUES];
    struct world_mailbox mailboxes[WORLD_CONSUMERS];
    atomic_uint sent[WORLD_PRODUCERS];
    uint32_t last_seen[WORLD_PRODUCERS][WORLD_FLOWS]; /* protocol task's: order within a flow */
    int extra_flow;                                   /* bound now, or -1 */
    atomic_uint processed;
    atomic_uint released;
    atomic_bool is_over; /* for those who would go on for ever */
    _Atomic(const char *) wrong;
};

/* Set the world up on a fresh port; what is wrong fails the test. */
struct world *world_open(const struct world_config *cfg);

/* Take it down again; it must add up: every frame has a verdict, every packet came back, all
 * buffers are there, nothing was noted as wrong. Called after harness_stop. */
void world_close(struct world *w);

/* A frame waits in this ring. The port's lock is held. */
bool world_has_frame(const struct world_ring *ring);

/* One step of a producer, the protocol task, a receiver.
 * Returns: false if there was nothing to do, or no room to do it. */
bool world_produce(struct world *w, uint32_t producer);
bool world_process(struct world *w);
bool world_consume(struct world *w, uint32_t consumer);

/* One step of an administrator: look whether all counters fit together and all invariants hold,
 * that the protocol task has the priority that it should have; bind or unbind a flow. */
void world_administrate(struct world *w);

/* All frames that were produced have been handled. */
bool world_is_drained(struct world *w);

bool world_has_sent_all(const struct world *w, uint32_t producer);

/* Frames with a verdict. */
uint64_t world_received(struct world *w);

/* Calls of tg_rx_tick so far, by whomever. */
uint32_t world_ticks(void);

/* Let time pass until it holds; fails the test when it does not come. */
void world_await(struct world *w, bool (*holds)(struct world *w));

/* Note the first thing that is wrong. */
void world_note(struct world *w, const char *what);

#endif
