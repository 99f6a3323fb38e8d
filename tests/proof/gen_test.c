/* SPDX-License-Identifier: MIT
 *
 * gen_test.c - the tables that `tidegate gen` wrote for GEN_FILE, and its lowering in memory: the
 * same protocol state at start-up, the same verdict on every frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "sim_port.h"
#include "system/frame_build.h"
#include "tidegate_config.h"

#define FRAMES     20000u
#define BYTES_MAX  1600u
#define GAP_MAX_NS 300000u
#define SEED       UINT64_C(7)

/* One receive path; the frames of all queues come through its first one. */
struct side {
    struct tg_protocol protocol;
    struct tg_sim_port port;
    struct tg_rxq *queue;
    struct tg_buffer *in_ring;
};

struct both {
    struct tg_system *system;
    struct tg_system_config config;
    struct tg_storage storage; /* for the lowering in memory */
    uint8_t *bytes;
    struct side generated;
    struct side lowered;
};

static bool no_frame(void *ring, struct tg_rx_frame *frame)
{
    const struct side *const side = ring;

    frame->now_ns = side->port.now_ns;
    return false;
}

static void never_called(void *ring, struct tg_buffer *buffer)
{
    (void)ring;
    (void)buffer;
    fail();
}

static const struct tg_ring_ops by_hand = {.peek = no_frame, .advance = never_called};

static void start(struct side *side, const struct tg_config *config,
                  const struct tg_storage *storage)
{
    int bad_flow = -1;

    tg_sim_port_init(&side->port, 0u, config->floor);
    assert_int_equal(
        tg_protocol_init(&side->protocol, config, storage, &side->port, SEED, 0u, &bad_flow), 0);
    side->queue = tg_rxq_attach(&side->protocol, 0u, &by_hand, side);
    side->in_ring = tg_rxq_fill(side->queue);
    assert_non_null(side->in_ring);
    tg_rxq_link(side->queue, true);
}

static void allocate(struct both *b)
{
    struct tg_storage *const s = &b->storage;
    const struct tg_system_config *const c = &b->config;

    *s = (struct tg_storage){.flows = calloc(c->n_flows, sizeof *s->flows),
                             .buckets = calloc(c->n_buckets, sizeof *s->buckets),
                             .buffers = calloc(c->n_buffers, sizeof *s->buffers),
                             .queues = calloc(TG_QUEUES_MAX, sizeof *s->queues),
                             .gates = calloc(TG_GATES_MAX, sizeof *s->gates),
                             .n_flows = c->n_flows,
                             .n_buckets = c->n_buckets,
                             .n_buffers = c->n_buffers};
    b->bytes = calloc(c->n_buffers, c->buffer_bytes);
    assert_true(s->flows != NULL && s->buckets != NULL && s->buffers != NULL);
    assert_true(s->queues != NULL && s->gates != NULL && b->bytes != NULL);
    for (uint32_t i = 0u; i < c->n_buffers; i++) {
        s->buffers[i].data = b->bytes + (size_t)i * c->buffer_bytes;
        s->buffers[i].size_bytes = c->buffer_bytes;
    }
}

static int set_up(void **state)
{
    static struct tg_errors errors;
    static struct both b;

    tg_errors_init(&errors);
    if (tg_system_load(GEN_FILE, &b.system, &errors) != 0) {
        tg_errors_print(&errors, GEN_FILE, stderr);
        return -1;
    }
    assert_int_equal(tg_system_lower_config(b.system, &b.config), 0);
    allocate(&b);
    start(&b.generated, &tidegate_config, tidegate_storage());
    start(&b.lowered, &b.config.config, &b.storage);
    *state = &b;
    return 0;
}

static int tear_down(void **state)
{
    struct both *const b = *state;

    free(b->storage.flows);
    free(b->storage.buckets);
    free(b->storage.buffers);
    free(b->storage.queues);
    free(b->storage.gates);
    free(b->bytes);
    tg_system_config_free(&b->config);
    tg_system_free(b->system);
    return 0;
}

static void assert_same_server(const struct tg_server *a, const struct tg_server *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->budget_pkts, b->budget_pkts);
    assert_true(a->period_ns == b->period_ns && a->until_ns == b->until_ns);
    assert_int_equal(a->left_pkts, b->left_pkts);
    assert_int_equal(a->window != NULL, b->window != NULL);
    assert_int_equal(a->on_grid, b->on_grid);
    assert_int_equal(a->by_tick, b->by_tick);
}

static void test_storage(void **state)
{
    const struct both *const b = *state;
    const struct tg_storage *const s = tidegate_storage();

    assert_int_equal(s->n_flows, b->config.n_flows);
    assert_int_equal(s->n_buckets, b->config.n_buckets);
    assert_int_equal(s->n_buffers, b->config.n_buffers);
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        assert_int_equal(s->buffers[i].size_bytes, b->config.buffer_bytes);
        assert_int_equal((uintptr_t)s->buffers[i].data % 64u, 0u);
    }
}

static void test_state(void **state)
{
    const struct both *const b = *state;
    const struct tg_protocol *const p = &b->generated.protocol;
    const struct tg_protocol *const q = &b->lowered.protocol;

    assert_int_equal(p->table.n_flows, q->table.n_flows);
    assert_int_equal(p->table.n_shapes, q->table.n_shapes);
    for (uint32_t i = 0u; i < p->table.n_flows; i++) {
        const struct tg_flow *const f = &p->table.flows[i];
        const struct tg_flow *const g = &q->table.flows[i];

        assert_true(f->word == g->word && f->fields == g->fields && f->state == g->state);
        assert_memory_equal(&f->hosts, &g->hosts, sizeof f->hosts);
        assert_int_equal(f->reserve_pkts, g->reserve_pkts);
        assert_int_equal(f->priority, g->priority);
        assert_same_server(&f->server, &g->server);
    }
    assert_int_equal(p->n_gates, q->n_gates);
    for (uint32_t i = 0u; i < p->n_gates; i++) {
        assert_same_server(&p->gates[i].server, &q->gates[i].server);
        assert_int_equal(p->gates[i].is_polled, q->gates[i].is_polled);
    }
    assert_int_equal(p->n_queues, q->n_queues);
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        assert_int_equal(p->queues[i].ring_pkts, q->queues[i].ring_pkts);
        assert_int_equal(p->queues[i].rank, q->queues[i].rank);
        assert_int_equal(p->queues[i].gate - p->gates, q->queues[i].gate - q->gates);
    }
    assert_true(p->station.mac == q->station.mac && p->station.mtu_bytes == q->station.mtu_bytes);
    assert_int_equal(p->floor, q->floor);
    assert_int_equal(p->promised_pkts, q->promised_pkts);
}

/* A frame of some flow, often with some bytes changed. */
static uint32_t some_frame(const struct both *b, struct rng *rng, uint8_t bytes[BYTES_MAX])
{
    const struct tg_match any = {
        .fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT, .protocol = 17u, .dst_port = 9u};
    const uint32_t flow = rng_below(rng, (uint32_t)b->system->n_flows + 1u);
    const struct tg_match *const match =
        flow < b->system->n_flows ? &b->system->flows[flow].match : &any;
    const struct tg_frame_ends ends = {.station_mac = b->system->receive.station.mac,
                                       .variant = rng_below(rng, 1000u)};
    const int length = tg_frame_build(match, TG_FORM_WHOLE, &ends, rng_below(rng, 64u),
                                      b->system->receive.station.mtu_bytes, bytes, BYTES_MAX);

    assert_true(length > 0);
    for (uint32_t i = rng_percent(rng, 40u) ? rng_below(rng, 4u) : 0u; i != 0u; i--) {
        bytes[rng_below(rng, (uint32_t)length)] = (uint8_t)rng_below(rng, 256u);
    }
    return (uint32_t)length;
}

static enum tg_verdict take(struct side *side, const uint8_t *bytes, uint32_t length, tg_ns now_ns,
                            struct tg_buffer **passed)
{
    struct tg_rx_frame frame = {
        .now_ns = now_ns, .buffer = side->in_ring, .len_bytes = length, .tci = TG_TCI_NONE};

    memcpy(frame.buffer->data, bytes, length);
    side->port.now_ns = now_ns;
    if (tg_rx_tick(&side->protocol, now_ns) == TG_WORK_MORE) {
        assert_int_equal(tg_rx_poll(&side->protocol, 1u), TG_WORK_DONE); /* an empty ring */
    }

    const enum tg_verdict verdict = tg_rx_eager(side->queue, &frame);

    side->in_ring = frame.buffer;
    *passed = verdict == TG_VERDICT_PASSED ? tg_rx_next(&side->protocol) : NULL;
    return verdict;
}

static void give_back(struct side *side, struct tg_buffer *packet)
{
    if (packet != NULL) {
        tg_rx_done(&side->protocol);
        assert_int_equal(tg_rx_release(&side->protocol, packet), 0);
    }
}

static void test_frames(void **state)
{
    struct both *const b = *state;
    uint8_t bytes[BYTES_MAX];
    uint32_t verdicts[TG_VERDICT_NONE + 1u] = {0u};
    struct rng rng;
    tg_ns now_ns = 0u;

    rng_init(&rng, "gen_test");
    for (uint32_t i = 0u; i < FRAMES; i++) {
        const uint32_t length = some_frame(b, &rng, bytes);
        struct tg_buffer *p;
        struct tg_buffer *q;

        now_ns += rng_below(&rng, GAP_MAX_NS);

        const enum tg_verdict verdict = take(&b->generated, bytes, length, now_ns, &p);

        assert_int_equal(verdict, take(&b->lowered, bytes, length, now_ns, &q));
        verdicts[verdict]++;
        assert_int_equal(p != NULL, q != NULL);
        if (p != NULL) {
            assert_int_equal(p->flow, q->flow);
            assert_int_equal(p->priority, q->priority);
        }
        give_back(&b->generated, p);
        give_back(&b->lowered, q);
    }
    assert_true(verdicts[TG_VERDICT_PASSED] != 0u && verdicts[TG_VERDICT_MALFORMED] != 0u);
    assert_true(verdicts[TG_VERDICT_BUDGET] != 0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_frames),
    };

    return cmocka_run_group_tests_name("gen " GEN_FILE, tests, set_up, tear_down);
}
