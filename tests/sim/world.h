/* SPDX-License-Identifier: MIT
 *
 * world.h - a simulation for tests: a system from text, arrivals one by one, and what happened as
 * text.
 */
#ifndef TG_TESTS_SIM_WORLD_H
#define TG_TESTS_SIM_WORLD_H

#include "check_cmocka.h"
#include "sim/sim.h"

#define WORLD_FLOWS_MAX    16u
#define WORLD_FRAME_BYTES  256u
#define WORLD_ARRIVALS_MAX 4096u
#define WORLD_LOG_BYTES    65536u

/* Flow of an arrival without a frame: the NIC interrupts for nothing. */
#define WORLD_NOTHING (-1)

struct world {
    struct tg_system *system;
    struct tg_sim_input input;
    struct tg_sim_results results;
    struct tg_sim_frame frames[WORLD_FLOWS_MAX + 2u]; /* as flows in the results */
    uint8_t bytes[WORLD_FLOWS_MAX + 2u][WORLD_FRAME_BYTES];
    struct {
        tg_ns at_ns;
        int flow;
    } arrivals[WORLD_ARRIVALS_MAX];
    uint32_t n_arrivals;
    uint32_t next;
    uint32_t log_kinds; /* bit k: events of kind k are logged */
    size_t log_length;
    char log[WORLD_LOG_BYTES];
};

/* A new world; the text must be a good system file. Results are simulated for_ns. UDP to port 9 is
 * best effort in all of them. */
struct world *world_open(const char *text, tg_ns for_ns);

/* A frame of this flow of the results (0 best effort, 1.. flows, then malformed) arrives; in order
 * of time. */
void world_arrive(struct world *w, tg_ns at_ns, int flow);

/* Log what the CPU does. Also: other kinds of events. */
void world_log_cpu(struct world *w);
void world_log(struct world *w, enum tg_sim_event_kind kind);

/* Simulate from the start; no error may come. */
void world_run(struct world *w, enum tg_sim_policy policy);

/* The log of the last run, one event a line, is this text. */
#define world_assert_log(w, expected) assert_string_equal((w)->log, expected)

void world_close(struct world *w);

/* What the CPU does under this policy is this text. The world is closed. */
void world_expect(struct world *w, enum tg_sim_policy policy, const char *log);

#endif
