/* SPDX-License-Identifier: MIT
 *
 * flow.c - the table of flows: one keyed hash probe sequence per shape in use.
 */
#include "table.h"
#include "bytes.h"

/* Finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): spreads the seed over the multipliers. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t multiplier(uint64_t seed, uint32_t number)
{
    return mix(seed + number * UINT64_C(0x9e3779b97f4a7c15)) | 1u;
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

    *t = (struct tg_flow_table){.seed = seed,
                                .flows = flows,
                                .buckets = buckets,
                                .n_flows = (uint16_t)n_flows,
                                .shift = 32u};
    for (uint32_t n = n_buckets; n > 1u; n >>= 1) {
        t->shift--;
    }
    for (uint32_t i = 0u; i < 8u; i++) {
        t->host_multipliers[i] =
            multiplier(seed, (TG_FIELD_DST_PORT << 1) + i); /* beyond all shapes */
    }
    for (uint32_t i = 0u; i < n_flows; i++) {
        flows[i] = (struct tg_flow){.state = TG_FLOW_FREE};
    }
    for (uint32_t i = 0u; i < n_buckets; i++) {
        buckets[i] = 0u;
    }
    return 0;
}

static uint64_t host_hash(const uint64_t multipliers[4], const uint32_t host[4])
{
    return multipliers[0] * host[0] + multipliers[1] * host[1] + multipliers[2] * host[2] +
           multipliers[3] * host[3];
}

static bool is_same(const uint32_t a[4], const uint32_t b[4])
{
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0u;
}

/* The addresses of a frame or pattern, and what they add to a hash. */
struct hosts {
    uint32_t src[4];
    uint32_t dst[4];
    uint64_t src_hash;
    uint64_t dst_hash;
};

static void hash_hosts(const struct tg_flow_table *t, struct hosts *h)
{
    h->src_hash = host_hash(t->host_multipliers, h->src);
    h->dst_hash = host_hash(t->host_multipliers + 4, h->dst);
}

static bool has_hosts(const struct tg_flow *flow, const struct hosts *h)
{
    return ((flow->fields & TG_FIELD_SRC_HOST) == 0u || is_same(flow->src_host, h->src)) &&
           ((flow->fields & TG_FIELD_DST_HOST) == 0u || is_same(flow->dst_host, h->dst));
}

static uint64_t add_hosts(uint64_t hash, uint32_t fields, const struct hosts *h)
{
    if ((fields & TG_FIELD_SRC_HOST) != 0u) {
        hash += h->src_hash;
    }
    if ((fields & TG_FIELD_DST_HOST) != 0u) {
        hash += h->dst_hash;
    }
    return hash;
}

/* An entry also holds hash bits, so that most flows that share a bucket by accident are passed over
 * without a look at them. high: upper half of the hash, whose own upper bits chose the bucket. */
static inline uint32_t entry_of(uint32_t id, uint32_t high)
{
    return high << 16 | id;
}

static inline uint32_t find(const struct tg_flow_table *t, uint64_t hash, uint64_t word,
                            uint32_t fields, const struct hosts *h)
{
    const uint32_t high = (uint32_t)(hash >> 32);
    uint32_t entry = t->buckets[high >> t->shift];

    while (entry != 0u) {
        const uint32_t id = entry & 0xffffu;
        const struct tg_flow *const flow = &t->flows[id];

        if (entry == entry_of(id, high) && flow->word == word && flow->fields == fields &&
            (TG_LIKELY((fields & TG_HOSTS) == 0u) || has_hosts(flow, h))) {
            return id;
        }
        entry = flow->next;
    }
    return 0u;
}

static void load_hosts(const struct tg_flow_table *t, const struct tg_frame_key *key,
                       const uint8_t *bytes, struct hosts *h)
{
    const uint8_t *const src = bytes + key->src_offset;
    const uint32_t words = key->address_bytes / 4u;

    *h = (struct hosts){.src_hash = 0u};
    for (uint32_t i = 0u; i < words; i++) {
        h->src[i] = tg_load32(src + 4u * i);
        h->dst[i] = tg_load32(src + 4u * (words + i));
    }
    hash_hosts(t, h);
}

uint32_t tg_flow_table_find(const struct tg_flow_table *t, const struct tg_frame_key *key,
                            const uint8_t *bytes)
{
    struct hosts hosts;
    bool has_loaded = false;
    const struct tg_shape *const end = t->shapes + t->n_shapes;

    for (const struct tg_shape *shape = t->shapes; shape != end; shape++) {
        const uint64_t word = key->word & shape->mask;
        uint64_t hash = word * shape->multiplier;

        if (TG_UNLIKELY((shape->fields & TG_HOSTS) != 0u)) {
            if (!has_loaded) {
                load_hosts(t, key, bytes, &hosts); /* once for all shapes that look at addresses */
                has_loaded = true;
            }
            hash = add_hosts(hash, shape->fields, &hosts);
        }

        const uint32_t id = find(t, hash, word, shape->fields, &hosts);

        if (id != 0u) {
            return id;
        }
    }
    return 0u;
}

static void hosts_of(const struct tg_flow_table *t, const struct tg_pattern *p, struct hosts *h)
{
    for (uint32_t i = 0u; i < 4u; i++) {
        h->src[i] = p->src_host[i];
        h->dst[i] = p->dst_host[i];
    }
    hash_hosts(t, h);
}

uint32_t tg_table_find_exact(const struct tg_flow_table *t, const struct tg_shape *shape,
                             const struct tg_pattern *p)
{
    struct hosts hosts;

    hosts_of(t, p, &hosts);
    const uint64_t word = p->word & shape->mask;

    return find(t, add_hosts(word * shape->multiplier, shape->fields, &hosts), word, shape->fields,
                &hosts);
}

static uint32_t *bucket_of(const struct tg_flow_table *t, const struct tg_pattern *p,
                           uint32_t *high)
{
    struct hosts hosts;

    hosts_of(t, p, &hosts);
    *high =
        (uint32_t)(add_hosts(p->word * multiplier(t->seed, p->fields), p->fields, &hosts) >> 32);
    return &t->buckets[*high >> t->shift];
}

uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p)
{
    uint32_t high;
    uint32_t n = 0u;

    for (uint32_t entry = *bucket_of(t, p, &high); entry != 0u;
         entry = t->flows[entry & 0xffffu].next) {
        n++;
    }
    return n;
}

void tg_table_pattern_of(const struct tg_flow *flow, struct tg_pattern *p)
{
    p->word = flow->word;
    p->fields = flow->fields;
    for (uint32_t i = 0u; i < 4u; i++) {
        p->src_host[i] = flow->src_host[i];
        p->dst_host[i] = flow->dst_host[i];
    }
}

static void add_shape(struct tg_flow_table *t, uint32_t fields)
{
    uint32_t i = 0u;

    while (i < t->n_shapes && tg_shape_rank(t->shapes[i].fields) > tg_shape_rank(fields)) {
        i++;
    }
    if (i == t->n_shapes || t->shapes[i].fields != fields) {
        TG_ASSERT(t->n_shapes < TG_SHAPES_MAX);
        for (uint32_t j = t->n_shapes; j > i; j--) {
            t->shapes[j] = t->shapes[j - 1u];
        }
        t->shapes[i] = (struct tg_shape){.mask = tg_shape_mask(fields),
                                         .multiplier = multiplier(t->seed, fields),
                                         .fields = (uint16_t)fields};
        t->n_shapes++;
    }
    t->shapes[i].flows++;
}

static void drop_shape(struct tg_flow_table *t, uint32_t fields)
{
    uint32_t i = 0u;

    while (t->shapes[i].fields != fields) {
        i++;
    }
    t->shapes[i].flows--;
    if (t->shapes[i].flows == 0u) {
        t->n_shapes--;
        for (; i < t->n_shapes; i++) {
            t->shapes[i] = t->shapes[i + 1u];
        }
    }
}

void tg_flow_table_insert(struct tg_flow_table *t, uint32_t id, const struct tg_pattern *pattern)
{
    struct tg_flow *const flow = &t->flows[id];
    uint32_t high;
    uint32_t *const bucket = bucket_of(t, pattern, &high);

    flow->word = pattern->word;
    flow->fields = pattern->fields;
    for (uint32_t i = 0u; i < 4u; i++) {
        flow->src_host[i] = pattern->src_host[i];
        flow->dst_host[i] = pattern->dst_host[i];
    }
    flow->state = TG_FLOW_BOUND;
    flow->next = *bucket;
    *bucket = entry_of(id, high);
    add_shape(t, pattern->fields);
}

void tg_flow_table_remove(struct tg_flow_table *t, uint32_t id)
{
    struct tg_flow *const flow = &t->flows[id];
    struct tg_pattern pattern;
    uint32_t high;

    tg_table_pattern_of(flow, &pattern);
    uint32_t *link = bucket_of(t, &pattern, &high);

    while ((*link & 0xffffu) != id) {
        TG_ASSERT(*link != 0u); /* I2 */
        link = &t->flows[*link & 0xffffu].next;
    }
    *link = flow->next;
    flow->next = 0u;
    drop_shape(t, pattern.fields);
}
