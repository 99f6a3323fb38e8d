/* SPDX-License-Identifier: MIT
 *
 * safety_attack.h - the worst that can be done to one task, flow or queue of a system.
 */
#ifndef TG_TESTS_SAFETY_ATTACK_H
#define TG_TESTS_SAFETY_ATTACK_H

#include "analysis/lower.h"
#include "rng.h"
#include "world.h"

#define ATTACK_TASKS_MAX 8u

/* What an attack is aimed at. */
enum attack_aim {
    ATTACK_RESPONSE,  /* of a task */
    ATTACK_DELIVERY,  /* of a flow's packets, once accepted */
    ATTACK_ACCEPTANCE /* of a queue's packets */
};

/* When what happens. Everything is quiet until shortly before `instant_ns`. */
struct attack {
    enum attack_aim aim;
    uint32_t target; /* index of the task, flow or queue */
    tg_ns instant_ns;
    tg_ns for_ns;
    tg_ns release_ns[ATTACK_TASKS_MAX];  /* first release of each task; not before its jitter */
    bool is_conforming[WORLD_FLOWS_MAX]; /* the flow keeps to its source */
    tg_ns source_ns[WORLD_FLOWS_MAX];    /* then: the bunch of its first packets */
    tg_ns blocker_ns;                    /* a packet of a less urgent flow; 0: none */
    uint32_t blocker;                    /* of which flow of the results */
    uint32_t bulk_percent;               /* of each ring is loaded at the instant */
    uint32_t own_pkts;                   /* packets of the target flow at the instant */
    tg_ns own_ns;                        /* when */
    uint32_t prelude;                    /* bit k: the gate of queue k is spent before */
    tg_ns prelude_ns;                    /* by packets from then on */
    tg_ns pace_ns;                       /* so far apart */
    bool is_flooded;                     /* a frame whenever interrupt level goes idle */
    uint32_t quiet;                      /* bit k: but none for queue k */
    bool is_filled_masked;               /* rings are filled while they are masked */
    bool is_jitter_random;               /* else bunched at the first release */
    uint64_t jitter_seed;
};

/* Aim at a task of the proven system, at a flow or at a queue: their numbers go on behind each
 * other, attack_targets() in all. */
uint32_t attack_targets(const struct tg_system *s);
void attack_draw(struct attack *a, const struct world *w, const struct tg_analysis_result *proven,
                 uint32_t target, struct rng *r);

/* What was proved of the target; TG_NO_BOUND: nothing. */
uint64_t attack_bound(const struct attack *a, const struct tg_analysis_result *proven);

/* Change one thing, the target stays. */
void attack_vary(struct attack *a, const struct world *w, struct rng *r);

/* Simulate it under the policy of the world's input; the results are in the world. */
void attack_run(const struct attack *a, struct world *w);

/* Which packets the attack may send as it likes: the others behave, as the system file says. */
bool attack_is_free(const struct tg_system *s, uint32_t flow);

#endif
