/* SPDX-License-Identifier: MIT
 *
 * worker.c - the passive measurements: a thread that counts what is left over for its priority, and
 * one that sees how long each receive interrupt keeps it from running.
 */
#include "board.h"
#include "lab.h"

/* So long before a frame is due the sampler is woken, and begins to look at the timer: each look
 * costs the emulator as much as a thousand instructions. */
#define LEAD_INSTRUCTIONS  1000u
#define WATCH_INSTRUCTIONS 80u

uint64_t lab_worker_rounds;
uint32_t *lab_samples;

/* Straight code, which the emulator translates to nothing. A round is LAB_WORKER_INSTRUCTIONS. */
static void count(void *argument)
{
    uint32_t low = 0u;
    uint32_t high = 0u;

    (void)argument;
    for (;;) {
        __asm volatile(".rept 94\n\tnop\n\t.endr\n\t"
                       "adds %0, %0, #1\n\t"
                       "adc %1, %1, #0"
                       : "+r"(low), "+r"(high)::"cc");
        *(volatile uint64_t *)&lab_worker_rounds = (uint64_t)high << 32 | low;
    }
}

/* Above all threads but the port's: nothing else comes between. */
static void sample(void *argument)
{
    (void)argument;
    for (uint32_t i = 0u; i < lab_plan->samples; i++) {
        const uint64_t at = lab_start + (i + 1u) * (lab_plan->sample_ns / LAB_TICK_NS);

        (void)osDelayUntil((uint32_t)at - (LEAD_INSTRUCTIONS << lab_plan->shift) / LAB_TICK_NS);
        const uint32_t ahead = lab_instructions((uint32_t)at - (uint32_t)board_ticks());

        if (ahead > WATCH_INSTRUCTIONS && ahead < LEAD_INSTRUCTIONS) {
            lab_busy(ahead - WATCH_INSTRUCTIONS);
        }
        const uint32_t gap = lab_instructions(board_next_gap()) - BOARD_GAP_INSTRUCTIONS;

        lab_samples[i] = gap - lab_instructions(generator_last_ticks()) -
                         lab_instructions_of_ns(generator_around_ns(false));
    }
    osThreadExit();
}

void lab_worker_init(void)
{
    lab_samples = lab_memory(lab_plan->samples, sizeof(*lab_samples));
}

void lab_worker_start(void)
{
    const osPriority_t priority = lab_plan->worker_priority == LAB_PRIORITY_IDLE
                                      ? osPriorityIdle
                                      : LAB_PRIORITY(lab_plan->worker_priority);

    (void)lab_thread("worker", priority, count, NULL);
    if (lab_plan->samples != 0u) {
        (void)lab_thread("sampler", LAB_SECTION, sample, NULL);
    }
}

void lab_busy(uint32_t instructions)
{
    uint32_t blocks = instructions / 100u;
    uint32_t rest = instructions % 100u / 4u;

    if (blocks != 0u) {
        __asm volatile("1: .rept 98\n\tnop\n\t.endr\n\t"
                       "subs %0, %0, #1\n\t"
                       "bne 1b"
                       : "+r"(blocks)::"cc");
    }
    if (rest != 0u) {
        __asm volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tbne 1b" : "+r"(rest)::"cc");
    }
}
