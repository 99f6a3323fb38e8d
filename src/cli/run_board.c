/* SPDX-License-Identifier: MIT
 *
 * run_board.c - `tidegate run FILE --on zynq` or `virt`: the scenarios of a file on an emulated
 * board, with the tables of the simulator.
 */
#include "run_board.h"
#include "board_trace.h"
#include "board_virt.h"
#include "lab.h"
#include "proof.h"
#include "run_options.h"
#include "run_result.h"
#include "run_table.h"
#include "run_watch.h"
#include "span_text.h"

#include "report/terminal.h"
#include "sim/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POLICIES_MAX 4u

static const struct target {
    const char *name;
    const char *allowed;
    size_t n_policies;
    struct {
        enum tg_sim_policy policy;
        enum lab_policy on_board;
    } policies[POLICIES_MAX];
} TARGETS[] = {
    [TG_BOARD_ZYNQ] = {"zynq",
                       "stock-high, stock-low, stock-limited (with `stock` in the file), tidegate",
                       4u,
                       {{TG_SIM_STOCK_HIGH, LAB_STOCK_HIGH},
                        {TG_SIM_STOCK_LOW, LAB_STOCK_LOW},
                        {TG_SIM_STOCK_LIMITED, LAB_STOCK_LIMITED},
                        {TG_SIM_TIDEGATE, LAB_TIDEGATE}}},
    [TG_BOARD_VIRT] = {"virt",
                       "stock-high (with `stock.queue` in the file), combined",
                       2u,
                       {{TG_SIM_STOCK_HIGH, LAB_STOCK_HIGH}, {TG_SIM_COMBINED, LAB_COMBINED}}}};

struct run {
    const struct tg_arguments *arguments;
    enum tg_board_kind kind;
    const struct target *target;
    struct tg_system *system;
    const struct tg_proof *proof; /* NULL: the analysis does not take the file */
    struct tg_lab lab;            /* the board, and its costs */
    bool is_wanted[POLICIES_MAX];
    bool is_judged[POLICIES_MAX];
    struct tg_board_cell *cells; /* of all scenarios and policies wanted */
    size_t n_cells;
    struct tg_json json;
    struct tg_run_watch watch; /* zynq: the trace */
    bool is_json;
    bool holds;
    const struct tg_board_cell *reported[TG_SIM_POLICIES]; /* of the scenario at hand */
};

/* ---- Arguments ------------------------------------------------------------------------------- */

static int misuse_policy(const struct run *run, const char *name, size_t length)
{
    return tg_command_misuse(&tg_run_command, "--policy: found '%.*s'; allowed on target %s: %s",
                             (int)length, name, run->target->name, run->target->allowed);
}

/* The file has what the target's policy i needs. */
static bool has_policy(const struct run *run, size_t i)
{
    switch (run->target->policies[i].policy) {
    case TG_SIM_STOCK_LIMITED:
        return run->system->stock_gate.at.line != 0u;
    case TG_SIM_STOCK_HIGH:
        return run->kind == TG_BOARD_ZYNQ || run->system->stock_queue.ring_pkts != 0u;
    default:
        return true;
    }
}

static int take_policies(struct run *run)
{
    const char *const names = run->arguments->values[TG_RUN_POLICY];
    const struct target *const target = run->target;

    for (size_t i = 0u; names == NULL && i < target->n_policies; i++) {
        run->is_wanted[i] = has_policy(run, i);
        run->is_judged[i] = tg_sim_runs_core(target->policies[i].policy);
    }
    for (const char *name = names; name != NULL;) {
        const size_t length = strcspn(name, ",");
        const enum tg_sim_policy policy = tg_run_policy(name, length);
        size_t i = 0u;

        while (i < target->n_policies && target->policies[i].policy != policy) {
            i++;
        }
        if (i == target->n_policies || !has_policy(run, i)) {
            return misuse_policy(run, name, length);
        }
        run->is_wanted[i] = run->is_judged[i] = true;
        name = name[length] != '\0' ? name + length + 1u : NULL;
    }
    return TG_EXIT_HOLDS;
}

static enum tg_sim_policy policy_of(const struct target *target, enum lab_policy on_board)
{
    size_t i = 0u;

    while (target->policies[i].on_board != on_board) {
        i++;
    }
    return target->policies[i].policy;
}

static bool is_wanted(const struct run *run, const struct tg_system_scenario *scenario)
{
    const char *const name = run->arguments->values[TG_RUN_SCENARIO];

    return name == NULL || strcmp(name, scenario->name) == 0;
}

/* Returns: an enum tg_exit; a file or an option that leaves nothing to run is an error. */
static int plan(struct run *run)
{
    const struct tg_system *const s = run->system;
    const size_t n_policies = run->target->n_policies;

    run->cells = calloc(s->n_scenarios * n_policies + 1u, sizeof *run->cells);
    if (run->cells == NULL) {
        fputs("tidegate run: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    for (size_t i = 0u; i < s->n_scenarios * n_policies; i++) {
        const struct tg_system_scenario *const scenario = &s->scenarios[i / n_policies];

        if (run->is_wanted[i % n_policies] && is_wanted(run, scenario)) {
            run->cells[run->n_cells++] =
                (struct tg_board_cell){.system = s,
                                       .scenario = scenario,
                                       .policy = run->target->policies[i % n_policies].on_board,
                                       .shift = run->kind == TG_BOARD_ZYNQ ? LAB_SHIFT_RATES : 0u,
                                       .worker_priority = LAB_PRIORITY_IDLE,
                                       .stock_gate_pkts = s->stock_gate.packets,
                                       .stock_gate_period_ns = s->stock_gate.period_ns,
                                       .way_ns = run->lab.way_ns,
                                       .is_live = run->kind == TG_BOARD_VIRT};
        }
    }
    for (size_t i = 0u; i < run->n_cells && run->watch.trace != NULL; i++) {
        struct tg_board_cell *const cell = &run->cells[i];
        tg_ns window_ns[2];

        tg_run_trace_window(run->watch.trace, cell->scenario, window_ns);
        cell->trace_from_ns = window_ns[0];
        cell->trace_until_ns = window_ns[0] < window_ns[1] ? window_ns[1] : 0u;
    }
    if (run->n_cells == 0u) {
        return tg_command_misuse(&tg_run_command, "%s has no such scenario",
                                 run->arguments->operands[0]);
    }
    return TG_EXIT_HOLDS;
}

/* ---- From the board's results to the common ones --------------------------------------------- */

static int allocate(const struct tg_system *s, struct tg_sim_results *out)
{
    out->n_tasks = (uint32_t)s->n_tasks;
    out->n_flows = (uint32_t)s->n_flows + 2u;
    out->n_queues = 1u;
    out->tasks = calloc(s->n_tasks + 1u, sizeof *out->tasks);
    out->flows = calloc(out->n_flows, sizeof *out->flows);
    return out->tasks != NULL && out->flows != NULL ? 0 : -1;
}

static void take_flow(struct tg_sim_flow_result *out, struct tg_board_flow *f, bool is_conforming)
{
    const uint64_t gone = f->lost + f->delivered + f->dropped_budget + f->dropped_no_buffer;

    *out = (struct tg_sim_flow_result){.sent = f->sent,
                                       .lost = f->lost,
                                       .dropped_budget = f->dropped_budget,
                                       .dropped_no_buffer = f->dropped_no_buffer,
                                       .delivered = f->delivered,
                                       .late = f->late,
                                       .is_conforming = is_conforming,
                                       .most_held_pkts = (uint32_t)f->most_held,
                                       .latency = f->latency};
    out->in_flight = f->sent > gone ? f->sent - gone : 0u;
    f->latency.buckets = NULL; /* they belong to the results now */
}

/* What the core counts per queue belongs to the frames that no flow took. */
static void take_refused(const struct tg_board_result *b, struct tg_sim_results *out)
{
    struct tg_sim_flow_result *const malformed = &out->flows[out->n_flows - 1u];
    struct tg_sim_flow_result *const rest = &out->flows[0];

    malformed->malformed = b->malformed;
    malformed->in_flight -= b->malformed <= malformed->in_flight ? b->malformed : 0u;
    rest->unregistered = b->unregistered;
    rest->in_flight -= b->unregistered <= rest->in_flight ? b->unregistered : 0u;
}

static void take_tasks(const struct tg_board_result *b, struct tg_sim_results *out)
{
    for (uint32_t i = 0u; i < out->n_tasks; i++) {
        const struct tg_board_task *const t = &b->tasks[i];

        out->tasks[i] = (struct tg_sim_task_result){.jobs = t->released,
                                                    .misses = t->missed,
                                                    .unfinished = t->released - t->finished,
                                                    .worst_ns = t->worst_ns};
        out->has_missed = out->has_missed || t->missed != 0u;
    }
}

static int take_results(const struct tg_board_cell *cell, struct tg_board_result *b,
                        const struct tg_sim_results *simulated, struct tg_sim_results *out)
{
    *out = (struct tg_sim_results){.for_ns = cell->scenario->for_ns};
    if (allocate(cell->system, out) != 0) {
        return -1;
    }
    take_tasks(b, out);
    for (uint32_t i = 0u; i < out->n_flows; i++) {
        take_flow(&out->flows[i], &b->flows[i], simulated->flows[i].is_conforming);
        out->packets += out->flows[i].sent;
        out->queues[0].lost += out->flows[i].lost;
    }
    take_refused(b, out);
    out->queues[0].received = out->packets - out->queues[0].lost;
    out->queues[0].spurious = b->spurious;
    out->queues[0].most_filled_pkts = (uint32_t)b->most_filled;
    out->mode_changes = b->closed;
    out->cpu_ns[TG_SIM_SHARE_IDLE] = b->worker << cell->shift;
    return 0;
}

static uint64_t rest_of(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0u;
}

/* Others may send on a real network, too: more may have come than the scenario has sent. What it
 * has sent and did not come was lost on the way, before the NIC or in it. */
static int take_network_results(struct run *run, enum tg_sim_policy policy,
                                struct tg_board_cell *cell, struct tg_board_result *b,
                                struct tg_sim_results *out)
{
    *out = (struct tg_sim_results){.for_ns = cell->scenario->for_ns};
    if (allocate(cell->system, out) != 0) {
        return -1;
    }
    take_tasks(b, out);
    for (uint32_t i = 0u; i < out->n_flows; i++) {
        struct tg_board_flow *const f = &b->flows[i];
        const uint64_t refused = i == 0u                  ? b->unregistered
                                 : i + 1u == out->n_flows ? b->malformed
                                                          : 0u;

        f->lost = rest_of(cell->sent[i], f->sent + refused);
        f->sent = cell->sent[i];
        take_flow(&out->flows[i], f, false);
        out->packets += f->sent;
    }
    take_refused(b, out);
    (void)tg_sim_queues(cell->system, policy, &out->n_queues);
    for (uint32_t k = 0u; k < out->n_queues; k++) {
        const struct tg_board_queue *const q = &b->queues[k];

        out->queues[k].received = q->delivered;
        out->queues[k].lost = q->ring_empty + q->dropped;
        out->queues[k].interrupts = q->vectors;
        out->interrupts += q->vectors;
        cell->queues[k] = *q;
        run->holds = run->holds && q->accepted == q->delivered;
    }
    cell->n_queues = out->n_queues;
    cell->unanswered = b->unanswered;
    out->mode_changes = b->closed;
    return 0;
}

/* Who keeps to what the file says of the sources is a matter of the arrivals alone; the simulator
 * judges them. */
static int judge_sources(const struct tg_board_cell *cell, struct tg_sim_results *out)
{
    struct tg_traffic *traffic;
    char text[512];

    if (tg_traffic_open(cell->system, cell->scenario, &traffic, text, sizeof text) != 0) {
        fprintf(stderr, "tidegate run: %s\n", text);
        return TG_EXIT_USAGE;
    }
    const struct tg_sim_input input = {.system = cell->system,
                                       .policy = TG_SIM_TIDEGATE,
                                       .arrivals = {.next = tg_traffic_next, .ctx = traffic},
                                       .for_ns = cell->scenario->for_ns,
                                       .seed = cell->scenario->seed};
    const int err = tg_sim_run(&input, out);

    tg_traffic_close(traffic);
    return err != 0 ? TG_EXIT_LACKS : TG_EXIT_HOLDS;
}

/* ---- What is printed ------------------------------------------------------------------------- */

static struct tg_table *cpu_table(const struct tg_run_result *r)
{
    static const struct tg_column columns[] = {{"CPU", NULL, TG_LEFT},
                                               {"busy", "%", TG_RIGHT},
                                               {"idle", "%", TG_RIGHT},
                                               {"to polling", "times", TG_RIGHT},
                                               {"ring", "at most", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const struct tg_sim_results *const results = &r->policies[p];
        const tg_ns idle_ns = results->cpu_ns[TG_SIM_SHARE_IDLE];
        char text[TG_SPAN_TEXT_BYTES];

        if (r->has[p]) {
            tg_table_cell(t, TG_STRONG, "%s", tg_sim_policy_name((enum tg_sim_policy)p));
            tg_table_cell(t, TG_PLAIN, "%s",
                          tg_percent_text(results->for_ns - idle_ns, results->for_ns, text));
            tg_table_cell(t, TG_PLAIN, "%s", tg_percent_text(idle_ns, results->for_ns, text));
            tg_table_count(t, TG_PLAIN, results->mode_changes);
            tg_table_count(t, TG_PLAIN, results->queues[0].most_filled_pkts);
        }
    }
    return t;
}

static void print(struct tg_table *t)
{
    tg_table_print(t, stdout, tg_terminal_has_colour(stdout));
    tg_table_free(t);
    fputc('\n', stdout);
}

/* What the NIC did, and the guest with its vectors. */
static struct tg_table *nic_table(const struct run *run, const struct tg_run_result *r)
{
    static const struct tg_column columns[] = {
        {"queue", NULL, TG_LEFT},       {"policy", NULL, TG_LEFT},
        {"frames", NULL, TG_RIGHT},     {"delivered", NULL, TG_RIGHT},
        {"ring", "empty", TG_RIGHT},    {"other", "drops", TG_RIGHT},
        {"interrupts", NULL, TG_RIGHT}, {"vector", "taken", TG_RIGHT},
        {"held", "running", TG_RIGHT},  {"held", "gate", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const enum tg_sim_policy policy = (enum tg_sim_policy)p;

        for (uint32_t k = 0u; r->has[p] && k < r->policies[p].n_queues; k++) {
            const struct tg_board_queue *const q = &run->reported[p]->queues[k];

            tg_table_cell(t, TG_STRONG, "%s", tg_sim_queue_name(r->system, policy, k));
            tg_table_cell(t, TG_PLAIN, "%s", tg_sim_policy_name(policy));
            tg_table_count(t, TG_PLAIN, q->frames);
            tg_table_count(t, TG_PLAIN, q->delivered);
            tg_table_count(t, TG_PLAIN, q->ring_empty);
            tg_table_count(t, TG_PLAIN, q->dropped);
            tg_table_count(t, TG_PLAIN, q->raised);
            tg_table_count(t, TG_PLAIN, q->vectors);
            tg_table_count(t, TG_PLAIN, q->held_running);
            tg_table_count(t, TG_PLAIN, q->held_gate);
        }
    }
    return t;
}

static void print_network(const struct run *run, const struct tg_run_result *r)
{
    print(nic_table(run, r));
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const char *const name = tg_sim_policy_name((enum tg_sim_policy)p);

        if (r->has[p] && run->reported[p]->lost_before != 0u) {
            printf("%s: the host dropped %" PRIu64 " frames before the NIC saw them.\n", name,
                   run->reported[p]->lost_before);
        }
        if (r->has[p] && run->reported[p]->unanswered != 0u) {
            printf("%s: %" PRIu64 " datagrams from the port of a service were not echoed.\n", name,
                   run->reported[p]->unanswered);
        }
    }
    puts(
        "Times are those of this host, which emulates the board while it sends: no bound holds.\n");
}

static void print_scenario(const struct run *run, const struct tg_run_result *r)
{
    char text[TG_SPAN_TEXT_BYTES];

    printf("%s: %s (%s, %s)\n\n", r->system->name, r->scenario->name, run->target->name,
           tg_span_text(r->scenario->for_ns, text));
    print(tg_run_task_table(r));
    print(tg_run_flow_table(r));
    if (run->kind == TG_BOARD_VIRT) {
        print_network(run, r);
        return;
    }
    print(cpu_table(r));
    print(tg_run_verdict_table(r));
}

static int show_trace(struct run *run, enum tg_sim_policy policy, const struct tg_board_cell *cell,
                      uint64_t lost)
{
    struct tg_run_trace *const trace = run->watch.trace;
    FILE *const in = cell->trace_until_ns != 0u ? fopen(cell->trace, "rb") : NULL;
    char text[128] = "1: it cannot be read";
    int err = cell->trace_until_ns != 0u ? -1 : 0;

    tg_run_trace_begin(trace, cell->scenario, policy);
    if (in != NULL) {
        err = tg_board_trace(in, cell->system, trace, text, sizeof text);
        (void)fclose(in);
    }
    tg_run_trace_lose(trace, lost);
    tg_run_trace_end(trace);
    if (err != 0) {
        fprintf(stderr, "tidegate run: %s:%s\n", cell->trace, text);
        (void)remove(cell->trace); /* the next time it is written again */
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

static int take_cells(struct run *run, struct tg_run_result *r, size_t *next)
{
    struct tg_sim_results simulated = {0};
    int status =
        run->kind == TG_BOARD_ZYNQ ? judge_sources(&run->cells[*next], &simulated) : TG_EXIT_HOLDS;

    for (size_t i = 0u; i < run->target->n_policies && status == TG_EXIT_HOLDS; i++) {
        const enum tg_sim_policy policy = run->target->policies[i].policy;
        struct tg_board_result b;

        if (!run->is_wanted[i]) {
            continue;
        }
        struct tg_board_cell *const cell = &run->cells[(*next)++];

        status = tg_board_read(cell, "run", &b);
        if (status == TG_EXIT_HOLDS) {
            r->has[policy] = true;
            run->reported[policy] = cell;
            const int err = run->kind == TG_BOARD_ZYNQ
                                ? take_results(cell, &b, &simulated, &r->policies[policy])
                                : take_network_results(run, policy, cell, &b, &r->policies[policy]);

            status = err == 0 ? TG_EXIT_HOLDS : TG_EXIT_LACKS;
            if (status == TG_EXIT_HOLDS && run->watch.trace != NULL) {
                status = show_trace(run, policy, cell, b.trace_lost);
            }
            r->policies[policy].policy = policy;
            tg_board_free(&b);
            run->holds = run->holds && (run->kind == TG_BOARD_VIRT || !run->is_judged[i] ||
                                        tg_run_holds(r, policy));
        }
    }
    tg_sim_results_free(&simulated);
    return status;
}

static int report_scenarios(struct run *run)
{
    int status = TG_EXIT_HOLDS;

    for (size_t next = 0u; next < run->n_cells && status == TG_EXIT_HOLDS;) {
        struct tg_run_result r = {.system = run->system,
                                  .scenario = run->cells[next].scenario,
                                  .proof = run->proof,
                                  .gate = TG_RUN_GATE_WRITTEN,
                                  .gate_pkts = run->system->stock_gate.packets,
                                  .gate_period_ns = run->system->stock_gate.period_ns};

        status = take_cells(run, &r, &next);
        if (status == TG_EXIT_HOLDS && run->is_json) {
            tg_run_json(&r, &run->json);
        } else if (status == TG_EXIT_HOLDS) {
            print_scenario(run, &r);
        }
        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            tg_sim_results_free(&r.policies[p]);
        }
    }
    return status;
}

/* What the NIC did: the figures of nic_table. */
static void write_nics(struct run *run)
{
    struct tg_json *const j = &run->json;

    tg_json_array(j, "nics");
    for (size_t i = 0u; i < run->n_cells; i++) {
        const struct tg_board_cell *const cell = &run->cells[i];
        const enum tg_sim_policy policy = policy_of(run->target, cell->policy);

        tg_json_object(j, NULL);
        tg_json_text(j, "scenario", cell->scenario->name);
        tg_json_text(j, "policy", tg_sim_policy_name(policy));
        tg_json_count(j, "lost_before", cell->lost_before);
        tg_json_count(j, "unanswered", cell->unanswered);
        tg_json_array(j, "queues");
        for (uint32_t k = 0u; k < cell->n_queues; k++) {
            const struct tg_board_queue *const q = &cell->queues[k];

            tg_json_row(j, NULL);
            tg_json_text(j, "name", tg_sim_queue_name(cell->system, policy, k));
            tg_json_count(j, "frames", q->frames);
            tg_json_count(j, "delivered", q->delivered);
            tg_json_count(j, "ring_empty", q->ring_empty);
            tg_json_count(j, "dropped", q->dropped);
            tg_json_count(j, "interrupts", q->raised);
            tg_json_count(j, "vectors", q->vectors);
            tg_json_count(j, "held_running", q->held_running);
            tg_json_count(j, "held_gate", q->held_gate);
            tg_json_end(j);
        }
        tg_json_end(j);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static int report(struct run *run)
{
    if (!run->is_json) {
        return report_scenarios(run);
    }
    tg_json_start(&run->json, stdout);
    tg_json_object(&run->json, NULL);
    tg_json_text(&run->json, "system", run->system->name);
    tg_json_text(&run->json, "target", run->target->name);
    tg_json_array(&run->json, "scenarios");

    const int status = report_scenarios(run);

    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    tg_json_end(&run->json);
    if (run->kind == TG_BOARD_VIRT) {
        write_nics(run);
    }
    tg_json_bool(&run->json, "holds", run->holds);
    tg_json_end(&run->json);
    return tg_json_finish(&run->json) == 0 ? TG_EXIT_HOLDS : TG_EXIT_LACKS;
}

/* ---- The target ------------------------------------------------------------------------------ */

static int execute(struct run *run)
{
    const char *const path = run->arguments->operands[0];
    const bool is_zynq = run->kind == TG_BOARD_ZYNQ;
    int status = is_zynq ? tg_board_accepts(path, run->system) : tg_virt_accepts(path, run->system);

    if (status == TG_EXIT_HOLDS) {
        status = take_policies(run);
    }
    if (status == TG_EXIT_HOLDS) {
        status = tg_board_open(&run->lab.board, run->kind, "run", NULL);
    }
    if (status == TG_EXIT_HOLDS && is_zynq) {
        status = tg_lab_calibrate(&run->lab);
    }
    if (status == TG_EXIT_HOLDS) {
        const struct tg_run_wishes wishes = {.trace_path = run->arguments->values[TG_RUN_TRACE],
                                             .trace_window =
                                                 run->arguments->values[TG_RUN_TRACE_WINDOW]};

        status = tg_run_watch_open(&run->watch, run->system, &wishes);
    }
    if (status == TG_EXIT_HOLDS) {
        status = plan(run);
    }
    if (status == TG_EXIT_HOLDS) {
        status = is_zynq ? tg_board_run(&run->lab.board, "run", run->cells, run->n_cells)
                         : tg_virt_run(&run->lab.board, "run", path, run->cells, run->n_cells);
    }
    if (status == TG_EXIT_HOLDS) {
        status = report(run);
    }
    tg_virt_free(run->cells, run->n_cells);
    free(run->cells);
    status = tg_run_watch_close(&run->watch, status);
    return status != TG_EXIT_HOLDS
               ? status
               : tg_command_finish(&tg_run_command, run->holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS);
}

int tg_run_on_board(const struct tg_arguments *arguments, enum tg_board_kind kind)
{
    static struct tg_errors errors;
    struct run run = {.arguments = arguments,
                      .kind = kind,
                      .target = &TARGETS[kind],
                      .is_json = arguments->values[TG_RUN_JSON] != NULL,
                      .holds = true};
    struct tg_proof proof;
    char text[512];
    const char *const name = run.target->name;
    int status = tg_run_refuse(&tg_run_command, arguments, TG_RUN_REPORT, TG_RUN_REPORT, name);

    if (status == TG_EXIT_HOLDS && kind == TG_BOARD_VIRT) {
        status = tg_run_refuse(&tg_run_command, arguments, TG_RUN_TRACE, TG_RUN_TRACE_WINDOW, name);
    }
    if (status == TG_EXIT_HOLDS) {
        status = tg_run_refuse(&tg_run_command, arguments, TG_RUN_INTERFACE, TG_RUN_NAME, name);
    }
    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    tg_errors_init(&errors);
    if (tg_system_load(arguments->operands[0], &run.system, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }
    run.proof = tg_proof_open(run.system, &proof, text, sizeof text) == 0 && kind == TG_BOARD_ZYNQ
                    ? &proof
                    : NULL;
    status = execute(&run);
    tg_proof_close(&proof);
    tg_system_free(run.system);
    return status;
}
