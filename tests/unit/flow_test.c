/* SPDX-License-Identifier: MIT
 *
 * flow_test.c - matches and their table: ranges of values, limits, removal, and the keyed hash.
 */
#include "check_cmocka.h"
#include "rng.h"
#include "test_frame.h"
#include "tidegate/check.h"

#include <stdlib.h>
#include <string.h>

#define DST_PORT (TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT)
#define SRC_PORT (TG_FIELD_PROTOCOL | TG_FIELD_SRC_PORT)

struct table {
    struct tg_flow_table core;
    struct tg_flow *flows;
    uint32_t *buckets;
    uint32_t n_flows;
};

static void table_init(struct table *t, uint32_t n_flows, uint32_t n_buckets, uint64_t seed)
{
    t->n_flows = n_flows;
    t->flows = calloc(n_flows, sizeof *t->flows);
    t->buckets = calloc(n_buckets, sizeof *t->buckets);
    assert_true(t->flows != NULL && t->buckets != NULL);
    assert_int_equal(tg_flow_table_init(&t->core, t->flows, n_flows, t->buckets, n_buckets, seed),
                     0);
}

static void table_free(struct table *t)
{
    free(t->flows);
    free(t->buckets);
}

/* Bind as flows[id]. Returns: what the core says. */
static int bind(struct table *t, uint32_t id, const struct tg_match *m)
{
    struct tg_pattern pattern;
    int err = tg_match_compile(m, &pattern);

    if (err == 0) {
        err = tg_flow_table_admits(&t->core, &pattern);
    }
    if (err == 0) {
        assert_true(id < t->n_flows);
        tg_flow_table_insert(&t->core, id, &pattern);
    }
    return err;
}

/* The caller of tg_flow_table_remove knows whether packets are still held. */
static void unbind(struct table *t, uint32_t id)
{
    tg_flow_table_remove(&t->core, id);
    t->flows[id].state = TG_FLOW_FREE;
}

static uint32_t find(const struct table *t, const struct frame_spec *spec)
{
    static const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    const struct frame f = frame_build(spec);
    struct tg_frame_key key;

    if (tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key) != TG_FRAME_MATCH) {
        fail_msg("rule %u kept a frame from matching", key.rule);
    }
    return tg_flow_table_find(&t->core, &key, f.bytes);
}

static void check(const struct table *t)
{
    const char *const wrong = tg_flow_table_check(&t->core);

    if (wrong != NULL) {
        fail_msg("%s", wrong);
    }
}

static struct tg_match udp_to(uint32_t port)
{
    return (struct tg_match){.fields = DST_PORT, .protocol = PROTO_UDP, .dst_port = (uint16_t)port};
}

static uint32_t find_udp(const struct table *t, uint32_t port)
{
    return find(t, &(struct frame_spec){.dst_port = (uint16_t)port});
}

static void values_out_of_range(void **state)
{
    const struct tg_match bad[] = {
        {0},
        {.fields = TG_FIELD_MULTICAST | TG_FIELD_VLAN, .vlan = 0u},
        {.fields = TG_FIELD_MULTICAST | TG_FIELD_VLAN, .vlan = 4095u},
        {.fields = TG_FIELD_MULTICAST | TG_FIELD_VLAN, .vlan = 5000u},
        {.fields = TG_FIELD_TYPE, .type = 1535u},
        {.fields = TG_FIELD_TYPE, .type = 0u},
        {.fields = TG_FIELD_TYPE, .type = TYPE_TAG},
        {.fields = TG_FIELD_TYPE, .type = TYPE_SERVICE_TAG},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .protocol = 1u, .family = 0u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .protocol = 1u, .family = 5u},
        {.fields = DST_PORT | TG_FIELD_SRC_HOST, .protocol = PROTO_UDP, .family = 0u},
        {.fields = DST_PORT | TG_FIELD_DST_HOST, .protocol = PROTO_UDP, .family = 7u},
        {.fields = TG_FIELD_BROADCAST, .broadcast = false},
        {.fields = TG_FIELD_BROADCAST | TG_FIELD_VLAN, .vlan = 1u, .broadcast = false},
        {.fields = DST_PORT | TG_FIELD_SYN, .protocol = PROTO_UDP},
        {.fields = DST_PORT, .protocol = PROTO_ICMP},
        {.fields = TG_FIELD_PROTOCOL, .protocol = PROTO_UDP}, /* of which family? */
    };

    (void)state;
    for (size_t i = 0u; i < sizeof bad / sizeof bad[0]; i++) {
        struct tg_pattern pattern;
        struct tg_pattern before;

        memset(&pattern, 0x5a, sizeof pattern);
        before = pattern;
        assert_int_equal(tg_match_compile(&bad[i], &pattern), TG_ERR_RANGE);
        assert_memory_equal(&pattern, &before, sizeof pattern);
    }
}

static void values_at_the_ends_of_their_range(void **state)
{
    const struct tg_match good[] = {
        {.fields = TG_FIELD_MULTICAST | TG_FIELD_VLAN, .vlan = 1u},
        {.fields = TG_FIELD_MULTICAST | TG_FIELD_VLAN, .vlan = 4094u},
        {.fields = TG_FIELD_TYPE, .type = 1536u},
        {.fields = TG_FIELD_TYPE, .type = 65535u},
        {.fields = DST_PORT, .protocol = PROTO_UDP, .dst_port = 0u},
        {.fields = DST_PORT, .protocol = PROTO_UDP, .dst_port = 65535u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .protocol = 255u, .family = 4u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .protocol = 255u, .family = 6u},
    };

    (void)state;
    for (size_t i = 0u; i < sizeof good / sizeof good[0]; i++) {
        struct tg_pattern pattern;

        assert_int_equal(tg_match_compile(&good[i], &pattern), 0);
    }
}

/* Fields that a match does not fix may hold anything. */
static void values_of_other_fields_do_not_count(void **state)
{
    struct tg_match noisy = udp_to(7u);
    struct table t;

    (void)state;
    noisy.vlan = 9u;
    noisy.type = 1u;
    noisy.src_port = 99u;
    noisy.family = 77u;
    noisy.broadcast = true;
    memset(noisy.src_host, 0xff, sizeof noisy.src_host);
    memset(noisy.dst_host, 0xff, sizeof noisy.dst_host);
    table_init(&t, 3u, 8u, 1u);
    assert_int_equal(bind(&t, 1u, &noisy), 0);
    assert_int_equal(find_udp(&t, 7u), 1u);
    const struct tg_match plain = udp_to(7u);

    assert_int_equal(bind(&t, 2u, &plain), TG_ERR_EXISTS);
    table_free(&t);
}

/* Rows 9, 13 and 14 of the frame table keep these from matching, so no flow could ever get them. */
static void matches_that_no_frame_can_have(void **state)
{
    static const uint8_t extensions[] = {0, 43, 44, 50, 51, 60, 135, 139, 140};
    struct tg_match land = {.fields = DST_PORT | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST,
                            .protocol = PROTO_UDP,
                            .family = 4u,
                            .src_host = {10, 0, 0, 1},
                            .dst_host = {10, 0, 0, 1}};
    struct tg_match next = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .family = 6u};
    struct tg_pattern pattern;

    (void)state;
    assert_int_equal(tg_match_compile(&land, &pattern), TG_ERR_UNREACHABLE);
    land.family = 6u;
    assert_int_equal(tg_match_compile(&land, &pattern), TG_ERR_UNREACHABLE);
    land.dst_host[3] = 2u;
    assert_int_equal(tg_match_compile(&land, &pattern), 0);
    for (size_t i = 0u; i < sizeof extensions; i++) {
        next.family = 6u;
        next.protocol = extensions[i];
        assert_int_equal(tg_match_compile(&next, &pattern), TG_ERR_UNREACHABLE);
        next.family = 4u;
        assert_int_equal(tg_match_compile(&next, &pattern), 0);
    }
    next.family = 6u;
    next.protocol = 59u; /* no next header, but no extension either */
    assert_int_equal(tg_match_compile(&next, &pattern), 0);
}

static void bad_tables(void **state)
{
    static struct tg_flow flows[2];
    static uint32_t buckets[4];
    struct tg_flow_table t;

    (void)state;
    assert_int_equal(tg_flow_table_init(&t, flows, 0u, buckets, 4u, 1u), TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, TG_FLOWS_MAX + 2u, buckets, 4u, 1u),
                     TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, 2u, buckets, 0u, 1u), TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, 2u, buckets, 1u, 1u), TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, 2u, buckets, 3u, 1u), TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, 2u, buckets, 131072u, 1u), TG_ERR_RANGE);
    assert_int_equal(tg_flow_table_init(&t, flows, 1u, buckets, 2u, 1u), 0);
}

/* As many flows as there may be, over several shapes: each gets its frames, and no frame
 * another's. */
static void the_largest_table(void **state)
{
    static const uint32_t n_flows = TG_FLOWS_MAX + 1u;
    struct table t;
    uint32_t id = 0u;

    (void)state;
    table_init(&t, n_flows, 16384u, 99u);
    for (uint32_t i = 0u; id < TG_FLOWS_MAX; i++) {
        struct tg_match m = udp_to(1000u + i / 4u);

        m.fields |= (uint16_t)((i & 1u) != 0u ? TG_FIELD_VLAN : 0u);
        m.fields |= (uint16_t)((i & 2u) != 0u ? TG_FIELD_SRC_HOST : 0u);
        m.vlan = 5u;
        m.family = 6u;
        m.src_host[15] = 9u;
        assert_int_equal(bind(&t, ++id, &m), 0);
    }
    check(&t);
    for (uint32_t i = 0u; i < TG_FLOWS_MAX; i++) {
        struct frame_spec f = {.family = 6u, .dst_port = (uint16_t)(1000u + i / 4u), .n_tags = 1u};

        f.tags[0].tci = (i & 1u) != 0u ? 5u : 6u;
        f.src_host[15] = (i & 2u) != 0u ? 9 : 8;
        assert_int_equal(find(&t, &f), i + 1u);
    }
    assert_int_equal(find_udp(&t, 999u), 0u);
    assert_int_equal(find_udp(&t, 1000u + TG_FLOWS_MAX / 4u), 0u);

    for (id = 1u; id <= TG_FLOWS_MAX; id += 2u) {
        unbind(&t, id);
    }
    check(&t);
    for (uint32_t i = 0u; i < TG_FLOWS_MAX; i += 4u) {
        assert_int_equal(find_udp(&t, 1000u + i / 4u), 0u); /* its plain flow is an odd one */
    }
    table_free(&t);
}

/* 12 shapes may be in use, and the 13th may be once one of them is free again. */
static void the_thirteenth_shape(void **state)
{
    struct tg_match ms[13];
    struct table t;
    uint32_t n = 0u;

    (void)state;
    for (uint32_t i = 0u; i < 12u; i++) {
        ms[n] = udp_to(i);
        ms[n].fields = (uint16_t)((i & 4u) != 0u ? SRC_PORT : DST_PORT);
        ms[n].src_port = (uint16_t)i;
        ms[n].fields |= (uint16_t)((i & 1u) != 0u ? TG_FIELD_VLAN : 0u);
        ms[n].fields |= (uint16_t)((i & 2u) != 0u ? TG_FIELD_FAMILY : 0u);
        ms[n].fields |= (uint16_t)(i >= 8u ? TG_FIELD_MULTICAST : 0u);
        ms[n].vlan = 5u;
        ms[n++].family = 4u;
    }
    ms[n] = (struct tg_match){.fields = TG_FIELD_TYPE, .type = TYPE_PTP};
    table_init(&t, 20u, 64u, 3u);
    for (uint32_t i = 0u; i < 12u; i++) {
        assert_int_equal(bind(&t, i + 1u, &ms[i]), 0);
    }
    assert_int_equal(t.core.n_shapes, TG_SHAPES_MAX);
    assert_int_equal(bind(&t, 13u, &ms[12]), TG_ERR_FULL);
    check(&t);

    struct tg_match same_shape = ms[0];

    same_shape.dst_port = 77u;
    assert_int_equal(bind(&t, 13u, &same_shape), 0); /* a shape in use is no new one */
    unbind(&t, 1u);
    assert_int_equal(bind(&t, 1u, &ms[12]), TG_ERR_FULL); /* its shape has another flow */
    unbind(&t, 13u);
    assert_int_equal(bind(&t, 1u, &ms[12]), 0);
    assert_int_equal(find(&t, &(struct frame_spec){.type = TYPE_PTP}), 1u);
    check(&t);
    table_free(&t);
}

/* A bucket that is full refuses, and its probe sequence never grows beyond the named bound. */
static void a_full_bucket(void **state)
{
    struct table t;
    uint32_t bound = 0u;
    uint32_t refused = 0u;

    (void)state;
    table_init(&t, 100u, 2u, 5u);
    for (uint32_t port = 0u; port < 200u; port++) {
        const struct tg_match m = udp_to(port);
        const int err = bind(&t, bound + 1u, &m);

        if (err == 0) {
            bound++;
            assert_int_equal(find_udp(&t, port), bound);
        } else {
            assert_int_equal(err, TG_ERR_FULL);
            assert_int_equal(find_udp(&t, port), 0u); /* the packets stay where they went */
            refused++;
        }
        check(&t);
    }
    assert_int_equal(bound, 2u * TG_FLOW_PROBES_MAX);
    assert_int_equal(refused, 200u - bound);
    unbind(&t, bound);
    check(&t);
    table_free(&t);
}

static struct tg_match udp_from(uint32_t host)
{
    struct tg_match m = udp_to(5u);

    m.fields |= TG_FIELD_SRC_HOST;
    m.family = 4u;
    memcpy(m.src_host, &host, sizeof host);
    return m;
}

static struct tg_match udp_to_host(uint32_t host)
{
    struct tg_match m = udp_to(5u);

    m.fields |= TG_FIELD_DST_HOST;
    m.family = 4u;
    memcpy(m.dst_host, &host, sizeof host);
    return m;
}

typedef struct tg_match numbered(uint32_t number);

static numbered *const KINDS[] = {udp_to, udp_from, udp_to_host};

/* Numbers of matches that all share one bucket under this seed: n of them. */
static void colliding_matches(numbered *match, uint64_t seed, uint32_t *numbers, uint32_t n)
{
    struct table t;
    uint32_t found = 0u;

    /* Fill one bucket of many, then look for what else would have to go there. */
    table_init(&t, 2u * TG_FLOW_PROBES_MAX, 64u, seed);
    for (uint32_t number = 0u; found < n; number++) {
        const struct tg_match m = match(number);
        struct tg_pattern pattern;

        assert_true(number < 65536u);
        assert_int_equal(tg_match_compile(&m, &pattern), 0);
        if (found == 0u) {
            tg_flow_table_insert(&t.core, 1u, &pattern);
            numbers[found++] = number;
            continue;
        }
        /* In the same bucket: then its chain begins with the flow inserted last. */
        tg_flow_table_insert(&t.core, 2u, &pattern);
        if (t.flows[2].next >> 16 == 1u) {
            numbers[found++] = number;
        }
        unbind(&t, 2u);
    }
    table_free(&t);
}

/* An attacker who knows ports or hosts that collide under one seed has nothing against another. */
static void the_hash_is_keyed(void **state)
{
    uint32_t numbers[64];

    (void)state;
    for (uint32_t i = 0u; i < 3u * 20u; i++) {
        const uint64_t seed = 1u + i % 20u;
        struct table t;
        uint32_t bound = 0u;

        if (seed == 1u) {
            colliding_matches(KINDS[i / 20u], seed, numbers, 64u);
        }
        table_init(&t, 65u, 64u, seed);
        for (uint32_t k = 0u; k < 64u; k++) {
            const struct tg_match m = KINDS[i / 20u](numbers[k]);

            bound += bind(&t, bound + 1u, &m) == 0 ? 1u : 0u;
        }
        if (seed == 1u) {
            assert_int_equal(bound, TG_FLOW_PROBES_MAX);
        } else {
            assert_true(bound > 4u * TG_FLOW_PROBES_MAX);
        }
        table_free(&t);
    }
}

/* Flows that differ in one field only, port or host, do not crowd one bucket. */
static void every_field_is_hashed(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        struct table t;

        table_init(&t, 65u, 256u, 1u);
        for (uint32_t number = 1u; number <= 64u; number++) {
            const struct tg_match m = KINDS[i](number);

            assert_int_equal(bind(&t, number, &m), 0);
        }
        table_free(&t);
    }
}

/* Two matches of different shapes may look alike under a mask: `udp dst port 5` and `ip and udp
 * dst port 5` do. Each still takes only its own frames, also where their hashes agree. */
static void shapes_that_look_alike(void **state)
{
    const struct tg_match any = udp_to(5u);
    struct tg_match ip4 = any;
    const struct frame_spec spec = {.family = 6u, .dst_port = 5u};
    static const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    const struct frame f = frame_build(&spec);
    struct tg_flow flows[3];
    uint32_t buckets[2];
    struct tg_flow_table t;
    struct tg_pattern patterns[2];
    struct tg_frame_key key;
    struct rng r;

    (void)state;
    ip4.fields |= TG_FIELD_FAMILY;
    ip4.family = 4u;
    assert_int_equal(tg_match_compile(&any, &patterns[0]), 0);
    assert_int_equal(tg_match_compile(&ip4, &patterns[1]), 0);
    assert_int_equal(tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key), TG_FRAME_MATCH);
    rng_init(&r, "shapes_that_look_alike");
    for (uint32_t i = 0u; i < 1000000u; i++) { /* 16 bits of a hash agree every 65536th time */
        assert_int_equal(tg_flow_table_init(&t, flows, 3u, buckets, 2u, rng_next(&r)), 0);
        tg_flow_table_insert(&t, 1u, &patterns[0]);
        tg_flow_table_insert(&t, 2u, &patterns[1]);
        assert_int_equal(tg_flow_table_find(&t, &key, f.bytes), 1u);
    }
}

/* An address that shares a bucket and 16 bits of its hash with that of a flow is still not its
 * address. */
static void hashes_that_agree_by_chance(void **state)
{
    static const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    static const uint16_t fields[] = {TG_FIELD_SRC_HOST, TG_FIELD_DST_HOST};
    struct rng r;

    (void)state;
    rng_init(&r, "hashes_that_agree_by_chance");
    for (uint32_t side = 0u; side < 2u; side++) {
        struct frame f = frame_build(&(struct frame_spec){.family = 6u, .dst_port = 5u});
        struct tg_match m = udp_to(5u);
        struct tg_frame_key key;
        struct table t;

        assert_int_equal(tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key),
                         TG_FRAME_MATCH);
        uint8_t *const host = f.bytes + key.src_offset + 16u * side;

        m.fields |= fields[side];
        m.family = 6u;
        memcpy(m.src_host, host, 8u);
        memcpy(m.dst_host, host, 8u);
        table_init(&t, 2u, 2u, rng_next(&r));
        assert_int_equal(bind(&t, 1u, &m), 0);
        for (uint32_t i = 0u; i < 3000000u; i++) { /* about one in 2^17 agrees */
            const uint64_t half = rng_next(&r);

            memcpy(host + 8, &half, sizeof half);
            assert_int_equal(tg_flow_table_find(&t.core, &key, f.bytes), half == 0u ? 1u : 0u);
        }
        table_free(&t);
    }
}

/* Removing gives the slot back, and leaves the others of its bucket where they are. */
static void removal_in_any_order(void **state)
{
    struct table t;
    struct rng r;
    bool is_bound[17] = {false};

    (void)state;
    rng_init(&r, "removal_in_any_order");
    table_init(&t, 17u, 4u, rng_next(&r));
    for (uint32_t i = 0u; i < 5000u; i++) {
        const uint32_t id = rng_between(&r, 1u, 16u);
        const struct tg_match m = udp_to(id);

        if (is_bound[id]) {
            unbind(&t, id);
            is_bound[id] = false;
        } else {
            is_bound[id] = bind(&t, id, &m) == 0;
        }
        check(&t);
        for (uint32_t port = 1u; port <= 16u; port++) {
            assert_int_equal(find_udp(&t, port), is_bound[port] ? port : 0u);
        }
    }
    table_free(&t);
}

/* A whole family is unreachable once every protocol of it is bound, and not one flow earlier;
 * and the last protocol cannot be bound once the family is. */
static void a_family_is_its_protocols(void **state)
{
    static const uint8_t families[] = {4, 6};

    (void)state;
    for (size_t i = 0u; i < 2u; i++) {
        struct tg_match family = {.fields = TG_FIELD_TYPE,
                                  .type = families[i] == 4u ? TYPE_IP4 : TYPE_IP6};
        struct tg_match protocol = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY,
                                    .family = families[i]};
        /* What is an extension header in IPv6 is a protocol like any other in IPv4. */
        const uint8_t last = families[i] == 4u ? 50u : 255u;
        struct table t;
        uint32_t id = 0u;

        table_init(&t, 300u, 1024u, 7u);
        for (uint32_t p = 0u; p < 256u; p++) {
            protocol.protocol = (uint8_t)p;
            const int err = p == last ? TG_ERR_UNREACHABLE : bind(&t, id + 1u, &protocol);

            id += err == 0 ? 1u : 0u;
            assert_true(err == 0 ||
                        (err == TG_ERR_UNREACHABLE && (families[i] == 6u || p == last)));
        }
        assert_int_equal(id, families[i] == 4u ? 255u : 255u - 9u);
        assert_int_equal(bind(&t, id + 1u, &family), 0);
        protocol.protocol = last;
        assert_int_equal(bind(&t, id + 2u, &protocol), TG_ERR_SHADOWS);

        unbind(&t, id + 1u);
        assert_int_equal(bind(&t, id + 1u, &protocol), 0);
        assert_int_equal(bind(&t, id + 2u, &family), TG_ERR_UNREACHABLE);
        check(&t);
        table_free(&t);
    }
}

/* What would take the last frame from a flow of one host does nothing to that of another. */
static void shadows_of_one_host(void **state)
{
    (void)state;
    for (uint32_t i = 1u; i < 3u; i++) {
        struct tg_match m = KINDS[i](1u);
        struct tg_match other = KINDS[i](2u);
        struct table t;

        table_init(&t, 5u, 16u, 1u);
        m.fields |= TG_FIELD_MULTICAST;
        assert_int_equal(bind(&t, 1u, &m), 0);
        m.fields ^= TG_FIELD_MULTICAST | TG_FIELD_BROADCAST;
        other.fields |= TG_FIELD_BROADCAST;
        m.broadcast = true;
        assert_int_equal(bind(&t, 2u, &m), 0);
        m.broadcast = false;
        assert_int_equal(bind(&t, 3u, &other), 0);
        assert_int_equal(bind(&t, 4u, &m), TG_ERR_SHADOWS);
        check(&t);
        table_free(&t);
    }
}

/* Rule 10: tunnels match by their number only, and tags by the outermost one. */
static void what_a_match_looks_at(void **state)
{
    const struct tg_match ipip = {
        .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .protocol = 4u, .family = 4u};
    struct tg_match vlan = udp_to(5u);
    struct frame_spec f = {.protocol = 4u, .payload_bytes = 40u};
    struct table t;

    (void)state;
    vlan.fields |= TG_FIELD_VLAN;
    vlan.vlan = 100u;
    table_init(&t, 4u, 8u, 1u);
    assert_int_equal(bind(&t, 1u, &ipip), 0);
    assert_int_equal(bind(&t, 2u, &vlan), 0);
    assert_int_equal(find(&t, &f), 1u);

    f = (struct frame_spec){.dst_port = 5u, .n_tags = 2u};
    f.tags[0].tci = 0xe064u;
    f.tags[1].tci = 7u;
    assert_int_equal(find(&t, &f), 2u);
    f.is_stripped = true; /* one more in front; then a third tag would be best effort */
    f.n_tags = 1u;
    f.stripped_tci = 7u;
    assert_int_equal(find(&t, &f), 0u);
    f.stripped_tci = 100u;
    f.tags[0].tci = 7u;
    assert_int_equal(find(&t, &f), 2u);
    table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_out_of_range),
        cmocka_unit_test(values_at_the_ends_of_their_range),
        cmocka_unit_test(values_of_other_fields_do_not_count),
        cmocka_unit_test(matches_that_no_frame_can_have),
        cmocka_unit_test(bad_tables),
        cmocka_unit_test(the_largest_table),
        cmocka_unit_test(the_thirteenth_shape),
        cmocka_unit_test(a_full_bucket),
        cmocka_unit_test(the_hash_is_keyed),
        cmocka_unit_test(every_field_is_hashed),
        cmocka_unit_test(shadows_of_one_host),
        cmocka_unit_test(shapes_that_look_alike),
        cmocka_unit_test(hashes_that_agree_by_chance),
        cmocka_unit_test(removal_in_any_order),
        cmocka_unit_test(a_family_is_its_protocols),
        cmocka_unit_test(what_a_match_looks_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
