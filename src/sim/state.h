/* SPDX-License-Identifier: MIT
 *
 * state.h - one run: what its files share.
 */
#ifndef TG_SIM_STATE_H
#define TG_SIM_STATE_H

#include "sim/cpu.h"
#include "sim/frames.h"
#include "sim/heap.h"
#include "sim/nic.h"
#include "sim/random.h"

#define TG_SIM_NOBODY UINT32_MAX

/* An accepted packet: one per buffer. */
struct tg_packet {
    struct tg_packet *next; /* in a list of the path, or of a receiver */
    tg_ns arrived_ns;
    tg_ns accepted_ns;
    uint32_t flow; /* as in struct tg_sim_frame */
    bool is_held;  /* accepted, and its buffer has not come back */
};

struct tg_packet_list {
    struct tg_packet *first;
    struct tg_packet *last;
};

/* What a flow is to the protocol task, and what is known of its source. */
struct tg_sim_flow {
    tg_ns deferred_ns;
    tg_ns section_ns;
    tg_ns irq_off_ns;
    tg_ns deadline_ns; /* TG_SIM_NEVER: none */
    struct tg_system_source source;
    tg_ns nominal_ns;  /* of the last arrival, as late as its jitter allows */
    uint32_t in_burst; /* arrivals that share it */
    uint32_t backlog_pkts;
    uint32_t held_pkts;
    struct tg_thread *receiver;     /* NULL: none */
    struct tg_packet_list received; /* that wait for it */
    uint64_t accepted;
};

struct tg_sim_task {
    tg_ns offset_ns;
    uint64_t released;
    uint64_t finished;
    struct tg_random random;
    struct tg_thread *thread;
};

struct tg_sim;

/* The receive path of a policy. All but the first three stand for code that runs on the CPU: their
 * cost has elapsed when they are called, or is part of what the caller charges. s->step_ns is when
 * their step started. Every one of them brings s->unmasked, s->timer_at_ns and the protocol thread
 * up to date. */
struct tg_path_ops {
    int (*open)(struct tg_sim *s);
    void (*close)(struct tg_sim *s);

    /* What the first frame of this queue costs in a step that starts now. */
    tg_ns (*frame_ns)(struct tg_sim *s, uint32_t queue);

    /* One frame of this queue, in its receive vector. Returns: true if the vector stays in
     * service. */
    bool (*interrupt)(struct tg_sim *s, uint32_t queue);

    /* The refill tick. Returns: true if there may be something to poll. */
    bool (*tick)(struct tg_sim *s);

    /* The queue whose frame poll() would handle if it were called now, or TG_SIM_NOBODY. */
    uint32_t (*poll_target)(struct tg_sim *s);

    /* Returns: true if there may be more. */
    bool (*poll)(struct tg_sim *s);

    /* The packet that the protocol task works on next, or NULL: it sleeps until it is woken. */
    struct tg_packet *(*next)(struct tg_sim *s);

    /* Protocol work on that packet is over. */
    void (*done)(struct tg_sim *s);

    /* Its buffer is free again. */
    void (*release)(struct tg_sim *s, struct tg_packet *packet);

    /* Bring the counters of verdicts in the results up to date. */
    void (*count)(struct tg_sim *s);

    /* Returns: NULL, or which invariant does not hold. */
    const char *(*check)(struct tg_sim *s);
};

extern const struct tg_path_ops tg_path_tidegate;
extern const struct tg_path_ops tg_path_stock;

enum tg_activity {
    TG_ACTIVITY_IDLE,
    TG_ACTIVITY_THREAD,
    TG_ACTIVITY_INTERRUPT, /* this and those below end when their time has come, come what may */
    TG_ACTIVITY_TICK,
    TG_ACTIVITY_POLL
};

struct tg_sim {
    const struct tg_sim_input *input;
    const struct tg_system *system;
    struct tg_sim_results *out;
    const struct tg_path_ops *ops;
    void *path; /* of ops */

    tg_ns now_ns;
    tg_ns end_ns;

    /* Interrupt level. */
    enum tg_activity activity;
    uint32_t activity_queue;
    tg_ns activity_end_ns; /* TG_SIM_NEVER: idle */
    tg_ns step_ns;         /* start of the step */
    uint32_t in_service;   /* bit k: the interrupt of queue k has been entered and not left */
    uint32_t unmasked;     /* bit k: queue k may interrupt */
    bool has_register;     /* the NIC knows the priority that runs */
    uint32_t held;         /* bit k: so it holds the interrupt of queue k back */
    tg_ns timer_at_ns;     /* of the tick; TG_SIM_NEVER: not started */
    bool tick_is_due;
    bool is_polling; /* the tick handler has more to poll */
    bool is_stale;   /* something happened that may change who has the CPU */
    bool is_stopped; /* by stop_on_miss or an error */

    struct tg_nic nic;
    struct tg_cpu cpu;
    struct tg_thread *protocol;
    struct tg_thread *poller;  /* NULL: the tick handler polls */
    struct tg_packet *in_hand; /* that the protocol task works on */
    bool locks;                /* somebody besides the protocol task takes the stack's lock */

    struct tg_packet *packets; /* n_packets, one per buffer */
    uint32_t n_packets;
    uint32_t held_pkts;
    struct tg_sim_flow *flows; /* as in the results */
    struct tg_sim_task *tasks; /* tasks of the system, then its time servers */
    uint32_t n_tasks;
    struct tg_heap releases;
    struct tg_sim_arrival arrival; /* the next one */
    bool has_arrival;
    tg_ns sample_at_ns;

    uint32_t shown_runner; /* of the last TG_SIM_EVENT_RUN */
    uint32_t shown_index;
    int err;
};

/* Report to whoever listens. */
void tg_sim_emit_event(struct tg_sim *s, enum tg_sim_event_kind kind, uint32_t index,
                       uint32_t value);

static inline void tg_sim_emit(struct tg_sim *s, enum tg_sim_event_kind kind, uint32_t index,
                               uint32_t value)
{
    if (TG_UNLIKELY(s->input->event != NULL)) {
        tg_sim_emit_event(s, kind, index, value);
    }
}

static inline void tg_packet_append(struct tg_packet_list *list, struct tg_packet *packet)
{
    packet->next = NULL;
    if (list->first == NULL) {
        list->first = packet;
    } else {
        list->last->next = packet;
    }
    list->last = packet;
}

/* The list is not empty. */
static inline struct tg_packet *tg_packet_take(struct tg_packet_list *list)
{
    struct tg_packet *const packet = list->first;

    list->first = packet->next;
    return packet;
}

/* ---- setup.c: from the system to a run, and back --------------------------------------------- */

TG_NODISCARD int tg_sim_setup(struct tg_sim *s);
void tg_sim_teardown(struct tg_sim *s);

/* ---- account.c: what the results say --------------------------------------------------------- */

/* A frame reached the NIC, for its queue of this number. */
void tg_account_arrival(struct tg_sim *s, uint32_t number, const struct tg_sim_frame *frame,
                        enum tg_nic_fate fate);

/* A frame got its verdict; it waited in this slot. */
void tg_account_step(struct tg_sim *s, uint32_t queue, const struct tg_nic_slot *slot);

/* A packet was accepted, its protocol work ended, its receiver's job ended, its buffer came
 * back. */
void tg_account_accepted(struct tg_sim *s, struct tg_packet *packet,
                         const struct tg_nic_slot *slot);
void tg_account_done(struct tg_sim *s, const struct tg_packet *packet);
void tg_account_received(struct tg_sim *s, const struct tg_packet *packet);
void tg_account_released(struct tg_sim *s, struct tg_packet *packet);

/* Deadlines of unfinished jobs and packets; then whether every frame is accounted for. Returns: 0
 * or a negative enum tg_sim_error. */
TG_NODISCARD int tg_account_close(struct tg_sim *s);

/* ---- threads.c: what a thread does when it gets the CPU, and when its time is up ------------- */

/* Begin a job. Returns: false if there is none or the lock is taken; the thread then sleeps. */
bool tg_thread_begin(struct tg_sim *s, struct tg_thread *t);

/* Part of a job is over, maybe all of it. */
void tg_thread_advance(struct tg_sim *s, struct tg_thread *t);

/* When the next job of a task or time server is released; TG_SIM_NEVER: not before the end. */
tg_ns tg_task_next_release(struct tg_sim *s, uint32_t i);

/* Release the jobs of tasks that are due. */
void tg_task_release(struct tg_sim *s);

#endif
