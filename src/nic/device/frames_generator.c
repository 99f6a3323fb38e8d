/* SPDX-License-Identifier: MIT
 *
 * frames_generator.c - so many frames at a rate: one for each rule in turn, then one for none.
 */
#include "nic/device/frames.h"

#include "system/frame_build.h"
#include "system/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX UINT64_C(1000000000)
#define PAYLOAD   18u /* fills a UDP frame up to the least that Ethernet carries */
#define SECOND_NS UINT64_C(1000000000)

/* A type field for experiments (IEEE 802, 9.2.4): no rule takes it, unless one is for that. */
static const struct tg_match nobody = {.fields = TG_FIELD_TYPE, .type = 0x88b5u};

struct generator {
    struct tg_nic_frames frames;
    const struct tg_nic_setup *setup;
    uint64_t rate_pps;
    uint64_t count;
    uint64_t made;
};

static uint32_t take(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES])
{
    struct generator *const g = (struct generator *)f;
    const uint64_t rule = g->made % (g->setup->n_rules + 1u);
    const struct tg_frame_ends ends = {.station_mac = g->setup->station.mac};

    if (g->made == g->count) {
        return 0u;
    }
    const int len_bytes = tg_frame_build(
        rule < g->setup->n_rules ? &g->setup->rules[rule].match : &nobody, TG_FORM_WHOLE, &ends,
        PAYLOAD, g->setup->station.mtu_bytes, bytes, TG_NIC_FRAMES_ROOM_BYTES);

    g->made++;
    f->next_ns = g->made == g->count ? TG_NIC_FRAMES_NEVER
                                     : g->made / g->rate_pps * SECOND_NS +
                                           g->made % g->rate_pps * SECOND_NS / g->rate_pps;
    if (len_bytes < 0) {
        f->lost++;
        return 0u;
    }
    return (uint32_t)len_bytes;
}

static void close_generator(struct tg_nic_frames *f)
{
    free(f);
}

static const struct tg_nic_frames_kind kind = {.take = take, .close = close_generator};

/* "RATE,COUNT" */
static int read_text(const char *text, uint64_t *rate_pps, uint64_t *count,
                     char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    const size_t length = strcspn(text, ",");
    const char *const rest = text[length] == ',' ? text + length + 1u : "";
    struct tg_value_error error;

    if (tg_value_rate(text, length, rate_pps, &error) != 0 || *rate_pps == 0u ||
        *rate_pps > SECOND_NS) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES,
                       "generator: found '%.*s', allowed: a rate as in 10 kpps", (int)length, text);
        return -1;
    }
    if (tg_value_number(rest, strlen(rest), count, &error) != 0 || *count == 0u ||
        *count > COUNT_MAX) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES,
                       "generator: found '%s', allowed: a number of frames, 1 to %llu", rest,
                       (unsigned long long)COUNT_MAX);
        return -1;
    }
    return 0;
}

int tg_nic_frames_generator(const char *text, const struct tg_nic_setup *setup,
                            struct tg_nic_frames **out, char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    uint64_t rate_pps;
    uint64_t count;

    if (read_text(text, &rate_pps, &count, message) != 0) {
        return -1;
    }
    struct generator *const g = calloc(1u, sizeof *g);

    if (g == NULL) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "out of memory");
        return -1;
    }
    *g = (struct generator){
        .frames = {.kind = &kind, .fd = -1}, .setup = setup, .rate_pps = rate_pps, .count = count};
    *out = &g->frames;
    return 0;
}
