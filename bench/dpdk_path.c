/* SPDX-License-Identifier: MIT
 *
 * dpdk_path.c - the same work with DPDK's libraries, as its own examples use them.
 *
 * l3fwd's exact-match way (check of type, header length and protocol; a 16-byte key, which the hash
 * compares with one SSE instruction; the CRC computed in line), qos_meter's srTCM (one division;
 * trTCM needs two), a single-producer single-consumer ring, a pool with a cache per core. Frame by
 * frame, since a frame is decided in the interrupt that brings it. What DPDK needs beyond that is
 * left out: refilling the NIC's ring from the pool (poll-mode drivers do it in bulk), statistics,
 * priorities.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ether.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_meter.h>
#include <rte_ring.h>
#include <rte_udp.h>

#include "path.h"

struct key {
    uint64_t word; /* protocol << 32 | source port << 16 | destination port, under a mask */
    uint64_t zero; /* 16 bytes compare faster than 8 (no call of memcmp) */
};

struct dpdk {
    struct rte_hash *tables[BENCH_SHAPES_MAX];
    uint64_t masks[BENCH_SHAPES_MAX];
    uint32_t n_tables;
    struct rte_meter_srtcm_profile profile;
    struct rte_meter_srtcm *meters; /* by position in the last table */
    struct rte_ring *ring;
    uint64_t now_cycles;
    uint64_t burst_cycles;
    struct rte_mbuf *mbufs[BENCH_BURST];
    uint32_t n_empty; /* mbufs[0..n_empty) have gone and need others */
};

static struct rte_mempool *pool;

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "dpdk: %s failed\n", what);
        exit(1);
    }
}

void bench_dpdk_init(const char *program)
{
    char name[64];
    char *arguments[] = {name,  "--no-huge", "--no-shconf", "--no-pci",    "--no-telemetry", "-m",
                         "256", "--lcores",  "0",           "--log-level", "error"};

    snprintf(name, sizeof name, "%s", program);
    check(rte_eal_init(sizeof arguments / sizeof arguments[0], arguments) >= 0, "rte_eal_init");
    pool = rte_pktmbuf_pool_create("bench", 8191u, 256u, 0u, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    check(pool != NULL, "rte_pktmbuf_pool_create");
}

static inline hash_sig_t signature(const struct key *key)
{
    return rte_hash_crc_8byte(key->word, 0u);
}

static uint64_t word_of(uint64_t protocol, uint64_t src_port, uint64_t dst_port)
{
    return protocol << 32 | src_port << 16 | dst_port;
}

static int32_t add(struct rte_hash *table, uint64_t word)
{
    const struct key key = {.word = word};

    return rte_hash_add_key_with_hash(table, &key, signature(&key));
}

static void fill_tables(struct dpdk *d, const struct bench_setup *setup)
{
    static uint32_t number;
    /* Any eight masks do: each costs one look-up. */
    static const uint64_t masks[BENCH_SHAPES_MAX] = {0xffffffffffu, 0xffffffff0fu, 0xfffffffff0u,
                                                     0xffffff0fffu, 0xfffffff0ffu, 0xfffff0ffffu,
                                                     0xffff0fffffu, 0xff0000ffffu};

    d->n_tables = setup->n_shapes;
    for (uint32_t i = 0u; i < d->n_tables; i++) {
        char name[RTE_HASH_NAMESIZE];
        const bool is_last = i + 1u == d->n_tables;
        const struct rte_hash_parameters parameters = {
            .name = name,
            .entries = is_last ? 2u * setup->n_flows : 16u, /* half full, as our side */
            .key_len = sizeof(struct key),
            .hash_func = rte_hash_crc,
            .socket_id = 0};

        snprintf(name, sizeof name, "bench%u", number++);
        d->tables[i] = rte_hash_create(&parameters);
        check(d->tables[i] != NULL, "rte_hash_create");
        d->masks[i] = masks[BENCH_SHAPES_MAX - d->n_tables + i];
        if (!is_last) {
            check(add(d->tables[i], word_of(17u, 7u, 1u + i) & d->masks[i]) >= 0, "adding a key");
        }
    }
}

static void *start(const struct bench_setup *setup)
{
    static uint32_t number;
    struct dpdk *const d = aligned_alloc(64u, (sizeof *d + 63u) & ~(size_t)63u);
    char name[RTE_RING_NAMESIZE];
    /* Green for ever, or red for ever. */
    struct rte_meter_srtcm_params meter = {.cir = setup->is_spent ? 1u : 1000000000u,
                                           .cbs = setup->is_spent ? 1u : 10000000u};

    check(d != NULL, "aligned_alloc");
    memset(d, 0, sizeof *d);
    fill_tables(d, setup);
    check(rte_meter_srtcm_profile_config(&d->profile, &meter) == 0, "srTCM profile");

    struct rte_hash *const table = d->tables[d->n_tables - 1u];

    /* Positions can exceed the number of entries: each core may keep some free ones for itself. */
    d->meters = aligned_alloc(64u, (4u * setup->n_flows + 64u) * sizeof *d->meters);
    check(d->meters != NULL, "aligned_alloc");
    for (uint32_t i = 0u; i < setup->n_flows; i++) {
        const int32_t position = add(table, word_of(17u, 0u, rte_cpu_to_be_16(setup->ports[i])));

        check(position >= 0 && (uint32_t)position < 4u * setup->n_flows + 64u, "adding a key");
        check(rte_meter_srtcm_config(&d->meters[position], &d->profile) == 0, "srTCM");
    }
    snprintf(name, sizeof name, "bench%u", number++);
    d->ring = rte_ring_create(name, 1024u, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
    check(d->ring != NULL, "rte_ring_create");
    d->now_cycles = rte_get_tsc_cycles();
    d->burst_cycles = rte_get_tsc_hz() * BENCH_BURST * BENCH_SPACING_NS / 1000000000u;
    d->n_empty = BENCH_BURST;
    return d;
}

static void fill(void *state, const uint16_t dst_ports[BENCH_BURST])
{
    struct dpdk *const d = state;

    check(rte_pktmbuf_alloc_bulk(pool, d->mbufs, d->n_empty) == 0, "rte_pktmbuf_alloc_bulk");
    d->n_empty = 0u;
    d->now_cycles += d->burst_cycles;
    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        struct rte_mbuf *const m = d->mbufs[i];

        m->data_len = BENCH_FRAME_BYTES;
        m->pkt_len = BENCH_FRAME_BYTES;
        bench_write_frame(rte_pktmbuf_mtod(m, uint8_t *), dst_ports[i]);
    }
}

/* The position of the flow's key, or a negative number. */
static inline int32_t find(const struct dpdk *d, uint64_t word)
{
    for (uint32_t i = 0u; i < d->n_tables; i++) {
        const struct key key = {.word = word & d->masks[i]};
        const int32_t position = rte_hash_lookup_with_hash(d->tables[i], &key, signature(&key));

        if (position >= 0) {
            return position;
        }
    }
    return -1;
}

/* What l3fwd looks at. */
static inline bool parse(struct rte_mbuf *m, uint64_t *word)
{
    const struct rte_ether_hdr *const ethernet = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
    const struct rte_ipv4_hdr *const ip = (const struct rte_ipv4_hdr *)(ethernet + 1);
    const struct rte_udp_hdr *const udp = (const struct rte_udp_hdr *)(ip + 1);

    if (ethernet->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4) ||
        ip->version_ihl != RTE_IPV4_VHL_DEF || ip->next_proto_id != IPPROTO_UDP) {
        return false;
    }
    *word = word_of(ip->next_proto_id, udp->src_port, udp->dst_port);
    return true;
}

static inline bool is_within_budget(struct dpdk *d, int32_t position, const struct rte_mbuf *m)
{
    return rte_meter_srtcm_color_blind_check(&d->meters[position], &d->profile, d->now_cycles,
                                             rte_pktmbuf_pkt_len(m) - RTE_ETHER_HDR_LEN) !=
           RTE_COLOR_RED;
}

static inline bool accept_one(struct dpdk *d, struct rte_mbuf *m)
{
    uint64_t word;

    if (!parse(m, &word)) {
        return false;
    }
    const int32_t position = find(d, word);

    return position >= 0 && is_within_budget(d, position, m) &&
           rte_ring_sp_enqueue(d->ring, m) == 0;
}

static uint32_t loop_alone(void *state)
{
    struct dpdk *const d = state;
    uint32_t accepted = 0u;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        accepted += d->mbufs[i] != NULL;
        rte_compiler_barrier(); /* one round after the other, as with the work inside */
    }
    return accepted;
}

static uint32_t accept_burst(void *state)
{
    struct dpdk *const d = state;
    uint32_t accepted = 0u;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        if (accept_one(d, d->mbufs[i])) {
            accepted++;
        } else {
            rte_pktmbuf_free(d->mbufs[i]);
        }
    }
    d->n_empty = BENCH_BURST;
    return accepted;
}

static uint32_t drain(void *state)
{
    struct dpdk *const d = state;
    void *m;
    uint32_t drained = 0u;

    while (rte_ring_sc_dequeue(d->ring, &m) == 0) {
        rte_pktmbuf_free(m);
        drained++;
    }
    return drained;
}

/* The same a burst at a time; one table. */
static uint32_t accept_bulk(void *state)
{
    struct dpdk *const d = state;
    struct key keys[BENCH_BURST];
    const void *pointers[BENCH_BURST];
    hash_sig_t signatures[BENCH_BURST];
    int32_t positions[BENCH_BURST];
    struct rte_mbuf *parsed[BENCH_BURST];
    struct rte_mbuf *accepted[BENCH_BURST];
    struct rte_mbuf *refused[BENCH_BURST];
    uint32_t n_parsed = 0u;
    uint32_t n_accepted = 0u;
    uint32_t n_refused = 0u;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        struct key *const key = &keys[n_parsed];

        if (!parse(d->mbufs[i], &key->word)) {
            refused[n_refused++] = d->mbufs[i];
            continue;
        }
        key->word &= d->masks[0];
        key->zero = 0u;
        pointers[n_parsed] = key;
        signatures[n_parsed] = signature(key);
        parsed[n_parsed++] = d->mbufs[i];
    }
    rte_hash_lookup_with_hash_bulk(d->tables[0], pointers, signatures, n_parsed, positions);
    for (uint32_t i = 0u; i < n_parsed; i++) {
        if (positions[i] >= 0 && is_within_budget(d, positions[i], parsed[i])) {
            accepted[n_accepted++] = parsed[i];
        } else {
            refused[n_refused++] = parsed[i];
        }
    }
    n_accepted = rte_ring_sp_enqueue_bulk(d->ring, (void **)accepted, n_accepted, NULL);
    rte_pktmbuf_free_bulk(refused, n_refused);
    d->n_empty = BENCH_BURST;
    return n_accepted;
}

static uint32_t drain_bulk(void *state)
{
    struct dpdk *const d = state;
    struct rte_mbuf *mbufs[BENCH_BURST];
    const uint32_t n = rte_ring_sc_dequeue_burst(d->ring, (void **)mbufs, BENCH_BURST, NULL);

    rte_pktmbuf_free_bulk(mbufs, n);
    return n;
}

const struct bench_path bench_dpdk = {.name = "DPDK",
                                      .start = start,
                                      .fill = fill,
                                      .loop = loop_alone,
                                      .accept = accept_burst,
                                      .drain = drain};

const struct bench_path bench_dpdk_bulk = {.name = "DPDK-bulk",
                                           .start = start,
                                           .fill = fill,
                                           .loop = loop_alone,
                                           .accept = accept_bulk,
                                           .drain = drain_bulk};
