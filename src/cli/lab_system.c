/* SPDX-License-Identifier: MIT
 *
 * lab_system.c - the system of the lab's experiments.
 */
#define _POSIX_C_SOURCE 200809L
#include "lab_system.h"
#include "command.h"
#include "sim/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OWN_FLOWS 2u /* high and low; those of a file come behind them */

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "tidegate lab: %s\n", what);
    exit(TG_EXIT_LACKS);
}

static void write_receive(const struct tg_lab_costs *c, uint32_t floor, FILE *out)
{
    fprintf(out,
            "cpu: {irq: %" PRIu64 " ns, switch: %" PRIu64 " ns}\n"
            "receive: {station: 02:00:00:00:00:01, driver: %" PRIu64 " ns, eager: %" PRIu64
            " ns, refused: %" PRIu64 " ns, deferred: %" PRIu64 " ns, section: %" PRIu64
            " ns, lock: %" PRIu64 " ns, tick: %" PRIu64
            " ns, floor: %u, buffers: 256, mtu: 1500}\n",
            c->irq_ns, c->switch_ns, c->driver_ns, c->eager_ns, c->refused_ns, c->deferred_ns,
            c->section_ns, c->lock_ns, c->tick_ns, (unsigned)floor);
}

void tg_lab_write_costs(const struct tg_lab_costs *c, FILE *out)
{
    fprintf(out,
            "cpu:\n  irq: %" PRIu64 " ns\n  switch: %" PRIu64 " ns\nreceive:\n  driver: %" PRIu64
            " ns\n  eager: %" PRIu64 " ns\n  refused: %" PRIu64 " ns\n  deferred: %" PRIu64
            " ns\n  section: %" PRIu64 " ns\n  lock: %" PRIu64 " ns\n  tick: %" PRIu64 " ns\n",
            c->irq_ns, c->switch_ns, c->driver_ns, c->eager_ns, c->refused_ns, c->deferred_ns,
            c->section_ns, c->lock_ns, c->tick_ns);
}

/* Buffers: 256 in all, 64 of them in the ring, 16 for best effort. A flow of TCP needs so many for
 * lwIP, see TG_LWIP_TCP_RESERVE_MIN. */
#define RESERVE_PKTS       64u /* of an own flow */
#define RESERVE_LESS_PKTS  32u /* beside flows of other shapes */
#define RESERVE_MATCH_PKTS 8u  /* of one of those, at most 11 */

/* One flow of each shape: a look-up costs a probe for each, however many flows there are. Those of
 * the lab have the shape of a UDP port already. */
static void write_matches(const struct tg_system *system, const char *budget, FILE *out)
{
    for (size_t i = 0u; i < system->n_flows; i++) {
        const struct tg_system_flow *const f = &system->flows[i];
        bool is_new = f->match.fields != (TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT);

        for (size_t k = 0u; k < i; k++) {
            is_new = is_new && system->flows[k].match.fields != f->match.fields;
        }
        if (is_new) {
            fprintf(out,
                    "  - {name: match %zu, match: '%s', priority: 1, budget: %s, reserve: %u}\n", i,
                    f->match_text, budget, RESERVE_MATCH_PKTS);
        }
    }
}

static void write_system(const struct tg_lab_setup *s, FILE *out)
{
    const unsigned reserve = s->matches_of != NULL ? RESERVE_LESS_PKTS : RESERVE_PKTS;

    fputs("name: lab\n", out);
    fputs(s->has_task ? "tasks: [{name: critical, priority: 24, period: 5 ms, wcet: 500 us}]\n"
                      : "tasks: []\n",
          out);
    write_receive(s->costs, s->floor, out);
    fprintf(out,
            "queues: [{name: all, ring: 64, gate: %s}]\n"
            "flows:\n"
            "  - {name: high, match: udp dst port 5000, priority: 20, budget: %s, reserve: %u}\n"
            "  - {name: low, match: udp dst port 5001, priority: 4, budget: %s, reserve: %u}\n",
            s->gate, s->high, reserve, s->low, reserve);
    if (s->matches_of != NULL) {
        write_matches(s->matches_of, s->rest, out);
    }
    fprintf(out,
            "best_effort: {priority: 0, budget: %s, reserve: 16}\n"
            "scenarios:\n  - name: lab\n    run: {for: %" PRIu64 " ns, seed: 1}\n    traffic:%s%s",
            s->rest, s->for_ns, s->traffic[0] != '\0' ? "\n" : " []\n", s->traffic);
}

/* A flow of the file that took what is meant for one of the lab's would make another path of it: a
 * shorter one, and costs that are not safe. */
static void check_traffic(const struct tg_system *system, const char *rest)
{
    char text[256];
    struct tg_traffic *traffic;
    struct tg_sim_arrival arrival;

    if (tg_traffic_open(system, &system->scenarios[0], &traffic, text, sizeof text) != 0) {
        give_up(text);
    }
    while (tg_traffic_next(traffic, &arrival) && arrival.at_ns < system->scenarios[0].for_ns) {
        const uint16_t flow = arrival.frame != NULL ? arrival.frame->flow : 0u;

        if (flow > OWN_FLOWS && flow <= system->n_flows && strcmp(rest, "unlimited") == 0) {
            fprintf(stderr,
                    "tidegate lab: match '%s' takes frames of the experiments, which are for udp "
                    "dst port 5000 and 5001\n",
                    system->flows[flow - 1u].match_text);
            exit(TG_EXIT_USAGE);
        }
    }
    tg_traffic_close(traffic);
}

struct tg_system *tg_lab_system(const struct tg_lab_setup *setup)
{
    static struct tg_errors errors;
    struct tg_system *system;
    char *text = NULL;
    size_t size = 0u;
    FILE *const out = open_memstream(&text, &size);

    if (out == NULL) {
        give_up("out of memory");
    }
    write_system(setup, out);
    if (fclose(out) != 0) {
        give_up("out of memory");
    }
    tg_errors_init(&errors);
    if (tg_system_parse(text, size, NULL, &system, &errors) != 0) {
        tg_errors_print(&errors, "experiment", stderr);
        if (setup->matches_of != NULL) {
            fputs("tidegate lab: the experiments cannot have these matches, too\n", stderr);
            exit(TG_EXIT_USAGE);
        }
        give_up("an experiment is no system");
    }
    free(text);
    if (setup->matches_of != NULL) {
        check_traffic(system, setup->rest);
    }
    return system;
}
