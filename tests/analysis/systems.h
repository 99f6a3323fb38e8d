/* SPDX-License-Identifier: MIT
 *
 * systems.h - random systems for the analysis tests, the same for the same seed on every machine.
 */
#ifndef TG_TEST_SYSTEMS_H
#define TG_TEST_SYSTEMS_H

#include "analysis/analysis.h"

enum { MAX_TASKS = 6, MAX_SERVERS = 2, MAX_QUEUES = 3, MAX_FLOWS = 6 };

/* Copyable: call system_input() after a copy. */
struct system {
    struct tg_analysis_task tasks[MAX_TASKS];
    struct tg_analysis_server servers[MAX_SERVERS];
    struct tg_analysis_gate gates[2];
    struct tg_analysis_queue queues[MAX_QUEUES];
    struct tg_analysis_flow flows[MAX_FLOWS];
    size_t n_tasks;
    size_t n_servers;
    size_t n_gates;
    size_t n_queues;
    size_t n_flows;
    uint64_t irq_off;
    uint64_t lock;
    bool discrete_blocking;
};

struct tg_analysis_input system_input(const struct system *s);

uint64_t random_next(uint64_t *state);
uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high);
bool random_chance(uint64_t *state, unsigned percent);

/* Anything that the analysis knows: kinds, jitter, moderation, receivers, isolation, time servers;
 * at most one gate. Token buckets and trusted flows only if asked for. */
void random_system(struct system *s, uint64_t *state, bool tokens, bool trusted);

/* Seed of a random test: TG_SEED from the environment, else fixed. Prints it. */
uint64_t test_seed(const char *test);

#endif
