/* SPDX-License-Identifier: MIT
 *
 * analysis.h - worst-case response times, latencies, backlogs and losses of a budgeted receive path
 * on one CPU, under any flood.
 *
 * Fill a struct tg_analysis_input, call tg_analyse(), read the struct tg_analysis_result. Letters
 * in [brackets] are those of the theory (docs/analysis.md). All times are integers of one unit,
 * which the caller chooses (nanoseconds in the tool). Nothing here is floating point, nothing
 * wraps: what cannot be bounded is TG_NO_BOUND and comes with a reason.
 *
 * Sources: fixed priorities with jitter and arbitrary deadlines: Audsley et al., SEJ 8(5), 1993,
 * and Lehoczky, RTSS 1990; deferrable servers: Strosnider, Lehoczky, Sha, IEEE ToC 44(1), 1995, and
 * Bernat, Burns, RTSS 1999; a packet once started is finished first: Davis et al., RTS 35(3), 2007.
 */
#ifndef TG_ANALYSIS_H
#define TG_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG_NO_BOUND            UINT64_MAX          /* no bound, no limit, not known */
#define TG_NOBODY              SIZE_MAX            /* no index */
#define TG_ANALYSIS_TIME_MAX   (UINT64_C(1) << 60) /* largest time in an input: 36 years of ns */
#define TG_ANALYSIS_BUDGET_MAX UINT64_C(1000000000)
#define TG_ANALYSIS_GATES_MAX  32u

enum tg_analysis_error {
    TG_ANALYSIS_ERR_INPUT =
        -1, /* the input is out of range: tg_analysis_input_check() says where */
    TG_ANALYSIS_ERR_MEMORY = -2, /* the host is out of memory */
};

/* How much a server admits in a window. Zero is no kind: a forgotten budget is not unlimited. */
enum tg_curve_kind {
    TG_CURVE_DEFERRABLE = 1, /* keeps unused budget until the period ends */
    TG_CURVE_POLLING,        /* serves at period starts only */
    TG_CURVE_SPORADIC,       /* at most the budget in any window of one period */
    TG_CURVE_TOKEN,          /* token bucket: depth = budget, rate = budget / period */
    TG_CURVE_PERIODIC,       /* time servers only: a periodic task */
    TG_CURVE_UNLIMITED,      /* flows and gates only: no budget, written out */
};

struct tg_analysis_task {
    const char *name;
    int32_t priority;  /* larger is more urgent; equal priorities interfere */
    uint64_t wcet;     /* [C] >= 1, two context switches included */
    uint64_t period;   /* [T] >= 1 */
    uint64_t deadline; /* [D] from the nominal arrival; may exceed the period; TG_NO_BOUND: none */
    uint64_t jitter;   /* [J] release jitter */
    uint64_t blocking; /* [B] longest wait for a resource that a less urgent task holds */
    uint64_t section;  /* [np] longest section with the scheduler locked */
    uint64_t irq_off;  /* [ni] longest section with interrupts off; the scheduler is off, too */
    bool calls_stack;  /* it takes the protocol stack's lock */
};

/* A CPU-time budget at a priority; here it is interference only. */
struct tg_analysis_server {
    const char *name;
    enum tg_curve_kind kind; /* not TG_CURVE_UNLIMITED */
    int32_t priority;
    uint64_t capacity; /* [C] >= 1, per period */
    uint64_t period;   /* [T] >= capacity */
};

/* The gate over the receive interrupts of one or several queues, and what those interrupts cost.
 * Let e = interrupt + packet. */
struct tg_analysis_gate {
    enum tg_curve_kind kind; /* not TG_CURVE_PERIODIC */
    uint64_t budget;         /* [Q] >= 1 packets per period; 0 if unlimited */
    uint64_t period;         /* [P] >= 1; 0 if unlimited */
    uint64_t interrupt;      /* [c_irq] entry and exit of one interrupt */
    uint64_t packet;         /* [c_pkt] eager half of one packet, be it passed or dropped */
    uint64_t tick;           /* [c_tick] the refill tick, with a poll that finds nothing */
    uint64_t wire_gap;       /* least distance of two frames on the wire; 0: not known */
    bool refilled_by_tick;   /* R9: the refill is late by what delays the tick handler */
    bool polled_by_task;     /* polling runs in a task at poll_priority, not in the tick handler */
    int32_t poll_priority;
};

struct tg_analysis_queue {
    const char *name;
    size_t gate;             /* index into gates */
    int32_t rank;            /* [level] larger is served first */
    int32_t priority_max;    /* with a register: what runs at this priority or above holds its
                              * interrupt back */
    uint64_t ring;           /* descriptors */
    bool isolated;           /* hardware lets nothing in but the flows of this queue as specified */
    uint64_t absolute_timer; /* [A] moderation; 0: not set, as below */
    uint64_t packet_timer;   /* [Pk] */
    uint64_t packets;        /* [K] */
};

struct tg_analysis_flow {
    const char *name;
    int32_t priority; /* max(priority, floor of the protocol task) */
    uint64_t cost;    /* [c] deferred half of one packet, two context switches included */
    uint64_t section; /* [np] of the deferred half */
    uint64_t irq_off; /* [ni] of the deferred half */
    size_t queue;     /* index into queues; TG_NOBODY where there is no gate */

    enum tg_curve_kind kind; /* best effort: TG_CURVE_UNLIMITED; not TG_CURVE_PERIODIC */
    uint64_t budget;         /* [q] >= 1 packets per period; 0 if unlimited */
    uint64_t period;         /* [P_f] >= 1; 0 if unlimited */
    uint64_t reserve;        /* packets it may hold [qlimit + 1]; TG_NO_BOUND: not decided yet */

    /* What a conforming source sends: at most burst * ceil((D + jitter) / every) in a window D. */
    bool has_source;
    uint64_t every;    /* [T] >= 1 */
    uint64_t jitter;   /* [J] */
    uint64_t burst;    /* [b] >= 1 */
    bool trusted;      /* nobody can spoof it, so its source bounds it even under flood */
    uint64_t deadline; /* [D] NIC to delivery, of a conforming packet; TG_NO_BOUND: none. With a
                        * receiver: to the end of the receiver's job. */

    /* recv: a job that runs once per delivered packet. */
    bool has_receiver;
    int32_t receiver_priority;
    uint64_t receiver_wcet; /* >= 1 */
};

/* To the letter, analysis.md is not safe in two places: a packet that the gate lets through late
 * (7.1; found by random systems in the simulator), and how early a packet can be accepted where a
 * wire gap is given (3.1). `as_published` gives those numbers, to compare with published ones. */
struct tg_analysis_input {
    const char *unit; /* of all times, for sentences: "ns", "us", "tick" */
    const struct tg_analysis_task *tasks;
    size_t n_tasks;
    const struct tg_analysis_server *servers;
    size_t n_servers;
    const struct tg_analysis_gate *gates; /* none: reception costs nothing and is not limited */
    size_t n_gates;
    const struct tg_analysis_queue *queues;
    size_t n_queues;
    const struct tg_analysis_flow *flows; /* best effort included */
    size_t n_flows;
    uint64_t irq_off;  /* [rx.irq_off] something outside holds reception off for so long */
    uint64_t lock;     /* longest call that a task makes under the stack's lock */
    bool has_register; /* the controller knows the running priority and holds interrupts back: one
                        * may be left and come back with each packet */
    bool discrete_blocking; /* a section of n ticks blocks n - 1: published integer-time results */
    bool as_published;      /* see above: not safe, never for a verdict */
};

/* Why there is no bound, no guarantee, or no larger budget. */
enum tg_why_code {
    TG_WHY_NONE = 0,
    /* no bound */
    TG_WHY_NO_GATE,        /* index: queue (TG_NOBODY: none declared); neither gate nor wire gap */
    TG_WHY_NO_BUDGET,      /* index: flow; neither its budget nor a gate limits it */
    TG_WHY_OVERLOAD,       /* tasks, interrupts and flows need the whole CPU; shares in ppm */
    TG_WHY_NO_CONVERGENCE, /* the fixed point was not reached within the limit of steps */
    TG_WHY_GATE_KIND,      /* acceptance delay is not derived for this kind of gate */
    TG_WHY_NO_QUEUE,       /* the flow enters no queue */
    TG_WHY_NOT_ISOLATED,   /* index: queue of the same or a higher rank that a flood can fill */
    TG_WHY_MODERATION,     /* index: queue whose moderation can hold a packet for ever */
    TG_WHY_NO_SOURCE,      /* index: flow that does not say what its source sends */
    TG_WHY_GATE_TOO_SLOW,  /* index: queue; a full budget (a packets, b time) does not fit into a
                            * period of its gate */
    TG_WHY_CLASS_OVERLOAD, /* index: queue; it and those above receive more than the gate admits */
    TG_WHY_GATE_BITES,     /* no flood-free bound: conforming traffic alone can spend the gate */
    /* a bound, but no guarantee */
    TG_WHY_DEADLINE,          /* bound a, deadline b */
    TG_WHY_SHARED_RING,       /* index: queue; a flood can make the NIC drop */
    TG_WHY_RING_TOO_SMALL,    /* index: queue; needs a descriptors, has b */
    TG_WHY_BUDGET_TOO_SMALL,  /* index: flow; needs a packets per period, has b */
    TG_WHY_RESERVE_TOO_SMALL, /* index: flow; needs a buffers, has b */
    /* fit only */
    TG_WHY_SEARCH_LIMIT, /* index: flow that nothing but its gate limits; TG_NOBODY: a gate */
    TG_WHY_NEVER_SPENT,  /* a gate that never closes as it is */
    TG_WHY_FIXED,        /* the user fixed it */
};

struct tg_why {
    enum tg_why_code code;
    size_t index;
    uint64_t a, b;
    int32_t priority;                              /* OVERLOAD: at this priority and above */
    uint64_t tasks_ppm, interrupts_ppm, flows_ppm; /* OVERLOAD: shares of the CPU */
};

/* What a bound is made of:
 * bound = reception + blocking + own + tasks + interrupts + flows + jitter - elapsed. */
struct tg_breakdown {
    uint64_t reception;  /* NIC to acceptance */
    uint64_t blocking;   /* less urgent work that cannot be interrupted */
    uint64_t own;        /* its own work: this job or packet and those before it in the window */
    uint64_t tasks;      /* other tasks and time servers */
    uint64_t interrupts; /* receive interrupts, polls and refill ticks */
    uint64_t flows;      /* other packets in the protocol task, and their receivers */
    uint64_t jitter;     /* nominal arrival to actual release */
    uint64_t elapsed;    /* time since the window began when this job or packet arrived */
};

struct tg_bound {
    uint64_t value; /* TG_NO_BOUND: see why */
    struct tg_breakdown parts;
    struct tg_why why;
};

/* Who can delay a priority from below. total = packet + section + lock, and a task's resource. */
struct tg_blocking {
    uint64_t total;
    uint64_t packet; /* one less urgent packet in process */
    size_t packet_flow;
    uint64_t section; /* one locked section, of a task or of a flow */
    size_t section_task;
    size_t section_flow;
    uint64_t lock;     /* a call under the stack's lock */
    uint64_t resource; /* [B] of the task */
};

struct tg_task_result {
    struct tg_bound response; /* [R] nominal arrival to completion */
    uint64_t from_release;    /* [Rr] actual release to completion */
    struct tg_blocking blocking;
    uint64_t worst_job;   /* which job of the busy window, 0 = first */
    uint64_t busy_window; /* [L] longest busy window at its priority */
    uint64_t left_ppm;    /* long-run share of the CPU that its priority and above leave */
    int64_t slack; /* deadline - bound; INT64_MAX without a deadline, INT64_MIN without a bound */
    bool met;
    struct tg_why why; /* not met: why */
};

struct tg_flow_result {
    struct tg_bound accepted;            /* [L_acc] acceptance to delivery, any accepted packet */
    struct tg_bound accepted_receiver;   /* [E_acc] acceptance to the end of the receiver's job */
    struct tg_bound conforming;          /* [L_conf] NIC to delivery, packets of its source */
    struct tg_bound conforming_receiver; /* [E_conf] NIC to the end of the receiver's job */
    struct tg_bound nominal;             /* [L_nom] NIC to delivery while nobody floods */
    struct tg_blocking blocking;
    uint64_t acceptance;  /* [alpha] of its queue; TG_NO_BOUND: see the queue */
    uint64_t budget_need; /* [capacity_need] smallest budget that refuses no conforming packet */
    uint64_t backlog;     /* most packets that it holds until delivery */
    uint64_t
        reserve_need;  /* smallest reserve that refuses no packet within budget; with a receiver,
                            * the buffer is held until its job has ended */
    uint64_t left_ppm; /* as in struct tg_task_result */
    bool lossless;     /* no packet of its source is lost in ring, budget or reserve */
    int64_t slack;
    bool met;           /* no deadline, or guaranteed: lossless and in time */
    struct tg_why why;  /* not met: why */
    struct tg_why loss; /* not lossless: why */
};

struct tg_queue_result {
    uint64_t moderation;        /* [M] longest time until its interrupt is asserted */
    uint64_t held;              /* [H] longest time that a register with the running priority holds
                                 * its class back; 0: it does not */
    bool never_closes;          /* all that can enter its gate's queues never spends the gate */
    struct tg_bound acceptance; /* [alpha] arrival to acceptance under flood; no parts */
    struct tg_bound acceptance_nominal; /* [alpha_nom] while nobody floods; no parts */
    uint64_t
        ring_need; /* descriptors with which the NIC drops nothing; TG_NO_BOUND: none is enough */
    bool lossless;
    struct tg_why why; /* not lossless: why */
};

/* Long-run shares of the CPU under any flood, in ppm, rounded. Best effort gets what is left. */
struct tg_analysis_totals {
    uint64_t tasks_ppm; /* time servers included */
    uint64_t interrupts_ppm;
    uint64_t flows_ppm;
    uint64_t total_ppm;
    uint64_t best_effort_ppm; /* left over; 0 if total_ppm reaches the whole CPU */
    uint64_t buffers;         /* all backlogs and rings; TG_NO_BOUND: some backlog has no bound */
};

struct tg_analysis_result {
    struct tg_task_result *tasks; /* as many as the input has, same order; likewise below */
    struct tg_flow_result *flows;
    struct tg_queue_result *queues;
    struct tg_analysis_totals totals;
    bool ok; /* every task and every flow is met */
};

/* What is wrong with an input, if anything.
 *
 * Context: task.
 * Returns: 0 with *text empty; TG_ANALYSIS_ERR_INPUT with a sentence that names the first fault.
 * Cost:    O(all items). */
int tg_analysis_input_check(const struct tg_analysis_input *in, char *text, size_t size);

/* Bound everything. A bound is safe, not exact; docs/analysis.md lists the assumptions.
 *
 * Context: task; allocates. The result keeps no pointer into the input.
 * Returns: 0, then tg_analysis_result_free() is due; TG_ANALYSIS_ERR_*, then *out is all zero. That
 *          a deadline is not met is no error: see out->ok.
 * Cost:    a few dozen demand evaluations of O(tasks + flows) for each task, and for each packet
 *          that one busy window of a flow can hold; at most a fixed number of steps per item. */
int tg_analyse(const struct tg_analysis_input *in, struct tg_analysis_result *out);

/* Whether everything is met, and no more: of tasks and flows only `met` and, where it is false,
 * `why` are valid. Much faster where a task misses its deadline or flows have none. It ends with
 * the tasks if some miss, and with the first of them if `first_only`; then only `ok` is valid.
 *
 * Context, returns: as tg_analyse().
 * Cost:    at most that of tg_analyse(). */
int tg_analyse_verdict(const struct tg_analysis_input *in, bool first_only,
                       struct tg_analysis_result *out);

/* Release what tg_analyse() allocated; an all-zero result is allowed.
 *
 * Context: task.
 * Cost:    O(1). */
void tg_analysis_result_free(struct tg_analysis_result *out);

/* One sentence for a reason, without a full stop, cut to size.
 *
 * Context: any. `in` is the input that the reason came from.
 * Returns: length of the whole sentence, as snprintf does.
 * Cost:    O(1). */
int tg_why_sentence(const struct tg_analysis_input *in, const struct tg_why *why, char *text,
                    size_t size);

#endif
