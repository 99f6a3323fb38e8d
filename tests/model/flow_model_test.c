/* SPDX-License-Identifier: MIT
 *
 * flow_model_test.c - the flow table against the oracle: which fields may be fixed together, who
 * takes a frame, and what may be bound.
 */
#include "check_cmocka.h"
#include "flow_oracle.h"
#include "random_input.h"
#include "tidegate/check.h"

#include <inttypes.h>
#include <string.h>

enum { FLOWS_MAX = 40, BUCKETS = 64, MATCHES_MAX = 256, SETS = 200, BINDS = 40 };

static const uint8_t HOST_C[16] = {10, 0, 0, 3};
static const uint8_t HOST_D[16] = {10, 0, 0, 4};

struct table {
    struct tg_flow_table core;
    struct tg_flow flows[FLOWS_MAX + 1];
    uint32_t buckets[BUCKETS];
    struct tg_match matches[FLOWS_MAX + 1]; /* by flow id */
    uint32_t n;                             /* flows 1..n are bound */
};

static void table_init(struct table *t, uint64_t seed)
{
    t->n = 0u;
    assert_int_equal(
        tg_flow_table_init(&t->core, t->flows, FLOWS_MAX + 1u, t->buckets, BUCKETS, seed), 0);
}

/* Returns: what the core says; the match is bound if that is 0. */
static int table_bind(struct table *t, const struct tg_match *m)
{
    struct tg_pattern pattern;
    int err = tg_match_compile(m, &pattern);

    if (err == 0) {
        err = tg_flow_table_admits(&t->core, &pattern);
    }
    if (err == 0) {
        t->matches[++t->n] = *m;
        tg_flow_table_insert(&t->core, t->n, &pattern);
    }
    return err;
}

/* Through the bytes. Returns: the flow that takes the frame, 0 for none. */
static uint32_t table_find(const struct table *t, const struct frame_spec *spec)
{
    static const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    const struct frame f = frame_build(spec);
    struct tg_frame_key key;

    assert_int_equal(tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key), TG_FRAME_MATCH);
    return tg_flow_table_find(&t->core, &key, f.bytes);
}

static uint32_t expected_find(const struct table *t, const struct frame_spec *spec)
{
    const struct tg_match *matches[FLOWS_MAX];

    for (uint32_t i = 0u; i < t->n; i++) {
        matches[i] = &t->matches[i + 1u];
    }
    const uint32_t winner = oracle_winner(matches, t->n, spec);

    return winner == ORACLE_NONE ? 0u : winner + 1u;
}

/* Every combination of fields, for three protocols: legal or TG_ERR_RANGE as flow.h says. */
static void fields_that_may_be_fixed_together(void **state)
{
    static const uint8_t protocols[] = {PROTO_TCP, PROTO_UDP, PROTO_ICMP};
    uint32_t n_legal = 0u;

    (void)state;
    for (uint32_t i = 0u; i < 0x10000u * 3u * 2u; i++) {
        struct tg_pattern pattern;
        const struct tg_match m = {.fields = (uint16_t)i,
                                   .protocol = protocols[i / 0x10000u % 3u],
                                   .broadcast = i / 0x30000u != 0u,
                                   .vlan = 1u,
                                   .type = TYPE_PTP,
                                   .family = 4u,
                                   .src_host = {1},
                                   .dst_host = {2}};
        const bool is_legal = oracle_is_legal(m.fields, m.protocol, m.broadcast);

        n_legal += is_legal;
        assert_int_equal(tg_match_compile(&m, &pattern), is_legal ? 0 : TG_ERR_RANGE);
    }
    assert_true(n_legal > 500u);
}

/* All matches that take this frame: each legal set of fields with the frame's values. */
static uint32_t matches_for(const struct frame_spec *f, struct tg_match *out)
{
    const uint8_t protocol = f->protocol != 0u ? f->protocol : PROTO_UDP;
    uint32_t n = 0u;

    for (uint32_t fields = 0u; fields < TG_FIELD_DST_PORT << 1; fields++) {
        struct tg_match m = {.fields = (uint16_t)fields,
                             .vlan = 7u,
                             .type = f->type != 0u     ? f->type
                                     : f->family == 6u ? TYPE_IP6
                                                       : TYPE_IP4,
                             .dst_port = f->dst_port,
                             .src_port = f->src_port,
                             .protocol = protocol,
                             .family = f->family,
                             .broadcast = f->cast == CAST_BROADCAST};

        memcpy(m.src_host, f->src_host, sizeof m.src_host);
        memcpy(m.dst_host, f->dst_host, sizeof m.dst_host);
        /* A family besides an address says nothing new. */
        const bool is_double = (fields & (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)) != 0u &&
                               (fields & TG_FIELD_FAMILY) != 0u;

        if (oracle_is_legal(fields, protocol, m.broadcast) && !is_double && oracle_takes(&m, f)) {
            assert_true(n < MATCHES_MAX);
            out[n++] = m;
        }
    }
    return n;
}

/* The order of shapes: of every two matches that take a frame, in either order of binding, the more
 * specific one gets it. */
static void precedence_of_every_pair_of_shapes(void **state)
{
    static const struct frame_spec frames[] = {
        {.family = 4, .protocol = PROTO_TCP, .tcp_flags = TCP_SYN, .src_port = 1, .dst_port = 2},
        {.family = 6, .protocol = PROTO_TCP, .tcp_flags = TCP_SYN, .src_port = 1, .dst_port = 2},
        {.family = 4, .protocol = PROTO_TCP, .tcp_flags = TCP_ACK, .src_port = 2, .dst_port = 2},
        {.family = 4, .protocol = PROTO_UDP, .src_port = 1, .dst_port = 2},
        {.family = 6, .protocol = PROTO_UDP, .src_port = 1, .dst_port = 2},
        {.family = 4, .protocol = PROTO_ICMP},
        {.family = 6, .protocol = PROTO_ICMP6},
        {.type = TYPE_ARP},
        {.type = TYPE_PTP},
    };
    static struct tg_match matches[MATCHES_MAX];
    static struct table t;
    uint32_t n_pairs = 0u;

    (void)state;
    for (uint32_t i = 0u; i < 3u * sizeof frames / sizeof frames[0]; i++) {
        struct frame_spec f = frames[i / 3u];

        f.cast = (enum frame_cast)(i % 3u);
        f.n_tags = 1u;
        f.tags[0].tci = 7u;
        memcpy(f.src_host, HOST_A, sizeof HOST_A);
        memcpy(f.dst_host, HOST_B, sizeof HOST_B);
        const uint32_t n = matches_for(&f, matches);

        for (uint32_t a = 0u; a < n; a++) {
            for (uint32_t b = 0u; b < n; b++) {
                if (oracle_is_same(&matches[a], &matches[b])) {
                    continue;
                }
                table_init(&t, n_pairs);
                assert_int_equal(table_bind(&t, &matches[a]), 0);
                assert_int_equal(table_bind(&t, &matches[b]), 0);
                assert_int_equal(table_find(&t, &f), expected_find(&t, &f));
                n_pairs++;
            }
        }
    }
    print_message("%u pairs\n", n_pairs);
    assert_true(n_pairs > 100000u);
}

/* ---- what may be bound ----------------------------------------------------------------------- */

/* Every kind of frame that can be told apart by the matches of random_match, and for each field
 * a value that none of them names. */
struct universe {
    struct frame_spec frames[4000];
    uint32_t n;
};

static void add_frames_of_family(struct universe *u, const struct frame_spec *base)
{
    static const uint8_t *const src[] = {HOST_A, HOST_B, HOST_C};
    static const uint8_t *const dst[] = {HOST_A, HOST_B, HOST_D};
    static const uint8_t others[] = {PROTO_ICMP, PROTO_ICMP6, 200};
    struct frame_spec f = *base;

    for (uint32_t i = 0u; i < 3u; i++) {
        f.protocol = others[i];
        u->frames[u->n++] = f;
    }
    for (uint32_t i = 0u; i < 9u * 9u * 3u; i++) {
        f.src_port = (uint16_t)(i % 3u);
        f.dst_port = (uint16_t)(i / 3u % 3u);
        f.protocol = i / 81u == 0u ? PROTO_UDP : PROTO_TCP;
        f.tcp_flags = i / 81u == 2u ? TCP_SYN : TCP_ACK;
        if (i / 9u % 3u == i / 27u % 3u && i / 9u % 3u != 2u) {
            continue; /* source = destination is malformed */
        }
        memcpy(f.src_host, src[i / 9u % 3u], sizeof f.src_host);
        memcpy(f.dst_host, dst[i / 27u % 3u], sizeof f.dst_host);
        u->frames[u->n++] = f;
    }
}

static void universe_init(struct universe *u)
{
    static const uint16_t vlans[] = {0u, RANDOM_VLAN, 6u};
    static const uint16_t types[] = {TYPE_ARP, TYPE_PTP, 0x9999u};

    u->n = 0u;
    for (uint32_t i = 0u; i < 9u; i++) {
        struct frame_spec f = {.cast = (enum frame_cast)(i % 3u), .n_tags = 1u};

        f.tags[0].tci = vlans[i / 3u];
        for (uint32_t k = 0u; k < 3u; k++) {
            f.type = types[k];
            u->frames[u->n++] = f;
        }
        f.type = 0u;
        f.family = 4u;
        add_frames_of_family(u, &f);
        f.family = 6u;
        add_frames_of_family(u, &f);
    }
}

/* The next match is often a neighbour of one that is bound: all fields the same but one. */
static struct tg_match next_match(struct rng *r, const struct table *t)
{
    static const uint32_t fine[] = {TG_FIELD_BROADCAST, TG_FIELD_MULTICAST, TG_FIELD_FAMILY};
    struct tg_match m;

    if (t->n == 0u || rng_percent(r, 30u)) {
        return random_match(r);
    }
    do {
        m = t->matches[rng_between(r, 1u, t->n)];
        if (rng_percent(r, 10u)) {
            memcpy(m.src_host, rng_percent(r, 50u) ? HOST_A : HOST_B, sizeof m.src_host);
        }
        m.fields ^= (uint16_t)fine[rng_below(r, 3u)];
        m.fields ^= (uint16_t)(rng_percent(r, 30u) ? fine[rng_below(r, 3u)] : 0u);
        m.broadcast = rng_percent(r, 50u);
        m.family = rng_percent(r, 50u) ? 4u : 6u;
    } while (!oracle_is_legal(m.fields, m.protocol, m.broadcast));
    return m;
}

/* Flow i wins[i] of all frames once m is bound too; m is the last. */
static void count_wins(const struct table *t, const struct tg_match *m, const struct universe *u,
                       uint32_t wins[FLOWS_MAX + 1])
{
    const struct tg_match *matches[FLOWS_MAX + 1];

    for (uint32_t i = 0u; i < t->n; i++) {
        matches[i] = &t->matches[i + 1u];
    }
    matches[t->n] = m;
    memset(wins, 0, (FLOWS_MAX + 1u) * sizeof *wins);
    for (uint32_t i = 0u; i < u->n; i++) {
        const uint32_t winner = oracle_winner(matches, t->n + 1u, &u->frames[i]);

        if (winner != ORACLE_NONE) {
            wins[winner]++;
        }
    }
}

/* Shapes in use by the bound flows and m. */
static uint32_t count_shapes(const struct table *t, const struct tg_match *m)
{
    uint32_t n = 1u;

    for (uint32_t i = 1u; i <= t->n; i++) {
        bool is_first = !oracle_is_same_shape(&t->matches[i], m);

        for (uint32_t k = 1u; k < i; k++) {
            is_first = is_first && !oracle_is_same_shape(&t->matches[i], &t->matches[k]);
        }
        n += is_first;
    }
    return n;
}

static int expected_bind(const struct table *t, const struct tg_match *m, const struct universe *u)
{
    uint32_t wins[FLOWS_MAX + 1];

    for (uint32_t i = 1u; i <= t->n; i++) {
        if (oracle_is_same(&t->matches[i], m)) {
            return TG_ERR_EXISTS;
        }
    }
    count_wins(t, m, u, wins);
    if (wins[t->n] == 0u) {
        return TG_ERR_UNREACHABLE;
    }
    for (uint32_t i = 0u; i < t->n; i++) {
        if (wins[i] == 0u) {
            return TG_ERR_SHADOWS;
        }
    }
    return count_shapes(t, m) > TG_SHAPES_MAX ? TG_ERR_FULL : 0;
}

/* Binding refuses exactly what must be refused, with the right reason, and what is bound gets
 * its frames: random sets of overlapping matches against brute force over all kinds of frames. */
static void binding_agrees_with_brute_force(void **state)
{
    static struct universe u;
    static struct table t;
    struct rng r;
    uint32_t seen[8] = {0u};

    (void)state;
    rng_init(&r, "binding_agrees_with_brute_force");
    universe_init(&u);
    for (uint32_t set = 0u; set < SETS; set++) {
        table_init(&t, rng_next(&r));
        for (uint32_t i = 0u; i < BINDS && t.n < FLOWS_MAX; i++) {
            const struct tg_match m = next_match(&r, &t);
            const int expected = expected_bind(&t, &m, &u);

            assert_int_equal(table_bind(&t, &m), expected);
            seen[-expected]++;
        }
        if (tg_flow_table_check(&t.core) != NULL) {
            fail_msg("%s", tg_flow_table_check(&t.core));
        }
        for (uint32_t i = 0u; i < 100u; i++) {
            const struct frame_spec *const f = &u.frames[rng_below(&r, u.n)];

            assert_int_equal(table_find(&t, f), expected_find(&t, f));
        }
    }
    print_message("bound %u, exists %u, unreachable %u, shadows %u, full %u\n", seen[0],
                  seen[-TG_ERR_EXISTS], seen[-TG_ERR_UNREACHABLE], seen[-TG_ERR_SHADOWS],
                  seen[-TG_ERR_FULL]);
    assert_true(seen[0] > 100u && seen[-TG_ERR_EXISTS] > 100u);
    assert_true(seen[-TG_ERR_UNREACHABLE] > 20u && seen[-TG_ERR_SHADOWS] > 20u);
    assert_true(seen[-TG_ERR_FULL] > 20u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_may_be_fixed_together),
        cmocka_unit_test(precedence_of_every_pair_of_shapes),
        cmocka_unit_test(binding_agrees_with_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
