/* SPDX-License-Identifier: MIT
 *
 * flow.c - the table of flows: one keyed hash probe sequence per shape in use.
 */
#include "bytes.h"
#include "table.h"

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): spreads the seed over the
 * multipliers. */
static TG_NOINLINE uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Odd, and as random as the seed, for each shape another one. */
static uint64_t multiplier(const struct tg_flow_table *t, uint32_t fields)
{
    return t->seed * (2u * (uint64_t)fields + 1u);
}

int tg_flow_table_init(struct tg_flow_table *t, struct tg_flow *flows, uint32_t n_flows,
                       uint32_t *buckets, uint32_t n_buckets, uint64_t seed)
{
    if (n_flows < 1u || n_flows > TG_FLOWS_MAX + 1u) {
        return TG_ERR_RANGE;
    }
    if (n_buckets < 2u || n_buckets > 65536u || (n_buckets & (n_buckets - 1u)) != 0u) {
        return TG_ERR_RANGE;
    }

    *t = (struct tg_flow_table){
        .flows = flows, .buckets = buckets, .n_flows = (uint16_t)n_flows, .shift = 32u};
    t->shapes[0].ports = UINT32_MAX;
    for (uint32_t n = n_buckets; n > 1u; n >>= 1) {
        t->shift--;
    }
    for (uint32_t i = 0u; i < 8u; i++) {
        seed = mix(seed);
        t->host_multipliers[i] = seed;
    }
    t->seed = mix(seed) | 1u;
    __builtin_memset(flows, 0, n_flows * sizeof *flows); /* free */
    __builtin_memset(buckets, 0, n_buckets * sizeof *buckets);
    return 0;
}

/* The addresses' part of a hash: only those that the shape fixes count. */
static TG_NOINLINE uint64_t hash_hosts(const struct tg_flow_table *t, uint32_t fields,
                                       const struct tg_hosts *h)
{
    uint64_t sum = 0u;

    for (uint32_t i = 0u; i < 4u; i++) {
        if ((fields & TG_FIELD_SRC_HOST) != 0u) {
            sum += t->host_multipliers[i] * h->src[i];
        }
        if ((fields & TG_FIELD_DST_HOST) != 0u) {
            sum += t->host_multipliers[4u + i] * h->dst[i];
        }
    }
    return sum;
}

static TG_NOINLINE bool has_hosts(const struct tg_flow *flow, const struct tg_hosts *h)
{
    uint32_t difference = 0u;

    for (uint32_t i = 0u; i < 4u; i++) {
        if ((flow->fields & TG_FIELD_SRC_HOST) != 0u) {
            difference |= flow->hosts.src[i] ^ h->src[i];
        }
        if ((flow->fields & TG_FIELD_DST_HOST) != 0u) {
            difference |= flow->hosts.dst[i] ^ h->dst[i];
        }
    }
    return difference == 0u;
}

struct tg_flow *tg_table_probe(const struct tg_flow_table *t, const struct tg_shape *shape,
                               uint64_t word, const struct tg_hosts *hosts)
{
    const bool with_hosts = (shape->fields & TG_HOSTS) != 0u;
    uint64_t hash = word * shape->multiplier;

    if (TG_UNLIKELY(with_hosts)) {
        hash += hash_hosts(t, shape->fields, hosts);
        word |= TG_WORD_HOSTS;
    }

    const uint32_t high = (uint32_t)(hash >> 32);
    uint32_t entry = t->buckets[high >> t->shift];

    while (entry != 0u) {
        struct tg_flow *const flow = tg_table_at(t, entry);

        if (tg_table_is_candidate(entry, high) && flow->word == word &&
            flow->fields == shape->fields && (!with_hosts || has_hosts(flow, hosts))) {
            return flow;
        }
        entry = flow->next;
    }
    return NULL;
}

/* The same for a frame and a shape that fixes addresses. */
static TG_NOINLINE struct tg_flow *probe_hosts(const struct tg_flow_table *t,
                                               const struct tg_shape *shape, uint64_t key_word,
                                               const uint8_t *network)
{
    const uint32_t family = (uint32_t)(key_word >> TG_KEY_KIND_SHIFT) & 0xff00u;
    const uint32_t words = family == TG_KIND_IP4 ? 1u : family == TG_KIND_IP6 ? 4u : 0u;
    const uint8_t *const src = network + (family == TG_KIND_IP4 ? 12u : 8u);
    struct tg_hosts hosts = {.src = {0}};

    for (uint32_t i = 0u; i < words; i++) {
        hosts.src[i] = tg_load32(src + 4u * i);
        hosts.dst[i] = tg_load32(src + 4u * (words + i));
    }
    return tg_table_probe(t, shape, key_word & shape->mask, &hosts);
}

TG_NOINLINE struct tg_flow *tg_table_find(const struct tg_flow_table *t,
                                          const struct tg_shape *from, uint64_t key_word,
                                          const uint8_t *network)
{
    const struct tg_shape *const end = t->shapes + t->n_shapes;
    const uint32_t port_bit = tg_table_port_bit(key_word);

    for (const struct tg_shape *shape = from; shape != end; shape++) {
        struct tg_flow *flow;

        if ((shape->ports & port_bit) == 0u) {
            continue;
        }
        if (TG_UNLIKELY((shape->fields & TG_HOSTS) != 0u)) {
            flow = probe_hosts(t, shape, key_word, network);
        } else {
            flow = tg_table_probe(t, shape, key_word & shape->mask, NULL);
        }
        if (flow != NULL) {
            return flow;
        }
    }
    return t->flows; /* best effort */
}

uint32_t tg_flow_table_find(const struct tg_flow_table *t, const struct tg_frame_key *key,
                            const uint8_t *bytes)
{
    return tg_table_find(t, t->shapes, key->word, bytes + key->l3_offset)->id;
}

static uint32_t *bucket_of(const struct tg_flow_table *t, uint64_t word, uint32_t fields,
                           const struct tg_hosts *hosts, uint32_t *high)
{
    const uint64_t hash = word * multiplier(t, fields) + hash_hosts(t, fields, hosts);

    *high = (uint32_t)(hash >> 32);
    return &t->buckets[*high >> t->shift];
}

uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p)
{
    uint32_t high;
    uint32_t n = 0u;

    for (uint32_t entry = *bucket_of(t, p->word, p->fields, &p->hosts, &high); entry != 0u;
         entry = tg_table_at(t, entry)->next) {
        n++;
    }
    return n;
}

static void add_shape(struct tg_flow_table *t, uint32_t fields, uint32_t dst_port)
{
    uint32_t i = 0u;

    while (i < t->n_shapes && tg_shape_rank(t->shapes[i].fields) > tg_shape_rank(fields)) {
        i++;
    }
    if (i == t->n_shapes || t->shapes[i].fields != fields) {
        TG_ASSERT(t->n_shapes < TG_SHAPES_MAX);
        for (uint32_t j = t->n_shapes + 1u; j > i; j--) {
            t->shapes[j] = t->shapes[j - 1u];
        }
        t->shapes[i] = (struct tg_shape){.mask = tg_shape_mask(fields),
                                         .multiplier = multiplier(t, fields),
                                         .fields = (uint16_t)fields};
        t->n_shapes++;
    }
    t->shapes[i].flows++;
    t->shapes[i].ports |= (fields & TG_FIELD_DST_PORT) != 0u ? 1u << (dst_port & 31u) : UINT32_MAX;
}

static void drop_shape(struct tg_flow_table *t, uint32_t fields)
{
    uint32_t i = 0u;

    while (t->shapes[i].fields != fields) {
        i++;
    }
    t->shapes[i].flows--;
    if (t->shapes[i].flows != 0u) {
        return;
    }
    t->n_shapes--;
    for (; i <= t->n_shapes; i++) {
        t->shapes[i] = t->shapes[i + 1u];
    }
}

void tg_flow_table_insert(struct tg_flow_table *t, uint32_t id, const struct tg_pattern *pattern)
{
    struct tg_flow *const flow = &t->flows[id];
    uint32_t high;
    uint32_t *const bucket = bucket_of(t, pattern->word, pattern->fields, &pattern->hosts, &high);

    flow->id = (uint16_t)id;
    flow->word = pattern->word | ((pattern->fields & TG_HOSTS) != 0u ? TG_WORD_HOSTS : 0u);
    flow->fields = pattern->fields;
    flow->hosts = pattern->hosts;
    flow->state = TG_FLOW_BOUND;
    flow->next = *bucket;
    *bucket = id << 16 | (high & 0xffffu);
    add_shape(t, pattern->fields, (uint32_t)pattern->word);
}

void tg_flow_table_remove(struct tg_flow_table *t, uint32_t id)
{
    struct tg_flow *const flow = &t->flows[id];
    uint32_t high;
    uint32_t *link = bucket_of(t, flow->word & ~TG_WORD_HOSTS, flow->fields, &flow->hosts, &high);

    while (*link >> 16 != id) {
        TG_ASSERT(*link != 0u); /* I2 */
        link = &tg_table_at(t, *link)->next;
    }
    *link = flow->next;
    flow->next = 0u;
    drop_shape(t, flow->fields);
    flow->fields = 0u;
}
