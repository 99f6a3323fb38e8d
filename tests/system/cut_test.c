/* SPDX-License-Identifier: MIT
 *
 * cut_test.c - a frame that was captured cut is judged only by bytes that are there.
 */
#include "check_cmocka.h"
#include "wild_frames.h"

#include "cli/reach_of_parse.h"

#include <string.h>

#define FRAMES 4000u

static bool is_same_key(const struct tg_frame_key *a, const struct tg_frame_key *b)
{
    return a->word == b->word && a->rule == b->rule && a->l3_offset == b->l3_offset &&
           a->l4_offset == b->l4_offset && a->l4_len_bytes == b->l4_len_bytes &&
           a->address_bytes == b->address_bytes && a->src_offset == b->src_offset &&
           a->pcp == b->pcp;
}

/* Whatever stands behind the cut: if the reach says that it does not matter, it does not. */
static void test_reach(void **state)
{
    const struct tg_station station = {.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u};
    struct rng r;
    uint32_t decided = 0u;
    uint32_t undecided = 0u;

    (void)state;
    rng_init(&r, "cut_test");
    for (uint32_t i = 0u; i < FRAMES; i++) {
        const struct frame whole = wild_frame(&r);
        const uint32_t cut = rng_below(&r, whole.len_bytes < 90u ? whole.len_bytes + 1u : 90u);
        struct frame zeros = whole;
        struct frame other = whole;
        struct tg_frame_key key;
        struct tg_frame_key other_key;

        memset(zeros.bytes + cut, 0, sizeof zeros.bytes - cut);
        for (uint32_t n = cut; n < other.len_bytes; n++) {
            other.bytes[n] = (uint8_t)rng_below(&r, 256u);
        }

        const enum tg_frame_class class =
            tg_frame_parse(&station, zeros.bytes, zeros.len_bytes, zeros.tci, &key);
        const enum tg_frame_class other_class =
            tg_frame_parse(&station, other.bytes, other.len_bytes, other.tci, &other_key);

        if (tg_reach_of_parse(&key) > cut) {
            undecided++;
            continue;
        }
        decided++;
        assert_int_equal(class, other_class);
        assert_true(is_same_key(&key, &other_key));
        assert_true(key.src_offset + 2u * (uint32_t)key.address_bytes <= cut);
    }
    print_message("%u decided, %u not\n", decided, undecided);
    assert_true(decided > FRAMES / 10u && undecided > FRAMES / 10u);
}

/* A frame cut right behind what decides is decided; one byte less, and it is not. */
static void test_reach_is_tight(void **state)
{
    const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    const struct frame_spec tcp6 = {.family = 6u, .protocol = PROTO_TCP};
    const struct frame_spec ptp = {.type = TYPE_PTP, .n_tags = 1u, .payload_bytes = 40u};
    struct tg_frame_key key;
    struct frame f = frame_udp(5000u);

    (void)state;
    (void)tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key);
    assert_int_equal(tg_reach_of_parse(&key), 14 + 20 + 6);
    f = frame_build(&tcp6);
    (void)tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key);
    assert_int_equal(tg_reach_of_parse(&key), 14 + 40 + 14);
    f = frame_build(&ptp);
    (void)tg_frame_parse(&station, f.bytes, f.len_bytes, f.tci, &key);
    assert_int_equal(tg_reach_of_parse(&key), 14 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_reach_is_tight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
