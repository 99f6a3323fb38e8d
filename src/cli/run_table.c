/* SPDX-License-Identifier: MIT
 *
 * run_table.c - one scenario in tables: tasks with the policies side by side, flows and the CPU
 * with the policies one below the other.
 */
#include "run_table.h"
#include "bound_text.h"
#include "run_bound.h"
#include "run_sentences.h"
#include "span_text.h"

#include <inttypes.h>

const char *tg_run_flow_name(const struct tg_system *system, uint32_t flow)
{
    if (flow == 0u) {
        return "best effort";
    }
    return flow <= system->n_flows ? system->flows[flow - 1u].name : "malformed";
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

enum { TASK_FIXED = 3 };

/* Missed jobs and the worst response in one cell: two columns under each policy's name would be as
 * wide as the name each. */
static void task_cell(struct tg_table *t, const struct tg_sim_task_result *task)
{
    char text[TG_SPAN_TEXT_BYTES];
    char worst[TG_SPAN_TEXT_BYTES + 1u];

    /* The age of a job that never ended is less than its response would have been. */
    (void)snprintf(worst, sizeof worst, "%s%s", task->unfinished > 1u ? ">" : "",
                   tg_span_text(task->worst_ns, text));
    tg_table_cell(t, task->misses != 0u ? TG_BAD : TG_PLAIN, "%" PRIu64 " %8s", task->misses,
                  worst);
}

/* Something observed beyond a bound would be a fault of the proof or of the simulator. */
static void bound_cell(struct tg_table *t, uint64_t bound_ns, uint64_t observed_ns)
{
    char text[TG_SPAN_TEXT_BYTES];

    tg_table_cell(t, observed_ns > bound_ns ? TG_BAD : TG_FAINT, "%s",
                  tg_bound_text(bound_ns, text));
}

bool tg_run_has_core(const struct tg_run_result *r)
{
    return r->has[TG_SIM_TIDEGATE] || r->has[TG_SIM_COMBINED];
}

static tg_ns worst_of_core(const struct tg_run_result *r, uint32_t task)
{
    tg_ns worst_ns = 0u;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p] && tg_sim_runs_core((enum tg_sim_policy)p) &&
            r->policies[p].tasks[task].worst_ns > worst_ns) {
            worst_ns = r->policies[p].tasks[task].worst_ns;
        }
    }
    return worst_ns;
}

struct tg_table *tg_run_task_table(const struct tg_run_result *r)
{
    struct tg_column columns[TASK_FIXED + TG_SIM_POLICIES + 1u] = {
        {"task", NULL, TG_LEFT}, {"jobs", NULL, TG_RIGHT}, {"deadline", NULL, TG_RIGHT}};
    size_t n = TASK_FIXED;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p]) {
            columns[n++] = (struct tg_column){tg_sim_policy_name((enum tg_sim_policy)p),
                                              "missed  worst", TG_RIGHT};
        }
    }
    if (tg_run_has_core(r)) {
        columns[n++] = (struct tg_column){"bound", NULL, TG_RIGHT};
    }
    struct tg_table *const t = tg_table_new(columns, n);

    for (uint32_t i = 0u; i < r->system->n_tasks; i++) {
        char text[TG_SPAN_TEXT_BYTES];
        uint64_t jobs = 0u;

        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            jobs = r->has[p] ? r->policies[p].tasks[i].jobs : jobs;
        }
        tg_table_cell(t, TG_PLAIN, "%s", r->system->tasks[i].name);
        tg_table_count(t, TG_PLAIN, jobs);
        tg_table_cell(t, TG_PLAIN, "%s", tg_whole_text(r->system->tasks[i].deadline_ns, text));
        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            if (r->has[p]) {
                task_cell(t, &r->policies[p].tasks[i]);
            }
        }
        if (tg_run_has_core(r)) {
            bound_cell(t, tg_run_task_bound(r, i), worst_of_core(r, i));
        }
    }
    return t;
}

/* ---- Flows ----------------------------------------------------------------------------------- */

#define BEFORE_MAX 7u /* columns between the policy and the largest latency */

static void bad_count(struct tg_table *t, uint64_t count, enum tg_paint paint)
{
    tg_table_count(t, count != 0u ? paint : TG_FAINT, count);
}

static void latency(struct tg_table *t, const struct tg_sim_flow_result *f, uint32_t percent)
{
    char text[TG_SPAN_TEXT_BYTES];

    if (f->delivered == 0u) {
        tg_table_cell(t, TG_FAINT, "-");
        return;
    }
    tg_table_cell(t, TG_PLAIN, "%s",
                  tg_span_text(tg_hist_quantile(&f->latency, percent, 100u), text));
}

/* Frames that no flow took on their merits: malformed, or best effort where none is accepted. */
static uint64_t bad(const struct tg_sim_flow_result *f)
{
    return f->malformed + f->unregistered;
}

static void flow_row(struct tg_table *t, const char *name, const struct tg_sim_results *results,
                     uint32_t i, bool has_bad)
{
    const struct tg_sim_flow_result *const f = &results->flows[i];
    const bool is_flow = i != 0u && i + 1u != results->n_flows;

    tg_table_cell(t, TG_STRONG, "%s", name);
    tg_table_cell(t, TG_PLAIN, "%s", tg_sim_policy_name(results->policy));
    tg_table_count(t, TG_PLAIN, f->delivered);
    bad_count(t, f->late, TG_BAD);
    bad_count(t, f->dropped_budget, TG_PLAIN);
    bad_count(t, f->dropped_no_buffer, is_flow ? TG_WARN : TG_PLAIN);
    bad_count(t, f->lost, is_flow ? TG_WARN : TG_PLAIN);
    latency(t, f, 50u);
    latency(t, f, 99u);
    latency(t, f, 100u);
    if (has_bad) {
        bad_count(t, bad(f), TG_PLAIN);
    }
}

/* Below the row of a policy with the core: the largest latency that the proof allows. */
static void bound_row(struct tg_table *t, const struct tg_run_result *r, enum tg_sim_policy policy,
                      uint32_t flow)
{
    const uint64_t bound_ns = tg_run_flow_bound(r, flow);

    if (bound_ns == TG_NO_BOUND) {
        return;
    }
    tg_table_cell(t, TG_PLAIN, "%s", "");
    tg_table_cell(t, TG_FAINT, "bound");
    for (uint32_t i = 0u; i < BEFORE_MAX; i++) {
        tg_table_cell(t, TG_PLAIN, "%s", "");
    }
    bound_cell(t, bound_ns, r->policies[policy].flows[flow].latency.max);
    tg_table_end_row(t);
}

static uint64_t sent(const struct tg_run_result *r, uint32_t flow)
{
    uint64_t frames = 0u;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        frames = r->has[p] ? r->policies[p].flows[flow].sent : frames;
    }
    return frames;
}

static void flow_rows(struct tg_table *t, const struct tg_run_result *r, uint32_t flow,
                      bool has_bad)
{
    bool is_first = true;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p]) {
            flow_row(t, is_first ? tg_run_flow_name(r->system, flow) : "", &r->policies[p], flow,
                     has_bad);
            is_first = false;
        }
        if (r->has[p] && tg_sim_runs_core((enum tg_sim_policy)p)) {
            bound_row(t, r, (enum tg_sim_policy)p, flow);
        }
    }
}

static bool any_bad(const struct tg_run_result *r)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        for (uint32_t i = 0u; r->has[p] && i < r->policies[p].n_flows; i++) {
            if (bad(&r->policies[p].flows[i]) != 0u) {
                return true;
            }
        }
    }
    return false;
}

struct tg_table *tg_run_flow_table(const struct tg_run_result *r)
{
    static const struct tg_column columns[] = {
        {"flow", NULL, TG_LEFT},      {"policy", NULL, TG_LEFT},     {"delivered", NULL, TG_RIGHT},
        {"late", NULL, TG_RIGHT},     {"budget", "drops", TG_RIGHT}, {"buffer", NULL, TG_RIGHT},
        {"in NIC", "lost", TG_RIGHT}, {"p50", "latency", TG_RIGHT},  {"p99", NULL, TG_RIGHT},
        {"max", NULL, TG_RIGHT},      {"bad", NULL, TG_RIGHT}};
    const bool has_bad = any_bad(r);
    const size_t n_columns = sizeof columns / sizeof columns[0] - (has_bad ? 0u : 1u);
    struct tg_table *const t = tg_table_new(columns, n_columns);
    bool is_first = true;

    for (uint32_t k = 0u; k < r->system->n_flows + 2u; k++) {
        /* In the order of the file, then best effort, then malformed frames. */
        const uint32_t n_flows = (uint32_t)r->system->n_flows;
        const uint32_t flow = k < n_flows ? k + 1u : k == n_flows ? 0u : k;

        if (sent(r, flow) == 0u) {
            continue;
        }
        if (!is_first) {
            tg_table_rule(t);
        }
        is_first = false;
        flow_rows(t, r, flow, has_bad);
    }
    return t;
}

/* ---- The CPU --------------------------------------------------------------------------------- */

static void share(struct tg_table *t, const struct tg_sim_results *results, uint64_t part_ns)
{
    char text[TG_SPAN_TEXT_BYTES];

    tg_table_cell(t, TG_PLAIN, "%s", tg_percent_text(part_ns, results->for_ns, text));
}

struct tg_table *tg_run_cpu_table(const struct tg_run_result *r)
{
    static const struct tg_column columns[] = {
        {"CPU", NULL, TG_LEFT},          {"interrupts", "%", TG_RIGHT},
        {"protocol", "%", TG_RIGHT},     {"tasks", "%", TG_RIGHT},
        {"idle", "%", TG_RIGHT},         {"interrupts", "taken", TG_RIGHT},
        {"polled", "frames", TG_RIGHT},  {"to polling", "times", TG_RIGHT},
        {"buffers", "at most", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const struct tg_sim_results *const results = &r->policies[p];

        if (!r->has[p]) {
            continue;
        }
        tg_table_cell(t, TG_STRONG, "%s", tg_sim_policy_name((enum tg_sim_policy)p));
        share(t, results, results->cpu_ns[TG_SIM_SHARE_INTERRUPTS]);
        share(t, results, results->cpu_ns[TG_SIM_SHARE_PROTOCOL]);
        share(t, results,
              results->cpu_ns[TG_SIM_SHARE_TASKS] + results->cpu_ns[TG_SIM_SHARE_RECEIVERS]);
        share(t, results, results->cpu_ns[TG_SIM_SHARE_IDLE]);
        tg_table_count(t, TG_PLAIN, results->interrupts);
        tg_table_count(t, TG_PLAIN, results->polled);
        tg_table_count(t, TG_PLAIN, results->mode_changes);
        tg_table_count(t, TG_PLAIN, results->most_held_pkts);
    }
    return t;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void print(struct tg_table *t, FILE *out, bool has_colour)
{
    tg_table_print(t, out, has_colour);
    tg_table_free(t);
    fputc('\n', out);
}

static void print_heading(const struct tg_run_result *r, FILE *out, bool has_colour)
{
    char text[TG_SPAN_TEXT_BYTES];
    uint64_t frames = 0u;

    for (uint32_t i = 0u; i < r->system->n_flows + 2u; i++) {
        frames += sent(r, i);
    }
    fprintf(out, "%s%s: %s%s", has_colour ? tg_terminal_start(TG_STRONG) : "", r->system->name,
            r->scenario->name, has_colour ? tg_terminal_end() : "");
    fprintf(out, " (%s, seed %" PRIu64 ", %" PRIu64 " frames)\n\n",
            tg_whole_text(r->scenario->for_ns, text), r->scenario->seed, frames);
}

void tg_run_print_tables(const struct tg_run_result *r, FILE *out, bool has_colour)
{
    if (r->system->n_tasks != 0u) {
        print(tg_run_task_table(r), out, has_colour);
    }
    print(tg_run_flow_table(r), out, has_colour);
    print(tg_run_cpu_table(r), out, has_colour);

    struct tg_table *const verdicts = tg_run_verdict_table(r);

    tg_table_print(verdicts, out, has_colour);
    tg_table_free(verdicts);
}

void tg_run_print(const struct tg_run_result *r, FILE *out, bool has_colour)
{
    print_heading(r, out, has_colour);
    tg_run_print_tables(r, out, has_colour);
    tg_run_sentences(r, out);
}
