/* SPDX-License-Identifier: MIT
 *
 * rx_model.h - what a receive path must do, beside the one that does it.
 *
 * The model sees frames, calls and events, and keeps its own books. Of the core's insides it
 * looks at counters only to learn what became of a frame where no event says so, and at the
 * state of flows to learn whether a frame came before or after a bind that was under way.
 */
#ifndef TG_TESTS_RX_MODEL_H
#define TG_TESTS_RX_MODEL_H

#include "rx_world.h"

/* The first expectation that does not hold is what is wrong with the world. */
void model_expect(struct world *w, bool holds, const char *what);

/* A server let a packet pass now. */
void model_admit(struct world *w, struct world_server *s);

/* Take over what a bind or an unbind, under way or over, has changed. */
void model_follow_flows(struct world *w);

/* A flow is unbound, or one of its packets came back. */
void model_close(struct world_flow *f);

/* The slot that the next flow gets, 0 for none. */
uint32_t model_free_slot(const struct world *w);

/* Buffers that rings and flows have been promised. */
uint32_t model_promised(const struct world *w);

/* What tg_rx_bind must return. */
int model_bind_result(const struct world *w, const struct tg_flow_config *cfg);

/* The software rings; each frame that leaves one is entered into the books. context: a
 * ring_link. */
extern const struct tg_ring_ops MODEL_RING_OPS;

/* Take the oldest packet of the highest priority that waits. Returns: false if none does. */
bool model_next(struct world *w, struct world_packet *packet, uint32_t *priority);

/* Every invariant at this moment. */
void model_check(struct world *w);

/* Nothing is left of a flood (rule 9). */
void model_check_drained(struct world *w);

/* No server admitted more than its demand bound, in any window. */
void model_check_demand(struct world *w);

#endif
