/* SPDX-License-Identifier: MIT
 *
 * path.h - one receive path as the bench drives it: ours, or the same work done with DPDK.
 *
 * A burst is filled (not measured: what a NIC with DDIO does, the bytes end up in the cache),
 * accepted (measured), and drained: dequeued and freed (measured with accept as the whole path).
 */
#ifndef TG_BENCH_PATH_H
#define TG_BENCH_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BENCH_BURST = 64,
    BENCH_FRAME_BYTES = 60, /* the least of Ethernet, without frame check sequence */
    BENCH_SPACING_NS = 100, /* between two frames: 10 million a second */
    BENCH_SHAPES_MAX = 8,
    BENCH_PER_FLOW_MAX = 8 /* most frames of one flow in a burst */
};

/* A minimal UDP/IPv4 frame to this port. */
void bench_write_frame(uint8_t bytes[BENCH_FRAME_BYTES], uint16_t dst_port);

struct bench_setup {
    const uint16_t *ports; /* UDP destination port of each flow */
    uint32_t n_flows;
    uint32_t n_shapes; /* probed before a frame's flow is found; the last one hits */
    bool is_spent;     /* every flow is over its budget from the start */
};

struct bench_path {
    const char *name;
    void *(*start)(const struct bench_setup *setup); /* exits when that fails */
    void (*fill)(void *state, const uint16_t dst_ports[BENCH_BURST]);
    uint32_t (*loop)(void *state);   /* accept without its work: what the loop itself costs */
    uint32_t (*accept)(void *state); /* returns how many were accepted */
    uint32_t (*drain)(void *state);  /* returns how many came out */
};

extern const struct bench_path bench_tidegate;
extern const struct bench_path bench_dpdk;
extern const struct bench_path bench_dpdk_bulk; /* one shape only */

/* Start DPDK's run-time. Exits when that fails. */
void bench_dpdk_init(const char *program);

#endif
