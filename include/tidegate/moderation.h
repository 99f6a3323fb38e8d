/* SPDX-License-Identifier: MIT
 *
 * moderation.h - interrupt moderation: one interrupt for several packets, and none of them waits
 * for it longer than was said.
 *
 *   packet counter   raises with so many packets waiting
 *   absolute timer   raises so long after the first waiting packet; not restarted
 *   packet timer     raises so long after the last waiting packet; each packet restarts it
 *
 * in any combination, the first of them raises; with none of them each packet raises at once.
 * For devices, and for drivers of devices that do not moderate themselves. The two timers are those
 * of Intel's 8254x controllers ("PCI/PCI-X Family of Gigabit Ethernet Controllers Software
 * Developer's Manual", section 3.2.7.1).
 *
 *                arrive                    counter full, or a timer is due
 *      ┌──────┐ ──────────▶ ┌─────────┐ ──────────────────────────────────▶ ┌────────┐
 *      │ idle │             │ waiting │                                     │ raised │
 *      └──────┘ ◀────────── └─────────┘                                     └────────┘
 *          ▲    acknowledge                                                      │
 *          └─────────────────────────────────────────────────────────────────────┘
 *
 * Longest wait of a packet until the interrupt is raised, N the counter's packets; the smallest of
 * those that apply, and if none does there is no bound:
 *
 *   the absolute timer;   (N - 1) * the packet timer;   0 with N = 1, or without moderation
 *
 * Most interrupts in any half-open window of length D in which A packets arrive, T the shortest
 * timer in use; a part that is not in use counts 0:
 *
 *   ceil(D / T) + floor((A + N - 1) / N);   without moderation A
 *
 * since a timer needs T after the packet that follows the last acknowledgement, and the counter
 * needs N packets that no interrupt told of. Both hold as long as the timer is called on time; a
 * clock that stepped back may raise one interrupt too early.
 */
#ifndef TIDEGATE_MODERATION_H
#define TIDEGATE_MODERATION_H

#include "tidegate/common.h"

#define TG_MODERATION_PKTS_MAX 65535u
#define TG_MODERATION_MAX_NS   UINT64_C(3600000000000)
#define TG_MODERATION_NEVER    UINT64_MAX

struct tg_moderation_config {
    tg_ns absolute_ns; /* absolute timer, 0..TG_MODERATION_MAX_NS; 0: not in use, as below */
    tg_ns packet_ns;   /* packet timer, likewise */
    uint32_t packets;  /* packet counter, 0..TG_MODERATION_PKTS_MAX */
};

/* Why an interrupt is raised. */
enum tg_moderation_cause {
    TG_MODERATION_NONE = 0, /* it is not */
    TG_MODERATION_COUNTER,  /* so many packets wait; or one, and there is no moderation */
    TG_MODERATION_ABSOLUTE,
    TG_MODERATION_PACKET
};

/* One interrupt. The fields are private; the type is complete so that storage can be static.
 *
 * Invariants, between two calls:
 *  I1  waiting_pkts == 0 while raised
 *  I2  waiting_pkts < cfg.packets where there is a counter
 *  I3  first_ns and last_ns are the times of the first and the last waiting packet */
struct tg_moderation {
    struct tg_moderation_config cfg;
    tg_ns first_ns;
    tg_ns last_ns;
    uint32_t waiting_pkts; /* that no interrupt has told of; at most TG_MODERATION_PKTS_MAX */
    bool is_raised;
};

/* Check and copy the configuration; nothing waits.
 *
 * Context: start-up, or whenever nothing else uses m.
 * Returns: 0; TG_ERR_RANGE if a field is outside its range; m is then unchanged.
 * Cost:    O(1). */
TG_NODISCARD int tg_moderation_init(struct tg_moderation *m,
                                    const struct tg_moderation_config *cfg);

/* A packet arrives. While raised this does nothing: whoever acknowledges finds it.
 *
 * Context: any; the caller excludes other calls for m, likewise below.
 * Units:   now_ns in nanoseconds, likewise below. If a timer is due, it raises first: a packet
 *          that comes so late restarts nothing.
 * Returns: why the interrupt is raised by this packet, or TG_MODERATION_NONE.
 * Cost:    O(1). */
enum tg_moderation_cause tg_moderation_arrive(struct tg_moderation *m, tg_ns now_ns);

/* The time of tg_moderation_due_ns() has come; any other time is allowed, too.
 *
 * Context: any.
 * Returns: why the interrupt is raised now, or TG_MODERATION_NONE.
 * Cost:    O(1). */
enum tg_moderation_cause tg_moderation_timer(struct tg_moderation *m, tg_ns now_ns);

/* The receiver has taken over all packets that arrived so far: it took them, or it will look for
 * them after this call. Lowers the interrupt and forgets the packets; what comes next starts anew.
 *
 * Context: any; not only while raised: a receiver that polls took the packets without being told.
 * Cost:    O(1). */
void tg_moderation_acknowledge(struct tg_moderation *m);

/* When tg_moderation_timer() is to be called, or TG_MODERATION_NEVER. Each other call may change
 * it.
 *
 * Context: any.
 * Cost:    O(1). */
TG_NODISCARD tg_ns tg_moderation_due_ns(const struct tg_moderation *m);

#endif
