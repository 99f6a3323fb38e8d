/* SPDX-License-Identifier: MIT
 *
 * model.h - the priority NIC as a register map: which frame goes to which queue, and when that
 * queue interrupts. docs/nic.md is its data sheet.
 *
 *     frame ─▶ parse ─▶ rule ─▶ queue ─▶ ring ─▶ moderation ─▶ running ─▶ gate ─▶ vector
 *               │        │        │        │                     priority
 *           malformed  unregis- none of   drops
 *                      tered    its priority
 *
 * Parser, matches and flow table are those of the core. The model knows nothing of sockets or
 * clocks: its caller passes frames and the time, and raises vectors. The memory is shared with a
 * guest that is not trusted: whatever stands there is loaded once, into a local, and checked before
 * use.
 */
#ifndef TG_NIC_MODEL_MODEL_H
#define TG_NIC_MODEL_MODEL_H

#include "nic/wire/registers.h"
#include "nic/wire/ring.h"
#include "tidegate/flow.h"
#include "tidegate/moderation.h"
#include "tidegate/rx.h"

#define TG_NIC_NEVER UINT64_MAX

/* A flow rule: who takes a frame, and the priority of its receiver. */
struct tg_nic_rule {
    struct tg_match match;
    uint8_t priority; /* 0..TG_PRIORITIES - 1 */
};

/* What a queue's registers hold after a reset; the guest may write others. */
struct tg_nic_queue_setup {
    uint8_t priority_min;
    uint8_t priority_max; /* its rank: RUNNING is compared with it */
    uint32_t packets;     /* moderation: counter, 0: not in use, likewise below */
    uint32_t absolute_ns;
    uint32_t packet_ns;
    uint32_t gate_budget; /* interrupts per period; 0: unlimited */
    uint32_t gate_period_ns;
};

struct tg_nic_setup {
    struct tg_station station;
    const struct tg_nic_rule *rules; /* rule i has id i + 1; must outlive the model */
    uint32_t n_rules;
    uint32_t n_queues; /* 1..TG_NIC_QUEUES_MAX, and as many vectors */
    struct tg_nic_queue_setup queues[TG_NIC_QUEUES_MAX];
    bool accepts_unregistered; /* what no rule takes is best effort; else dropped */
    uint8_t best_effort_priority;
};

/* What the model asks of the process around it. */
struct tg_nic_backend {
    /* Raise a vector of a peer. Returns: false if there is no such peer. */
    bool (*raise)(void *context, uint32_t peer, uint32_t vector);

    /* Send a frame of TG_NIC_FRAME_MIN..TG_NIC_FRAME_MAX bytes. They stand in shared memory: a
     * guest may change them meanwhile. Returns: false if it is lost. */
    bool (*transmit)(void *context, const uint8_t *bytes, uint32_t len_bytes);

    void *context;
};

/* What became of a frame; each has its counter. */
enum tg_nic_fate {
    TG_NIC_DELIVERED,
    TG_NIC_MALFORMED,
    TG_NIC_REFUSED,         /* unregistered, and that is dropped */
    TG_NIC_NO_QUEUE,        /* no queue has its priority */
    TG_NIC_DROP_DISABLED,   /* the queue is not enabled */
    TG_NIC_DROP_EMPTY,      /* no descriptor is offered */
    TG_NIC_DROP_INDEX,      /* offered is nonsense */
    TG_NIC_DROP_DESCRIPTOR, /* the descriptor is; it is returned with length 0 */
    TG_NIC_DROP_LONG        /* the frame is longer than the buffer, which stays offered */
};

/* How far the interrupt of a queue has come. Frames that arrive while it is raised are found by the
 * guest: it arms the queue, then looks (ring.h, P5). */
enum tg_nic_interrupt {
    TG_NIC_IDLE,    /* nothing to tell, or masked */
    TG_NIC_WAITING, /* for moderation */
    TG_NIC_DUE,     /* moderation is over; held back by RUNNING or the gate */
    TG_NIC_RAISED   /* the guest has been told, and has not armed the queue since */
};

/* Private. */
struct tg_nic_model_queue {
    struct tg_nic_ring ring;
    struct tg_moderation moderation;
    struct tg_server gate;
    tg_ns since_ns;   /* arrival of the first frame that waits to be told */
    tg_ns gate_at_ns; /* when the gate has budget again, if it holds the interrupt back */
    uint32_t token;   /* ARM, as seen last */
    enum tg_nic_interrupt interrupt;
    enum tg_moderation_cause cause; /* of the interrupt that is due */
    bool is_enabled;
};

/* The device. Private, but tests may look. Invariants (tg_nic_model_check):
 *  I1  RX_FRAMES = RX_MALFORMED + RX_REFUSED + RX_NO_QUEUE + sum of Q_FRAMES
 *  I2  Q_FRAMES = Q_DELIVERED + the five Q_DROP counters, for each queue
 *  I3  HELD and GATED have bits only of queues whose interrupt is due
 *  I4  an enabled ring lies within rings and buffers */
struct tg_nic_model {
    struct tg_nic_setup setup;
    struct tg_nic_backend backend;
    uint8_t *memory; /* shared */
    uint32_t memory_bytes;
    uint32_t registers[TG_NIC_REGISTERS_END / 4u]; /* the truth; the shared ones are a copy */
    uint8_t queue_of[TG_PRIORITIES];               /* by priority; TG_NIC_QUEUES_MAX: none */
    struct tg_nic_model_queue queues[TG_NIC_QUEUES_MAX];
    struct tg_nic_ring port;     /* write port */
    struct tg_nic_ring transmit; /* valid while TX_CONTROL is enabled */
    struct tg_flow_table table;
    struct tg_flow *flows;
    uint32_t *buckets;
    uint64_t seed;
};

/* Set up the device in its reset state. The memory is cleared.
 *
 * Context: task; allocates.
 * Units:   memory: memory_bytes, a multiple of 4096, aligned to 64 bytes; it outlives the model.
 *          seed: unpredictable to the network.
 * Returns: 0, *out to be given to tg_nic_model_close(); TG_ERR_RANGE for a setup outside its
 *          ranges; TG_ERR_FULL when out of memory; else what the core says about rule *bad_rule.
 * Cost:    O(memory + rules^2). */
TG_NODISCARD int tg_nic_model_open(struct tg_nic_model **out, const struct tg_nic_setup *setup,
                                   const struct tg_nic_backend *backend, uint8_t *memory,
                                   uint32_t memory_bytes, uint64_t seed, uint32_t *bad_rule);

/* Context: task; NULL is allowed. Cost: O(1). */
void tg_nic_model_close(struct tg_nic_model *m);

/* As CONTROL.RESET: queues disabled, registers and rules as after tg_nic_model_open(), GENERATION
 * one more. Counters are kept.
 *
 * Context: task; calls on one model are serialised by the caller, likewise below.
 * Cost:    O(rules^2). */
void tg_nic_model_reset(struct tg_nic_model *m);

/* A frame arrives from the network.
 *
 * Context: task.
 * Units:   len_bytes 0..TG_NIC_FRAME_MAX; a tag stands in the bytes; now_ns never steps back.
 * Cost:    O(length). */
enum tg_nic_fate tg_nic_model_receive(struct tg_nic_model *m, const uint8_t *bytes,
                                      uint32_t len_bytes, tg_ns now_ns);

/* The guest rang the doorbell: perform what stands in the write port and in the transmit ring, and
 * look whether RUNNING still holds interrupts back.
 *
 * Context: task.
 * Returns: MORE if a bound was reached: call again.
 * Cost:    O(TG_NIC_WRITE_PORT_MAX writes + transmit ring). */
TG_NODISCARD enum tg_work tg_nic_model_doorbell(struct tg_nic_model *m, tg_ns now_ns);

/* The time of tg_nic_model_next_ns() has come; any other time is allowed, too.
 *
 * Context: task. Cost: O(queues). */
void tg_nic_model_timer(struct tg_nic_model *m, tg_ns now_ns);

/* When tg_nic_model_timer() is to be called, or TG_NIC_NEVER. Each other call may change it.
 *
 * Context: task. Cost: O(queues). */
TG_NODISCARD tg_ns tg_nic_model_next_ns(const struct tg_nic_model *m);

/* What a register reads as. offset: a multiple of 4 below TG_NIC_REGISTERS_END.
 *
 * Context: task. Cost: O(1), likewise below. */
uint32_t tg_nic_model_read(const struct tg_nic_model *m, uint32_t offset);

/* A counter of 64 bits. Context: task. */
uint64_t tg_nic_model_count(const struct tg_nic_model *m, uint32_t offset);

/* Are all queues enabled? Context: task. */
bool tg_nic_model_is_enabled(const struct tg_nic_model *m);

/* Context: task.
 * Returns: NULL if all invariants hold, else which one does not, in words.
 * Cost:    O(queues). */
const char *tg_nic_model_check(const struct tg_nic_model *m);

#endif
