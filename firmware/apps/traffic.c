/* SPDX-License-Identifier: MIT
 *
 * traffic.c - frames and arrivals for the generator.
 */
#include "traffic.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#define SENDER_MAC UINT64_C(0x020000000002)
#define IP_OFFSET  14u
#define UDP_OFFSET 34u
#define HEADERS    42u

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put_mac(uint8_t *at, uint64_t mac)
{
    for (uint32_t i = 0u; i < 6u; i++) {
        at[i] = (uint8_t)(mac >> (8u * i));
    }
}

static uint32_t header_checksum(const uint8_t *header)
{
    uint32_t sum = 0u;

    for (uint32_t i = 0u; i < 20u; i += 2u) {
        sum += (uint32_t)header[i] << 8 | header[i + 1u];
    }
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = (sum & 0xffffu) + (sum >> 16);
    return ~sum & 0xffffu;
}

struct generator_frame traffic_udp(struct traffic_bytes *memory, uint64_t station_mac,
                                   uint16_t dst_port, uint32_t payload_bytes)
{
    static const uint8_t ip[20] = {0x45, [8] = 64, 17, [12] = 10, 0, 0, 2, 10, 0, 0, 1};
    uint8_t *const bytes = memory->bytes;

    memset(bytes, 0, HEADERS + payload_bytes);
    put_mac(bytes, station_mac);
    put_mac(bytes + 6, SENDER_MAC);
    put16(bytes + 12, 0x0800u);
    memcpy(bytes + IP_OFFSET, ip, sizeof(ip));
    put16(bytes + IP_OFFSET + 2u, 28u + payload_bytes);
    put16(bytes + IP_OFFSET + 10u, header_checksum(bytes + IP_OFFSET));
    put16(bytes + UDP_OFFSET, TRAFFIC_PORT);
    put16(bytes + UDP_OFFSET + 2u, dst_port);
    put16(bytes + UDP_OFFSET + 4u, 8u + payload_bytes);
    return (struct generator_frame){.bytes = bytes, .len_bytes = HEADERS + payload_bytes};
}

void traffic_add_periodic(struct traffic *t, uint32_t frame, uint32_t first, uint32_t period,
                          uint32_t until)
{
    for (uint32_t at = first; at < until; at += period) {
        if (t->n == t->size) {
            kernel_panic("more arrivals than there is room for", NULL);
        }
        t->arrivals[t->n++] = (struct generator_arrival){.gap_ticks = at, .frame = frame};
    }
}

static int compare(const void *a, const void *b)
{
    const struct generator_arrival *const x = a;
    const struct generator_arrival *const y = b;

    if (x->gap_ticks != y->gap_ticks) {
        return x->gap_ticks < y->gap_ticks ? -1 : 1;
    }
    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

void traffic_sort(struct traffic *t)
{
    qsort(t->arrivals, t->n, sizeof(t->arrivals[0]), compare);
    for (uint32_t i = t->n; i-- > 1u;) {
        t->arrivals[i].gap_ticks -= t->arrivals[i - 1u].gap_ticks;
    }
}
