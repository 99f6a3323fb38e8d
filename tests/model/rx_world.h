/* SPDX-License-Identifier: MIT
 *
 * rx_world.h - a random receive path, and everything that can happen to it.
 *
 * Beside it stands a model (rx_model.h) that knows frames by the fields they were built from, flows
 * by their matches, packets by numbers that travel in their bytes, and predicts what must happen.
 */
#ifndef TG_TESTS_RX_WORLD_H
#define TG_TESTS_RX_WORLD_H

#include "demand.h"
#include "flow_oracle.h"
#include "rng.h"
#include "sim_port.h"
#include "soft_ring.h"
#include "tidegate/rx.h"

enum {
    WORLD_QUEUES = 4,
    WORLD_GATES = 3,
    WORLD_SLOTS = 6, /* flows, best effort included */
    WORLD_RING = 6,
    WORLD_RESERVE = 4,
    WORLD_BUDGET = 6,
    WORLD_BUFFERS = WORLD_QUEUES * WORLD_RING + WORLD_SLOTS * WORLD_RESERVE + 4,
    WORLD_BUFFER_BYTES = 128,
    WORLD_UNITS = 512 /* admissions that are remembered of each server */
};

/* A server as the model sees it: what was admitted when. */
struct world_server {
    struct tg_server_config cfg;
    tg_ns lateness_ns;
    tg_ns at_ns[WORLD_UNITS]; /* in elapsed time */
    uint32_t n;
    uint32_t steps_seen; /* steps of the clock back, when the server was last asked */
    tg_ns step_seen_ns;  /* elapsed time at which it noticed the last of them */
};

enum world_flow_state { FLOW_FREE, FLOW_BOUND, FLOW_CLOSING };

struct world_flow {
    enum world_flow_state state;
    struct tg_flow_config cfg;
    struct world_server server;
    uint32_t reserve_pkts;
    uint32_t held_pkts;
    uint64_t passed;
    uint64_t dropped_budget;
    uint64_t dropped_no_buffer;
};

/* A frame on its way. */
struct world_frame {
    struct frame_spec spec;
    bool is_malformed;
    bool is_matched; /* handed to flow matching */
    uint32_t number;
};

struct world_queue {
    struct world_frame ring[WORLD_RING];
    uint32_t oldest;
    uint32_t filled;
    uint64_t received;
    uint64_t malformed;
    uint64_t unregistered;
    bool is_up;
    bool is_busy; /* its interrupt runs */
};

struct world_packet {
    uint32_t number;
    uint32_t flow;
    uint32_t len_bytes;
};

struct world {
    struct rng rng;

    /* the machine */
    struct tg_sim_port port;
    struct tg_protocol core;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct soft_ring rings[WORLD_QUEUES];
    struct ring_link {
        struct world *world;
        uint32_t queue;
    } links[WORLD_QUEUES];
    struct tg_trace trace;
    struct tg_event events[64];
    struct tg_flow flows[WORLD_SLOTS];
    uint32_t buckets[16];
    struct tg_buffer buffers[WORLD_BUFFERS];
    uint8_t bytes[WORLD_BUFFERS][WORLD_BUFFER_BYTES];
    tg_ns windows[WORLD_SLOTS][WORLD_BUDGET];
    tg_ns gate_windows[WORLD_GATES][WORLD_BUDGET];
    uint32_t pending; /* bit k: an interrupt of queue k is latched */
    bool is_poll_due;
    uint32_t lateness_ns; /* of the timer's handler, at most */

    /* its configuration */
    struct tg_gate_config gates[WORLD_GATES];
    struct tg_queue_config queue_cfgs[WORLD_QUEUES];
    struct tg_flow_config flow_cfgs[WORLD_SLOTS];
    struct tg_config cfg;
    bool has_ticks; /* a gate is refilled by tick */

    /* the model */
    tg_ns elapsed_ns; /* the clock without its steps back */
    uint32_t steps;   /* of the clock back */
    uint32_t numbers; /* of frames so far */
    struct world_queue queues[WORLD_QUEUES];
    struct world_flow model[WORLD_SLOTS];
    struct world_server gate_servers[WORLD_GATES];
    struct world_packet waiting[TG_PRIORITIES][WORLD_BUFFERS];
    uint32_t n_waiting[TG_PRIORITIES];
    bool is_processing;
    uint32_t processing; /* priority of that packet, whose buffer may be used again already */
    struct tg_buffer *held[WORLD_BUFFERS]; /* by sockets */
    uint32_t n_held;
    uint32_t wakes;
    bool is_awake;
    const struct tg_flow_config *binding; /* a bind that is under way */
    uint64_t verdicts[TG_VERDICT_NONE + 1];
    const char *wrong; /* the first thing that was */
};

/* A random system, set up. */
void world_init(struct world *w, uint64_t seed);

/* One random operation, and every invariant after it. Returns: what is wrong, or NULL. */
const char *world_step(struct world *w);

/* No more frames come: everything drains, and everything is as it was before the flood (rule 9).
 * Then the demand bounds of all servers over every window. Returns: what is wrong, or NULL. */
const char *world_finish(struct world *w);

#endif
