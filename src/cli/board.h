/* SPDX-License-Identifier: MIT
 *
 * board.h - a system file on an emulated board: tables and traffic to its firmware, results back.
 *
 *     zynq   Zynq-7000, firmware/apps/lab. What has been run once is kept: a run depends on its
 *            program, its plan and the emulator, and on nothing else.
 *     virt   QEMU's virt machine with the priority NIC, firmware/apps/node: see board_virt.h
 */
#ifndef TG_CLI_BOARD_H
#define TG_CLI_BOARD_H

#include "progress.h"

#include "lab/plan.h"
#include "sim/sim.h"

#include <stdio.h>

/* Longest run on the host's clock, which may be busy with other things; a livelocked emulator ends
 * here. */
#define TG_BOARD_SECONDS "3600"

#define TG_BOARD_PATH_BYTES 1024u

/* Where the firmware, its results and its tools are. */
struct tg_board {
    char firmware[TG_BOARD_PATH_BYTES]; /* directory with link.sh */
    char runner[TG_BOARD_PATH_BYTES];   /* run.sh */
    char cache[TG_BOARD_PATH_BYTES];
    uint64_t tools;  /* hash of runner and emulator version */
    uint64_t linked; /* hash of what programs are linked from */
    uint32_t jobs;   /* runs at a time */
};

/* A queue of the priority NIC. */
struct tg_board_queue {
    uint64_t frames; /* for this queue = delivered + the drops */
    uint64_t delivered;
    uint64_t ring_empty; /* dropped: no descriptor was offered */
    uint64_t dropped;    /* for any other cause */
    uint64_t raised;     /* interrupts */
    uint64_t held_running;
    uint64_t held_gate;
    uint64_t vectors;  /* times that the guest took the queue's vector */
    uint64_t accepted; /* frames that the guest took out of the ring, or left in it */
};

/* One run. */
struct tg_board_cell {
    const struct tg_system *system;
    const struct tg_system_scenario *scenario;
    enum lab_policy policy;
    enum lab_stack stack;
    uint32_t shift;           /* 2^shift ns an instruction */
    uint32_t worker_priority; /* of the counting worker, or LAB_PRIORITY_IDLE */
    uint32_t samples;         /* as in struct lab_plan */
    tg_ns sample_ns;
    bool is_spread; /* zynq: one frame a sample, from all over the scenario, in its order */
    uint32_t stock_gate_pkts; /* stock-limited */
    tg_ns stock_gate_period_ns;
    tg_ns send_ns;  /* lwIP: a thread sends a datagram so often; 0: none does */
    tg_ns way_ns;   /* of a packet's deferred half: what the way through the protocol task costs */
    bool is_live;   /* virt: arrivals come from a network */
    uint64_t *sent; /* virt, set by tg_virt_run: frames of each flow, as in the results */
    uint64_t lost_before; /* virt, likewise: frames that the host dropped before the NIC saw them */
    uint64_t unanswered;  /* virt: copied from the result */
    struct tg_board_queue queues[TG_QUEUES_MAX]; /* virt, n_queues: copied from the result */
    uint32_t n_queues;

    /* zynq: what happened in this part of the run is kept, too; until 0: nothing */
    tg_ns trace_from_ns;
    tg_ns trace_until_ns;

    char trace[TG_BOARD_PATH_BYTES];  /* set by tg_board_run: the file with the trace, if wanted */
    char result[TG_BOARD_PATH_BYTES]; /* set by tg_board_run: the file with what came out */
    uint64_t key;
};

struct tg_board_task {
    uint64_t released;
    uint64_t finished;
    uint64_t missed;
    tg_ns worst_ns;
};

struct tg_board_flow {
    uint64_t sent; /* virt: those that reached the board's software */
    uint64_t lost;
    uint64_t delivered;
    uint64_t late;
    uint64_t dropped_budget;
    uint64_t dropped_no_buffer;
    uint64_t most_held;
    tg_ns worst_ns;
    struct tg_hist latency;
};

/* So many interrupts took so many instructions. */
struct tg_board_sample {
    uint64_t instructions;
    uint64_t n;
};

struct tg_board_result {
    struct tg_board_task *tasks; /* as many as the system has */
    struct tg_board_flow *flows; /* n_flows, as in struct tg_sim_results */
    uint32_t n_flows;
    struct tg_board_sample *samples; /* n_samples, shortest first */
    size_t n_samples;
    uint64_t received;
    uint64_t malformed;
    uint64_t unregistered;
    uint64_t spurious;
    uint64_t closed; /* changes from interrupts to polling; stock-limited: to being masked */
    uint64_t most_filled;
    uint64_t stock_no_buffer;
    uint64_t around;     /* the way in and out of an interrupt, instructions */
    uint64_t worker;     /* instructions that the worker had */
    uint64_t trace_lost; /* events that found no room */
    uint64_t unanswered; /* virt: datagrams from the port of a service, which are not echoed */
    struct tg_board_queue queues[TG_QUEUES_MAX]; /* n_queues; virt only */
    uint32_t n_queues;
};

enum tg_board_kind { TG_BOARD_ZYNQ, TG_BOARD_VIRT };

/* Find firmware and emulator.
 *
 * Context: main task. command: for messages. cache: a directory, made if it is not there; NULL: the
 *          user's.
 * Returns: an enum tg_exit, after a message that says what to do. */
int tg_board_open(struct tg_board *board, enum tg_board_kind kind, const char *command,
                  const char *cache);

/* The firmware with the tables of a system; what has been linked once is kept.
 *
 * Context: main task; allocates, starts the linker.
 * Returns: false if it cannot be linked; else its path, and a hash of all that is in it. */
bool tg_board_program(const struct tg_board *board, const struct tg_system *system, char *program,
                      size_t size, uint64_t *hash);

/* Can the Zynq-7000 run this file? It has one receive queue, without moderation.
 *
 * Returns: an enum tg_exit, after a message. */
int tg_board_accepts(const char *path, const struct tg_system *system);

/* Run all cells that are not kept from an earlier time on the Zynq-7000, several at a time.
 *
 * Context: main task; forks.
 * Returns: an enum tg_exit, after a message. */
int tg_board_run(const struct tg_board *board, const char *command, struct tg_board_cell *cells,
                 size_t n);

/* Read what a board with so many tasks and flows printed: all of it is there, and the figures of a
 * task, of a flow and of its latencies fit together. Figures are below 10^15.
 *
 * Context: any; allocates.
 * Returns: 0, tg_board_free is due; -1 with "LINE: sentence" in text.
 * Cost:    O(lines + n_tasks + n_flows). */
int tg_board_parse(FILE *in, uint32_t n_tasks, uint32_t n_flows, struct tg_board_result *out,
                   char *text, size_t text_size);

/* Read what came out of a cell.
 *
 * Returns: an enum tg_exit, after a message; on HOLDS tg_board_free is due. */
int tg_board_read(const struct tg_board_cell *cell, const char *command,
                  struct tg_board_result *out);

void tg_board_free(struct tg_board_result *result);

#endif
