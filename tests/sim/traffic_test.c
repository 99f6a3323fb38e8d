/* SPDX-License-Identifier: MIT
 *
 * traffic_test.c - when the frames of a scenario arrive, and which.
 */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include "world.h"

#include "../system/pcap_write.h"
#include "sim/random.h"
#include "sim/traffic.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM(receive, traffic)                                                                   \
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\ntasks: []\n"                                         \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 1 us, deferred: 1 us, "            \
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us" receive "}\n"                    \
    "queues: [{name: q, ring: 8, gate: {packets: 100, period: 1 ms}}]\n"                           \
    "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited}]\n"  \
    "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n"                                 \
    "scenarios:\n"                                                                                 \
    "  - name: s\n"                                                                                \
    "    run: {for: 1 s, seed: 7}\n"                                                               \
    "    traffic:\n" traffic

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, HIGH = 1, MALFORMED = 2 };

#define MAX 200000u

struct script {
    struct world *world;
    struct tg_traffic *traffic;
    uint32_t n;
    tg_ns at_ns[MAX];
    uint16_t flow[MAX];
};

static void play(struct script *s)
{
    struct tg_sim_arrival arrival;

    s->n = 0u;
    tg_traffic_rewind(s->traffic);
    while (s->n < MAX && tg_traffic_next(s->traffic, &arrival)) {
        s->at_ns[s->n] = arrival.at_ns;
        s->flow[s->n] = arrival.frame->flow;
        assert_true(s->n == 0u || s->at_ns[s->n - 1u] <= arrival.at_ns);
        s->n++;
    }
}

/* All arrivals of a system's first scenario. */
static struct script *script_open(const char *text)
{
    struct script *const s = calloc(1u, sizeof *s);
    char why[512] = "";

    assert_non_null(s);
    s->world = world_open(text, MS);
    if (tg_traffic_open(s->world->system, &s->world->system->scenarios[0], &s->traffic, why,
                        sizeof why) != 0) {
        fail_msg("%s", why);
    }
    play(s);
    return s;
}

static void script_close(struct script *s)
{
    tg_traffic_close(s->traffic);
    world_close(s->world);
    free(s);
}

static void periodic_frames_keep_their_period(void **state)
{
    struct script *const s = script_open(
        SYSTEM("", "      - {flow: high, every: 300 us, from: 1 ms, until: 2500 us}\n"));

    (void)state;
    assert_int_equal(s->n, 5u); /* 1000, 1300, .. 2200: 2500 is not before the end */
    for (uint32_t i = 0u; i < s->n; i++) {
        assert_int_equal(s->at_ns[i], MS + i * 300u * US);
        assert_int_equal(s->flow[i], HIGH);
    }
    script_close(s);
}

/* Jitter below the period: one frame in each window [k T, k T + J], over all of it. */
static void jitter_delays_each_frame(void **state)
{
    struct script *const s =
        script_open(SYSTEM("", "      - {flow: high, every: 100 us, jitter: 40 us}\n"));
    tg_ns least_ns = UINT64_MAX;
    tg_ns most_ns = 0u;

    (void)state;
    assert_int_equal(s->n, 10000u);
    for (uint32_t i = 0u; i < s->n; i++) {
        const tg_ns delay_ns = s->at_ns[i] - i * 100u * US;

        assert_in_range(delay_ns, 0u, 40u * US);
        least_ns = delay_ns < least_ns ? delay_ns : least_ns;
        most_ns = delay_ns > most_ns ? delay_ns : most_ns;
    }
    assert_in_range(least_ns, 0u, 100u);
    assert_in_range(most_ns, 40u * US - 100u, 40u * US);
    script_close(s);
}

/* Jitter beyond the period: frames overtake each other, but at most those whose windows have begun
 * have come, and all whose windows have ended. */
static void jitter_may_exceed_the_period(void **state)
{
    struct script *const s = script_open(
        SYSTEM("", "      - {flow: high, every: 100 us, jitter: 950 us, until: 500 ms}\n"));

    (void)state;
    assert_in_range(s->n, 4990u, 5000u); /* the last ones may be past the end */
    for (uint32_t i = 0u; i < s->n; i++) {
        const uint64_t begun = s->at_ns[i] / (100u * US) + 1u;
        const uint64_t ended =
            s->at_ns[i] < 950u * US ? 0u : (s->at_ns[i] - 950u * US) / (100u * US);

        assert_in_range(i + 1u, ended, begun);
    }
    script_close(s);
}

/* Frame k at floor(k * 10^9 / rate), also where the rate does not divide a second. */
static void a_rate_is_exact(void **state)
{
    struct script *const s = script_open(
        SYSTEM("", "      - {frames: udp dst port 9, rate: 70007 pps, from: 3 ms, length: 0}\n"));

    (void)state;
    assert_int_equal(s->n, 69797u); /* the last k with k * 10^9 / 70007 < 997 ms, and 0 */
    for (uint64_t k = 0u; k < s->n; k++) {
        assert_int_equal(s->at_ns[k], 3u * MS + k * UINT64_C(1000000000) / 70007u);
        assert_int_equal(s->flow[k], BEST);
    }
    script_close(s);
}

static void bursts_come_at_once(void **state)
{
    struct script *const s = script_open(
        SYSTEM("", "      - {frames: udp dst port 9, every: 400 ms, burst: 3, length: 0}\n"));
    static const tg_ns at_ns[] = {0u,        0u,        0u,        400u * MS, 400u * MS,
                                  400u * MS, 800u * MS, 800u * MS, 800u * MS};

    (void)state;
    assert_int_equal(s->n, 9u);
    assert_memory_equal(s->at_ns, at_ns, sizeof at_ns);
    script_close(s);
}

/* The wire brings one frame after the other; who comes meanwhile waits behind the burst. */
static void the_wire_spaces_frames(void **state)
{
    struct script *const s = script_open(SYSTEM(
        ", wire_gap: 5 us", "      - {frames: udp dst port 9, every: 1 s, burst: 3, length: 0}\n"
                            "      - {flow: high, every: 1 s, from: 7 us}\n"
                            "      - {flow: high, every: 1 s, from: 100 us}\n"));
    static const tg_ns at_ns[] = {0u, 5u * US, 10u * US, 15u * US, 100u * US};
    static const uint16_t flows[] = {BEST, BEST, BEST, HIGH, HIGH};

    (void)state;
    assert_int_equal(s->n, 5u);
    assert_memory_equal(s->at_ns, at_ns, sizeof at_ns);
    assert_memory_equal(s->flow, flows, sizeof flows);
    script_close(s);
}

/* Exponential gaps: mean and variance of 100 000 of them, and no memory. */
static void poisson_has_the_right_gaps(void **state)
{
    struct script *const s =
        script_open(SYSTEM("", "      - {frames: udp dst port 9, poisson: 100 kpps, length: 0}\n"));
    uint64_t beyond = 0u;  /* gaps above the mean: 1 / e */
    uint64_t beyond2 = 0u; /* above twice the mean: 1 / e^2 */

    (void)state;
    assert_in_range(s->n, 99000u, 101000u);
    for (uint32_t i = 1u; i < s->n; i++) {
        beyond += s->at_ns[i] - s->at_ns[i - 1u] > 10u * US;
        beyond2 += s->at_ns[i] - s->at_ns[i - 1u] > 20u * US;
    }
    assert_in_range(beyond * 1000u / s->n, 363u, 373u);
    assert_in_range(beyond2 * 1000u / s->n, 130u, 140u);
    script_close(s);
}

/* Gaps of 10 ns in the mean: fractions of a nanosecond count. */
static void poisson_keeps_fractions(void **state)
{
    struct script *const s = script_open(SYSTEM(
        "", "      - {frames: udp dst port 9, poisson: 100 Mpps, until: 1 ms, length: 0}\n"));

    (void)state;
    assert_in_range(s->n, 99000u, 101000u);
    script_close(s);
}

/* The numbers that everything rests on: the generator's published ones, and those of another
 * program. */
static void random_numbers_are_the_same_everywhere(void **state)
{
    static const uint64_t published[] = {11520u, 0u, 1509978240u, UINT64_C(1215971899390074240)};
    struct tg_random r = {.s = {1u, 2u, 3u, 4u}};
    uint64_t sum = 0u;

    (void)state;
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_true(tg_random_next(&r) == published[i]);
    }
    tg_random_init(&r, 1u, TG_RANDOM_TRAFFIC, 0u);
    assert_true(tg_random_next(&r) == UINT64_C(0xb797de902293ad79));
    for (uint32_t i = 0u; i < 1000u; i++) {
        sum += tg_random_exponential(&r);
    }
    assert_true(sum == UINT64_C(16836062799));
}

/* A source has its own stream: what stands behind it in the file changes nothing. */
static void sources_are_independent(void **state)
{
    struct script *const alone =
        script_open(SYSTEM("", "      - {flow: high, every: 1 ms, jitter: 500 us}\n"));
    struct script *const both =
        script_open(SYSTEM("", "      - {flow: high, every: 1 ms, jitter: 500 us}\n"
                               "      - {frames: udp dst port 9, poisson: 10 kpps, length: 0}\n"));
    uint32_t k = 0u;

    (void)state;
    for (uint32_t i = 0u; i < both->n; i++) {
        if (both->flow[i] == HIGH) {
            assert_int_equal(both->at_ns[i], alone->at_ns[k]);
            k++;
        }
    }
    assert_int_equal(k, alone->n);
    script_close(alone);
    script_close(both);
}

static void rewinding_gives_the_same_again(void **state)
{
    struct script *const s = script_open(SYSTEM(
        "",
        "      - {flow: high, every: 100 us, jitter: 950 us}\n"
        "      - {frames: udp dst port 9, poisson: 10 kpps, length: 0}\n"
        "      - {frames: udp dst port 9, every: 1 ms, burst: 4, form: malformed, length: 0}\n"));
    struct script *const before = malloc(sizeof *before);

    (void)state;
    assert_non_null(before);
    *before = *s;
    play(s);
    assert_int_equal(s->n, before->n);
    assert_memory_equal(s->at_ns, before->at_ns, s->n * sizeof s->at_ns[0]);
    assert_memory_equal(s->flow, before->flow, s->n * sizeof s->flow[0]);
    free(before);
    script_close(s);
}

/* ---- Captures -------------------------------------------------------------------------------- */

/* Frames of the world's flows at these times, the last one cut after 60 bytes; into a new file. */
static void write_capture(const struct world *w, char path[], uint32_t link_type)
{
    static const struct {
        uint64_t at_ns;
        uint32_t flow;
    } frames[] = {
        {5000000000u, HIGH}, {5000010000u, BEST}, {5000040000u, HIGH}, {5000039000u, MALFORMED}};
    const int fd = mkstemp(path);
    FILE *const out = fd >= 0 ? fdopen(fd, "wb") : NULL;

    assert_non_null(out);
    pcap_write_head(out, link_type);
    for (uint32_t i = 0u; i < 4u; i++) {
        const struct tg_sim_frame *const f = &w->frames[frames[i].flow];

        pcap_write_frame(out, frames[i].at_ns, f->bytes, f->len_bytes, f->len_bytes);
    }
    assert_int_equal(fclose(out), 0);
}

static int open_capture(struct world *w, const char *path, struct tg_traffic **traffic, char *why,
                        size_t size)
{
    struct tg_system_traffic *const t = &w->system->scenarios[0].traffic[0];

    *t = (struct tg_system_traffic){.kind = TG_TRAFFIC_CAPTURE,
                                    .flow = -1,
                                    .capture_path = (char *)(uintptr_t)path,
                                    .from_ns = MS,
                                    .until_ns = 1000u * MS,
                                    .burst_pkts = 1u,
                                    .repeat = 2u};

    const int err = tg_traffic_open(w->system, &w->system->scenarios[0], traffic, why, size);

    t->capture_path = NULL; /* not the system's */
    return err;
}

/* From the first frame on, as the stamps say; a stamp that steps back does not go back; the second
 * round starts a mean gap, 40 us / 3, after the last frame. */
static void a_capture_is_played(void **state)
{
    struct world *const w = world_open(SYSTEM("", "      - {flow: high, every: 1 ms}\n"), MS);
    char path[] = "/tmp/tidegate-traffic-XXXXXX";
    static const tg_ns offsets_ns[] = {0u, 10000u, 40000u, 40000u, 53333u, 63333u, 93333u, 93333u};
    static const uint16_t flows[] = {HIGH, BEST, HIGH, MALFORMED};
    struct tg_traffic *traffic;
    struct tg_sim_arrival arrival;
    char why[512];

    (void)state;
    write_capture(w, path, PCAP_LINK_ETHERNET);
    assert_int_equal(open_capture(w, path, &traffic, why, sizeof why), 0);
    for (uint32_t i = 0u; i < 8u; i++) {
        assert_true(tg_traffic_next(traffic, &arrival));
        assert_int_equal(arrival.at_ns, MS + offsets_ns[i]);
        assert_int_equal(arrival.frame->flow, flows[i % 4u]);
    }
    assert_false(tg_traffic_next(traffic, &arrival));
    tg_traffic_close(traffic);
    (void)unlink(path);
    world_close(w);
}

static void a_capture_of_something_else_is_refused(void **state)
{
    struct world *const w = world_open(SYSTEM("", "      - {flow: high, every: 1 ms}\n"), MS);
    char path[] = "/tmp/tidegate-traffic-XXXXXX";
    struct tg_traffic *traffic;
    char why[512];

    (void)state;
    write_capture(w, path, 101u); /* raw IP */
    assert_int_equal(open_capture(w, path, &traffic, why, sizeof why), -1);
    assert_non_null(strstr(why, path));
    assert_null(traffic);
    (void)unlink(path);

    assert_int_equal(open_capture(w, path, &traffic, why, sizeof why), -1);
    assert_non_null(strstr(why, "No such file"));
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periodic_frames_keep_their_period),
        cmocka_unit_test(jitter_delays_each_frame),
        cmocka_unit_test(jitter_may_exceed_the_period),
        cmocka_unit_test(a_rate_is_exact),
        cmocka_unit_test(bursts_come_at_once),
        cmocka_unit_test(the_wire_spaces_frames),
        cmocka_unit_test(poisson_has_the_right_gaps),
        cmocka_unit_test(poisson_keeps_fractions),
        cmocka_unit_test(random_numbers_are_the_same_everywhere),
        cmocka_unit_test(sources_are_independent),
        cmocka_unit_test(rewinding_gives_the_same_again),
        cmocka_unit_test(a_capture_is_played),
        cmocka_unit_test(a_capture_of_something_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
