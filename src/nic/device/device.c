/* SPDX-License-Identifier: MIT
 *
 * device.c - the process around the model: peers, frames, time and signals, in one loop.
 */
#include "nic/device/device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_PER_ROUND 64u /* then peers, signals and timers get their turn */
#define SECOND_NS        UINT64_C(1000000000)

static tg_ns clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (tg_ns)t.tv_sec * SECOND_NS + (tg_ns)t.tv_nsec;
}

static bool raise_vector(void *context, uint32_t peer, uint32_t vector)
{
    struct tg_nic_device *const d = context;

    return tg_ivshmem_raise(&d->server, peer, vector);
}

static bool transmit(void *context, const uint8_t *bytes, uint32_t len_bytes)
{
    struct tg_nic_device *const d = context;

    return d->frames->kind->send != NULL && d->frames->kind->send(d->frames, bytes, len_bytes);
}

static int open_signals(struct tg_nic_device *d, char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    d->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (d->signals < 0) {
        (void)snprintf(message, TG_IVSHMEM_MESSAGE_BYTES, "signals: %s", strerror(errno));
        return -1;
    }
    return 0;
}

static int open_model(struct tg_nic_device *d, const struct tg_nic_setup *setup,
                      char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    const struct tg_nic_backend backend = {
        .raise = raise_vector, .transmit = transmit, .context = d};
    uint64_t seed = 0u;
    uint32_t bad_rule = 0u;

    if (getrandom(&seed, sizeof seed, 0u) != (ssize_t)sizeof seed) {
        (void)snprintf(message, TG_IVSHMEM_MESSAGE_BYTES, "random numbers: %s", strerror(errno));
        return -1;
    }
    const int err = tg_nic_model_open(&d->model, setup, &backend, d->server.memory,
                                      d->server.memory_bytes, seed, &bad_rule);

    if (err) {
        (void)snprintf(message, TG_IVSHMEM_MESSAGE_BYTES, "flow %u: the NIC does not take it (%d)",
                       bad_rule + 1u, err);
    }
    return err ? -1 : 0;
}

int tg_nic_device_open(struct tg_nic_device *d, const struct tg_nic_device_config *cfg,
                       char message[TG_IVSHMEM_MESSAGE_BYTES])
{
    *d = (struct tg_nic_device){.frames = cfg->frames};
    /* Signals first: who sees the socket may send one. */
    if (open_signals(d, message) != 0) {
        return -1;
    }
    if (tg_ivshmem_open(&d->server, cfg->socket, TG_NIC_MEMORY_BYTES, cfg->setup->n_queues,
                        message) != 0) {
        (void)close(d->signals);
        return -1;
    }
    if (open_model(d, cfg->setup, message) != 0) {
        tg_nic_device_close(d);
        return -1;
    }
    return 0;
}

void tg_nic_device_close(struct tg_nic_device *d)
{
    (void)close(d->signals);
    tg_nic_model_close(d->model);
    tg_ivshmem_close(&d->server);
}

/* When the next frame of a source with times is due. */
static tg_ns frame_due_ns(const struct tg_nic_device *d)
{
    return d->started_ns == 0u || d->frames->next_ns == TG_NIC_FRAMES_NEVER
               ? TG_NIC_NEVER
               : d->started_ns + d->frames->next_ns;
}

/* Returns: true if there may be more frames right now. */
static bool take_frames(struct tg_nic_device *d)
{
    static uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES];
    const bool has_times = d->frames->fd < 0;

    for (uint32_t n = 0u; n < FRAMES_PER_ROUND; n++) {
        const tg_ns now_ns = clock_ns();

        if (has_times && frame_due_ns(d) > now_ns) {
            return false;
        }
        const uint32_t len_bytes = d->frames->kind->take(d->frames, bytes);

        if (len_bytes != 0u) {
            (void)tg_nic_model_receive(d->model, bytes, len_bytes, now_ns);
        } else if (!has_times) {
            return false;
        }
    }
    return true;
}

static void take_signals(struct tg_nic_device *d, const struct tg_nic_device_config *cfg)
{
    struct signalfd_siginfo info;

    while (read(d->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1) {
            cfg->report(cfg->context, d);
        } else {
            d->is_stopped = true;
        }
    }
}

/* A guest that is gone leaves nothing enabled: the next one finds a device in its reset state. */
static void reset_if_abandoned(struct tg_nic_device *d)
{
    const uint32_t peer = tg_nic_model_read(d->model, TG_NIC_PEER);

    if (peer != TG_NIC_DEVICE_PEER && !tg_ivshmem_has_peer(&d->server, peer)) {
        tg_nic_model_reset(d->model);
    }
}

/* Sleep until something happens, or until this time. */
static void wait_until(struct pollfd *fds, size_t n, tg_ns until_ns)
{
    const tg_ns now_ns = clock_ns();
    const tg_ns left_ns = until_ns > now_ns ? until_ns - now_ns : 0u;
    const struct timespec timeout = {.tv_sec = (time_t)(left_ns / SECOND_NS),
                                     .tv_nsec = (long)(left_ns % SECOND_NS)};

    if (ppoll(fds, (nfds_t)n, until_ns == TG_NIC_NEVER ? NULL : &timeout, NULL) < 0) {
        for (size_t i = 0u; i < n; i++) {
            fds[i].revents = 0;
        }
    }
}

static tg_ns earlier(tg_ns a, tg_ns b)
{
    return a < b ? a : b;
}

/* One round. Returns: true if there is more to do at once. */
static bool serve(struct tg_nic_device *d, const struct tg_nic_device_config *cfg, tg_ns until_ns)
{
    struct pollfd fds[TG_IVSHMEM_FDS + 2u];
    const size_t n = tg_ivshmem_fds(&d->server, fds);
    bool has_more = false;

    fds[n] = (struct pollfd){.fd = d->signals, .events = POLLIN};
    fds[n + 1u] = (struct pollfd){.fd = d->frames->fd, .events = POLLIN};
    wait_until(fds, n + 2u, until_ns);
    tg_ivshmem_serve(&d->server, fds, n);
    reset_if_abandoned(d);
    take_signals(d, cfg);
    (void)tg_ivshmem_take_doorbell(&d->server);
    /* Whether or not it was rung: what a guest offered and forgot to tell is served as well. */
    has_more = tg_nic_model_doorbell(d->model, clock_ns()) == TG_WORK_MORE;
    if (d->started_ns == 0u && tg_nic_model_is_enabled(d->model)) {
        d->started_ns = clock_ns();
    }
    has_more = take_frames(d) || has_more;
    tg_nic_model_timer(d->model, clock_ns());
    return has_more;
}

void tg_nic_device_run(struct tg_nic_device *d, const struct tg_nic_device_config *cfg)
{
    const tg_ns end_ns = cfg->for_ns == 0u ? TG_NIC_NEVER : clock_ns() + cfg->for_ns;
    bool has_more = false;

    while (!d->is_stopped && clock_ns() < end_ns) {
        const tg_ns next_ns = earlier(tg_nic_model_next_ns(d->model), frame_due_ns(d));

        has_more = serve(d, cfg, has_more ? 0u : earlier(next_ns, end_ns));
    }
}
