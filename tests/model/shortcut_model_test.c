/* SPDX-License-Identifier: MIT
 *
 * shortcut_model_test.c - the core decides a frequent kind of packet by a shortcut; it must
 * never decide otherwise than tg_frame_parse and tg_flow_table_find.
 */
#include "check_cmocka.h"
#include "random_input.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 800, FRAMES = 3000, FLOWS = 14 };

static struct rig_config in_full(void)
{
    struct rig_config c = rig_config();

    c.spare_flows = FLOWS;
    c.spare_buffers = 2u * FLOWS;
    return c;
}

static void bind_flows(struct rng *r, struct rig *rig)
{
    for (uint32_t i = rng_below(r, 3u * FLOWS); i > 0u; i--) {
        const struct tg_flow_config flow = {.match = random_match(r),
                                            .budget = rig_plenty(),
                                            .reserve_pkts = 1u,
                                            .priority = (uint8_t)rng_below(r, TG_PRIORITIES)};

        (void)!tg_rx_bind(&rig->protocol, &flow, RIG_START_NS); /* some are refused */
    }
}

/* Through a block of exactly the frame's size. Returns: the verdict; the packet has been
 * delivered. */
static enum tg_verdict run(struct rig *rig, const struct frame *f, int *flow)
{
    struct soft_ring *const ring = &rig->rings[0];
    struct tg_buffer *const b = ring->slots[ring->oldest].buffer;
    uint8_t *const own = b->data;

    b->data = malloc(f->len_bytes == 0u ? 1u : f->len_bytes);
    assert_non_null(b->data);
    const enum tg_verdict verdict = rig_eager(rig, 0u, f);

    *flow = rig_deliver(rig);
    free(b->data);
    b->data = own;
    return verdict;
}

/* What the public functions say. Returns: the flow; RIG_NO_FLOW: it is malformed. */
static int flow_in_full(const struct rig *rig, const struct frame *f)
{
    struct tg_frame_key key;
    const enum tg_frame_class class =
        tg_frame_parse(&rig->protocol.station, f->bytes, f->len_bytes, f->tci, &key);

    if (class == TG_FRAME_MALFORMED) {
        return RIG_NO_FLOW;
    }
    return class == TG_FRAME_MATCH ? (int)tg_flow_table_find(&rig->protocol.table, &key, f->bytes)
                                   : 0;
}

static void the_shortcut_agrees(void **state)
{
    struct rig_config c = in_full();
    static struct rig rig;
    struct rng r;
    uint32_t n_flows = 0u;

    (void)state;
    rng_init(&r, "the_shortcut_agrees");
    rig_allow_shortcut(&c);
    for (uint32_t table = 0u; table < TABLES; table++) {
        rig_start(&rig, &c);
        bind_flows(&r, &rig);
        for (uint32_t i = 0u; i < FRAMES; i++) {
            const struct frame f = rng_percent(&r, 70u) ? random_udp(&r) : random_frame(&r);
            const int flow = flow_in_full(&rig, &f);
            int taken;

            assert_int_equal(run(&rig, &f, &taken),
                             flow == RIG_NO_FLOW ? TG_VERDICT_MALFORMED : TG_VERDICT_PASSED);
            assert_int_equal(taken, flow);
            n_flows += flow > 0 ? 1u : 0u;
        }
        rig_check(&rig);
        rig_free(&rig);
    }
    assert_true(n_flows > 100000u);
}

/* Ports that share a bucket and 16 bits of their hash with those of a flow are still not its
 * ports. */
static void hashes_that_agree_by_chance(void **state)
{
    struct rig_config c = in_full();
    struct tg_flow_config flow = rig_udp_flow(1u, 5u, 1u);
    struct frame f = frame_udp(1u);
    struct rig rig;
    struct rng r;

    (void)state;
    rng_init(&r, "hashes_that_agree_by_chance");
    c.n_buckets = 2u;
    flow.match.fields |= TG_FIELD_SRC_PORT;
    rig_add_flow(&c, flow);
    rig_allow_shortcut(&c);
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 2000000u; i++) { /* about one in 2^17 agrees */
        const uint32_t ports = (uint32_t)rng_next(&r);

        memcpy(f.bytes + f.l4, &ports, sizeof ports);
        /* Not only the hash, the last bits of the port are looked at before the flow is. */
        f.bytes[f.l4 + 3u] = (uint8_t)((f.bytes[f.l4 + 3u] & 0xe0u) | 1u);
        assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
        assert_int_equal(rig_deliver(&rig), memcmp(f.bytes + f.l4, "\0\0\0\1", 4u) == 0 ? 1 : 0);
        if (i % 500000u == 0u) { /* the budget is a million an hour */
            rig_wait(&rig, TG_PERIOD_MAX_NS);
        }
    }
    rig_free(&rig);
}

/* An address of zeros adds nothing to a hash: a packet from another address still goes
 * elsewhere. */
static void from_no_address(void **state)
{
    struct rig_config c = in_full();
    struct tg_flow_config flow = rig_udp_flow(67u, 5u, 1u);
    struct frame f = frame_udp(67u);
    struct rig rig;

    (void)state;
    flow.match.fields |= TG_FIELD_SRC_HOST;
    flow.match.family = 4u;
    rig_add_flow(&c, flow);
    rig_allow_shortcut(&c);
    rig_start(&rig, &c);
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 0);
    memset(f.bytes + f.l3 + 12u, 0, 4u);
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 1);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortcut_agrees),
        cmocka_unit_test(hashes_that_agree_by_chance),
        cmocka_unit_test(from_no_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
