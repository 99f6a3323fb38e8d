/* SPDX-License-Identifier: MIT
 *
 * run_findings.c - one sentence for each thing that a scenario shows.
 */
#include "run_findings.h"
#include "rate_text.h"
#include "run_sentences.h"
#include "span_text.h"

#include "report/html.h"
#include "system/text.h"

#include <inttypes.h>

/* ---- One scenario ---------------------------------------------------------------------------- */

static void say_tasks(const struct tg_run_result *r, const struct tg_sim_results *results,
                      FILE *out)
{
    bool is_first = true;

    for (uint32_t i = 0u; i < results->n_tasks; i++) {
        const struct tg_sim_task_result *const t = &results->tasks[i];

        if (t->misses != 0u) {
            fputs(is_first ? "" : ", ", out);
            tg_html_text(out, r->system->tasks[i].name);
            fprintf(out, " missed %" PRIu64 " of %" PRIu64 " deadlines", t->misses, t->jobs);
            is_first = false;
        }
    }
    fputs(is_first ? "every task met every deadline" : "", out);
}

static void add_count(char *text, size_t size, uint64_t count, const char *what)
{
    if (count != 0u) {
        tg_text_add(text, size, "%s%" PRIu64 " %s", text[0] != '\0' ? ", " : "", count, what);
    }
}

static bool has_deadline(const struct tg_run_result *r, uint32_t flow)
{
    return r->system->flows[flow - 1u].deadline_ns != TG_SYSTEM_ABSENT;
}

/* Whatever a flow that has a source of its own was sent: how much of it came, and came in time. */
static void say_flow(const struct tg_run_result *r, const struct tg_sim_flow_result *f,
                     uint32_t flow, FILE *out)
{
    char why[160] = "";
    const uint64_t good = f->delivered + f->in_flight - f->late;

    if (good == f->sent) {
        fprintf(out, "; all %" PRIu64 " packets of ", f->sent);
    } else {
        fprintf(out, "; %" PRIu64 " of %" PRIu64 " packets of ", good, f->sent);
    }
    tg_html_text(out, r->system->flows[flow - 1u].name);
    fputs(has_deadline(r, flow) ? " arrived in time" : " arrived", out);
    add_count(why, sizeof why, f->late, "late");
    add_count(why, sizeof why, f->lost, "lost in the controller");
    add_count(why, sizeof why, f->dropped_budget, "over budget");
    add_count(why, sizeof why, f->dropped_no_buffer, "without a buffer");
    if (why[0] != '\0') {
        fprintf(out, " (%s)", why);
    }
}

static bool has_own_source(const struct tg_run_result *r, uint32_t flow)
{
    for (size_t i = 0u; i < r->scenario->n_traffic; i++) {
        if (r->scenario->traffic[i].flow == (int32_t)flow - 1) {
            return true;
        }
    }
    return false;
}

void tg_findings_list(const struct tg_run_result *r, FILE *out)
{
    char text[TG_SPAN_TEXT_BYTES];

    fputs("<ul>\n", out);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const struct tg_sim_results *const results = &r->policies[p];

        if (!r->has[p]) {
            continue;
        }
        fprintf(out, "<li><b>%s</b>: ", tg_sim_policy_name((enum tg_sim_policy)p));
        say_tasks(r, results, out);
        for (uint32_t i = 1u; i <= r->system->n_flows; i++) {
            if (has_own_source(r, i) && results->flows[i].sent != 0u) {
                say_flow(r, &results->flows[i], i, out);
            }
        }
        fprintf(out, ". Interrupts took %s %% of the CPU.</li>\n",
                tg_percent_text(results->cpu_ns[TG_SIM_SHARE_INTERRUPTS], results->for_ns, text));
    }
    fputs("</ul>\n", out);
}

/* ---- All scenarios --------------------------------------------------------------------------- */

void tg_findings_cell(const struct tg_run_result *r, enum tg_sim_policy policy,
                      struct tg_table *table)
{
    const struct tg_sim_results *const results = &r->policies[policy];
    uint64_t missed = 0u;
    uint64_t late = 0u;
    uint64_t lost = 0u;
    char text[96] = "";

    for (uint32_t i = 0u; i < results->n_tasks; i++) {
        missed += results->tasks[i].misses;
    }
    for (uint32_t i = 1u; i <= r->system->n_flows; i++) {
        if (tg_run_is_promised(r, policy, i)) {
            const struct tg_sim_flow_result *const f = &results->flows[i];

            late += f->late;
            lost += f->lost + f->dropped_budget + f->dropped_no_buffer;
        }
    }
    add_count(text, sizeof text, missed, "missed");
    add_count(text, sizeof text, late, "late");
    add_count(text, sizeof text, lost, "lost");
    tg_table_cell(table,
                  missed + late != 0u ? TG_BAD
                  : lost != 0u        ? TG_WARN
                                      : TG_GOOD,
                  "%s", text[0] != '\0' ? text : "all well");
}

/* ---- Load ------------------------------------------------------------------------------------ */

/* The rate up to which everything was well: kind 0 the jobs, else the packets of a flow. */
static void limit_cell(const struct tg_sweep *sweep, enum tg_sim_policy policy, uint32_t kind,
                       struct tg_table *table)
{
    uint32_t good = 0u;
    char text[TG_RATE_TEXT_BYTES];

    while (good < TG_SWEEP_RATES && (kind == 0u ? sweep->points[policy][good].keeps_all
                                                : sweep->points[policy][good].has_all[kind - 1u])) {
        good++;
    }
    if (good == TG_SWEEP_RATES) {
        tg_table_cell(table, TG_GOOD, "all rates");
    } else if (good == 0u) {
        tg_table_cell(table, TG_BAD, "none");
    } else {
        tg_table_cell(table, TG_PLAIN, "%s", tg_rate_text(sweep->rates_pps[good - 1u], text));
    }
}

static void say_load(const struct tg_sweep *sweep, enum tg_sim_policy policy, FILE *out)
{
    const struct tg_sweep_point *const points = sweep->points[policy];
    char text[TG_RATE_TEXT_BYTES];
    uint32_t good = 0u;

    while (good < TG_SWEEP_RATES && points[good].keeps_all) {
        good++;
    }
    if (good == TG_SWEEP_RATES) {
        fprintf(out, "<p>Under %s every task met every deadline at all %u rates.</p>\n",
                tg_sim_policy_name(policy), TG_SWEEP_RATES);
    } else {
        fprintf(out, "<p>Under %s a task missed a deadline at %s.</p>\n",
                tg_sim_policy_name(policy), tg_rate_text(sweep->rates_pps[good], text));
    }
}

void tg_findings_load(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out)
{
    struct tg_column columns[3u + TG_SWEEP_FLOWS_MAX] = {{"policy", NULL, TG_LEFT},
                                                         {"all deadlines met", "up to", TG_RIGHT}};
    size_t n = 2u;

    for (uint32_t i = 0u; i < sweep->n_flows; i++) {
        columns[n++] = (struct tg_column){tg_run_flow_name(r->system, sweep->flows[i]),
                                          has_deadline(r, sweep->flows[i]) ? "all in time up to"
                                                                           : "all delivered up to",
                                          TG_RIGHT};
    }
    columns[n++] = (struct tg_column){"interrupts", "at most, % of the CPU", TG_RIGHT};

    struct tg_table *const t = tg_table_new(columns, n);

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        double most = 0.0;

        if (!r->has[p]) {
            continue;
        }
        tg_table_cell(t, TG_STRONG, "%s", tg_sim_policy_name((enum tg_sim_policy)p));
        for (uint32_t kind = 0u; kind <= sweep->n_flows; kind++) {
            limit_cell(sweep, (enum tg_sim_policy)p, kind, t);
        }
        for (uint32_t i = 0u; i < TG_SWEEP_RATES; i++) {
            const double share = sweep->points[p][i].interrupts;

            most = share > most ? share : most;
        }
        tg_table_cell(t, TG_PLAIN, "%.1f", most);
    }
    tg_table_html(t, out);
    tg_table_free(t);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p] && tg_sim_runs_core((enum tg_sim_policy)p)) {
            say_load(sweep, (enum tg_sim_policy)p, out);
        }
    }
}
