/* SPDX-License-Identifier: MIT
 *
 * posix_port.h - the port to POSIX threads: interrupts are threads, priorities are SCHED_FIFO.
 *
 *     SCHED_FIFO priority           thread
 *     first + 40                    tick: the timer, and polling unless a thread of its own does it
 *     first + 32 .. first + 39      receive, one per queue, in the order of their ranks
 *     first +  0 .. first + 31      core priorities 0..31: protocol and poll thread, application
 *
 * A driver keeps a ring (struct tg_ring_ops) and says how to wait for frames. In this order:
 *
 *     tg_posix_port_init      then tg_protocol_init with the port, tg_rxq_attach, tg_rxq_fill
 *     tg_posix_port_start     starts tick and protocol thread
 *     tg_posix_port_receive   per queue; then tg_rxq_link up
 *     tg_posix_port_stop      joins all of them; what was accepted has been processed
 *     tg_posix_port_destroy   when nothing calls the core any more
 *
 * Without the right to real-time priorities a line on stderr says which right is missing, and all
 * goes on with ordinary threads: everything works, no bound holds.
 *
 * Linux only, for its lock: a futex that inherits priorities (posix_lock.c).
 *
 * The clock of now_ns is CLOCK_MONOTONIC. Locking the process into memory (mlockall) is left to it.
 */
#ifndef TG_POSIX_PORT_H
#define TG_POSIX_PORT_H

#include "tidegate/port.h"
#include "tidegate/rx.h"
#include "tidegate/trace.h"

#include <pthread.h>
#include <stdatomic.h>

/* Real-time priorities that one port takes, from first_priority on. */
#define TG_POSIX_LEVELS (TG_PRIORITIES + TG_QUEUES_MAX + 1u)

#define TG_POSIX_POLL_IN_TICK UINT32_MAX
#define TG_POSIX_FOREVER      UINT64_MAX

struct tg_posix_config {
    int first_priority;     /* of core priority 0; Linux: 1..59 */
    uint32_t floor;         /* as in struct tg_config */
    uint32_t poll_priority; /* of a thread that polls, 0..TG_PRIORITIES - 1, or POLL_IN_TICK */
    struct tg_trace *trace; /* where events go, or NULL */
};

/* Block until the ring has a frame or stop_fd is readable; return at once if it has. It may return
 * for nothing, but each time it does the gate is charged for a spurious interrupt. Nobody reads
 * stop_fd, so it stays readable. A packet socket or tap device: poll() it together with stop_fd.
 *
 * Context: receive thread, lock not held. The driver may call tg_rxq_link and tg_rxq_watch here. */
typedef void tg_posix_wait_frames(void *driver, int stop_fd);

enum tg_posix_woken {
    TG_POSIX_WOKEN,   /* call tg_rx_next until it has nothing */
    TG_POSIX_TIMEOUT, /* timeout_ns have passed */
    TG_POSIX_STOP     /* return from the protocol thread's function */
};

struct tg_posix_thread {
    pthread_t id;
    bool is_joinable;
};

/* What a thread waits for with the lock. */
struct tg_posix_event {
    atomic_uint signals; /* so far, modulo 2^32 */
    uint32_t sleepers;
};

struct tg_posix_receive {
    struct tg_posix_port *port;
    struct tg_rxq *queue;
    tg_posix_wait_frames *wait;
    void *driver;
    struct tg_posix_thread thread;
};

/* One instance. Private; complete so that storage can be static. The lock guards what changes. */
struct tg_posix_port {
    atomic_uint owner; /* the lock: a thread id and bits of the kernel's, or 0 */
    struct tg_posix_config cfg;
    struct tg_protocol *protocol;
    void (*body)(void *arg); /* the protocol thread's function */
    void *body_arg;
    struct tg_posix_event woken;
    struct tg_posix_event timer;
    struct tg_posix_event poll;
    struct tg_posix_event unmasked[TG_QUEUES_MAX];
    struct tg_posix_thread protocol_thread;
    struct tg_posix_thread tick_thread;
    struct tg_posix_thread poll_thread;
    struct tg_posix_receive receive[TG_QUEUES_MAX];
    tg_ns timer_at_ns;      /* UINT64_MAX: not started */
    uint32_t unmasked_bits; /* bit k: queue k */
    uint32_t priority;      /* what the core wants of the protocol thread */
    int stop_fd[2];         /* a pipe: [0] is readable from the stop on */
    bool is_woken;
    bool is_poll_due;
    bool has_protocol_thread; /* its priority can be changed */
    bool stops_receiving;
    bool stops_processing;
    atomic_bool is_realtime;
};

/* Set up an instance: nothing started, all masked.
 *
 * Context: start-up.
 * Returns: 0; TG_ERR_RANGE if a priority is outside its range; a positive errno if the system
 *          refuses. Then nothing is to be destroyed.
 * Cost:    O(TG_QUEUES_MAX). */
TG_NODISCARD int tg_posix_port_init(struct tg_posix_port *port, const struct tg_posix_config *cfg);

/* Start the tick thread, the poll thread if there is one, and the protocol thread, which runs
 * body(arg): the loop of rx.h, which waits with tg_posix_port_wait and returns when that says STOP.
 *
 * Context: start-up, once; p has been set up with this port, no link is up.
 * Returns: 0; a positive errno if a thread cannot be started, then the port is stopped.
 * Cost:    starts threads. */
TG_NODISCARD int tg_posix_port_start(struct tg_posix_port *port, struct tg_protocol *p,
                                     void (*body)(void *arg), void *arg);

/* Start the receive thread of a queue: it sleeps while the queue is masked, else waits for frames
 * and calls tg_rxq_interrupt. A queue of higher rank gets a higher priority.
 *
 * Context: after tg_posix_port_start, before the link is up, once per queue.
 * Returns: 0; a positive errno if the thread cannot be started.
 * Cost:    starts a thread. */
TG_NODISCARD int tg_posix_port_receive(struct tg_posix_port *port, struct tg_rxq *queue,
                                       tg_posix_wait_frames *wait, void *driver);

/* Start a thread of the application at a core priority; whoever starts it joins it.
 *
 * Context: any thread, lock not held.
 * Units:   priority 0..TG_PRIORITIES - 1.
 * Returns: 0; TG_ERR_RANGE; a positive errno if the thread cannot be started.
 * Cost:    starts a thread. */
TG_NODISCARD int tg_posix_port_spawn(struct tg_posix_port *port, uint32_t priority,
                                     void *(*body)(void *arg), void *arg, pthread_t *id);

/* Wait for tg_port_wake. A wake since the last call is kept, and told before a stop.
 *
 * Context: protocol thread, lock not held.
 * Units:   timeout_ns from now on, for the stack's timers; 0: do not wait; TG_POSIX_FOREVER.
 * Returns: see enum tg_posix_woken.
 * Cost:    O(1), blocks. */
enum tg_posix_woken tg_posix_port_wait(struct tg_posix_port *port, tg_ns timeout_ns);

/* The clock of this port, for frame->now_ns and every other now_ns.
 *
 * Context: any.
 * Cost:    O(1). */
tg_ns tg_posix_port_now_ns(void);

/* Whether threads have real-time priorities. It can become false, never true again.
 *
 * Context: any.
 * Cost:    O(1). */
bool tg_posix_port_is_realtime(struct tg_posix_port *port);

/* CPU time that the port's threads have used: in place of interrupts (receive, tick, poll), and the
 * protocol thread.
 *
 * Context: any thread, lock not held; between tg_posix_port_start and tg_posix_port_stop.
 * Cost:    a system call for each thread. */
void tg_posix_port_used(struct tg_posix_port *port, tg_ns *interrupts_ns, tg_ns *protocol_ns);

/* Take the oldest event of cfg.trace, which is not NULL.
 *
 * Context: any thread, lock not held.
 * Returns, cost: as tg_trace_take. */
TG_NODISCARD bool tg_posix_port_take_event(struct tg_posix_port *port, struct tg_event *event);

/* Stop receiving, then let the protocol thread process what was accepted, and join all threads of
 * the port. The core can still be called: release, unfill, snapshot. A second call does nothing.
 *
 * Context: a thread that is not the port's, lock not held.
 * Cost:    blocks until the threads have returned. */
void tg_posix_port_stop(struct tg_posix_port *port);

/* Give back what tg_posix_port_init took.
 *
 * Context: the port is stopped, or was never started; nothing calls the core with it any more.
 * Cost:    O(1). */
void tg_posix_port_destroy(struct tg_posix_port *port);

#endif
