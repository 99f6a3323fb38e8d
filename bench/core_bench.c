/* SPDX-License-Identifier: MIT
 *
 * core_bench.c - time and instructions per frame of our receive path and of DPDK's, side by side.
 *
 *   core_bench --count           under callgrind: one profile per measurement, named after it
 *   core_bench --counts FILE     the report; FILE has lines "name instructions" from those
 *                                profiles, those of ours as a library under the name "library"
 *
 * Every round measures everything once, so that what disturbs the machine disturbs all alike. A
 * figure is the median over the rounds, and in a round the median over the bursts; ratios are
 * medians of the rounds' ratios. Instructions are those of the path alone, without the loop around
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <valgrind/callgrind.h>

#include "path.h"

enum {
    ROUNDS = 301,
    PASSES = 4,      /* over all flows, at least, per measurement in a round */
    BURSTS_MIN = 32, /* likewise */
    BURSTS_MAX = 4096,
    WARM_BURSTS = 64,   /* enough to see each of 4,096 flows */
    COUNT_BURSTS = 256, /* per measurement under callgrind */
    SEQUENCE = 65536,   /* frames, then again from the start */
    FLOWS_MAX = 4096,
    FIRST_PORT = 1024,
    PORTS = 65536 - FIRST_PORT,
    N_SIDES = 3,
    N_OPS = 4,
    N_CASES = 6
};

enum op { OP_ACCEPT, OP_DROP, OP_WHOLE, OP_LOOP };

static const char *const op_names[N_OPS] = {"accept", "over budget", "whole path", "loop alone"};
static const char *const op_words[N_OPS] = {"accept", "drop", "whole", "loop"};

static const struct bench_path *const sides[N_SIDES] = {&bench_tidegate, &bench_dpdk,
                                                        &bench_dpdk_bulk};

/* Instructions are counted for one more: ours as a library, by the other program of this source. */
enum { LIBRARY = N_SIDES, N_COUNTED };

static const char *name_of_side(uint32_t side)
{
    return side == LIBRARY ? "library" : sides[side]->name;
}

static const struct {
    uint32_t n_shapes;
    uint32_t n_flows;
} cases[N_CASES] = {{1u, 16u}, {1u, 256u}, {1u, 4096u}, {8u, 16u}, {8u, 256u}, {8u, 4089u}};

struct traffic {
    uint16_t ports[FLOWS_MAX];   /* one per flow */
    uint16_t sequence[SEQUENCE]; /* random permutations of them in a row */
    uint32_t position;
};

/* What is measured, and by round how long it took. */
struct measurement {
    double ns[N_SIDES][ROUNDS];
    double instructions[N_COUNTED];
};

static struct traffic traffics[N_CASES];
static void *states[N_CASES][N_SIDES][2]; /* [1]: over budget */
static struct measurement measurements[N_CASES][N_OPS];

static uint64_t random_next(void)
{
    static uint64_t x = 0x9e3779b97f4a7c15u; /* xorshift64*, Vigna 2016 */

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * 0x2545f4914f6cdd1du;
}

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)((random_next() >> 32) * n >> 32);
}

/* Zero checksums: that is "none" in UDP, and nobody here looks at IPv4's. */
void bench_write_frame(uint8_t bytes[BENCH_FRAME_BYTES], uint16_t dst_port)
{
    static const uint8_t head[BENCH_FRAME_BYTES] = {
        2,  0, 0, 0,  0,  1,   2,  0, 0,  0,  0, 2, 8,  0,       /* Ethernet */
        69, 0, 0, 46, 0,  0,   64, 0, 64, 17, 0, 0, 10, 0, 0, 2, /* IPv4 */
        10, 0, 0, 1,  19, 136, 0,  0, 0,  26};                   /* UDP, 18 bytes of data */

    memcpy(bytes, head, sizeof head);
    bytes[36] = (uint8_t)(dst_port >> 8);
    bytes[37] = (uint8_t)dst_port;
}

static void swap(uint16_t *a, uint16_t *b)
{
    const uint16_t c = *a;

    *a = *b;
    *b = c;
}

/* The first n of these in random order. */
static void shuffle(uint16_t *values, uint32_t n, uint32_t of)
{
    for (uint32_t i = 0u; i < n; i++) {
        swap(&values[i], &values[i + random_below(of - i)]);
    }
}

static void make_traffic(struct traffic *t, uint32_t n_flows)
{
    static uint16_t ports[PORTS];

    for (uint32_t i = 0u; i < PORTS; i++) {
        ports[i] = (uint16_t)(FIRST_PORT + i);
    }
    shuffle(ports, n_flows, PORTS);
    memcpy(t->ports, ports, n_flows * sizeof ports[0]);
    for (uint32_t i = 0u; i < SEQUENCE; i++) {
        if (i % n_flows == 0u) {
            shuffle(ports, n_flows, n_flows);
        }
        t->sequence[i] = ports[i % n_flows];
    }
}

static void start_all(void)
{
    for (uint32_t c = 0u; c < N_CASES; c++) {
        struct traffic *const t = &traffics[c];

        make_traffic(t, cases[c].n_flows);
        for (uint32_t i = 0u; i < N_SIDES * 2u; i++) {
            const struct bench_setup setup = {.ports = t->ports,
                                              .n_flows = cases[c].n_flows,
                                              .n_shapes = cases[c].n_shapes,
                                              .is_spent = i % 2u == 1u};

            states[c][i / 2u][i % 2u] = sides[i / 2u]->start(&setup);
        }
    }
}

/* DPDK in bulk has one table. */
static bool is_measured(uint32_t c, uint32_t side)
{
    return sides[side] != &bench_dpdk_bulk || cases[c].n_shapes == 1u;
}

static void expect(uint32_t is, uint32_t should_be, const char *side, const char *what)
{
    if (is != should_be) {
        fprintf(stderr, "core_bench: %s: %u of %u frames %s\n", side, is, should_be, what);
        exit(1);
    }
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the nanoseconds of the measured part; what it costs to read the clock is in it. */
static double burst(uint32_t c, uint32_t side, enum op op)
{
    const struct bench_path *const path = sides[side];
    struct traffic *const t = &traffics[c];
    void *const state = states[c][side][op == OP_DROP];
    uint32_t drained = 0u;

    path->fill(state, &t->sequence[t->position]);
    t->position = (t->position + BENCH_BURST) % SEQUENCE;

    const double start_ns = now_ns();

    CALLGRIND_TOGGLE_COLLECT;
    const uint32_t accepted = op == OP_LOOP ? path->loop(state) : path->accept(state);

    if (op == OP_WHOLE) {
        drained = path->drain(state);
    }
    CALLGRIND_TOGGLE_COLLECT;
    const double end_ns = now_ns();

    if (op != OP_WHOLE) {
        drained = path->drain(state);
    }
    expect(accepted, op == OP_DROP ? 0u : BENCH_BURST, path->name, "accepted");
    expect(drained, op == OP_LOOP ? 0u : accepted, path->name, "came out");
    return end_ns - start_ns;
}

static double clock_cost_ns(void)
{
    double least_ns = 1e9;

    for (uint32_t i = 0u; i < 10000u; i++) {
        const double start_ns = now_ns();
        const double cost_ns = now_ns() - start_ns;

        least_ns = cost_ns < least_ns ? cost_ns : least_ns;
    }
    return least_ns;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, uint32_t n)
{
    qsort(values, n, sizeof values[0], compare);
    return values[n / 2u];
}

/* In the steady state: what the measurement before has pushed out of the caches comes back
 * first. */
static double frame_ns(uint32_t c, uint32_t side, enum op op, double clock_ns)
{
    static double bursts_ns[BURSTS_MAX];
    const uint32_t position = traffics[c].position;
    const uint32_t pass = (cases[c].n_flows + BENCH_BURST - 1u) / BENCH_BURST;
    const uint32_t bursts = PASSES * pass < BURSTS_MIN ? BURSTS_MIN : PASSES * pass;

    for (uint32_t i = 0u; i < pass; i++) {
        burst(c, side, op);
    }
    for (uint32_t i = 0u; i < bursts; i++) {
        bursts_ns[i] = burst(c, side, op);
    }
    if (side + 1u < N_SIDES && is_measured(c, side + 1u)) {
        traffics[c].position = position; /* the next side gets the same frames */
    }
    return (median(bursts_ns, bursts) - clock_ns) / BENCH_BURST;
}

static void measure_time(void)
{
    const double clock_ns = clock_cost_ns();

    for (uint32_t round = 0u; round < ROUNDS; round++) {
        for (uint32_t c = 0u; c < N_CASES; c++) {
            for (uint32_t op = 0u; op < OP_LOOP; op++) {
                for (uint32_t side = 0u; side < N_SIDES && is_measured(c, side); side++) {
                    measurements[c][op].ns[side][round] = frame_ns(c, side, op, clock_ns);
                }
            }
        }
    }
}

static void name_of(char *name, size_t size, uint32_t c, uint32_t side, uint32_t op)
{
    snprintf(name, size, "%s-%s-%u-shapes-%u-flows", name_of_side(side), op_words[op],
             cases[c].n_shapes, cases[c].n_flows);
}

static void count_instructions(void)
{
    char name[96];

    for (uint32_t c = 0u; c < N_CASES; c++) {
        for (uint32_t side = 0u; side < N_SIDES && is_measured(c, side); side++) {
            for (uint32_t op = 0u; op < N_OPS; op++) {
                for (uint32_t i = 0u; i < WARM_BURSTS; i++) {
                    burst(c, side, op);
                }
                CALLGRIND_ZERO_STATS;
                for (uint32_t i = 0u; i < COUNT_BURSTS; i++) {
                    burst(c, side, op);
                }
                name_of(name, sizeof name, c, side, op);
                CALLGRIND_DUMP_STATS_AT(name);
            }
        }
    }
}

static void read_counts(const char *path)
{
    char line[128];
    char name[96];
    FILE *const file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        for (uint32_t i = 0u; i < N_CASES * N_COUNTED * N_OPS; i++) {
            const uint32_t c = i / (N_COUNTED * N_OPS);
            const uint32_t side = i / N_OPS % N_COUNTED;
            const uint32_t op = i % N_OPS;

            name_of(name, sizeof name, c, side, op);
            if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ') {
                measurements[c][op].instructions[side] =
                    strtod(line + strlen(name), NULL) / (COUNT_BURSTS * BENCH_BURST);
            }
        }
    }
    fclose(file);
}

static double median_over_rounds(const double ns[ROUNDS])
{
    double values[ROUNDS];

    memcpy(values, ns, sizeof values);
    return median(values, ROUNDS);
}

static double median_ratio(const double a_ns[ROUNDS], const double b_ns[ROUNDS])
{
    double ratios[ROUNDS];

    for (uint32_t i = 0u; i < ROUNDS; i++) {
        ratios[i] = a_ns[i] / b_ns[i];
    }
    return median(ratios, ROUNDS);
}

static double time_ratio(uint32_t c, enum op op)
{
    return median_ratio(measurements[c][op].ns[0], measurements[c][op].ns[1]);
}

/* Without the loop around the path. */
static double instructions(uint32_t c, enum op op, uint32_t side)
{
    const double loop = op == OP_LOOP ? 0.0 : measurements[c][OP_LOOP].instructions[side];

    return measurements[c][op].instructions[side] - loop;
}

static double instruction_ratio(uint32_t c, enum op op)
{
    return instructions(c, op, 0u) / instructions(c, op, 1u);
}

static void print_table(void)
{
    printf("both sides: %s\n", BENCH_FLAGS);
    printf("%-12s %6s %6s | %8s %8s %6s | %8s %8s %6s\n", "", "", "", "tidegate", "DPDK", "ratio",
           "tidegate", "DPDK", "ratio");
    printf("%-12s %6s %6s | %24s | %24s\n", "per frame", "shapes", "flows", "time, ns",
           "instructions");
    for (uint32_t op = 0u; op < OP_LOOP; op++) {
        for (uint32_t c = 0u; c < N_CASES; c++) {
            const struct measurement *const m = &measurements[c][op];

            printf("%-12s %6u %6u | %8.1f %8.1f %6.2f | %8.1f %8.1f %6.2f\n", op_names[op],
                   cases[c].n_shapes, cases[c].n_flows, median_over_rounds(m->ns[0]),
                   median_over_rounds(m->ns[1]), time_ratio(c, op), instructions(c, op, 0u),
                   instructions(c, op, 1u), instruction_ratio(c, op));
        }
    }
}

/* What a core does that only polls, and decides about a burst at once. */
static void print_bulk(void)
{
    puts("\nDPDK with 64 frames at a time (polled, not decided one by one); ours as above");
    for (uint32_t op = 0u; op < OP_LOOP; op++) {
        for (uint32_t c = 0u; c < N_CASES && is_measured(c, 2u); c++) {
            const struct measurement *const m = &measurements[c][op];

            printf("%-12s %6u %6u | %8.1f %8.1f %6.2f | %8.1f %8.1f %6.2f\n", op_names[op],
                   cases[c].n_shapes, cases[c].n_flows, median_over_rounds(m->ns[0]),
                   median_over_rounds(m->ns[2]), median_ratio(m->ns[0], m->ns[2]),
                   instructions(c, op, 0u), instructions(c, op, 2u),
                   instructions(c, op, 0u) / instructions(c, op, 2u));
        }
    }
}

/* Each call of the core and of the port a call. */
static void print_library(void)
{
    puts("\ntidegate as a library, instructions; and as above, linked as one");
    for (uint32_t op = 0u; op < OP_LOOP; op++) {
        for (uint32_t c = 0u; c < N_CASES; c++) {
            printf("%-12s %6u %6u | %8.1f %8.1f\n", op_names[op], cases[c].n_shapes,
                   cases[c].n_flows, instructions(c, op, LIBRARY), instructions(c, op, 0u));
        }
    }
}

static void print_bar(const char *what, double value, const char *relation, double bar)
{
    const bool holds = relation[1] == '=' ? value <= bar : value < bar;

    printf("%-58s %8.2f %-2s %6.2f  %s\n", what, value, relation, bar, holds ? "pass" : "FAIL");
}

/* The largest over the cases with so many shapes. */
static double worst(uint32_t n_shapes, enum op op, double (*value)(uint32_t c, enum op op))
{
    double largest = 0.0;

    for (uint32_t c = 0u; c < N_CASES; c++) {
        if (cases[c].n_shapes == n_shapes && value(c, op) > largest) {
            largest = value(c, op);
        }
    }
    return largest;
}

static double own_instructions(uint32_t c, enum op op)
{
    return instructions(c, op, 0u);
}

static void print_bars(void)
{
    puts("\nbars (the worst of 16, 256 and 4096 flows; one shape unless said otherwise)");
    print_bar("accept, time / DPDK's", worst(1u, OP_ACCEPT, time_ratio), "<=", 0.4);
    print_bar("accept, instructions / DPDK's", worst(1u, OP_ACCEPT, instruction_ratio), "<=", 0.6);
    print_bar("accept, instructions (the prototype's: 160)", worst(1u, OP_ACCEPT, own_instructions),
              "<", 160.0);
    print_bar("accept, eight shapes, instructions", worst(8u, OP_ACCEPT, own_instructions),
              "<=", 220.0);
    print_bar("over-budget drop, instructions", worst(1u, OP_DROP, own_instructions), "<=", 125.0);
    print_bar("whole path, time / DPDK's", worst(1u, OP_WHOLE, time_ratio), "<=", 0.35);
    print_bar("whole path, instructions (the prototype's: 191)",
              worst(1u, OP_WHOLE, own_instructions), "<", 191.0);
    print_bar("accept, time with 4096 flows / time with 16",
              median_ratio(measurements[2][OP_ACCEPT].ns[0], measurements[0][OP_ACCEPT].ns[0]),
              "<=", 1.4);
}

int main(int argc, char **argv)
{
    const bool is_count = argc == 2 && strcmp(argv[1], "--count") == 0;

    if (!is_count && (argc != 3 || strcmp(argv[1], "--counts") != 0)) {
        fputs("usage: core_bench --count | --counts FILE\n", stderr);
        return 2;
    }
    bench_dpdk_init(argv[0]);
    start_all();
    if (is_count) {
        count_instructions();
        return 0;
    }
    read_counts(argv[2]);
    measure_time();
    print_table();
    print_bulk();
    print_library();
    print_bars();
    return 0;
}
