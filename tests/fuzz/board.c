/* SPDX-License-Identifier: MIT
 *
 * board.c - any bytes as what the board printed: refused with a line, or figures that fit together.
 * The first byte says how many tasks and flows there are.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/board.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_flow(const struct tg_board_flow *f)
{
    const struct tg_hist *const h = &f->latency;
    uint64_t sum = 0u;

    require(f->lost + f->delivered + f->dropped_budget + f->dropped_no_buffer <= f->sent,
            "more became of a flow than was sent");
    require(f->late <= f->delivered, "more late than delivered");
    for (uint32_t i = 0u; i < h->n_buckets; i++) {
        sum += h->buckets[i];
    }
    require(sum == h->count && h->above == 0u, "a histogram that is none");
    require(h->count == 0u || h->min <= h->max, "a range backwards");
    for (uint32_t k = 0u; k <= 4u && h->count != 0u; k++) {
        const uint64_t q = tg_hist_quantile(h, k, 4u);

        require(q >= h->min && q <= h->max, "a quantile out of range");
    }
}

static void check(const struct tg_board_result *r, uint32_t n_tasks)
{
    for (uint32_t i = 0u; i < n_tasks; i++) {
        require(r->tasks[i].finished <= r->tasks[i].released &&
                    r->tasks[i].missed <= r->tasks[i].released,
                "more jobs than were released");
    }
    for (uint32_t i = 0u; i < r->n_flows; i++) {
        check_flow(&r->flows[i]);
    }
    for (size_t i = 1u; i < r->n_samples; i++) {
        require(r->samples[i - 1u].instructions < r->samples[i].instructions,
                "samples in disorder");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tg_board_result r;
    char text[128] = "";

    if (size < 2u) {
        return 0;
    }
    const uint32_t n_tasks = data[0] % 4u;
    const uint32_t n_flows = data[0] / 4u % 8u;
    FILE *const in = fmemopen((void *)(uintptr_t)(data + 1), size - 1u, "r");

    require(in != NULL, "out of memory");
    if (tg_board_parse(in, n_tasks, n_flows, &r, text, sizeof text) == 0) {
        check(&r, n_tasks);
        tg_board_free(&r);
    } else {
        require(text[0] >= '1' && text[0] <= '9' && strchr(text, ':') != NULL, "no line");
        require(r.flows == NULL && r.tasks == NULL && r.samples == NULL, "a half result");
    }
    (void)fclose(in);
    return 0;
}
