/* SPDX-License-Identifier: MIT
 *
 * pcap_match_test.c - matches mean what libpcap says they mean, on every frame that the rules hand
 * to matching; and of several matches that take a frame the most specific one gets it.
 *
 * The frames go through a capture file, as they do in `tidegate classify`.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_cmocka.h"
#include "pcap_filter.h"
#include "pcap_write.h"
#include "wild_frames.h"

#include "system/capture_file.h"
#include "system/match_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHAPES_ROOM   256u
#define PER_SHAPE     2u
#define WILD_FRAMES   6000u
#define AIMED_FRAMES  8u /* per match */
#define MATCHES_ROOM  (SHAPES_ROOM * PER_SHAPE)
#define TABLES        150u
#define FLOWS         24u
#define BUCKETS       256u
#define FRAMES_ROOM   (WILD_FRAMES + AIMED_FRAMES * MATCHES_ROOM)
#define STRIP_PERCENT 50u
#define NOT_BOUND     UINT32_MAX

struct subject {
    struct tg_match match;
    struct tg_pattern pattern;
    struct pcap_filter *filter;
    uint32_t hits;
};

/* A frame that the rules hand to matching. */
struct matchable {
    uint8_t bytes[FRAME_MAX_BYTES]; /* as on the wire: for libpcap */
    uint32_t len_bytes;
    uint8_t seen[FRAME_MAX_BYTES]; /* as the core gets it: perhaps the outermost tag is stripped */
    struct tg_frame_key key;
};

static struct rng rng;
static struct subject subjects[MATCHES_ROOM];
static uint32_t n_subjects;
static struct matchable *frames;
static uint32_t n_frames;

static void add_subject(const struct tg_match *match)
{
    struct subject *const s = &subjects[n_subjects++];

    assert_true(n_subjects <= MATCHES_ROOM);
    *s = (struct subject){.match = *match};
    assert_int_equal(tg_match_compile(match, &s->pattern), 0);
    s->filter = pcap_filter_new(match);
    assert_non_null(s->filter);
}

/* Words of the language that the pools may miss. */
static void add_named_subjects(void)
{
    static const char *const texts[] = {"arp",
                                        "icmp",
                                        "igmp",
                                        "icmp6",
                                        "icmp6 and ether multicast",
                                        "icmp6 and not ether broadcast",
                                        "vlan 5 and icmp6",
                                        "ip proto 47",
                                        "ip6 proto 41"};

    for (size_t i = 0u; i < sizeof texts / sizeof texts[0]; i++) {
        struct tg_match_error error;
        struct tg_match match;

        assert_int_equal(tg_match_parse(texts[i], &match, &error), 0);
        add_subject(&match);
    }
}

/* Every shape there is, with values from the pools. */
static void make_subjects(void)
{
    uint32_t n_shapes = 0u;

    add_named_subjects();
    for (uint32_t fields = 0u; fields < TG_FIELD_DST_PORT << 1; fields++) {
        if (!wild_is_shape(fields)) {
            continue;
        }
        n_shapes++;
        for (uint32_t i = 0u; i < PER_SHAPE; i++) {
            const struct tg_match match = wild_match(&rng, fields);

            add_subject(&match);
        }
    }
    print_message("%u shapes, %u matches\n", n_shapes, n_subjects);
    assert_true(n_shapes > 100u);
}

static void write_frame(FILE *capture, const struct frame *f)
{
    static uint64_t at_ns = 1u;

    pcap_write_frame(capture, at_ns, f->bytes, f->len_bytes, f->len_bytes);
    at_ns += 1000u;
}

static void write_capture(FILE *capture)
{
    struct frame f;

    pcap_write_head(capture, PCAP_LINK_ETHERNET);
    for (uint32_t i = 0u; i < WILD_FRAMES; i++) {
        f = wild_frame(&rng);
        write_frame(capture, &f);
    }
    for (uint32_t i = 0u; i < n_subjects; i++) {
        for (uint32_t n = 0u; n < AIMED_FRAMES; n++) {
            f = wild_aimed_frame(&rng, &subjects[i].match);
            if (n >= AIMED_FRAMES / 2u) {
                wild_mutate(&rng, &f);
            }
            write_frame(capture, &f);
        }
    }
}

static bool has_tag(const uint8_t *bytes, uint32_t len_bytes)
{
    const uint32_t type = len_bytes >= 18u ? (uint32_t)bytes[12] << 8 | bytes[13] : 0u;

    return type == TYPE_TAG || type == TYPE_SERVICE_TAG;
}

/* Keep the frame if it is handed to matching. */
static void keep(const struct tg_captured *c)
{
    const struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u};
    struct matchable *const m = &frames[n_frames];
    uint32_t seen_bytes = c->len_bytes;
    uint32_t tci = TG_TCI_NONE;

    assert_true(n_frames < FRAMES_ROOM && c->n_bytes == c->len_bytes);
    assert_true(c->len_bytes <= sizeof m->bytes);
    memcpy(m->bytes, c->bytes, c->len_bytes);
    memcpy(m->seen, c->bytes, c->len_bytes);
    m->len_bytes = c->len_bytes;
    if (has_tag(c->bytes, c->len_bytes) && rng_percent(&rng, STRIP_PERCENT)) {
        tci = (uint32_t)c->bytes[14] << 8 | c->bytes[15];
        memcpy(m->seen + 12, c->bytes + 16, c->len_bytes - 16u);
        seen_bytes -= 4u;
    }
    n_frames += tg_frame_parse(&station, m->seen, seen_bytes, tci, &m->key) == TG_FRAME_MATCH;
}

static void read_capture(const char *path)
{
    char message[TG_CAPTURE_MESSAGE_BYTES];
    struct tg_capture_file *file;
    struct tg_captured captured;
    uint32_t n = 0u;

    assert_int_equal(tg_capture_file_open(path, &file, message), 0);
    while (tg_capture_file_next(file, &captured) == TG_CAPTURE_FRAME) {
        keep(&captured);
        n++;
    }
    tg_capture_file_close(file);
    print_message("%u frames, %u of them handed to matching\n", n, n_frames);
    assert_int_equal(n, WILD_FRAMES + AIMED_FRAMES * n_subjects);
    assert_true(n_frames > n / 3u && n_frames < n);
}

static int make_capture(void **state)
{
    char path[] = "pcap_match_XXXXXX";
    const int fd = mkstemp(path);
    FILE *const capture = fd >= 0 ? fdopen(fd, "wb") : NULL;

    (void)state;
    assert_non_null(capture);
    rng_init(&rng, "pcap_match_test");
    frames = calloc(FRAMES_ROOM, sizeof *frames);
    assert_non_null(frames);
    make_subjects();
    write_capture(capture);
    assert_int_equal(fclose(capture), 0);
    read_capture(path);
    return unlink(path);
}

static int drop_capture(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < n_subjects; i++) {
        pcap_filter_free(subjects[i].filter);
    }
    free(frames);
    return 0;
}

static void print_frame(const struct matchable *m)
{
    for (uint32_t i = 0u; i < m->len_bytes; i++) {
        fprintf(stderr, "%02x", m->bytes[i]);
    }
    fputc('\n', stderr);
}

static void disagree(const struct subject *s, const struct matchable *m, bool core)
{
    char text[TG_MATCH_TEXT_BYTES];

    assert_true(tg_match_print(&s->match, text, sizeof text) > 0);
    print_frame(m);
    fail_msg("'%s': the core says %d, libpcap %d (frame rule %u, frame above)", text, core, !core,
             m->key.rule);
}

/* A table of one flow for each match, on each frame. */
static void test_each_match(void **state)
{
    struct tg_flow flows[2];
    uint32_t buckets[2];
    struct tg_flow_table table;
    uint32_t without_hit = 0u;

    (void)state;
    for (uint32_t i = 0u; i < n_subjects; i++) {
        struct subject *const s = &subjects[i];

        assert_int_equal(tg_flow_table_init(&table, flows, 2u, buckets, 2u, rng_next(&rng)), 0);
        assert_int_equal(tg_flow_table_admits(&table, &s->pattern), 0);
        tg_flow_table_insert(&table, 1u, &s->pattern);
        for (uint32_t n = 0u; n < n_frames; n++) {
            const struct matchable *const m = &frames[n];
            const bool core = tg_flow_table_find(&table, &m->key, m->seen) != 0u;

            if (core != pcap_filter_takes(s->filter, m->bytes, m->len_bytes)) {
                disagree(s, m, core);
            }
            s->hits += core;
        }
        without_hit += s->hits == 0u;
    }
    assert_int_equal(without_hit, 0u);
}

/* Of all bound flows that libpcap finds right, the one whose shape comes first. */
static uint32_t expected_flow(const uint32_t *bound, const struct matchable *m)
{
    uint32_t best = 0u;

    for (uint32_t id = 1u; id < FLOWS; id++) {
        if (bound[id] == NOT_BOUND) {
            continue;
        }

        const struct subject *const s = &subjects[bound[id]];

        if (!pcap_filter_takes(s->filter, m->bytes, m->len_bytes)) {
            continue;
        }
        if (best == 0u || tg_shape_rank(s->pattern.fields) >
                              tg_shape_rank(subjects[bound[best]].pattern.fields)) {
            best = id;
        }
    }
    return best;
}

/* Tables of flows drawn at random, as far as the core admits them. */
static void test_most_specific_wins(void **state)
{
    static struct tg_flow flows[FLOWS];
    static uint32_t buckets[BUCKETS];
    uint32_t bound[FLOWS];
    uint32_t contested = 0u;

    (void)state;
    for (uint32_t t = 0u; t < TABLES; t++) {
        struct tg_flow_table table;

        assert_int_equal(tg_flow_table_init(&table, flows, FLOWS, buckets, BUCKETS, rng_next(&rng)),
                         0);
        for (uint32_t id = 1u; id < FLOWS; id++) {
            bound[id] = rng_below(&rng, n_subjects);
            if (tg_flow_table_admits(&table, &subjects[bound[id]].pattern) == 0) {
                tg_flow_table_insert(&table, id, &subjects[bound[id]].pattern);
            } else {
                bound[id] = NOT_BOUND;
            }
        }
        for (uint32_t n = 0u; n < 200u; n++) {
            const struct matchable *const m = &frames[rng_below(&rng, n_frames)];
            const uint32_t found = tg_flow_table_find(&table, &m->key, m->seen);

            if (found != expected_flow(bound, m)) {
                print_frame(m);
                fail_msg("flow %u has the frame above, not flow %u", found,
                         expected_flow(bound, m));
            }
            contested += found != 0u;
        }
    }
    assert_true(contested > 1000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_match),
        cmocka_unit_test(test_most_specific_wins),
    };

    return cmocka_run_group_tests(tests, make_capture, drop_capture);
}
