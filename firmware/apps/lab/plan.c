/* SPDX-License-Identifier: MIT
 *
 * plan.c - the plan, memory, threads.
 */
#include "run.h"
#include "semihost.h"

#include <stdlib.h>

#define STACK_BYTES 8192u

const struct lab_plan *lab_plan;
const struct lab_task *lab_tasks;
const struct lab_flow *lab_flows;
const struct lab_frame *lab_frames;
const struct lab_arrival *lab_arrivals;
const uint8_t *lab_bytes;

void *lab_memory(size_t n, size_t size_bytes)
{
    void *const memory = calloc(n != 0u ? n : 1u, size_bytes);

    if (memory == NULL) {
        kernel_panic("the plan needs more memory than there is", NULL);
    }
    return memory;
}

static const void *read_part(int file, size_t n, size_t size_bytes)
{
    void *const part = lab_memory(n, size_bytes);

    if (n != 0u && semihost_read(file, part, n * size_bytes) != 0u) {
        kernel_panic("the plan ends too early", NULL);
    }
    return part;
}

void lab_read_plan(const char *path)
{
    const int file = semihost_open(path, SEMIHOST_READ);

    if (file < 0) {
        kernel_panic("the plan cannot be read", NULL);
    }
    lab_plan = read_part(file, 1u, sizeof(*lab_plan));
    if (lab_plan->magic != LAB_MAGIC) {
        kernel_panic("this is no plan", NULL);
    }
    lab_tasks = read_part(file, lab_plan->n_tasks, sizeof(*lab_tasks));
    lab_flows = read_part(file, lab_plan->n_flows, sizeof(*lab_flows));
    lab_frames = read_part(file, lab_plan->n_frames, sizeof(*lab_frames));
    lab_arrivals = read_part(file, lab_plan->n_arrivals, sizeof(*lab_arrivals));
    lab_bytes = read_part(file, 1u, lab_plan->bytes);
    semihost_close(file);
}

osThreadId_t lab_thread(const char *name, osPriority_t priority, void (*run)(void *),
                        void *argument)
{
    const osThreadAttr_t attr = {.name = name,
                                 .cb_mem = lab_memory(1u, sizeof(struct kernel_thread)),
                                 .cb_size = sizeof(struct kernel_thread),
                                 .stack_mem = lab_memory(1u, STACK_BYTES),
                                 .stack_size = STACK_BYTES,
                                 .priority = priority};
    const osThreadId_t thread = osThreadNew(run, argument, &attr);

    if (thread == NULL) {
        kernel_panic("a thread is refused", name);
    }
    return thread;
}
