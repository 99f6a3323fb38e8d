/* SPDX-License-Identifier: MIT
 *
 * heap.h - who is next: a binary heap of (time, number), ties by number so that the order is total.
 */
#ifndef TG_SIM_HEAP_H
#define TG_SIM_HEAP_H

#include "tidegate/common.h"

struct tg_heap_item {
    tg_ns at_ns;
    uint32_t number;
};

/* items: memory of the caller. Invariant: I1  no item comes before its parent. */
struct tg_heap {
    struct tg_heap_item *items;
    uint32_t n;
};

static inline bool tg_heap_before(struct tg_heap_item a, struct tg_heap_item b)
{
    return a.at_ns < b.at_ns || (a.at_ns == b.at_ns && a.number < b.number);
}

/* Time of the first item, UINT64_MAX if there is none.
 *
 * Context: any; as the two below. Cost: O(1). */
static inline tg_ns tg_heap_at_ns(const struct tg_heap *h)
{
    return h->n != 0u ? h->items[0].at_ns : UINT64_MAX;
}

static inline void tg_heap_sink(struct tg_heap *h, struct tg_heap_item item)
{
    uint32_t i = 0u;

    for (uint32_t child = 1u; child < h->n; child = 2u * i + 1u) {
        if (child + 1u < h->n && tg_heap_before(h->items[child + 1u], h->items[child])) {
            child++;
        }
        if (!tg_heap_before(h->items[child], item)) {
            break;
        }
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = item;
}

/* Give the first item another time, or take it out (UINT64_MAX). Cost: O(log n). */
static inline void tg_heap_replace(struct tg_heap *h, tg_ns at_ns)
{
    struct tg_heap_item item = {.at_ns = at_ns, .number = h->items[0].number};

    if (at_ns == UINT64_MAX) {
        h->n--;
        if (h->n == 0u) {
            return;
        }
        item = h->items[h->n];
    }
    tg_heap_sink(h, item);
}

/* Cost: O(log n). */
static inline void tg_heap_add(struct tg_heap *h, tg_ns at_ns, uint32_t number)
{
    const struct tg_heap_item item = {.at_ns = at_ns, .number = number};
    uint32_t i = h->n++;

    while (i > 0u && tg_heap_before(item, h->items[(i - 1u) / 2u])) {
        h->items[i] = h->items[(i - 1u) / 2u];
        i = (i - 1u) / 2u;
    }
    h->items[i] = item;
}

#endif
