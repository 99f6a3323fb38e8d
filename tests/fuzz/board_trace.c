/* SPDX-License-Identifier: MIT
 *
 * board_trace.c - any bytes as the trace that the board wrote: shown, or refused with a record.
 */
#include "cli/board_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] =
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
    "tasks:\n  - {name: a, priority: 9, period: 1 ms, wcet: 9 us}\n"
    "  - {name: b, priority: 8, period: 1 ms, wcet: 9 us}\n"
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us}\n"
    "queues: [{name: q, ring: 8, gate: {packets: 4, period: 100 us}}]\n"
    "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited, "
    "receiver: {priority: 7, wcet: 5 us}}]\n"
    "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n"
    "scenarios:\n  - name: s\n    run: {for: 1 s, seed: 1}\n"
    "    traffic:\n      - {frames: udp dst port 9, rate: 1 kpps}\n";

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static struct tg_system *parse(void)
{
    static struct tg_errors errors;
    struct tg_system *system = NULL;

    tg_errors_init(&errors);
    require(tg_system_parse(TEXT, sizeof TEXT - 1u, NULL, &system, &errors) == 0, "no system");
    return system;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tg_system *system;
    const tg_ns window_ns[2] = {0u, UINT64_C(1000000000)};
    char text[128] = "";

    if (system == NULL) {
        system = parse();
    }
    FILE *const in = tmpfile();
    struct tg_run_trace *const out = tg_run_trace_open("/dev/null", system, window_ns);

    require(in != NULL && out != NULL && fwrite(data, 1u, size, in) == size, "no files");
    rewind(in);
    tg_run_trace_begin(out, &system->scenarios[0], TG_SIM_TIDEGATE);
    const int err = tg_board_trace(in, system, out, text, sizeof text);

    tg_run_trace_end(out);
    require(err == 0 || (text[0] >= '1' && text[0] <= '9' && strchr(text, ':') != NULL),
            "no record");
    require(err != 0 || size % 16u == 0u, "a part of a record");
    require(tg_run_trace_close(out, true) == 0, "the trace cannot be written");
    (void)fclose(in);
    return 0;
}
