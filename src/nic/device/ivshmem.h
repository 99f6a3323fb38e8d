/* SPDX-License-Identifier: MIT
 *
 * ivshmem.h - the server that QEMU's ivshmem-doorbell connects to: shared memory, peers, and an
 * eventfd for each of their vectors. Protocol version 0, as QEMU's ivshmem-spec.txt describes it:
 * messages of 8 bytes, little-endian, some with a file descriptor.
 *
 *     to a new peer   version 0 │ its id │ -1 + memory │ (id + eventfd)* of others
 *                     │ (its id + eventfd)*
 *     to the others   (its id + eventfd)*, one a vector; when it leaves: its id
 *
 * The NIC itself is peer 0 with one vector, the doorbell. A peer is trusted to be a program that
 * speaks this protocol (QEMU); the guest within it is not trusted. The memory is sealed: nobody can
 * shrink it under us.
 */
#ifndef TG_NIC_DEVICE_IVSHMEM_H
#define TG_NIC_DEVICE_IVSHMEM_H

#include "tidegate/common.h"

#include <poll.h>

#define TG_IVSHMEM_PEERS_MAX     8u
#define TG_IVSHMEM_VECTORS_MAX   8u
#define TG_IVSHMEM_FDS           (TG_IVSHMEM_PEERS_MAX + 2u)
#define TG_IVSHMEM_PATH_BYTES    108u
#define TG_IVSHMEM_MESSAGE_BYTES 320u

/* Private. */
struct tg_ivshmem_peer {
    int fd; /* -1: this place is free */
    uint32_t id;
    int vectors[TG_IVSHMEM_VECTORS_MAX];
    bool is_lost; /* to be dropped */
};

/* Private; complete so that storage can be static. */
struct tg_ivshmem {
    int listener;
    int memory_fd;
    int doorbell;
    int spare;       /* -1: there was none to be had; until there is, nobody is let in */
    uint8_t *memory; /* mapped */
    uint32_t memory_bytes;
    uint32_t n_vectors;
    uint32_t last_id;
    struct tg_ivshmem_peer peers[TG_IVSHMEM_PEERS_MAX];
    uint64_t refused; /* peers that found no place, or no file descriptors */
    char path[TG_IVSHMEM_PATH_BYTES];
};

/* Listen at path with fresh memory. A socket there that nobody listens at any more is replaced.
 *
 * Context: start-up.
 * Units:   memory_bytes: a power of two (QEMU makes a BAR of it); n_vectors
 *          1..TG_IVSHMEM_VECTORS_MAX.
 * Returns: 0, *s to be given to tg_ivshmem_close(); -1 with what is wrong in message.
 * Cost:    O(memory). */
TG_NODISCARD int tg_ivshmem_open(struct tg_ivshmem *s, const char *path, uint32_t memory_bytes,
                                 uint32_t n_vectors, char message[TG_IVSHMEM_MESSAGE_BYTES]);

/* Close everything; the path is removed.
 *
 * Context: task. Cost: O(peers). */
void tg_ivshmem_close(struct tg_ivshmem *s);

/* What to poll: fds[0] is the doorbell, the rest is for tg_ivshmem_serve().
 *
 * Context: task.
 * Returns: how many, at most TG_IVSHMEM_FDS.
 * Cost:    O(peers). */
size_t tg_ivshmem_fds(const struct tg_ivshmem *s, struct pollfd fds[TG_IVSHMEM_FDS]);

/* Peers that came or left. fds: as tg_ivshmem_fds() gave them, polled.
 *
 * Context: task; never blocks.
 * Cost:    O(peers^2 * vectors). */
void tg_ivshmem_serve(struct tg_ivshmem *s, const struct pollfd *fds, size_t n);

/* Take what the doorbell was rung for. Context: task. Returns: true if it was. Cost: O(1). */
bool tg_ivshmem_take_doorbell(struct tg_ivshmem *s);

/* Context: task. Cost: O(peers), likewise below. */
bool tg_ivshmem_has_peer(const struct tg_ivshmem *s, uint32_t id);

/* Raise a vector of a peer. Context: task. Returns: false if there is no such peer or vector. */
bool tg_ivshmem_raise(struct tg_ivshmem *s, uint32_t id, uint32_t vector);

#endif
