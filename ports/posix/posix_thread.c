/* SPDX-License-Identifier: MIT
 *
 * posix_thread.c - the life of an instance: set up, start threads, stop and join them.
 */
#define _POSIX_C_SOURCE 200809L

#include "posix_internal.h"

#include <errno.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

#define LEVEL_RECEIVE TG_PRIORITIES
#define LEVEL_TICK    (TG_PRIORITIES + TG_QUEUES_MAX)

int tg_posix_port_init(struct tg_posix_port *port, const struct tg_posix_config *cfg)
{
    const int highest = cfg->first_priority + (int)TG_POSIX_LEVELS - 1;

    if (cfg->first_priority < sched_get_priority_min(SCHED_FIFO) ||
        highest > sched_get_priority_max(SCHED_FIFO) || cfg->floor >= TG_PRIORITIES ||
        (cfg->poll_priority >= TG_PRIORITIES && cfg->poll_priority != TG_POSIX_POLL_IN_TICK)) {
        return TG_ERR_RANGE;
    }
    *port = (struct tg_posix_port){
        .cfg = *cfg, .priority = cfg->floor, .timer_at_ns = UINT64_MAX, .is_realtime = true};
    const int err = tg_posix_watch_forks();

    if (err) {
        return err;
    }
    return pipe(port->stop_fd) == 0 ? 0 : errno;
}

static int create_with(int policy, int priority, void *(*body)(void *arg), void *arg, pthread_t *id)
{
    const struct sched_param param = {.sched_priority = priority};
    pthread_attr_t attr;
    int err = pthread_attr_init(&attr);

    if (err) {
        return err;
    }
    err = pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    if (!err) {
        err = pthread_attr_setschedpolicy(&attr, policy);
    }
    if (!err) {
        err = pthread_attr_setschedparam(&attr, &param);
    }
    if (!err) {
        err = pthread_create(id, &attr, body, arg);
    }
    (void)pthread_attr_destroy(&attr);
    return err;
}

static int create(struct tg_posix_port *port, uint32_t level, void *(*body)(void *arg), void *arg,
                  pthread_t *id)
{
    if (tg_posix_port_is_realtime(port)) {
        const int err =
            create_with(SCHED_FIFO, port->cfg.first_priority + (int)level, body, arg, id);

        if (err != EPERM) {
            return err;
        }
        tg_posix_lose_realtime(port);
    }
    return create_with(SCHED_OTHER, 0, body, arg, id);
}

static int start_thread(struct tg_posix_port *port, uint32_t level, void *(*body)(void *arg),
                        void *arg, struct tg_posix_thread *thread)
{
    const int err = create(port, level, body, arg, &thread->id);

    thread->is_joinable = !err;
    return err;
}

static void join(struct tg_posix_thread *thread)
{
    if (thread->is_joinable) {
        (void)pthread_join(thread->id, NULL);
        thread->is_joinable = false;
    }
}

int tg_posix_port_spawn(struct tg_posix_port *port, uint32_t priority, void *(*body)(void *arg),
                        void *arg, pthread_t *id)
{
    if (priority >= TG_PRIORITIES) {
        return TG_ERR_RANGE;
    }
    return create(port, priority, body, arg, id);
}

static void *run_protocol(void *arg)
{
    struct tg_posix_port *const port = arg;

    port->body(port->body_arg);

    /* From here on the thread may be gone, and its identity another one's. */
    const uint32_t state = tg_port_lock(port);

    port->has_protocol_thread = false;
    tg_port_unlock(port, state);
    return NULL;
}

/* Under the lock, so that no change of its priority is missed. */
static int start_protocol(struct tg_posix_port *port)
{
    const uint32_t state = tg_port_lock(port);
    const int err = start_thread(port, port->priority, run_protocol, port, &port->protocol_thread);

    port->has_protocol_thread = !err;
    tg_port_unlock(port, state);
    return err;
}

int tg_posix_port_start(struct tg_posix_port *port, struct tg_protocol *p, void (*body)(void *arg),
                        void *arg)
{
    port->protocol = p;
    port->body = body;
    port->body_arg = arg;

    /* The highest priority first: if that is refused, all threads do without. */
    int err = start_thread(port, LEVEL_TICK, tg_posix_run_tick, port, &port->tick_thread);

    if (!err && port->cfg.poll_priority != TG_POSIX_POLL_IN_TICK) {
        err = start_thread(port, port->cfg.poll_priority, tg_posix_run_poll, port,
                           &port->poll_thread);
    }
    if (!err) {
        err = start_protocol(port);
    }
    if (err) {
        tg_posix_port_stop(port);
    }
    return err;
}

/* How many queues of the same protocol task have a lower rank. */
static uint32_t lower_ranked(const struct tg_rxq *queue)
{
    uint32_t n = 0u;

    for (uint32_t i = 0u; i < queue->protocol->n_queues; i++) {
        n += queue->protocol->queues[i].rank < queue->rank;
    }
    return n;
}

int tg_posix_port_receive(struct tg_posix_port *port, struct tg_rxq *queue,
                          tg_posix_wait_frames *wait, void *driver)
{
    struct tg_posix_receive *const receive = &port->receive[queue->number];

    receive->port = port;
    receive->queue = queue;
    receive->wait = wait;
    receive->driver = driver;
    return start_thread(port, LEVEL_RECEIVE + lower_ranked(queue), tg_posix_run_receive, receive,
                        &receive->thread);
}

static tg_ns used_ns(const struct tg_posix_thread *thread)
{
    struct timespec used;
    clockid_t clock;

    if (!thread->is_joinable || pthread_getcpuclockid(thread->id, &clock) != 0 ||
        clock_gettime(clock, &used) != 0) {
        return 0u;
    }
    return (tg_ns)used.tv_sec * NS_PER_S + (tg_ns)used.tv_nsec;
}

void tg_posix_port_used(struct tg_posix_port *port, tg_ns *interrupts_ns, tg_ns *protocol_ns)
{
    *protocol_ns = used_ns(&port->protocol_thread);
    *interrupts_ns = used_ns(&port->tick_thread) + used_ns(&port->poll_thread);
    for (uint32_t i = 0u; i < TG_QUEUES_MAX; i++) {
        *interrupts_ns += used_ns(&port->receive[i].thread);
    }
}

static void stop_receiving(struct tg_posix_port *port)
{
    const char byte = 0;
    const uint32_t state = tg_port_lock(port);

    if (!port->stops_receiving) {
        port->stops_receiving = true;
        (void)!write(port->stop_fd[1], &byte, 1u); /* an empty pipe has room */
        tg_posix_signal(&port->woken);
        tg_posix_signal(&port->timer);
        tg_posix_signal(&port->poll);
        for (uint32_t i = 0u; i < TG_QUEUES_MAX; i++) {
            tg_posix_signal(&port->unmasked[i]);
        }
    }
    tg_port_unlock(port, state);
}

static void stop_processing(struct tg_posix_port *port)
{
    const uint32_t state = tg_port_lock(port);

    port->stops_processing = true;
    tg_posix_signal(&port->woken);
    tg_port_unlock(port, state);
}

void tg_posix_port_stop(struct tg_posix_port *port)
{
    stop_receiving(port);
    for (uint32_t i = 0u; i < TG_QUEUES_MAX; i++) {
        join(&port->receive[i].thread);
    }
    join(&port->tick_thread);
    join(&port->poll_thread);
    stop_processing(port);
    join(&port->protocol_thread);
}

void tg_posix_port_destroy(struct tg_posix_port *port)
{
    (void)close(port->stop_fd[0]);
    (void)close(port->stop_fd[1]);
}
