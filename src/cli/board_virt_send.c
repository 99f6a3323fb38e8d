/* SPDX-License-Identifier: MIT
 *
 * board_virt_send.c - the frames of a scenario on a real network.
 */
#include "board_virt_send.h"

#include "iface/iface.h"
#include "sim/traffic.h"

#include <string.h>
#include <time.h>

#define NS_PER_S      UINT64_C(1000000000)
#define LEAD_NS       UINT64_C(10000000)  /* between the start and instant 0 */
#define BEHIND_NS     UINT64_C(100000000) /* later than that, repetitions are left out */
#define OVERTIME_NS   UINT64_C(5000000000)
#define FRAME_MIN     60u
#define FRAME_MAX     1514u
#define STAMP_BYTES   12u
#define MTU_BYTES     1500u
#define RECEIVE_SLOTS 1u /* nobody looks at what comes back */

static tg_ns clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (tg_ns)t.tv_sec * NS_PER_S + (tg_ns)t.tv_nsec;
}

static void wait_until(tg_ns at_ns)
{
    const struct timespec t = {.tv_sec = (time_t)(at_ns / NS_PER_S),
                               .tv_nsec = (long)(at_ns % NS_PER_S)};

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* The frame, as long as Ethernet wants it, with the time at its end; malformed ones and the
 * longest are sent as they are. Returns: its length. */
static uint32_t stamp(const struct tg_sim_frame *frame, bool is_malformed, uint64_t board_ns,
                      uint8_t bytes[FRAME_MAX])
{
    static const uint8_t mark[4] = LAB_STAMP;
    uint32_t len_bytes = frame->len_bytes;

    memset(bytes, 0, FRAME_MAX);
    memcpy(bytes, frame->bytes, len_bytes < FRAME_MAX ? len_bytes : FRAME_MAX);
    if (len_bytes + STAMP_BYTES <= FRAME_MAX && !is_malformed) {
        len_bytes += STAMP_BYTES;
        len_bytes = len_bytes < FRAME_MIN ? FRAME_MIN : len_bytes;
        memcpy(bytes + len_bytes - STAMP_BYTES, mark, sizeof mark);
        for (uint32_t i = 0u; i < 8u; i++) {
            bytes[len_bytes - 8u + i] = (uint8_t)(board_ns >> (8u * i));
        }
    }
    return len_bytes;
}

static void send_frame(struct tg_iface *network, struct tg_board_cell *cell,
                       const struct tg_sim_frame *frame, uint64_t board_ns)
{
    uint8_t bytes[FRAME_MAX];
    const bool is_malformed = frame->flow > cell->system->n_flows;
    const struct iovec part = {.iov_base = bytes,
                               .iov_len = stamp(frame, is_malformed, board_ns, bytes)};

    if (part.iov_len <= FRAME_MAX && tg_iface_send(network, &part, 1)) {
        cell->sent[frame->flow]++;
    }
}

static void send_all(struct tg_iface *network, struct tg_board_cell *cell,
                     struct tg_traffic *traffic, tg_ns ahead_ns,
                     const volatile sig_atomic_t *is_stopped)
{
    const tg_ns for_ns = cell->scenario->for_ns;
    const tg_ns start_ns = clock_ns() + LEAD_NS;
    const struct tg_sim_frame *last = NULL;
    struct tg_sim_arrival arrival;
    tg_ns now_ns = 0u;

    while (*is_stopped == 0 && now_ns < start_ns + for_ns + OVERTIME_NS &&
           tg_traffic_next(traffic, &arrival) && arrival.at_ns < for_ns) {
        const tg_ns due_ns = start_ns + arrival.at_ns;

        wait_until(due_ns);
        now_ns = clock_ns();
        if (arrival.frame == NULL || (now_ns > due_ns + BEHIND_NS && arrival.frame == last)) {
            continue;
        }
        last = arrival.frame;
        send_frame(network, cell, arrival.frame, now_ns - ahead_ns);
    }
    for (tg_ns at_ns = clock_ns(); *is_stopped == 0 && at_ns < start_ns + for_ns;
         at_ns = clock_ns()) {
        wait_until(start_ns + for_ns);
    }
}

int tg_virt_send(const char *interface, struct tg_board_cell *cell, tg_ns ahead_ns,
                 const volatile sig_atomic_t *is_stopped, char *text, size_t size)
{
    struct tg_iface *network;
    struct tg_traffic *traffic;

    if (tg_iface_open(interface, RECEIVE_SLOTS, MTU_BYTES, &network, text, size) != 0) {
        return -1;
    }
    const int err = tg_traffic_open(cell->system, cell->scenario, &traffic, text, size);

    if (err == 0) {
        send_all(network, cell, traffic, ahead_ns, is_stopped);
        tg_traffic_close(traffic);
    }
    tg_iface_close(network);
    return err;
}
