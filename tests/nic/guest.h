/* SPDX-License-Identifier: MIT
 *
 * guest.h - a guest without QEMU: it plays the ivshmem client, and runs the real driver and the
 * real core on what it gets. The port (guest_port.c) is all that is replaced.
 */
#ifndef TG_TESTS_NIC_GUEST_H
#define TG_TESTS_NIC_GUEST_H

#include "nic/driver/driver.h"
#include "system/system.h"

#define GUEST_PEERS_MAX   16u
#define GUEST_VECTORS_MAX 8u
#define GUEST_FLOWS_MAX   16u

/* Three queues by priority (low, mid, high), a flow in each: UDP to 5002, 5001, 5000. The lowest
 * has a gate and moderation. */
extern const char GUEST_SYSTEM[];

enum { GUEST_LOW, GUEST_MID, GUEST_HIGH, GUEST_QUEUES };

/* What is known of another peer. */
struct guest_peer {
    bool is_there;
    int vectors[GUEST_VECTORS_MAX];
    uint32_t n_vectors;
};

struct guest {
    /* The connection: from an ivshmem server, or from the test itself. */
    int socket; /* -1: none */
    uint32_t id;
    bool is_cut; /* the server closed it */
    int64_t version;
    int memory_fd;
    uint8_t *memory;
    uint32_t memory_bytes;
    struct guest_peer peers[GUEST_PEERS_MAX];
    int doorbell;
    int vectors[GUEST_VECTORS_MAX];
    uint32_t n_vectors;

    /* Driver and core. */
    struct tg_system *system;
    struct tg_system_config config;
    struct tg_nic_driver driver;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gates[TG_GATES_MAX];
    struct tg_storage storage;
    struct tg_buffer *slots[GUEST_QUEUES][64];

    /* The port. */
    bool is_locked;
    tg_ns timer_at_ns;

    /* What happened. */
    uint32_t raised[GUEST_VECTORS_MAX];
    uint64_t received[GUEST_FLOWS_MAX];                /* packets by flow */
    void (*on_packet)(const struct tg_buffer *packet); /* NULL: nothing looks at them */
    bool echoes;                                       /* packets go back where they came from */
    uint64_t echoed;
};

tg_ns guest_now_ns(void);

/* Connect as a peer and take the greeting. Returns: false if nobody listens, or it was cut
 * short. */
bool guest_connect(struct guest *g, const char *path);

/* Take what the server says meanwhile: peers that come and go. */
void guest_listen(struct guest *g);

void guest_disconnect(struct guest *g);

/* Reset the device, bring core and queues up. Returns: 0, or what the driver said. */
int guest_start(struct guest *g);

void guest_stop(struct guest *g);

/* Serve vectors, timer and protocol task until so many packets have come in all, or so long nothing
 * has happened. */
void guest_run(struct guest *g, uint64_t packets, unsigned quiet_ms);

uint64_t guest_received(const struct guest *g);

#endif
