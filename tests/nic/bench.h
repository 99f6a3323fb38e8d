/* SPDX-License-Identifier: MIT
 *
 * bench.h - the NIC's model on a bench: a guest by hand, no process, time is a variable.
 *
 * Everything goes through the shared memory as a guest's would: registers through the write port,
 * frames through rings. Only what a guest cannot see is asked of the model itself.
 */
#ifndef TG_TESTS_NIC_BENCH_H
#define TG_TESTS_NIC_BENCH_H

#include "nic/model/model.h"
#include "test_frame.h"

#define BENCH_MEMORY_BYTES 0x40000u
#define BENCH_BUFFER_BYTES 512u
#define BENCH_RING         16u /* descriptors of each ring */
#define BENCH_PEER         5u
#define BENCH_RULES        3u

/* Ports of the rules, and their priorities. */
#define PORT_HIGH 5000u /* 24 */
#define PORT_MID  5001u /* 12 */
#define PORT_LOW  5002u /* 3 */

enum { QUEUE_LOW, QUEUE_MID, QUEUE_HIGH, QUEUES }; /* 0..7, 8..15, 16..31 */

struct bench {
    struct tg_nic_setup setup;
    struct tg_nic_rule rules[BENCH_RULES];
    struct tg_nic_model *model;
    uint8_t *memory; /* a block of its own: a sanitizer sees what lies beside it */
    tg_ns now_ns;
    struct tg_nic_ring writes;
    struct tg_nic_ring rings[QUEUES];
    struct tg_nic_ring transmit;
    uint32_t tokens[QUEUES];
    uint32_t raised[TG_NIC_QUEUES_MAX]; /* by vector */
    uint32_t raised_peer;               /* of the last one */
    bool is_peer_gone;
    uint32_t sent; /* frames that reached the network */
    uint8_t last_sent[64];
    uint32_t last_sent_bytes;
};

/* Three queues by priority, no moderation, no gates, unregistered frames accepted at priority 0.
 * b->setup can be changed before bench_open. */
void bench_init(struct bench *b);
void bench_open(struct bench *b);
void bench_close(struct bench *b);

/* bench_init, bench_open, PEER written, all queues and the transmit ring enabled, filled, armed. */
void bench_start(struct bench *b);

/* Set up ring k with n empty buffers and enable it. */
void bench_enable(struct bench *b, uint32_t queue, uint32_t n);

/* Write a register. Returns: whether it was taken. */
bool bench_write(struct bench *b, uint32_t offset, uint32_t value);

/* The same, which must be taken. */
void bench_set(struct bench *b, uint32_t offset, uint32_t value);

/* A register as it stands in the shared memory; it must be what the model says. */
uint32_t bench_read(const struct bench *b, uint32_t offset);
uint64_t bench_count(const struct bench *b, uint32_t offset);

void bench_doorbell(struct bench *b);

/* A word of the guest. */
void bench_store(struct bench *b, uint32_t offset, uint32_t value);

void bench_arm(struct bench *b, uint32_t queue);

/* The clock moves on; timers fire when they are due. */
void bench_wait(struct bench *b, tg_ns duration_ns);

/* A UDP frame for this port. */
enum tg_nic_fate bench_udp(struct bench *b, uint16_t port);

/* The guest takes all that a queue has, offers the buffers again. Returns: how many. */
uint32_t bench_take(struct bench *b, uint32_t queue);

/* Offer a descriptor of any content. */
void bench_offer(struct bench *b, uint32_t queue, uint32_t buffer, uint32_t size_bytes);

/* Vectors raised so far, all together. */
uint32_t bench_raised(const struct bench *b);

void bench_check(const struct bench *b);

#endif
