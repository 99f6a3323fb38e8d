/* SPDX-License-Identifier: MIT
 *
 * process.h - the NIC's process as a child of the test: the same code as in `tidegate nic`, on the
 * system file of the guest.
 */
#ifndef TG_TESTS_NIC_PROCESS_H
#define TG_TESTS_NIC_PROCESS_H

#include "nic/model/model.h"

#include <sys/types.h>

/* What the process says when it is told to. */
struct process_report {
    uint32_t registers[TG_NIC_REGISTERS_END / 4u];
    uint64_t refused_peers;
    bool is_consistent; /* tg_nic_model_check found nothing */
};

struct process {
    pid_t id;
    int reports; /* read end of a pipe */
};

/* In a directory of the test's own, which process_clean removes. */
const char *process_socket(void);
void process_clean(void);

/* Start it and wait until it listens. Fails the test if it does not. */
void process_start(struct process *p, const char *frames);

/* Ask for its counters (SIGUSR1). */
void process_ask(const struct process *p, struct process_report *report);
uint64_t process_count(const struct process_report *report, uint32_t offset);

/* Is it alive? */
bool process_is_alive(const struct process *p);

/* End it; it must have been alive, and must end well when asked to (SIGTERM). */
void process_stop(struct process *p);
void process_kill(struct process *p);

/* Write a capture of n frames, the UDP ports in turn, 1 ms apart. Returns: its name for
 * --frames. */
const char *process_capture(const uint16_t *ports, uint32_t n_ports, uint32_t n);

#endif
