/* SPDX-License-Identifier: MIT
 *
 * flow.h - which flow takes a frame: matches, their shapes, and a keyed hash table of both.
 *
 * A match fixes some fields of the key. Which ones it fixes is its shape. All shapes stand in one
 * total order, most specific first; the flow whose shape comes first takes the frame. A look-up
 * probes once per shape IN USE, so its cost does not depend on the number of flows.
 *
 * Hash: multiply-shift with a random odd multiplier per shape (Dietzfelbinger, Hagerup, Katajainen,
 * Penttonen, "A Reliable Randomized Algorithm for the Closest-Pair Problem", J. Algorithms 25,
 * 1997), addresses added as a multilinear sum (Lemire, Kaser, "Strongly Universal String Hashing is
 * Fast", Computer Journal 57(11), 2014). Who does not know the seed cannot choose colliding ports.
 */
#ifndef TIDEGATE_FLOW_H
#define TIDEGATE_FLOW_H

#include "tidegate/common.h"
#include "tidegate/frame.h"
#include "tidegate/server.h"

#define TG_FLOWS_MAX  4096u /* besides best effort */
#define TG_SHAPES_MAX 12u   /* in use at one time */

/* Flows in one bucket; a look-up visits at most this many per shape. */
#define TG_FLOW_PROBES_MAX 8u

/* The fields a match can fix. A shape is a set of them; more address and port fields come before
 * fewer, then the larger value of the set comes first, so the order of the bits is the order of
 * precedence. */
#define TG_FIELD_DST_PORT  (1u << 10)
#define TG_FIELD_SRC_PORT  (1u << 9)
#define TG_FIELD_SRC_HOST  (1u << 8)
#define TG_FIELD_DST_HOST  (1u << 7)
#define TG_FIELD_SYN       (1u << 6) /* TCP connection requests only */
#define TG_FIELD_PROTOCOL  (1u << 5)
#define TG_FIELD_TYPE      (1u << 4)
#define TG_FIELD_BROADCAST (1u << 3)
#define TG_FIELD_MULTICAST (1u << 2)
#define TG_FIELD_VLAN      (1u << 1)
#define TG_FIELD_FAMILY    (1u << 0)

/* One match. What may be fixed together:
 *
 *   PROTOCOL with ports (one or both; protocol TCP or UDP; hosts, SYN and FAMILY optional)
 *   PROTOCOL with FAMILY
 *   TYPE
 *   each of these also with BROADCAST (true or false) or MULTICAST, and with VLAN
 *   BROADCAST (true) or MULTICAST alone, or with VLAN
 *
 * A host fixes the family too, and the type fields of IPv4 and IPv6 are a family: the core adds the
 * bits. */
struct tg_match {
    uint16_t fields;   /* TG_FIELD_* */
    uint16_t vlan;     /* 1..4094, outermost tag */
    uint16_t type;     /* 1536..65535 except tags; that of IPv4 or IPv6 takes all of the family */
    uint16_t dst_port; /* 0..65535 */
    uint16_t src_port; /* 0..65535 */
    uint8_t protocol;  /* IP protocol or IPv6 next header */
    uint8_t family;    /* 4 or 6; must be given with FAMILY or a host */
    bool broadcast;    /* false: anything but the broadcast address */
    uint8_t src_host[16]; /* network byte order; IPv4 in the first 4 bytes, the rest 0 */
    uint8_t dst_host[16];
};

/* Addresses as they stand on the wire: IPv4 in the first word; 0 where a match does not fix
 * them. */
struct tg_hosts {
    uint32_t src[4];
    uint32_t dst[4];
};

/* A match as the table compares it. word holds the fixed fields in the layout of struct
 * tg_frame_key. */
struct tg_pattern {
    uint64_t word;
    struct tg_hosts hosts;
    uint16_t fields; /* the shape */
};

/* What a flow is promised. */
struct tg_flow_config {
    struct tg_match match;
    struct tg_server_config budget; /* no default; kind polling is for gates */
    uint16_t reserve_pkts;          /* packet buffers that belong to this flow alone, 1..65535 */
    uint8_t priority;               /* 0..TG_PRIORITIES - 1 */
};

/* Frames of one flow by what became of them, and the buffers that it holds. */
struct tg_flow_counters {
    uint64_t dropped_no_buffer;
    uint64_t dropped_budget;
    uint64_t passed;
    uint16_t held_pkts; /* passed, and not yet released */
    uint16_t most_held_pkts;
};

enum tg_flow_state {
    TG_FLOW_FREE = 0,
    TG_FLOW_BOUND,
    TG_FLOW_CLOSING /* unbound, but packets are still held */
};

/* One flow. Private; complete so that storage can be static. What every accepted packet touches
 * stands together, from counters.passed to server.left_pkts: 60 bytes.
 *
 * Invariants (check.h):
 *  I1  counters.held_pkts <= counters.most_held_pkts <= reserve_pkts (while bound)
 *  I2  bound: in exactly one bucket, that of its pattern; otherwise in none */
struct tg_flow {
    struct tg_flow_counters counters;
    uint64_t word; /* pattern, under its shape's mask */
    uint32_t next; /* bucket entry that follows, see struct tg_flow_table */
    uint16_t fields;
    uint16_t reserve_pkts;
    uint8_t priority;
    uint8_t state;
    uint16_t id;    /* its place in the table */
    uint32_t epoch; /* of the last snapshot that saved has been taken for */
    struct tg_server server;
    struct tg_flow_counters saved; /* as they stood when the running snapshot began */
    struct tg_hosts hosts;
};

/* One shape in use. */
struct tg_shape {
    uint64_t mask;
    uint64_t multiplier;
    uint16_t fields;
    uint16_t flows; /* bound with this shape */
    uint32_t ports; /* bit n: worth a probe for a destination port that is n modulo 32 */
};

/* The table. Flow 0 is best effort and in no bucket, so an entry of 0 ends a chain:
 *
 *      buckets   ┌───────────┬──────────────┐   flows[i].next
 *      [hash] ─▶ │ flow i    │ 16 hash bits │ ─▶ the same for the next in this bucket ─▶ 0
 *                └───────────┴──────────────┘
 *
 * Invariants (check.h):
 *  I3  shapes[0..n_shapes) are in order, and each has at least one flow; the one behind them fixes
 *      nothing and stops every search
 *  I4  no chain is longer than TG_FLOW_PROBES_MAX
 *  I5  ports of a shape has the bits of all its flows (a flow that leaves takes none with it) */
struct tg_flow_table {
    struct tg_flow *flows;
    uint32_t *buckets;
    uint16_t n_flows; /* slots, best effort included */
    uint8_t n_shapes;
    uint8_t shift; /* upper half of a hash >> shift is the bucket */
    uint64_t seed; /* odd */
    uint64_t host_multipliers[8];
    struct tg_shape shapes[TG_SHAPES_MAX + 1u];
};

/* Set up an empty table.
 *
 * Context: start-up.
 * Units:   n_flows: slots including best effort, 1..TG_FLOWS_MAX + 1. n_buckets: a power of two,
 *          2..65536, at least 2 per slot keeps refusals rare. seed: unpredictable to the network.
 * Returns: 0; TG_ERR_RANGE, nothing changed.
 * Cost:    O(n_flows + n_buckets). */
TG_NODISCARD int tg_flow_table_init(struct tg_flow_table *t, struct tg_flow *flows,
                                    uint32_t n_flows, uint32_t *buckets, uint32_t n_buckets,
                                    uint64_t seed);

/* Check a match and bring it into the form that the table compares.
 *
 * Context: any.
 * Returns: 0; TG_ERR_RANGE for fields that may not be fixed together or a value outside its range;
 *          TG_ERR_UNREACHABLE for what no frame handed to matching can have (an IPv6 extension
 *          header as protocol, source host = destination host). *out is then unchanged.
 * Cost:    O(1). */
TG_NODISCARD int tg_match_compile(const struct tg_match *match, struct tg_pattern *out);

/* Where a flow with this pattern could be bound: every rule is checked, nothing is changed.
 *
 * Context: a task; calls that change the table are serialised by the caller. No lock is needed.
 * Returns: 0; TG_ERR_EXISTS; TG_ERR_UNREACHABLE if bound flows of more specific shapes already take
 *          every frame; TG_ERR_SHADOWS if together with them it would take every frame of a bound
 *          flow; TG_ERR_FULL for the 13th shape or a full bucket.
 * Cost:    O(n_flows): a few instructions per bound flow, for flows that overlap with the pattern
 *          up to 6 (a whole IP family: 6 * 256) look-ups. */
TG_NODISCARD int tg_flow_table_admits(const struct tg_flow_table *t,
                                      const struct tg_pattern *pattern);

/* Put flows[id] into the table, as bound; tg_flow_table_admits must have said 0 since the last
 * change.
 *
 * Context: the caller holds the lock of the receive path.
 * Cost:    O(1): at most TG_SHAPES_MAX moves. */
void tg_flow_table_insert(struct tg_flow_table *t, uint32_t id, const struct tg_pattern *pattern);

/* Take flows[id] out of the table. Its state stays: whether it is free or closing depends on what
 * it holds.
 *
 * Context: the caller holds the lock of the receive path.
 * Cost:    O(1): at most TG_FLOW_PROBES_MAX steps and TG_SHAPES_MAX moves. */
void tg_flow_table_remove(struct tg_flow_table *t, uint32_t id);

/* The flow that takes a frame of class TG_FRAME_MATCH.
 *
 * Context: ISR or task; the caller holds the lock of the receive path.
 * Returns: its id, or 0 when no match takes it (best effort).
 * Cost:    O(1): per shape in use one hash and at most TG_FLOW_PROBES_MAX comparisons. */
uint32_t tg_flow_table_find(const struct tg_flow_table *t, const struct tg_frame_key *key,
                            const uint8_t *bytes);

/* The bits of struct tg_frame_key's word that a shape fixes.
 *
 * Context: any.
 * Cost:    O(1). */
uint64_t tg_shape_mask(uint32_t fields);

/* Order of shapes: the larger rank is more specific and takes the frame.
 *
 * Context: any.
 * Cost:    O(1). */
uint32_t tg_shape_rank(uint32_t fields);

#endif
