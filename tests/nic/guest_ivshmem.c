/* SPDX-License-Identifier: MIT
 *
 * guest_ivshmem.c - the client's side of the ivshmem protocol, as QEMU speaks it.
 */
#include "guest.h"

#include <endian.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define NO_FD       (-1)

/* One message. Returns: false if none comes in time, or the server is gone. */
static bool receive(struct guest *g, int timeout_ms, int64_t *value, int *fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = value, .iov_len = sizeof *value};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1u,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    struct pollfd server = {.fd = g->socket, .events = POLLIN};

    *fd = NO_FD;
    if (poll(&server, 1u, timeout_ms) != 1) {
        return false;
    }
    if (recvmsg(g->socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *value) {
        g->is_cut = true;
        return false;
    }
    if (message.msg_controllen != 0u) {
        memcpy(fd, CMSG_DATA(&control.header), sizeof *fd);
    }
    *value = (int64_t)le64toh((uint64_t)*value);
    return true;
}

static void close_peer(struct guest_peer *peer)
{
    for (uint32_t v = 0u; v < peer->n_vectors; v++) {
        (void)close(peer->vectors[v]);
    }
    memset(peer, 0, sizeof *peer);
}

static void take(struct guest *g, int64_t id, int fd)
{
    if (id == (int64_t)g->id) {
        g->vectors[g->n_vectors++] = fd;
        return;
    }
    struct guest_peer *const peer = &g->peers[id];

    if (fd == NO_FD) {
        close_peer(peer);
        return;
    }
    peer->is_there = true;
    peer->vectors[peer->n_vectors++] = fd;
    g->doorbell = id == TG_NIC_DEVICE_PEER ? fd : g->doorbell;
}

static bool map_memory(struct guest *g)
{
    struct stat status;

    if (fstat(g->memory_fd, &status) != 0) {
        return false;
    }
    g->memory_bytes = (uint32_t)status.st_size;
    void *const memory =
        mmap(NULL, g->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, g->memory_fd, 0);

    g->memory = memory;
    return memory != MAP_FAILED;
}

bool guest_connect(struct guest *g, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int64_t value;
    int fd;

    memset(g, 0, sizeof *g);
    g->memory_fd = NO_FD;
    g->doorbell = NO_FD;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1u);
    g->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(g->socket, (const struct sockaddr *)(const void *)&address, sizeof address) != 0) {
        (void)close(g->socket);
        return false;
    }
    if (!receive(g, PATIENCE_MS, &g->version, &fd) || !receive(g, PATIENCE_MS, &value, &fd)) {
        guest_disconnect(g);
        return false;
    }
    g->id = (uint32_t)value;
    if (!receive(g, PATIENCE_MS, &value, &g->memory_fd) || value != -1 || !map_memory(g)) {
        guest_disconnect(g);
        return false;
    }
    /* The first queue's vector ends the part that tells of others. */
    while (g->n_vectors < GUEST_QUEUES) {
        if (!receive(g, PATIENCE_MS, &value, &fd)) {
            guest_disconnect(g);
            return false;
        }
        take(g, value, fd);
    }
    return true;
}

void guest_listen(struct guest *g)
{
    int64_t value;
    int fd;

    while (receive(g, 200, &value, &fd)) {
        take(g, value, fd);
    }
}

void guest_disconnect(struct guest *g)
{
    for (uint32_t i = 0u; i < GUEST_PEERS_MAX; i++) {
        close_peer(&g->peers[i]);
    }
    for (uint32_t v = 0u; v < g->n_vectors; v++) {
        (void)close(g->vectors[v]);
    }
    g->n_vectors = 0u;
    if (g->memory != NULL) {
        (void)munmap(g->memory, g->memory_bytes);
        g->memory = NULL;
    }
    if (g->memory_fd != NO_FD) {
        (void)close(g->memory_fd);
        g->memory_fd = NO_FD;
    }
    (void)close(g->socket);
    g->socket = NO_FD;
}
