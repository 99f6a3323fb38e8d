/* SPDX-License-Identifier: MIT
 *
 * why.c - reasons as sentences.
 */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TIME_TEXT_SIZE = 48 };

/* Nanoseconds as people read them, exactly: 1250000 ns = "1.25 ms". Other units as they are. */
static const char *time_text(const struct tg_analysis_input *in, uint64_t time, char *text)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    uint64_t scale = 1;
    size_t unit = 0;

    if (strcmp(in->unit, "ns") != 0) {
        (void)snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 " %s", time, in->unit);
        return text;
    }
    while (unit < 3 && time / scale >= 1000) {
        scale *= 1000;
        unit++;
    }
    int length = snprintf(text, TIME_TEXT_SIZE, "%" PRIu64, time / scale);
    if (time % scale != 0) {
        length += snprintf(text + length, (size_t)(TIME_TEXT_SIZE - length), ".%0*" PRIu64,
                           (int)(3 * unit), time % scale);
        while (text[length - 1] == '0') {
            length--;
        }
    }
    (void)snprintf(text + length, (size_t)(TIME_TEXT_SIZE - length), " %s", units[unit]);
    return text;
}

static const char *queue_name(const struct tg_analysis_input *in, size_t index)
{
    return index < in->n_queues ? in->queues[index].name : "(none)";
}

static const char *flow_name(const struct tg_analysis_input *in, size_t index)
{
    return index < in->n_flows ? in->flows[index].name : "(none)";
}

/* 123456 ppm = "12.3 %". */
static int share_text(char *text, size_t size, const char *what, uint64_t ppm)
{
    if (ppm > UINT64_MAX / 2) {
        return snprintf(text, size, "%s without limit", what);
    }
    const uint64_t tenths = (ppm + 500) / 1000;
    return snprintf(text, size, "%s %" PRIu64 ".%" PRIu64 " %%", what, tenths / 10, tenths % 10);
}

static int overload_sentence(const struct tg_why *why, char *text, size_t size)
{
    char tasks[TIME_TEXT_SIZE];
    char interrupts[TIME_TEXT_SIZE];
    char flows[TIME_TEXT_SIZE];

    (void)share_text(tasks, sizeof tasks, "tasks", why->tasks_ppm);
    (void)share_text(interrupts, sizeof interrupts, "receive interrupts", why->interrupts_ppm);
    (void)share_text(flows, sizeof flows, "packets", why->flows_ppm);
    return snprintf(text, size,
                    "work at priority %" PRId32 " and above can take all of the CPU: %s, %s, %s",
                    why->priority, tasks, interrupts, flows);
}

/* Reasons why there is a bound but no guarantee, or no larger budget. */
static int guarantee_sentence(const struct tg_analysis_input *in, const struct tg_why *why,
                              char *text, size_t size)
{
    char a[TIME_TEXT_SIZE];
    char b[TIME_TEXT_SIZE];

    switch (why->code) {
    case TG_WHY_DEADLINE:
        return snprintf(text, size, "the bound %s is later than the deadline %s",
                        time_text(in, why->a, a), time_text(in, why->b, b));
    case TG_WHY_SHARED_RING:
        return snprintf(text, size,
                        "queue %s can be filled by a flood, so the NIC may drop any packet of it",
                        queue_name(in, why->index));
    case TG_WHY_RING_TOO_SMALL:
        return snprintf(text, size,
                        "the ring of queue %s needs %" PRIu64 " descriptors and has %" PRIu64,
                        queue_name(in, why->index), why->a, why->b);
    case TG_WHY_BUDGET_TOO_SMALL:
        return snprintf(text, size,
                        "the budget of flow %s refuses conforming packets: it needs %" PRIu64
                        " per period and has %" PRIu64,
                        flow_name(in, why->index), why->a, why->b);
    case TG_WHY_RESERVE_TOO_SMALL:
        return snprintf(text, size,
                        "the reserve of flow %s refuses conforming packets: it needs %" PRIu64
                        " buffers and has %" PRIu64,
                        flow_name(in, why->index), why->a, why->b);
    case TG_WHY_SEARCH_LIMIT:
        return snprintf(text, size, "%s",
                        why->index == TG_NOBODY ? "nothing below the largest budget searched"
                                                : "limited only by the gate");
    case TG_WHY_NEVER_SPENT:
        return snprintf(text, size, "%s", "what can enter never spends it");
    case TG_WHY_FIXED:
        return snprintf(text, size, "fixed by the user");
    default:
        return snprintf(text, size, "%s", "");
    }
}

static int gate_too_slow(const struct tg_analysis_input *in, const struct tg_why *why, char *text,
                         size_t size)
{
    char b[TIME_TEXT_SIZE];
    const char *const takes = why->b == TG_NO_BOUND ? "without limit" : time_text(in, why->b, b);

    if (in->n_gates == 1) {
        return snprintf(text, size,
                        "a full budget of the gate (%" PRIu64
                        " packets) takes %s, longer than its period",
                        why->a, takes);
    }
    return snprintf(text, size,
                    "a full budget of the gate of queue %s (%" PRIu64
                    " packets) takes %s with those served before it, longer than its period",
                    queue_name(in, why->index), why->a, takes);
}

int tg_why_sentence(const struct tg_analysis_input *in, const struct tg_why *why, char *text,
                    size_t size)
{
    switch (why->code) {
    case TG_WHY_NO_GATE:
        return snprintf(text, size,
                        "interrupts can take all of the CPU: no gate is set on queue %s",
                        queue_name(in, why->index));
    case TG_WHY_NO_BUDGET:
        return snprintf(text, size,
                        "packets of flow %s are limited neither by a budget nor by a gate",
                        flow_name(in, why->index));
    case TG_WHY_OVERLOAD:
        return overload_sentence(why, text, size);
    case TG_WHY_NO_CONVERGENCE:
        return snprintf(text, size, "the CPU is so nearly used up that no bound was found");
    case TG_WHY_GATE_KIND:
        return snprintf(text, size,
                        "how long a packet waits in the NIC is derived only for a deferrable or "
                        "polling gate, and for a sporadic one that is never spent");
    case TG_WHY_NO_QUEUE:
        return snprintf(text, size, "the flow enters through no queue");
    case TG_WHY_NOT_ISOLATED:
        return snprintf(text, size,
                        "a flood can fill queue %s, which is served no later than this one",
                        queue_name(in, why->index));
    case TG_WHY_MODERATION:
        return snprintf(text, size,
                        "the moderation of queue %s can hold a packet for ever: it has no "
                        "absolute timer",
                        queue_name(in, why->index));
    case TG_WHY_NO_SOURCE:
        return snprintf(text, size, "flow %s does not say what its source sends (every, burst)",
                        flow_name(in, why->index));
    case TG_WHY_GATE_TOO_SLOW:
        return gate_too_slow(in, why, text, size);
    case TG_WHY_CLASS_OVERLOAD:
        return snprintf(text, size,
                        "queue %s and those above it receive more than the gate lets through",
                        queue_name(in, why->index));
    case TG_WHY_GATE_BITES:
        return snprintf(text, size, "conforming traffic alone can spend the gate's budget");
    default:
        return guarantee_sentence(in, why, text, size);
    }
}
