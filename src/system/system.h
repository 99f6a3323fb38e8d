/* SPDX-License-Identifier: MIT
 *
 * system.h - the system file: what a controller runs, what it receives, what may disturb it.
 *
 * tg_system_load() reads and checks a file and gives one struct tg_system; nothing of YAML or of
 * units is left in it. docs/system-file.md describes the file field by field. Two lowerings exist
 * and no others: tg_system_lower_config() for the core (simulator, `gen`) and, in analysis/lower.h,
 * tg_system_lower_analysis() for the proof.
 */
#ifndef TG_SYSTEM_SYSTEM_H
#define TG_SYSTEM_SYSTEM_H

#include "tidegate/rx.h"
#include "system/errors.h"

#define TG_SYSTEM_ABSENT                                                                           \
    UINT64_MAX /* a value that the file does not give and that has no default */

/* Limits of a file. */
#define TG_SYSTEM_FILE_MAX_BYTES 1048576u
#define TG_SYSTEM_NESTING_MAX    8u
#define TG_SYSTEM_NAME_MAX_BYTES 64u
#define TG_SYSTEM_TASKS_MAX      1024u
#define TG_SYSTEM_FLOWS_MAX      TG_FLOWS_MAX
#define TG_SYSTEM_SERVERS_MAX    64u
#define TG_SYSTEM_SCENARIOS_MAX  64u
#define TG_SYSTEM_TRAFFIC_MAX    64u              /* sources of one scenario */
#define TG_SYSTEM_TIME_MAX_NS    TG_PERIOD_MAX_NS /* every duration */
#define TG_SYSTEM_RATE_MAX_PPS   UINT64_C(1000000000)
#define TG_SYSTEM_BURST_MAX_PKTS 65536u
#define TG_SYSTEM_REPEAT_MAX     1000000u
#define TG_SYSTEM_OVERTAKE_MAX   1000000u /* jitter of a source / its period */

/* A budget of packets per period: of a flow, of best effort, or of a gate. */
struct tg_system_budget {
    struct tg_position at;         /* of the value; line 0: not written */
    struct tg_position packets_at; /* of the number, for a tool that writes another one there */
    struct tg_position period_at;
    enum tg_server_kind kind; /* polling: gates only */
    uint32_t packets;         /* 0 if unlimited */
    tg_ns period_ns;          /* 0 if unlimited */
    bool is_fixed;            /* `fixed: true`: `fit` leaves it as it is */
};

struct tg_system_task {
    struct tg_position at;
    char *name;
    uint8_t priority; /* 0..31 */
    tg_ns period_ns;
    tg_ns wcet_ns; /* as written: context switches are not in it */
    tg_ns deadline_ns;
    tg_ns jitter_ns;
    tg_ns blocking_ns; /* longest wait for a resource that a less urgent task holds */
    tg_ns section_ns;  /* longest section with the scheduler locked */
    tg_ns irq_off_ns;  /* longest section with interrupts off */
    bool calls_stack;  /* it takes the stack's lock, for at most receive.lock */
};

enum tg_system_server_kind {
    TG_SYSTEM_SERVER_DEFERRABLE = 1,
    TG_SYSTEM_SERVER_POLLING,
    TG_SYSTEM_SERVER_SPORADIC,
    TG_SYSTEM_SERVER_PERIODIC
};

/* A budget of CPU time at a priority. */
struct tg_system_server {
    struct tg_position at;
    char *name;
    enum tg_system_server_kind kind;
    uint8_t priority;
    tg_ns capacity_ns;
    tg_ns period_ns; /* >= capacity_ns */
};

struct tg_system_receive {
    struct tg_position at;
    struct tg_station station; /* mac: TG_MAC_NONE if not written */
    tg_ns driver_ns;           /* ring handling of one packet; <= refused_ns */
    tg_ns eager_ns;            /* eager half of one packet, driver included */
    tg_ns refused_ns;          /* of a frame that is not accepted; <= eager_ns, which it is if not
                                * written */
    tg_ns deferred_ns;         /* deferred half of one packet; a flow may have its own */
    tg_ns section_ns;          /* longest time the protocol task cannot be preempted */
    tg_ns lock_ns;             /* longest stack call of an application under the stack's lock */
    tg_ns irq_off_ns;          /* something else keeps reception off for so long */
    tg_ns tick_ns;             /* refill tick with an empty poll; cpu.irq if not written */
    tg_ns wire_gap_ns;         /* least time between two frames on the wire; 0: not known */
    uint32_t buffers_pkts;     /* in all, rings included */
    enum tg_refill refill;     /* of every gate that keeps a count */
    uint8_t floor;
    uint8_t poll_priority; /* valid if polled_by_task */
    bool polled_by_task;   /* else the tick handler polls */
};

/* One NIC receive queue. */
struct tg_system_queue {
    struct tg_position at;
    char *name;
    uint16_t ring_pkts;
    uint8_t gate; /* index into gates */
    uint8_t rank; /* larger is served first; of equal ones the first in the file */

    /* Flows of these priorities enter here. All queues together cover 0..31 once. */
    uint8_t priority_min;
    uint8_t priority_max;
    bool is_isolated; /* hardware lets nothing in but conforming packets of its flows */

    /* Moderation of its interrupt; 0: not set. */
    tg_ns absolute_timer_ns;
    tg_ns packet_timer_ns;
    uint32_t moderation_pkts;
};

/* Who answers at the port of a flow, where the system meets real clients. */
enum tg_system_service {
    TG_SERVICE_NONE = 0, /* not written: discard where a service is possible */
    TG_SERVICE_ECHO,     /* sends back what it gets */
    TG_SERVICE_SINK,     /* the flow's receiver works on it */
    TG_SERVICE_DISCARD
};

/* What a conforming source sends: at most burst * ceil((D + jitter) / every) packets in a window
 * D. */
struct tg_system_source {
    tg_ns every_ns; /* 0: the file says nothing about the source */
    tg_ns jitter_ns;
    uint32_t burst_pkts; /* >= 1 */
};

struct tg_system_flow {
    struct tg_position at;
    char *name;
    char *match_text; /* as written */
    struct tg_position match_at;
    struct tg_match match;
    struct tg_system_budget budget;
    struct tg_system_source source;
    tg_ns
        deadline_ns; /* NIC to the end of protocol work (of the receiver's job, if there is one), of
                        * conforming packets; TG_SYSTEM_ABSENT: none */
    tg_ns deferred_ns;      /* its own, or receive's */
    tg_ns section_ns;       /* likewise */
    tg_ns irq_off_ns;       /* of its protocol work */
    tg_ns receiver_wcet_ns; /* a job run once per delivered packet; 0: none */
    uint16_t reserve_pkts;
    uint8_t priority; /* as written; the protocol task works at max(priority, floor) */
    uint8_t queue;    /* index into queues */
    uint8_t receiver_priority;
    bool assume_conforming; /* nobody can spoof it */
    enum tg_system_service service;
};

/* What no match takes. */
struct tg_system_best_effort {
    struct tg_position at;
    bool is_dropped; /* `unregistered: drop`; all below is then zero */
    struct tg_system_budget budget;
    uint16_t reserve_pkts;
    uint8_t priority;
    uint8_t queue; /* index into queues; malformed frames enter here, too */
};

enum tg_system_traffic_kind {
    TG_TRAFFIC_PERIODIC, /* nominal arrivals k * every_ns, each delayed by 0..jitter_ns */
    TG_TRAFFIC_RATE,     /* arrival k at floor(k * 10^9 / rate_pps) ns */
    TG_TRAFFIC_POISSON,  /* exponential gaps, rate_pps in the mean */
    TG_TRAFFIC_CAPTURE   /* as the file's time stamps say, from the first frame on */
};

/* What becomes of the frames that are built for a match. */
enum tg_system_form {
    TG_FORM_WHOLE,
    TG_FORM_FRAGMENT, /* first fragment of an IPv4 packet: best effort by rule 10 */
    TG_FORM_MALFORMED /* the length in the IP header exceeds the frame */
};

/* One traffic source of a scenario. Frames arrive at from_ns <= t < until_ns; k starts with 0 at
 * from_ns. */
struct tg_system_traffic {
    struct tg_position at;
    enum tg_system_traffic_kind kind;
    int32_t flow; /* it is the conforming source of this flow (index); -1: `frames` or `capture` */
    char *match_text; /* `frames`; else NULL */

    /* Of the frames. With `flow`: the flow's, narrowed until the flow takes them all. */
    struct tg_match match;
    enum tg_system_form form;
    char *capture_path;    /* as it can be opened from here; else NULL */
    uint32_t length_bytes; /* payload behind the last header that is built */
    tg_ns from_ns;
    tg_ns until_ns; /* at most the scenario's duration */
    tg_ns every_ns;
    tg_ns jitter_ns;     /* may exceed every_ns: then frames overtake their nominal order */
    uint32_t burst_pkts; /* frames per arrival, at once or wire_gap apart; >= 1 */
    uint64_t rate_pps;
    uint32_t repeat; /* of a capture; each begins one mean gap after the last frame */
};

struct tg_system_scenario {
    struct tg_position at;
    char *name;
    tg_ns for_ns;
    uint64_t seed;
    struct tg_system_traffic *traffic;
    size_t n_traffic;
};

/* A whole file. Everything it points to belongs to it. */
struct tg_system {
    char *name;
    tg_ns irq_ns;    /* cpu.irq: interrupt entry and exit */
    tg_ns switch_ns; /* cpu.switch: one context switch */
    struct tg_system_task *tasks;
    size_t n_tasks;
    struct tg_system_server *servers;
    size_t n_servers;
    struct tg_system_receive receive;
    struct tg_system_budget gates[TG_GATES_MAX]; /* one, shared, or one per queue in their order */
    size_t n_gates;
    bool gate_is_shared; /* a top-level `gate` with several queues */
    struct tg_system_queue queues[TG_QUEUES_MAX];
    size_t n_queues;
    struct tg_system_flow *flows;
    size_t n_flows;
    struct tg_system_best_effort best_effort;
    struct tg_system_budget stock_gate; /* deferrable; at.line 0: not written */

    /* The one queue that stock drivers get; its moderation is that of stock-moderated. No ring: not
     * written, they get the queues above. */
    struct tg_system_queue stock_queue;
    struct tg_system_scenario *scenarios;
    size_t n_scenarios;
};

/* Read a system file.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_system_free(), *errors empty; -1 with everything that is wrong
 *          in *errors (also: the file cannot be read), then *out is NULL.
 * Cost:    O(size of the file + flows^2). */
TG_NODISCARD int tg_system_load(const char *path, struct tg_system **out, struct tg_errors *errors);

/* The same from memory. directory: that which paths of captures are relative to; NULL: captures are
 * not looked at.
 *
 * Context, returns, cost: as tg_system_load. */
TG_NODISCARD int tg_system_parse(const char *text, size_t size_bytes, const char *directory,
                                 struct tg_system **out, struct tg_errors *errors);

/* Context: task; NULL is allowed.
 * Cost:    O(its size). */
void tg_system_free(struct tg_system *system);

/* A service can be at the port of this match: it names a destination port of UDP or TCP.
 *
 * Context: any.
 * Cost:    O(1). */
bool tg_system_can_serve(const struct tg_match *match);

/* The core's configuration, and how much storage it needs. Flow i of the system is flow id i +
 * 1. */
struct tg_system_config {
    struct tg_config config; /* points into this object: do not copy it */
    struct tg_gate_config gates[TG_GATES_MAX];
    struct tg_queue_config queues[TG_QUEUES_MAX];
    struct tg_flow_config *flows;
    tg_ns *
        windows; /* of all sporadic servers: one tg_protocol_init() at a time may use this object */
    uint32_t n_flows;      /* for struct tg_storage, best effort included */
    uint32_t n_buckets;    /* likewise */
    uint32_t n_buffers;    /* likewise: receive.buffers */
    uint32_t buffer_bytes; /* holds every frame that is not oversize; a multiple of 64 */
};

/* Lower to the core.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_system_config_free(); -1 when out of memory, *out is then all
 *          zero.
 * Cost:    O(flows). */
TG_NODISCARD int tg_system_lower_config(const struct tg_system *system,
                                        struct tg_system_config *out);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(1). */
void tg_system_config_free(struct tg_system_config *config);

#endif
