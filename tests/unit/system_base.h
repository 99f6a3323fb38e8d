/* SPDX-License-Identifier: MIT
 *
 * system_base.h - a good system file, line by line, and what becomes of it when lines are replaced.
 */
#ifndef TG_TESTS_SYSTEM_BASE_H
#define TG_TESTS_SYSTEM_BASE_H

#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Longer than a line of this file. */
static const char system_base_setpoint[] =
    "  - {name: setpoint, match: udp dst port 5000, priority: 21, reserve: 6, "
    "budget: {packets: 3, period: 1 ms}, every: 1 ms, jitter: 50 us}";
static const char system_base_telemetry[] =
    "  - {name: telemetry, match: tcp src port 1883, priority: 6, reserve: 16, "
    "budget: {packets: 8, period: 10 ms}}";

static const char *const system_base[] = {
    /*  1 */ "name: bench",
    /*  2 */ "cpu: {irq: 1 us, switch: 500 ns}",
    /*  3 */ "tasks:",
    /*  4 */ "  - {name: control, priority: 20, period: 1 ms, wcet: 300 us}",
    /*  5 */ "  - {name: logger, priority: 4, period: 20 ms, wcet: 4 ms}",
    /*  6 */ "servers:",
    /*  7 */ "  - {name: shell, kind: sporadic, priority: 3, capacity: 1 ms, period: 10 ms}",
    /*  8 */ "receive:",
    /*  9 */ "  station: 02:00:00:00:00:01",
    /* 10 */ "  driver: 700 ns",
    /* 11 */ "  eager: 2 us",
    /* 12 */ "  deferred: 20 us",
    /* 13 */ "  section: 1 us",
    /* 14 */ "  lock: 8 us",
    /* 15 */ "  floor: 2",
    /* 16 */ "  buffers: 96",
    /* 17 */ "queues:",
    /* 18 */ "  - {name: all, ring: 32, gate: {packets: 32, period: 500 us}}",
    /* 19 */ "flows:",
    /* 20 */ system_base_setpoint,
    /* 21 */ system_base_telemetry,
    /* 22 */ "best_effort: {priority: 0, budget: unlimited, reserve: 32}",
    /* 23 */ "stock: {gate: {packets: 15, period: 1 ms}}",
    /* 24 */ "scenarios:",
    /* 25 */ "  - name: flood",
    /* 26 */ "    run: {for: 1 s, seed: 1}",
    /* 27 */ "    traffic:",
    /* 28 */ "      - {flow: setpoint, every: 1003 us, jitter: 50 us}",
    /* 29 */ "      - {frames: udp dst port 9, rate: 40 kpps, from: 100 ms, until: 900 ms}"};

#define SYSTEM_TEXT_MAX 16384u

/* The base with lines first..last (from 1) replaced by text; first 0: the text alone. */
static inline void system_base_with(size_t first, size_t last, const char *text,
                                    char out[SYSTEM_TEXT_MAX])
{
    int used = first == 0u ? snprintf(out, SYSTEM_TEXT_MAX, "%s\n", text) : 0;

    for (size_t i = 1u; first != 0u && i <= COUNT(system_base); i++) {
        if (i <= first || i > last) {
            used += snprintf(out + used, SYSTEM_TEXT_MAX - (size_t)used, "%s\n",
                             i == first ? text : system_base[i - 1u]);
        }
    }
}

/* All errors, one a line, as LINE:COLUMN: text. Captures are looked for in tests/unit. */
static inline void system_errors_of(const char *text, size_t length, char out[SYSTEM_TEXT_MAX])
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;
    int used = 0;

    out[0] = '\0';
    if (tg_system_parse(text, length, "", &system, errors) == 0) {
        tg_system_free(system);
    }
    for (size_t i = 0u; i < errors->n; i++) {
        const struct tg_file_error *const e = &errors->items[i];

        used +=
            snprintf(out + used, SYSTEM_TEXT_MAX - (size_t)used, "%s%u:%u: %s", i != 0u ? "\n" : "",
                     (unsigned)e->at.line, (unsigned)e->at.column, e->text);
    }
    free(errors);
}

#endif
