/* SPDX-License-Identifier: MIT
 *
 * plan.h - what the board is to do: the file that `tidegate` writes and the lab's firmware reads.
 *
 *     struct lab_plan │ lab_task[n_tasks] │ lab_flow[n_flows] │ lab_frame[n_frames] │
 *     lab_arrival[n_arrivals] │ bytes of the frames
 *
 * There are no arrivals where the network is a real one; its frames have LAB_STAMP and their time
 * at their end (firmware/apps/node/network.c).
 *
 * Little endian, as both sides are. Flows are those of the results: 0 best effort, i + 1 flow i of
 * the system, the last one malformed frames.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include <stdint.h>

/* "LAB" and the size of the header: firmware of another build refuses the plan. */
#define LAB_MAGIC (0x42414c00u + (uint32_t)sizeof(struct lab_plan))

#define LAB_STAMP                                                                                  \
    {                                                                                              \
        'T', 'G', 's', 't'                                                                         \
    }

#define LAB_UDP_PORTS_MAX 16u /* for which lwIP on a board has room */

#define LAB_PRIORITY_IDLE 255u /* of the worker: below everything */

enum lab_policy { LAB_STOCK_HIGH, LAB_STOCK_LOW, LAB_STOCK_LIMITED, LAB_TIDEGATE, LAB_COMBINED };

/* What the protocol task does with a packet. */
enum lab_stack {
    LAB_STACK_NONE, /* it spends the flow's deferred_ns */
    LAB_STACK_LWIP  /* lwIP takes it to a receiver at the flow's UDP port */
};

struct lab_plan {
    uint32_t magic;
    uint32_t stack;
    uint32_t policy;
    uint32_t shift; /* 2^shift ns an instruction */
    uint32_t n_tasks;
    uint32_t n_flows;
    uint32_t n_frames;
    uint32_t n_arrivals;
    uint32_t bytes; /* of all frames */
    uint32_t floor;
    uint32_t stock_gate_pkts; /* stock-limited */
    uint32_t worker_priority; /* of the counting worker, or LAB_PRIORITY_IDLE */
    uint32_t samples;         /* interrupt paths to be measured; 0: none */
    uint32_t stock_ring;      /* descriptors of the one queue; a NIC with several */
    uint64_t sample_ns;       /* one so often: an arrival is due a little after each multiple */
    uint64_t stock_gate_period_ns; /* stock-limited */
    uint64_t for_ns;
    uint64_t trace_from_ns;  /* events are kept from then on, as many as there is room for; */
    uint64_t trace_until_ns; /* 0: none are */
    uint64_t send_ns;        /* lwIP: a thread at the floor sends a datagram so often; 0: none */
};

#define LAB_SENT_BYTES 1472u /* payload of that: the largest */

/* Beside those of the core (tidegate/trace.h); subject: flow or task. The trace's first event says
 * when instant 0 of the plan was. */
enum lab_event_kind {
    LAB_EVENT_START = 64,
    LAB_EVENT_ARRIVAL,
    LAB_EVENT_LOST,
    LAB_EVENT_PACKET_IN, /* the protocol task begins with a packet */
    LAB_EVENT_PACKET_OUT,
    LAB_EVENT_RECEIVER_IN, /* likewise: its receiver */
    LAB_EVENT_RECEIVER_OUT,
    LAB_EVENT_RELEASE, /* of a job */
    LAB_EVENT_JOB_IN,
    LAB_EVENT_JOB_OUT, /* value: 1: past its deadline */
    LAB_EVENTS_END
};

#define LAB_TRACE_EVENTS (1u << 18)

struct lab_task {
    uint64_t period_ns;
    uint64_t wcet_ns;
    uint64_t deadline_ns;
    uint64_t section_ns; /* from the start of a job on: above all other threads */
    uint64_t irq_off_ns; /* likewise: with interrupts off */
    uint64_t lock_ns;    /* likewise: with the stack's lock */
    uint32_t priority;
    uint32_t unused;
};

struct lab_flow {
    uint64_t deferred_ns; /* spent in the protocol task beside what the way through it costs */
    uint64_t receiver_ns; /* 0: no receiver */
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint32_t receiver_priority;
    uint32_t port; /* of UDP, for lwIP; 0: none */
};

struct lab_frame {
    uint32_t offset; /* of its bytes */
    uint32_t len_bytes;
    uint32_t flow; /* that takes it */
};

struct lab_arrival {
    uint32_t gap_ticks; /* of 10 ns, since the one before */
    uint32_t frame;
};

#endif
