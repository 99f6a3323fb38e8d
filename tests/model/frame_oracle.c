/* SPDX-License-Identifier: MIT
 *
 * frame_oracle.c - the frame table, row by row.
 *
 * Each row is a function that says whether its condition holds; the first that holds wins. Nothing
 * is shared between rows but the few lengths that the table itself speaks of.
 */
#include "frame_oracle.h"

#include <string.h>

/* A row's finding: 0 goes on to the next row. */
#define GOES_ON '\0'

struct reading {
    const struct oracle_frame *f;
    struct oracle_answer answer;
    uint32_t tags;    /* a stripped one included */
    uint32_t at;      /* offset of what follows the last type field */
    uint32_t present; /* bytes from there on */
    uint32_t header;  /* bytes of the IP header, what is skipped before the transport included */
    uint32_t payload; /* bytes of the IP payload */
};

static uint32_t byte_at(const struct reading *r, uint32_t offset)
{
    return r->f->bytes[offset];
}

static uint32_t pair_at(const struct reading *r, uint32_t offset)
{
    return byte_at(r, offset) * 256u + byte_at(r, offset + 1u);
}

/* Bytes behind the type field. */
static uint32_t ip(const struct reading *r, uint32_t offset)
{
    return byte_at(r, r->at + offset);
}

static uint32_t ip_pair(const struct reading *r, uint32_t offset)
{
    return pair_at(r, r->at + offset);
}

static bool is_tag(uint32_t type)
{
    return type == 0x8100u || type == 0x88a8u;
}

static char row_1(struct reading *r)
{
    return r->f->len_bytes < 14u ? 'D' : GOES_ON;
}

static char row_2(struct reading *r)
{
    return r->f->station != NULL && memcmp(r->f->bytes + 6, r->f->station, 6) == 0 ? 'D' : GOES_ON;
}

static void remember_tag(struct reading *r, uint32_t tci)
{
    if (r->tags++ == 0u) {
        r->answer.vlan = tci % 4096u;
        r->answer.priority = tci / 8192u;
    }
}

/* Skips at most two tags on the way. */
static char row_3(struct reading *r)
{
    if (r->f->stripped_tci != ORACLE_NO_TAG) {
        remember_tag(r, r->f->stripped_tci);
    }
    r->at = 14u;
    r->answer.type = pair_at(r, 12u);
    while (is_tag(r->answer.type) && r->tags < 2u) {
        if (r->f->len_bytes < r->at + 4u) {
            return 'D';
        }
        remember_tag(r, pair_at(r, r->at));
        r->answer.type = pair_at(r, r->at + 2u);
        r->at += 4u;
    }
    r->present = r->f->len_bytes - r->at;
    return GOES_ON;
}

static char row_4(struct reading *r)
{
    return is_tag(r->answer.type) ? 'B' : GOES_ON;
}

static char row_4a(struct reading *r)
{
    const uint32_t tags_in_bytes = (r->at - 14u) / 4u;

    return r->f->len_bytes > r->f->mtu_bytes + 14u + 4u * tags_in_bytes ? 'D' : GOES_ON;
}

static char row_5(struct reading *r)
{
    return r->answer.type <= 1500u ? 'B' : GOES_ON;
}

static char row_6(struct reading *r)
{
    return r->answer.type >= 1501u && r->answer.type <= 1535u ? 'D' : GOES_ON;
}

static char row_7(struct reading *r)
{
    if (r->answer.type != 0x0806u) {
        return GOES_ON;
    }
    if (r->present < 28u || ip_pair(r, 0u) != 1u || ip_pair(r, 2u) != 0x0800u || ip(r, 4u) != 6u ||
        ip(r, 5u) != 4u) {
        return 'D';
    }
    return 'F';
}

static char row_8(struct reading *r)
{
    if (r->answer.type != 0x0800u) {
        return GOES_ON;
    }
    if (r->present < 20u || ip(r, 0u) / 16u != 4u) {
        return 'D';
    }
    r->answer.family = 4u;
    r->answer.protocol = ip(r, 9u);
    r->header = ip(r, 0u) % 16u * 4u;
    if (r->header < 20u || ip_pair(r, 2u) < r->header || ip_pair(r, 2u) > r->present) {
        return 'D';
    }
    r->payload = ip_pair(r, 2u) - r->header;
    return GOES_ON;
}

static char row_9(struct reading *r)
{
    return r->answer.family == 4u &&
                   memcmp(r->f->bytes + r->at + 12u, r->f->bytes + r->at + 16u, 4u) == 0
               ? 'D'
               : GOES_ON;
}

static char row_10(struct reading *r)
{
    if (r->answer.family != 4u) {
        return GOES_ON;
    }
    const uint32_t more = ip(r, 6u) / 32u % 2u;
    const uint32_t offset = ip_pair(r, 6u) % 8192u;

    return more != 0u || offset != 0u ? 'B' : GOES_ON;
}

static char row_11(struct reading *r)
{
    return r->answer.family == 4u && r->header > 20u && r->answer.protocol != 2u ? 'B' : GOES_ON;
}

static char row_12(struct reading *r)
{
    if (r->answer.type != 0x86ddu) {
        return GOES_ON;
    }
    if (r->present < 40u || ip(r, 0u) / 16u != 6u || ip_pair(r, 4u) > r->present - 40u) {
        return 'D';
    }
    r->answer.family = 6u;
    r->answer.protocol = ip(r, 6u);
    r->header = 40u;
    r->payload = ip_pair(r, 4u);
    return GOES_ON;
}

static char row_13(struct reading *r)
{
    return r->answer.family == 6u &&
                   memcmp(r->f->bytes + r->at + 8u, r->f->bytes + r->at + 24u, 16u) == 0
               ? 'D'
               : GOES_ON;
}

static char row_14(struct reading *r)
{
    static const uint8_t extensions[] = {0, 43, 44, 50, 51, 60, 135, 139, 140};

    if (r->answer.family != 6u ||
        memchr(extensions, (int)r->answer.protocol, sizeof extensions) == NULL) {
        return GOES_ON;
    }
    if (r->payload < 8u) {
        return 'D';
    }
    if (r->answer.protocol == 0u && ip(r, 40u) == 58u && ip(r, 41u) == 0u) {
        r->answer.protocol = 58u;
        r->header += 8u;
        r->payload -= 8u;
        return GOES_ON;
    }
    return 'B';
}

static char row_15(struct reading *r)
{
    if (r->answer.family == 0u || r->answer.protocol != 17u) {
        return GOES_ON;
    }
    if (r->payload < 8u) {
        return 'D';
    }
    const uint32_t length = ip_pair(r, r->header + 4u);

    r->answer.src_port = ip_pair(r, r->header);
    r->answer.dst_port = ip_pair(r, r->header + 2u);
    return length < 8u || length > r->payload ? 'D' : 'F';
}

static char row_16(struct reading *r)
{
    if (r->answer.family == 0u || r->answer.protocol != 6u) {
        return GOES_ON;
    }
    if (r->payload < 20u) {
        return 'D';
    }
    const uint32_t data = ip(r, r->header + 12u) / 16u;
    const uint32_t flags = ip(r, r->header + 13u);

    r->answer.src_port = ip_pair(r, r->header);
    r->answer.dst_port = ip_pair(r, r->header + 2u);
    r->answer.is_request = flags / 2u % 2u == 1u && flags / 16u % 2u == 0u;
    return data < 5u || 4u * data > r->payload ? 'D' : 'F';
}

static char row_17(struct reading *r)
{
    uint32_t least = 8u;

    if (r->answer.family == 6u && r->answer.protocol == 58u) {
        least = 4u;
    } else if (r->answer.family != 4u || (r->answer.protocol != 1u && r->answer.protocol != 2u)) {
        return GOES_ON;
    }
    return r->payload < least ? 'D' : 'F';
}

static char row_18(struct reading *r)
{
    return r->answer.family != 0u ? 'F' : GOES_ON;
}

static char row_19(struct reading *r)
{
    (void)r;
    return 'F';
}

static void describe(struct reading *r)
{
    static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

    r->answer.is_group = byte_at(r, 0u) % 2u == 1u;
    r->answer.is_broadcast = memcmp(r->f->bytes, broadcast, sizeof broadcast) == 0;
    r->answer.network = r->at;
    r->answer.transport = r->at + r->header;
    r->answer.transport_bytes = r->payload;
}

struct oracle_answer oracle_classify(const struct oracle_frame *f)
{
    static const struct {
        uint32_t number;
        char (*holds)(struct reading *r);
    } rows[] = {{1u, row_1},   {2u, row_2},   {3u, row_3},   {4u, row_4},   {ORACLE_ROW_4A, row_4a},
                {5u, row_5},   {6u, row_6},   {7u, row_7},   {8u, row_8},   {9u, row_9},
                {10u, row_10}, {11u, row_11}, {12u, row_12}, {13u, row_13}, {14u, row_14},
                {15u, row_15}, {16u, row_16}, {17u, row_17}, {18u, row_18}, {19u, row_19}};
    struct reading r = {.f = f};

    for (uint32_t i = 0u; r.answer.result == GOES_ON; i++) {
        r.answer.row = rows[i].number;
        r.answer.result = rows[i].holds(&r);
    }
    if (r.answer.result == 'F') {
        describe(&r);
    }
    return r.answer;
}
