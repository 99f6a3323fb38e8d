/* SPDX-License-Identifier: MIT
 *
 * ivshmem.c - the server that QEMU's ivshmem-doorbell connects to.
 */
#include "nic/device/ivshmem.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define VERSION   0
#define MEMORY    (-1)
#define OWN_ID    0u
#define NO_FD     (-1)
#define ID_MAX    0xffffu
#define MESSAGE_8 sizeof(int64_t)

/* ---- Messages -------------------------------------------------------------------------------- */

/* A peer that cannot take a message at once is lost: the whole conversation fits into its
 * socket. */
static void tell(struct tg_ivshmem_peer *peer, int64_t value, int fd)
{
    int64_t wire = (int64_t)htole64((uint64_t)value);
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {.iov_base = &wire, .iov_len = MESSAGE_8};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1u};

    if (fd != NO_FD) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.header.cmsg_len = CMSG_LEN(sizeof fd);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    if (sendmsg(peer->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)MESSAGE_8) {
        peer->is_lost = true;
    }
}

static void tell_vectors(const struct tg_ivshmem *s, struct tg_ivshmem_peer *to,
                         const struct tg_ivshmem_peer *of)
{
    for (uint32_t v = 0u; v < s->n_vectors; v++) {
        tell(to, of->id, of->vectors[v]);
    }
}

static void greet(struct tg_ivshmem *s, struct tg_ivshmem_peer *peer)
{
    tell(peer, VERSION, NO_FD);
    tell(peer, peer->id, NO_FD);
    tell(peer, MEMORY, s->memory_fd);
    tell(peer, OWN_ID, s->doorbell);
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        struct tg_ivshmem_peer *const other = &s->peers[i];

        if (other->fd != NO_FD && other != peer) {
            tell_vectors(s, peer, other);
            tell_vectors(s, other, peer);
        }
    }
    tell_vectors(s, peer, peer);
}

/* ---- Peers ----------------------------------------------------------------------------------- */

static struct tg_ivshmem_peer *find_peer(const struct tg_ivshmem *s, uint32_t id)
{
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        if (s->peers[i].fd != NO_FD && s->peers[i].id == id) {
            return (struct tg_ivshmem_peer *)&s->peers[i];
        }
    }
    return NULL;
}

/* An id that was not used lately, so that nobody takes a new peer for one that left. */
static uint32_t fresh_id(struct tg_ivshmem *s)
{
    do {
        s->last_id = s->last_id == ID_MAX ? OWN_ID + 1u : s->last_id + 1u;
    } while (find_peer(s, s->last_id) != NULL);
    return s->last_id;
}

static void close_vectors(struct tg_ivshmem_peer *peer, uint32_t n)
{
    for (uint32_t v = 0u; v < n; v++) {
        (void)close(peer->vectors[v]);
    }
}

static bool open_vectors(struct tg_ivshmem_peer *peer, uint32_t n)
{
    for (uint32_t v = 0u; v < n; v++) {
        peer->vectors[v] = eventfd(0u, EFD_CLOEXEC | EFD_NONBLOCK);
        if (peer->vectors[v] < 0) {
            close_vectors(peer, v);
            return false;
        }
    }
    return true;
}

static void admit(struct tg_ivshmem *s, int fd)
{
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        struct tg_ivshmem_peer *const peer = &s->peers[i];

        if (peer->fd == NO_FD && open_vectors(peer, s->n_vectors)) {
            peer->id = fresh_id(s);
            peer->fd = fd;
            peer->is_lost = false;
            greet(s, peer);
            return;
        }
    }
    s->refused++;
    (void)close(fd);
}

static void drop(struct tg_ivshmem *s, struct tg_ivshmem_peer *peer)
{
    const uint32_t id = peer->id;

    close_vectors(peer, s->n_vectors);
    (void)close(peer->fd);
    peer->fd = NO_FD;
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        if (s->peers[i].fd != NO_FD) {
            tell(&s->peers[i], id, NO_FD);
        }
    }
}

/* Telling of one that left may find another one gone. */
static void drop_lost(struct tg_ivshmem *s)
{
    for (uint32_t round = 0u; round < TG_IVSHMEM_PEERS_MAX; round++) {
        for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
            if (s->peers[i].fd != NO_FD && s->peers[i].is_lost) {
                drop(s, &s->peers[i]);
            }
        }
    }
}

static int open_spare(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Whoever waits and cannot be accepted would wake every poll() from now on. For want of a
 * descriptor he is let in on the spare one, and out. */
static void accept_peer(struct tg_ivshmem *s)
{
    const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    int fd = accept4(s->listener, NULL, NULL, flags);

    if (fd >= 0) {
        admit(s, fd);
    } else if (errno == EMFILE || errno == ENFILE) {
        (void)close(s->spare);
        fd = accept4(s->listener, NULL, NULL, flags);
        if (fd >= 0) {
            s->refused++;
            (void)close(fd);
        }
        s->spare = open_spare();
    }
}

size_t tg_ivshmem_fds(const struct tg_ivshmem *s, struct pollfd fds[TG_IVSHMEM_FDS])
{
    size_t n = 0u;

    fds[n++] = (struct pollfd){.fd = s->doorbell, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = s->spare != NO_FD ? s->listener : NO_FD, .events = POLLIN};
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        if (s->peers[i].fd != NO_FD) {
            fds[n++] = (struct pollfd){.fd = s->peers[i].fd, .events = POLLIN};
        }
    }
    return n;
}

void tg_ivshmem_serve(struct tg_ivshmem *s, const struct pollfd *fds, size_t n)
{
    for (size_t i = 2u; i < n; i++) {
        for (uint32_t k = 0u; k < TG_IVSHMEM_PEERS_MAX; k++) {
            /* Peers have nothing to say: whatever comes means that this one is gone, or astray. */
            if (s->peers[k].fd == fds[i].fd && fds[i].revents != 0) {
                s->peers[k].is_lost = true;
            }
        }
    }
    drop_lost(s); /* first: their places are free then */
    if (s->spare == NO_FD) {
        s->spare = open_spare();
    } else if (fds[1].revents != 0) {
        accept_peer(s);
    }
    drop_lost(s);
}

bool tg_ivshmem_take_doorbell(struct tg_ivshmem *s)
{
    uint64_t count;

    return read(s->doorbell, &count, sizeof count) == (ssize_t)sizeof count;
}

bool tg_ivshmem_has_peer(const struct tg_ivshmem *s, uint32_t id)
{
    return find_peer(s, id) != NULL;
}

bool tg_ivshmem_raise(struct tg_ivshmem *s, uint32_t id, uint32_t vector)
{
    const struct tg_ivshmem_peer *const peer = find_peer(s, id);
    const uint64_t one = 1u;

    /* A count that is full already is an interrupt that the peer still has to see. */
    return peer != NULL && vector < s->n_vectors &&
           (write(peer->vectors[vector], &one, sizeof one) == (ssize_t)sizeof one ||
            errno == EAGAIN);
}

/* ---- Open and close -------------------------------------------------------------------------- */

static int fail(char message[TG_IVSHMEM_MESSAGE_BYTES], const char *what, const char *which)
{
    const int error = errno;

    (void)snprintf(message, TG_IVSHMEM_MESSAGE_BYTES, "%s: %s: %s", which, what, strerror(error));
    return -1;
}

static int open_memory(struct tg_ivshmem *s, char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    void *memory;

    s->memory_fd = memfd_create("tidegate-nic", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->memory_fd < 0 || ftruncate(s->memory_fd, s->memory_bytes) != 0 ||
        fcntl(s->memory_fd, F_ADD_SEALS, seals) != 0) {
        return fail(message, "cannot be made", "shared memory");
    }
    memory = mmap(NULL, s->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->memory_fd, 0);
    if (memory == MAP_FAILED) {
        return fail(message, "cannot be mapped", "shared memory");
    }
    s->memory = memory;
    s->doorbell = eventfd(0u, EFD_CLOEXEC | EFD_NONBLOCK);
    return s->doorbell < 0 ? fail(message, "cannot be made", "doorbell") : 0;
}

/* Is it the socket of a server that has ended? */
static bool is_abandoned(const struct sockaddr_un *address)
{
    struct stat status;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is = false;

    if (fd >= 0 && stat(address->sun_path, &status) == 0 && S_ISSOCK(status.st_mode)) {
        is = connect(fd, (const struct sockaddr *)(const void *)address, sizeof *address) != 0 &&
             errno == ECONNREFUSED;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is;
}

static int listen_at(struct tg_ivshmem *s, const char *path, char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct sockaddr *const any = (const struct sockaddr *)(const void *)&address;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return fail(message, "cannot listen", path);
    }
    strcpy(address.sun_path, path);
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int err = s->listener < 0 ? -1 : bind(s->listener, any, sizeof address);

    if (err != 0 && errno == EADDRINUSE) {
        if (is_abandoned(&address)) {
            (void)unlink(path);
            err = bind(s->listener, any, sizeof address);
        } else {
            errno = EADDRINUSE;
        }
    }
    if (err != 0 || listen(s->listener, (int)TG_IVSHMEM_PEERS_MAX) != 0) {
        return fail(message, "cannot listen", path);
    }
    strcpy(s->path, path);
    s->spare = open_spare();
    return s->spare < 0 ? fail(message, "cannot be opened", "/dev/null") : 0;
}

int tg_ivshmem_open(struct tg_ivshmem *s, const char *path, uint32_t memory_bytes,
                    uint32_t n_vectors, char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    *s = (struct tg_ivshmem){.listener = NO_FD,
                             .memory_fd = NO_FD,
                             .doorbell = NO_FD,
                             .spare = NO_FD,
                             .memory_bytes = memory_bytes,
                             .n_vectors = n_vectors,
                             .last_id = OWN_ID};
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        s->peers[i].fd = NO_FD;
    }
    if (open_memory(s, message) != 0 || listen_at(s, path, message) != 0) {
        tg_ivshmem_close(s);
        return -1;
    }
    return 0;
}

static void close_if_open(int fd)
{
    if (fd != NO_FD) {
        (void)close(fd);
    }
}

void tg_ivshmem_close(struct tg_ivshmem *s)
{
    for (uint32_t i = 0u; i < TG_IVSHMEM_PEERS_MAX; i++) {
        s->peers[i].is_lost = true;
    }
    drop_lost(s);
    if (s->path[0] != '\0') {
        (void)unlink(s->path);
    }
    if (s->memory != NULL) {
        (void)munmap(s->memory, s->memory_bytes);
    }
    close_if_open(s->listener);
    close_if_open(s->memory_fd);
    close_if_open(s->doorbell);
    close_if_open(s->spare);
}
