/* SPDX-License-Identifier: MIT
 *
 * cpu.h - the threads of one CPU: fixed priorities, first come first served among equals, one lock
 * that inherits priorities.
 *
 * A thread's job may begin with a part in which no other thread (section) or nothing at all
 * (interrupts off) takes the CPU away, and with a part that holds the stack's lock; all are counted
 * from the job's start in time of its own execution. Going to another thread than the one that ran
 * last costs a switch, which is work of the thread that the CPU goes to; it can be preempted and
 * then starts anew.
 */
#ifndef TG_SIM_CPU_H
#define TG_SIM_CPU_H

#include "sim/sim.h"

#define TG_CPU_PRIORITIES (TG_PRIORITIES + 1u) /* one above every task, for stock-high */

struct tg_thread {
    struct tg_thread *next; /* in the list of its priority, while ready */
    struct tg_thread *previous;
    uint32_t kind;  /* enum tg_sim_runner */
    uint32_t index; /* task, server or flow */
    uint8_t base;   /* priority without inheritance */
    uint8_t priority;
    bool is_ready;
    bool is_waiting; /* for the lock */
    bool has_job;    /* in the middle of one */
    tg_ns switch_left_ns;
    tg_ns done_ns; /* of the job; the ends below are on the same scale */
    tg_ns total_ns;
    tg_ns irq_off_ns;
    tg_ns section_ns;
    tg_ns lock_ns; /* 0: the lock is not given back by time */
};

/* Invariants: I1  bit p of waiting is set iff first[p] is not NULL
 *             I2  the owner's priority is at least that of every thread that waits for the lock */
struct tg_cpu {
    struct tg_thread *first[TG_CPU_PRIORITIES];
    struct tg_thread *last[TG_CPU_PRIORITIES];
    uint64_t waiting;
    struct tg_thread *threads; /* n_threads, all that there are */
    uint32_t n_threads;
    struct tg_thread *current; /* that has the CPU, or had it when an interrupt came; NULL: idle */
    struct tg_thread *latest;  /* that ran last, also if the CPU has been idle since */
    struct tg_thread *owner;   /* of the lock */
    uint32_t n_waiting;        /* for the lock */
};

/* Make a thread ready, behind its equals. Nothing happens if it is ready or waits for the lock.
 *
 * Context: any of the simulator; as all below. Cost: O(1). */
void tg_cpu_ready(struct tg_cpu *cpu, struct tg_thread *t);

/* Take it off the ready threads. Cost: O(1). */
void tg_cpu_sleep(struct tg_cpu *cpu, struct tg_thread *t);

/* Give it another priority of its own, behind its new equals. Cost: O(1); O(threads) if a lock is
 * involved. */
void tg_cpu_set_base(struct tg_cpu *cpu, struct tg_thread *t, uint32_t base);

/* Take the lock, or let the owner inherit the priority and sleep until it is free.
 * Returns: true if the thread owns it now. Cost: O(threads). */
bool tg_cpu_lock(struct tg_cpu *cpu, struct tg_thread *t);

/* Give it back; whoever waits becomes ready and tries again. Cost: O(threads). */
void tg_cpu_unlock(struct tg_cpu *cpu);

/* The thread that should have the CPU. Cost: O(1). */
struct tg_thread *tg_cpu_pick(const struct tg_cpu *cpu);

/* True while the current thread keeps interrupts out. Cost: O(1). */
bool tg_cpu_is_irq_off(const struct tg_cpu *cpu);

/* How long the current thread can run until something about it changes. Cost: O(1). */
tg_ns tg_cpu_stretch_ns(const struct tg_thread *t);

#endif
