/* SPDX-License-Identifier: MIT
 *
 * sim.h - one CPU, one NIC, one system: what happens to tasks and packets, to the nanosecond.
 *
 * Discrete events in integer time. Interrupt level stands above all tasks: receive vectors, the
 * refill tick and polls are steps that nothing interrupts; between two steps the tick comes first,
 * then the queue of the highest rank. Below it, tasks run by fixed priorities, preemptive, first
 * come first served among equals. The policy TG_SIM_TIDEGATE runs the real core; a step's cost
 * elapses first and then the core is called once, with the time at which the step started.
 * docs/simulator.md has the rules and their reasons.
 *
 * Nothing here is global, prints, or uses floating point: the same input gives the same results
 * anywhere.
 */
#ifndef TG_SIM_SIM_H
#define TG_SIM_SIM_H

#include "tidegate/hist.h"
#include "system/system.h"

#define TG_SIM_NEVER UINT64_MAX

enum tg_sim_error {
    TG_SIM_ERR_MEMORY = -1,
    TG_SIM_ERR_CONFIG = -2,   /* the core refuses the configuration */
    TG_SIM_ERR_ARRIVALS = -3, /* arrivals go back in time, or enter a queue that does not exist */
    TG_SIM_ERR_INVARIANT =
        -4 /* packets got lost without being counted, or the core's check fails */
};

/* ---- What arrives ---------------------------------------------------------------------------- */

/* One frame as often as it is sent; nothing copies it. */
struct tg_sim_frame {
    const uint8_t *bytes; /* at least TG_FRAME_HEAD_BYTES can be read */
    uint32_t len_bytes;
    uint16_t flow; /* where the core's table puts it: 0 best effort, i + 1 flow i of the system,
                    * n_flows + 1 malformed. For accounting and for what a step costs; every
                    * policy looks for itself. */
    uint8_t queue; /* NIC queue that it enters */
};

struct tg_sim_arrival {
    tg_ns at_ns;                      /* never before the arrival handed out last */
    const struct tg_sim_frame *frame; /* NULL: an interrupt that no frame is behind (R1) */
    uint8_t queue;                    /* of an arrival without a frame */
};

/* Where arrivals come from: tg_traffic (traffic.h), or the caller's own adversary. */
struct tg_sim_arrivals {
    /* Returns: false when there is none any more. Called once per arrival, in order of time. */
    bool (*next)(void *ctx, struct tg_sim_arrival *out);
    void *ctx;
};

/* What a reacting adversary sees when interrupt level has nothing left to do. */
struct tg_sim_view {
    tg_ns now_ns;
    uint32_t unmasked;           /* bit k: queue k may interrupt */
    const uint32_t *filled_pkts; /* per queue: frames in its ring */
};

/* ---- What to run ----------------------------------------------------------------------------- */

enum tg_sim_policy {
    TG_SIM_STOCK_HIGH,      /* one queue of packets, protocol task above every task */
    TG_SIM_STOCK_LOW,       /* the same, protocol task at its floor */
    TG_SIM_STOCK_LIMITED,   /* stock-high behind a limit of packets per period */
    TG_SIM_STOCK_MODERATED, /* stock-high with one moderated queue */
    TG_SIM_NIC,             /* stock-high on the queues of a controller that knows priorities */
    TG_SIM_TIDEGATE,        /* the core */
    TG_SIM_COMBINED,        /* the core on such a controller */
    TG_SIM_POLICIES
};

/* What the CPU does from an event on, until the next TG_SIM_EVENT_RUN. */
enum tg_sim_runner {
    TG_SIM_RUN_IDLE,
    TG_SIM_RUN_INTERRUPT, /* index: queue */
    TG_SIM_RUN_TICK,
    TG_SIM_RUN_POLL, /* index: queue; in the tick handler */
    TG_SIM_RUN_TASK, /* index: task; TG_SIM_RUN_SERVER: time server */
    TG_SIM_RUN_SERVER,
    TG_SIM_RUN_PROTOCOL,
    TG_SIM_RUN_RECEIVER, /* index: flow */
    TG_SIM_RUN_POLLER    /* the polling task */
};

enum tg_sim_event_kind {
    TG_SIM_EVENT_RUN,      /* index, value: enum tg_sim_runner */
    TG_SIM_EVENT_ARRIVAL,  /* flow as in tg_sim_frame, queue */
    TG_SIM_EVENT_LOST,     /* likewise: the ring was full */
    TG_SIM_EVENT_VERDICT,  /* flow, enum tg_verdict */
    TG_SIM_EVENT_DONE,     /* flow, 0: its protocol work ended */
    TG_SIM_EVENT_RECEIVED, /* flow, 0: its receiver's job ended */
    TG_SIM_EVENT_RELEASE,  /* task, 0 */
    TG_SIM_EVENT_FINISH,   /* task, 1 if past its deadline */
    TG_SIM_EVENT_POLLED,   /* gate, 1: its queues were masked; 0: unmasked */
    TG_SIM_EVENT_PRIORITY  /* 0, new priority of the protocol task */
};

struct tg_sim_event {
    tg_ns at_ns;
    enum tg_sim_event_kind kind;
    uint32_t index;
    uint32_t value;
};

struct tg_sim_results;

struct tg_sim_input {
    const struct tg_system *system;
    enum tg_sim_policy policy;
    struct tg_sim_arrivals arrivals;
    tg_ns for_ns;
    uint64_t seed; /* of release jitter and of the core's hash; arrivals have their own */

    /* TG_SIM_STOCK_LIMITED only: packets per period, kind deferrable. */
    struct tg_server_config stock_gate;

    /* Stop at the first job that is seen unfinished past its deadline. */
    bool stop_on_miss;

    /* Release of job 0 of each task of the system, in ns; NULL: all at 0. */
    const tg_ns *task_offsets_ns;

    /* Delay of the release of job k, at most the task's jitter; NULL: uniform, from the seed.
     * Releases of one task keep their order (R8). */
    tg_ns (*release_delay)(void *ctx, uint32_t task, uint64_t job);
    void *release_ctx;

    /* A flood that reacts: called when interrupt level runs out of work; a frame given back arrives
     * now. It has to say false some time. NULL: none. */
    bool (*react)(void *ctx, const struct tg_sim_view *view, struct tg_sim_arrival *out);
    void *react_ctx;

    /* Everything that happens, in order; NULL: nobody listens, which is faster. */
    void (*event)(void *ctx, const struct tg_sim_event *event);
    void *event_ctx;

    /* Called every sample_ns (0: never) with the results so far: time series, progress bars. */
    void (*sample)(void *ctx, tg_ns now_ns, const struct tg_sim_results *so_far);
    void *sample_ctx;
    tg_ns sample_ns;
};

/* ---- What came out --------------------------------------------------------------------------- */

struct tg_sim_task_result {
    uint64_t jobs;       /* released */
    uint64_t misses;     /* finished past their deadline, or unfinished when it had passed */
    uint64_t unfinished; /* at the end of the run */
    tg_ns
        worst_ns; /* response from the nominal arrival; of unfinished jobs: their age at the end */
};

/* The frames of one flow. sent = lost + dropped_* + malformed + unregistered + delivered +
 * in_flight. */
struct tg_sim_flow_result {
    uint64_t sent; /* frames that reached the NIC */
    uint64_t lost; /* the ring was full */
    uint64_t malformed;
    uint64_t unregistered; /* like the malformed in the interrupt, or by a NIC that knows flows */
    uint64_t dropped_budget;
    uint64_t dropped_no_buffer;
    uint64_t delivered; /* protocol work ended, and the receiver's job if there is one */
    uint64_t in_flight; /* in a ring, waiting, or in processing at the end of the run */
    uint64_t late;      /* delivered, or still in flight, past the flow's deadline */
    bool is_conforming; /* so far the frames kept to what the file says of the flow's source */
    uint32_t most_backlog_pkts; /* accepted, and protocol work not ended */
    uint32_t most_held_pkts;    /* buffers */
    tg_ns worst_acceptance_ns;  /* from arrival to acceptance */
    tg_ns worst_accepted_ns;    /* from acceptance to the end of protocol work */
    tg_ns worst_receiver_ns;    /* from acceptance to the end of the receiver's job */
    tg_ns worst_protocol_ns;    /* from arrival to the end of protocol work */
    struct tg_hist latency;     /* from arrival to delivery, ns */
};

struct tg_sim_queue_result {
    uint64_t received; /* frames that entered the ring */
    uint64_t lost;
    uint64_t interrupts;       /* taken */
    uint64_t spurious;         /* of them, with nothing behind */
    uint32_t most_filled_pkts; /* frames in the ring at one time */
    tg_ns worst_acceptance_ns; /* from arrival to the verdict, whatever it was */
};

enum tg_sim_share {
    TG_SIM_SHARE_IDLE,
    TG_SIM_SHARE_INTERRUPTS, /* receive vectors, ticks, polls in either place */
    TG_SIM_SHARE_PROTOCOL,
    TG_SIM_SHARE_RECEIVERS,
    TG_SIM_SHARE_TASKS, /* time servers, too */
    TG_SIM_SHARES
};

struct tg_sim_results {
    enum tg_sim_policy policy;
    tg_ns for_ns;                     /* how long the run was */
    struct tg_sim_task_result *tasks; /* as many as the system has */
    struct tg_sim_flow_result
        *flows; /* n_flows: [0] best effort, [i + 1] flow i, last: malformed frames */
    struct tg_sim_queue_result queues[TG_QUEUES_MAX];
    uint32_t n_tasks;
    uint32_t n_flows;
    uint32_t n_queues;
    tg_ns cpu_ns[TG_SIM_SHARES]; /* their sum is for_ns */
    uint64_t packets;            /* that arrived */
    uint64_t interrupts;         /* receive interrupts taken */
    uint64_t ticks;
    uint64_t polled;         /* frames polled */
    uint64_t mode_changes;   /* from interrupts to polling */
    uint64_t switches;       /* of threads */
    uint32_t most_held_pkts; /* buffers with packets, rings not counted */
    bool has_missed;         /* a job was unfinished past its deadline */
    char failure[160];       /* TG_SIM_ERR_INVARIANT and _CONFIG: what failed, in words */
};

/* The name of a policy, as the command line has it.
 *
 * Context: any, likewise below.
 * Cost:    O(1), likewise below. */
const char *tg_sim_policy_name(enum tg_sim_policy policy);

/* It runs the core: what the analysis proves is about it. */
bool tg_sim_runs_core(enum tg_sim_policy policy);

/* The queues of the controller under a policy: those of the system, or the one of stock drivers. */
const struct tg_system_queue *tg_sim_queues(const struct tg_system *system,
                                            enum tg_sim_policy policy, uint32_t *n);
const char *tg_sim_queue_name(const struct tg_system *system, enum tg_sim_policy policy,
                              uint32_t queue);

/* Simulate [0, for_ns]: arrivals and releases before its end, work up to it.
 *
 * Context: task; allocates. Runs on different inputs may go in parallel.
 * Returns: 0; or a negative enum tg_sim_error. *out is to be given to tg_sim_results_free in either
 *          case.
 * Cost:    O(events); memory does not depend on for_ns. */
TG_NODISCARD int tg_sim_run(const struct tg_sim_input *input, struct tg_sim_results *out);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(1). */
void tg_sim_results_free(struct tg_sim_results *results);

#endif
