/* SPDX-License-Identifier: MIT
 *
 * frame_model_test.c - random and mutated frames through the parser and through the oracle.
 */
#include "check_cmocka.h"
#include "frame_oracle.h"
#include "random_input.h"
#include "tidegate/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 1500000, ROWS = 21 };

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static uint32_t kind_of(const struct oracle_answer *a)
{
    return a->family == 4u   ? TG_KIND_IP4 | a->protocol
           : a->family == 6u ? TG_KIND_IP6 | a->protocol
                             : a->type;
}

static uint64_t word_of(const struct oracle_answer *a)
{
    return (a->is_request ? TG_KEY_SYN : 0u) | (a->is_group ? TG_KEY_GROUP : 0u) |
           (a->is_broadcast ? TG_KEY_BROADCAST : 0u) | (uint64_t)a->vlan << TG_KEY_VLAN_SHIFT |
           (uint64_t)kind_of(a) << TG_KEY_KIND_SHIFT |
           (uint64_t)a->src_port << TG_KEY_SRC_PORT_SHIFT | a->dst_port;
}

/* Returns: what differs, or NULL. */
static const char *compare(const struct oracle_answer *a, enum tg_frame_class class,
                           const struct tg_frame_key *key)
{
    const char found = class == TG_FRAME_MALFORMED ? 'D' : class == TG_FRAME_MATCH ? 'F' : 'B';

    if (found != a->result || key->rule != a->row) {
        return "another row or result";
    }
    if (found != 'F') {
        return NULL;
    }
    if (key->word != word_of(a) || key->pcp != a->priority) {
        return "another key";
    }
    if (key->l3_offset != a->network) {
        return "another offset of the network header";
    }
    if (a->family == 0u) {
        return key->address_bytes == 0u ? NULL : "addresses where there are none";
    }
    if (key->l4_offset != a->transport || key->l4_len_bytes != a->transport_bytes) {
        return "another transport header";
    }
    if (key->address_bytes != (a->family == 4u ? 4u : 16u) ||
        key->src_offset != a->network + (a->family == 4u ? 12u : 8u)) {
        return "other addresses";
    }
    return NULL;
}

static void fail_with(const struct frame *f, uint32_t number, const struct oracle_answer *a,
                      uint32_t rule, const char *what)
{
    print_error("frame %u, stripped tag 0x%x: ", number, f->tci);
    for (uint32_t i = 0u; i < f->len_bytes; i++) {
        print_error("%02x", f->bytes[i]);
    }
    fail_msg("\n%s: row %u says %c, the parser stopped at %u", what, a->row, a->result, rule);
}

/* Through an exact copy in the heap: a sanitizer sees any byte that is read behind the frame. */
static void run_one(const struct frame *f, uint32_t number, const uint8_t *station,
                    uint32_t mtu_bytes, uint32_t seen[2][ROWS])
{
    uint8_t *const bytes = malloc(f->len_bytes == 0u ? 1u : f->len_bytes);
    const struct tg_station core_station = {.mac = station != NULL ? tg_mac(station) : TG_MAC_NONE,
                                            .mtu_bytes = mtu_bytes};
    struct tg_frame_key key;

    assert_non_null(bytes);
    memcpy(bytes, f->bytes, f->len_bytes);
    const struct oracle_frame oracle_frame = {.bytes = bytes,
                                              .len_bytes = f->len_bytes,
                                              .stripped_tci =
                                                  f->tci == TG_TCI_NONE ? ORACLE_NO_TAG : f->tci,
                                              .station = station,
                                              .mtu_bytes = mtu_bytes};
    const struct oracle_answer a = oracle_classify(&oracle_frame);
    const enum tg_frame_class class =
        tg_frame_parse(&core_station, bytes, f->len_bytes, f->tci, &key);
    const char *const wrong = compare(&a, class, &key);

    free(bytes);
    if (wrong != NULL) {
        fail_with(f, number, &a, key.rule, wrong);
    }
    seen[a.result == 'D'][a.row]++;
}

/* Design section 3 (frame), rule 10: total on all inputs, and every row decides as the table
 * says. */
static void parser_agrees_with_the_table(void **state)
{
    static const uint32_t mtus[] = {1500u, 1500u, 68u, 100u, 65521u};
    static const uint8_t can_drop[] = {1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, ORACLE_ROW_4A};
    static const uint8_t can_pass[] = {4, 5, 7, 10, 11, 14, 15, 16, 17, 18, 19};
    uint32_t seen[2][ROWS] = {{0u}};
    struct rng r;

    (void)state;
    rng_init(&r, "parser_agrees_with_the_table");
    for (uint32_t i = 0u; i < FRAMES; i++) {
        const struct frame f = random_frame(&r);

        run_one(&f, i, rng_percent(&r, 90u) ? STATION_MAC : NULL, mtus[rng_below(&r, COUNT(mtus))],
                seen);
    }
    for (uint32_t i = 0u; i < COUNT(can_drop); i++) {
        assert_true(seen[1][can_drop[i]] > 100u);
    }
    for (uint32_t i = 0u; i < COUNT(can_pass); i++) {
        assert_true(seen[0][can_pass[i]] > 100u);
    }
}

/* Every length of every kind of frame, cut from its end: each boundary from both sides. */
static void every_length_of_every_kind(void **state)
{
    uint32_t seen[2][ROWS] = {{0u}};
    uint32_t number = 0u;

    (void)state;
    for (uint32_t i = 0u; i < RANDOM_PROTOCOLS * 2u * 4u; i++) {
        const struct frame_spec spec = {.family = i % 2u == 0u ? 4u : 6u,
                                        .n_tags = i / 2u % 4u,
                                        .protocol = RANDOM_PROTOCOL[i / 8u],
                                        .payload_bytes = 24u};
        struct frame f = frame_build(&spec);

        for (uint32_t len_bytes = f.len_bytes; len_bytes-- > 0u;) {
            f.len_bytes = len_bytes;
            run_one(&f, number++, STATION_MAC, 1500u, seen);
            if (len_bytes >= f.l4 && spec.family == 4u && spec.n_tags < 3u) {
                f.bytes[f.l3 + 3u] = (uint8_t)(len_bytes - f.l3); /* a length that fits */
                run_one(&f, number++, STATION_MAC, 1500u, seen);
            } else if (len_bytes >= f.l4 && spec.n_tags < 3u) {
                f.bytes[f.l3 + 5u] = (uint8_t)(len_bytes - f.l4);
                run_one(&f, number++, STATION_MAC, 1500u, seen);
            }
        }
    }
    assert_true(number > 10000u);
}

/* All type fields. */
static void every_type(void **state)
{
    uint32_t seen[2][ROWS] = {{0u}};

    (void)state;
    for (uint32_t type = 0u; type < 65536u; type++) {
        struct frame f = frame_build(&(struct frame_spec){.type = TYPE_PTP, .payload_bytes = 46u});

        f.bytes[12] = (uint8_t)(type >> 8);
        f.bytes[13] = (uint8_t)type;
        run_one(&f, type, STATION_MAC, 1500u, seen);
    }
}

/* All protocols of both families, with and without a payload. */
static void every_protocol(void **state)
{
    uint32_t seen[2][ROWS] = {{0u}};

    (void)state;
    for (uint32_t i = 0u; i < 256u * 2u * 2u; i++) {
        struct frame f =
            frame_build(&(struct frame_spec){.family = i / 256u % 2u == 0u ? 4u : 6u,
                                             .protocol = 200u,
                                             .payload_bytes = i / 512u == 0u ? 0u : 40u});

        f.bytes[f.l3 + (i / 256u % 2u == 0u ? 9u : 6u)] = (uint8_t)i;
        run_one(&f, i, STATION_MAC, 1500u, seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parser_agrees_with_the_table),
        cmocka_unit_test(every_length_of_every_kind),
        cmocka_unit_test(every_type),
        cmocka_unit_test(every_protocol),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
