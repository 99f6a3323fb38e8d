/* SPDX-License-Identifier: MIT
 *
 * rx.h - the receive path: from a driver's ring, through gate, flow and budget, to the protocol
 * task.
 *
 *     ring ─▶ tg_rx_eager ────────────────────────▶ a queue per ─▶ tg_rx_next ─▶ IP stack ─▶ socket
 *             gate, parse, match, charge, buffer     priority      tg_rx_done     tg_rx_release
 *             (receive interrupt, or polled)                       (protocol task)
 *
 * A driver calls tg_rxq_interrupt from its receive vector; the port's timer calls tg_rx_tick, and
 * whoever does the polling (that handler, or a polling task) tg_rx_poll. The protocol task is one
 * loop:
 *
 *     for (;;) {
 *         struct tg_buffer *b = tg_rx_next(p);
 *         if (b == NULL) { wait for tg_port_wake; continue; }
 *         stack_input(b);      // whoever frees the packet calls tg_rx_release(p, b)
 *         tg_rx_done(p);
 *     }
 *
 * Source: the receive path of Behnke, Blumschein et al. (interrupt-time demultiplexing, priority
 * inheritance and budgets in FreeRTOS+TCP, 2022-23); rules 1 to 12 of docs/design.md, section 3.
 */
#ifndef TIDEGATE_RX_H
#define TIDEGATE_RX_H

#include "tidegate/common.h"
#include "tidegate/flow.h"
#include "tidegate/frame.h"
#include "tidegate/port.h"
#include "tidegate/queue.h"
#include "tidegate/server.h"

#define TG_QUEUES_MAX 8u
#define TG_GATES_MAX  8u

/* ---- What becomes of a frame ----------------------------------------------------------------- */

enum tg_verdict {
    TG_VERDICT_PASSED = 0,
    TG_VERDICT_MALFORMED,
    TG_VERDICT_BUDGET,       /* the flow's server is spent */
    TG_VERDICT_NO_BUFFER,    /* the flow holds its whole reserve */
    TG_VERDICT_UNREGISTERED, /* best effort is not accepted here */
    TG_VERDICT_NONE          /* no verdict: the gate is spent, the frame stays in the ring */
};

/* One received frame, as a driver hands it over. */
struct tg_rx_frame {
    tg_ns now_ns; /* the clock, read at the start of this frame's step */
    struct tg_buffer
        *buffer;        /* in: with the bytes; out: the buffer that now belongs into the ring */
    uint32_t len_bytes; /* without frame check sequence, <= buffer->size_bytes */
    uint32_t tci;       /* tag control word that the NIC stripped, or TG_TCI_NONE */
};

/* What a bounded loop leaves behind. */
enum tg_work {
    TG_WORK_DONE,
    TG_WORK_MORE /* call again: nothing else will, edges are not repeated */
};

/* ---- Configuration: const, printed by `tidegate gen`, or written by hand --------------------- */

/* A gate: the server over all receive interrupts of the queues that name it. */
struct tg_gate_config {
    struct tg_server_config budget; /* any kind; unlimited: never polled */
    enum tg_refill refill;
};

struct tg_queue_config {
    uint16_t ring; /* descriptors, 1..65535: so many buffers are in the ring */
    uint8_t rank;  /* larger is served first when polled */
    uint8_t gate;  /* index into struct tg_config's gates */
};

struct tg_config {
    const struct tg_gate_config *gates;   /* n_gates, 1..TG_GATES_MAX */
    const struct tg_queue_config *queues; /* n_queues, 1..TG_QUEUES_MAX */
    const struct tg_flow_config *flows;   /* n_flows, bound at start-up: flow i gets id i + 1 */
    struct tg_station station;
    struct tg_server_config best_effort_budget; /* what no match takes */
    uint16_t best_effort_reserve_pkts;          /* 0: best effort is dropped as unregistered */
    uint8_t best_effort_priority;
    uint8_t floor; /* lowest priority of the protocol task */
    uint16_t n_flows;
    uint8_t n_gates;
    uint8_t n_queues;
    bool trace; /* report events to tg_port_trace */
};

/* A driver's ring. The functions are called by tg_rxq_interrupt and tg_rx_poll with the lock held,
 * so a frame's step is one piece whoever serves the queue. They must not call the core. */
struct tg_ring_ops {
    /* Read the clock into frame->now_ns, always; then look at the oldest frame that the NIC has
     * filled in, without taking it, and set the rest of *frame.
     * Returns: true if there is one. Cost: O(1). */
    bool (*peek)(void *ring, struct tg_rx_frame *frame);

    /* The same look without the clock, where that is cheaper; NULL: peek is asked.
     * Returns: true if there is a frame. Cost: O(1). */
    bool (*has_frame)(const void *ring);

    /* Take that frame's descriptor out and give it back to the NIC with this buffer (the same one,
     * or another). Cost: O(1). */
    void (*advance)(void *ring, struct tg_buffer *buffer);
};

/* Memory that the caller provides; sizes are checked against the configuration. */
struct tg_storage {
    struct tg_flow *flows; /* n_flows: 1 + those configured + those bound at run time */
    uint32_t *buckets;     /* n_buckets: a power of two, at least 2 per flow keeps refusals rare */
    struct tg_buffer *buffers; /* n_buffers, data and size_bytes set (queue.h); else TG_ERR_RANGE */
    struct tg_rxq *queues;     /* as many as the configuration has */
    struct tg_gate *gates;     /* as many as the configuration has */
    uint32_t n_flows;
    uint32_t n_buckets;
    uint32_t n_buffers; /* >= rings + reserves + best effort's reserve */
};

/* ---- State: private, complete so that storage can be static ---------------------------------- */

struct tg_queue_counters {
    uint64_t received; /* frames with a verdict: malformed + unregistered + those of all flows */
    uint64_t malformed;
    uint64_t unregistered; /* only where best effort is not accepted */
    uint64_t spurious;     /* interrupts without a frame to serve; each cost one unit of the gate */
    uint64_t stalls;       /* times that tg_rxq_watch found reception stalled */
};

/* One NIC receive queue. Invariant: I1  masked iff its gate is polled, or the link is down. */
struct tg_rxq {
    struct tg_protocol *protocol;
    struct tg_gate *gate;
    struct tg_rxq *lower; /* next in order of rank */
    const struct tg_ring_ops *ops;
    void *ring;
    uint16_t ring_pkts;   /* descriptors */
    uint16_t filled_pkts; /* buffers that are in the ring */
    uint8_t number;
    uint8_t rank;
    bool is_up;
    struct tg_queue_counters counters;
    uint64_t watched; /* counters.received at the last tg_rxq_watch */
};

struct tg_gate {
    struct tg_server server;
    uint64_t closed; /* changes from interrupts to polling */
    bool is_polled;  /* from start-up on and for ever if its server is a polling one */
};

/* Everything that belongs to one protocol task. Invariants (check.h):
 *  I1  current = max(floor, highest waiting, in processing), at every step
 *  I2  free + in rings + sum of held = n_buffers
 *  I3  rings + sum of reserves (of closing flows: what they hold) = promised_pkts <= n_buffers
 *  I4  received of all queues = sum of all verdicts
 *  I5  alert_from = current + 1 while awake and not traced, else 0 */
struct tg_protocol {
    uint8_t n_gates;
    uint8_t n_queues;
    uint8_t floor;
    uint8_t current;    /* priority of the protocol task */
    uint8_t processing; /* priority of the packet in processing */
    bool is_processing;
    uint8_t alert_from; /* a packet of this priority or more raises, wakes or is traced */
    bool is_awake;      /* woken, and tg_rx_next has not found the queue empty since */
    bool trace;
    void *port;
    struct tg_buffer *free;
    struct tg_gate *gates;
    struct tg_rxq *queues;  /* by number */
    struct tg_rxq *highest; /* first of the list in order of rank */
    uint32_t n_buffers;
    uint32_t promised_pkts;
    uint32_t epoch; /* of snapshots */
    struct tg_station station;
    struct tg_flow_counters retired; /* of flows that were unbound and whose slot is used again */
    struct tg_flow_table table;
    struct tg_queue queue;
};

/* ---- Start-up -------------------------------------------------------------------------------- */

/* Set everything up: gates, queues (link down, masked), flows, buffers.
 *
 * Context: start-up; the protocol task has the priority cfg->floor.
 * Units:   seed: unpredictable to the network (see flow.h). cfg may be temporary, except sporadic
 *          windows.
 * Returns: 0, or a negative enum tg_error; then *p and the storage are not to be used, nothing else
 *          has changed, and *bad_flow (if not NULL) is the index of the flow that was refused, or
 *          -1.
 * Cost:    O(storage + flows^2). */
TG_NODISCARD int tg_protocol_init(struct tg_protocol *p, const struct tg_config *cfg,
                                  const struct tg_storage *storage, void *port, uint64_t seed,
                                  tg_ns now_ns, int *bad_flow);

/* Tell a queue where its ring is. Fill the ring with tg_rxq_fill, then bring the link up.
 *
 * Context: start-up, or while the link is down.
 * Returns: the queue, number 0..n_queues - 1.
 * Cost:    O(1). */
struct tg_rxq *tg_rxq_attach(struct tg_protocol *p, uint32_t number, const struct tg_ring_ops *ops,
                             void *ring);

/* A buffer for an empty descriptor of this queue's ring.
 *
 * Context: start-up, or while the link is down.
 * Returns: NULL once as many as the ring has descriptors have been taken.
 * Cost:    O(1). */
TG_NODISCARD struct tg_buffer *tg_rxq_fill(struct tg_rxq *q);

/* Give back a buffer that tg_rxq_fill or tg_rx_eager put into the ring (reset of a NIC).
 *
 * Context: while the link is down.
 * Returns: 0; TG_ERR_STATE if the buffer is not in a ring or the link is up.
 * Cost:    O(1). */
TG_NODISCARD int tg_rxq_unfill(struct tg_rxq *q, struct tg_buffer *buffer);

/* The link went up or down. Down: the queue is masked and no longer polled; what was accepted
 * drains through the protocol task as usual. Up: unmasked unless its gate is polled; then call
 * tg_rxq_interrupt once, since frames may have come before.
 *
 * Context: ISR or task, lock not held.
 * Cost:    O(1). */
void tg_rxq_link(struct tg_rxq *q, bool is_up);

/* ---- Eager half ------------------------------------------------------------------------------ */

/* One frame: charge the gate, parse, match, charge the flow, take a buffer, enqueue, raise. The
 * first refusal is the verdict. When the last unit of the gate is taken, its queues are masked and
 * polled. Drivers with a ring use tg_rxq_interrupt and tg_rx_poll, which do this for each frame; it
 * stands alone for sources without one (a tap device, a test).
 *
 * Context: receive interrupt, lock not held.
 * Returns: the verdict. PASSED: frame->buffer is another buffer, for the ring; otherwise it is
 *          unchanged. NONE: nothing happened, the frame stays in the ring.
 * Cost:    O(1), the lock is held throughout. */
TG_NODISCARD enum tg_verdict tg_rx_eager(struct tg_rxq *q, struct tg_rx_frame *frame);

/* Serve a receive interrupt: frames in ring order, until the ring is empty, the gate is spent, or
 * max_frames have been handled. An interrupt that finds the ring empty is charged one unit too.
 *
 * Context: receive vector of the queue, lock not held.
 * Units:   max_frames >= 1; 1 lets vectors of higher rank in after each frame on hardware without
 *          nesting.
 * Returns: MORE if frames are left and the queue is not masked: re-pend the vector.
 * Cost:    max_frames times tg_rx_eager. */
TG_NODISCARD enum tg_work tg_rxq_interrupt(struct tg_rxq *q, uint32_t max_frames);

/* Refill the gates that are due, and start the timer for the next one that needs it.
 *
 * Context: the handler of tg_port_timer_start, lock not held.
 * Returns: MORE if something is to be polled: call tg_rx_poll, here or in a polling task.
 * Cost:    O(TG_GATES_MAX). */
TG_NODISCARD enum tg_work tg_rx_tick(struct tg_protocol *p, tg_ns now_ns);

/* Poll: one frame after the other, each time from the polled queue of the highest rank that has one
 * and whose gate has budget. A gate whose rings are found empty with budget left goes back to
 * interrupts; the rings are looked at once more after unmasking.
 *
 * Context: one context at a time: the tick handler or a polling task, lock not held.
 * Units:   max_frames >= 1.
 * Returns: MORE if max_frames were handled and there may be more: call again.
 * Cost:    max_frames times (tg_rx_eager + TG_QUEUES_MAX). */
TG_NODISCARD enum tg_work tg_rx_poll(struct tg_protocol *p, uint32_t max_frames);

/* Detect a NIC that has stopped: its ring is full, yet nothing was received since the last call
 * although the queue is not polled.
 *
 * Context: a task, every few periods, lock not held.
 * Units:   is_ring_full: the NIC has no free descriptor.
 * Returns: true if the driver must restart reception and then call tg_rxq_interrupt; it is counted.
 * Cost:    O(1). */
TG_NODISCARD bool tg_rxq_watch(struct tg_rxq *q, bool is_ring_full);

/* ---- Deferred half --------------------------------------------------------------------------- */

/* Take the oldest packet of the highest priority for processing.
 *
 * Context: protocol task, no packet in processing, lock not held.
 * Returns: the packet, or NULL if none waits; then the next one wakes the task.
 * Cost:    O(1). */
TG_NODISCARD struct tg_buffer *tg_rx_next(struct tg_protocol *p);

/* Processing of the packet is over: lower the task to the highest waiting priority or the floor.
 * The buffer may still be held by a socket.
 *
 * Context: protocol task, after tg_rx_next gave a packet, lock not held.
 * Cost:    O(1). */
void tg_rx_done(struct tg_protocol *p);

/* A packet's buffer is free again.
 *
 * Context: any task, lock not held.
 * Returns: 0; TG_ERR_STATE if the buffer is not with a receiver (released twice, or never
 *          delivered).
 * Cost:    O(1). */
TG_NODISCARD int tg_rx_release(struct tg_protocol *p, struct tg_buffer *buffer);

/* ---- Flows at run time ----------------------------------------------------------------------- */

/* Bind a flow. What it matches from now on goes to it; what was accepted before keeps its flow.
 *
 * Context: task, lock not held; bind and unbind are serialised by the caller.
 * Returns: its id, 1..n_flows - 1; or TG_ERR_RANGE, TG_ERR_BUFFERS if its reserve does not fit into
 *          the pool, TG_ERR_FULL if no slot is free, and what tg_match_compile and
 *          tg_flow_table_admits return. Nothing has changed then, and the packets go where they
 *          went.
 * Cost:    as tg_flow_table_admits, without the lock; the lock is held O(1). */
TG_NODISCARD int tg_rx_bind(struct tg_protocol *p, const struct tg_flow_config *cfg, tg_ns now_ns);

/* Unbind a flow. Packets already accepted are still delivered; the slot and the buffers they hold
 * come back with the last of them.
 *
 * Context, cost: as tg_rx_bind.
 * Returns: 0; TG_ERR_STATE if no flow with this id is bound. */
TG_NODISCARD int tg_rx_unbind(struct tg_protocol *p, uint32_t flow);

/* ---- Counters -------------------------------------------------------------------------------- */

struct tg_snapshot {
    struct tg_queue_counters queues[TG_QUEUES_MAX];
    uint64_t closed[TG_GATES_MAX];   /* changes of each gate from interrupts to polling */
    struct tg_flow_counters retired; /* all flows together whose slots have been used again since */
    struct tg_flow_counters *flows;  /* caller's, as many as the storage's; [0] is best effort */
};

/* One consistent snapshot: all counters as they stood at one instant, so received = sum of the
 * verdicts.
 *
 * Context: task, lock not held; serialised by the caller with itself, bind and unbind.
 * Cost:    O(n_queues + n_flows), the lock is held O(n_queues) once and O(1) per flow. */
void tg_rx_snapshot(struct tg_protocol *p, struct tg_snapshot *out);

#endif
