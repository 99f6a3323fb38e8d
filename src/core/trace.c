/* SPDX-License-Identifier: MIT
 *
 * trace.c - what happened when: a ring of fixed-size events in memory of the caller.
 */
#include "tidegate/trace.h"

int tg_trace_init(struct tg_trace *t, struct tg_event *events, uint32_t n_events)
{
    if (n_events == 0u || n_events > 0x80000000u || (n_events & (n_events - 1u)) != 0u) {
        return TG_ERR_RANGE;
    }
    *t = (struct tg_trace){.events = events, .mask = n_events - 1u};
    return 0;
}

void tg_trace_add(struct tg_trace *t, tg_ns at_ns, enum tg_event_kind kind, uint32_t subject,
                  uint32_t value)
{
    if (t->added - t->taken > t->mask) {
        t->lost++;
        return;
    }
    t->events[t->added & t->mask] = (struct tg_event){.at_ns = at_ns,
                                                      .subject = (uint16_t)subject,
                                                      .kind = (uint8_t)kind,
                                                      .value = (uint8_t)value,
                                                      .lost = t->lost};
    t->added++;
    t->lost = 0u;
}

bool tg_trace_take(struct tg_trace *t, struct tg_event *event)
{
    if (t->added == t->taken) {
        return false;
    }
    *event = t->events[t->taken & t->mask];
    t->taken++;
    return true;
}
