/* SPDX-License-Identifier: MIT
 *
 * safety_system.h - random systems as system files, and smaller ones made from them.
 */
#ifndef TG_TESTS_SAFETY_SYSTEM_H
#define TG_TESTS_SAFETY_SYSTEM_H

#include "rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_TASKS_MAX  6u
#define MADE_FLOWS_MAX  6u
#define MADE_QUEUES_MAX 3u
#define MADE_TEXT_BYTES 8192u

enum made_kind { MADE_DEFERRABLE, MADE_SPORADIC, MADE_POLLING, MADE_UNLIMITED };

struct made_budget {
    enum made_kind kind;
    uint64_t packets;
    uint64_t period_ns;
};

struct made_task {
    bool is_there;
    uint64_t priority;
    uint64_t period_ns;
    uint64_t wcet_ns;
    uint64_t jitter_ns;
    uint64_t section_ns;
    uint64_t irq_off_ns;
    bool calls_stack;
};

struct made_queue {
    uint64_t lowest_priority; /* of the flows that enter it */
    uint64_t rank;            /* 0: by priority; for all queues or none */
    uint64_t ring;
    bool is_isolated;
    uint64_t absolute_timer_ns;
    uint64_t packet_timer_ns;
    uint64_t packets;
    struct made_budget gate; /* used if the gate is not shared */
};

struct made_flow {
    bool is_there;
    uint64_t priority;
    uint64_t deferred_ns;
    uint64_t section_ns;
    uint64_t irq_off_ns;
    uint64_t reserve;
    struct made_budget budget;
    uint64_t every_ns; /* 0: nothing is known of the source */
    uint64_t jitter_ns;
    uint64_t burst;
    bool is_trusted;
    uint64_t receiver_priority;
    uint64_t receiver_ns; /* 0: none */
};

/* What a random system file says. */
struct made_system {
    uint64_t irq_ns;
    uint64_t switch_ns;
    uint64_t eager_ns;
    uint64_t refused_ns; /* 0: as eager_ns */
    uint64_t tick_ns;
    uint64_t deferred_ns; /* of best effort */
    uint64_t section_ns;
    uint64_t lock_ns;
    uint64_t wire_gap_ns;
    uint64_t floor;
    uint64_t poll_priority; /* 0: the tick handler polls */
    uint64_t best_effort_reserve;
    bool is_refilled_by_tick;
    bool is_gate_shared;
    bool is_rest_dropped; /* what no flow takes */
    bool has_server;
    enum made_kind server_kind; /* deferrable, sporadic or polling */
    uint64_t server_priority;
    uint64_t server_ns;
    uint64_t server_period_ns;
    struct made_budget gate;
    uint32_t n_queues;
    struct made_queue queues[MADE_QUEUES_MAX]; /* from high priorities to low ones */
    struct made_task tasks[MADE_TASKS_MAX];
    struct made_flow flows[MADE_FLOWS_MAX];
};

void made_random(struct made_system *m, struct rng *r);

/* The system file. */
void made_print(const struct made_system *m, char text[MADE_TEXT_BYTES]);

/* Step k of making it smaller: leave something out, or halve a number. False: there is no such
 * step. What comes out may be what was there before, or no good system. */
bool made_reduce(struct made_system *m, uint32_t step);

#endif
