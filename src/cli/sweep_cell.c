/* SPDX-License-Identifier: MIT
 *
 * sweep_cell.c - what came out of one cell of a grid.
 */
#include "sweep_cell.h"
#include "command.h"
#include "run_result.h"

#include "sim/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const tg_cell_verdict_names[TG_CELL_VERDICTS] = {
    [TG_CELL_HOLDS] = "holds", [TG_CELL_FAILS] = "fails", [TG_CELL_INVALID] = "invalid"};

/* ---- Fields ---------------------------------------------------------------------------------- */

/* A text of RFC 4180, in quotes where it has to be. */
static void put_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : "", out);
        if (*text != '"') {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

static void put_title(FILE *out, const char *list, const char *name, const char *what)
{
    char title[TG_SYSTEM_NAME_MAX_BYTES + 64u];

    (void)snprintf(title, sizeof title, "%s.%s.%s", list, name, what);
    fputc(',', out);
    put_text(out, title);
}

static void put_bound(FILE *out, uint64_t bound)
{
    fputc(',', out);
    if (bound != TG_NO_BOUND) {
        fprintf(out, "%" PRIu64, bound);
    }
}

static size_t count_results(const struct tg_cell_work *work)
{
    const struct tg_system *const s = work->grid->system;

    return work->is_run ? 7u + 2u * s->n_tasks + 3u * s->n_flows
                        : 2u + s->n_tasks + 2u * s->n_flows;
}

static void put_start(const struct tg_cell_work *work, uint32_t cell, FILE *out,
                      enum tg_cell_verdict verdict)
{
    for (uint32_t i = 0u; i < work->grid->n_axes; i++) {
        fprintf(out, "%" PRIu64 ",", tg_grid_value(work->grid, cell, i));
    }
    fputs(tg_cell_verdict_names[verdict], out);
}

static void put_invalid(const struct tg_cell_work *work, uint32_t cell, FILE *out, const char *why)
{
    put_start(work, cell, out, TG_CELL_INVALID);
    for (size_t i = 0u; i <= count_results(work); i++) {
        fputc(',', out);
    }
    put_text(out, why);
    fputc('\n', out);
}

void tg_cell_titles(const struct tg_cell_work *work, FILE *out)
{
    const struct tg_system *const s = work->grid->system;

    for (uint32_t i = 0u; i < work->grid->n_axes; i++) {
        char title[TG_GRID_PATH_BYTES + 8u];

        (void)snprintf(title, sizeof title, "%s%s", work->grid->axes[i].path,
                       tg_grid_unit(&work->grid->axes[i]));
        put_text(out, title);
        fputc(',', out);
    }
    fputs(work->is_run ? "verdict,misses,late,sent,delivered,lost,dropped,interrupts"
                       : "verdict,worst slack (ns),worst",
          out);
    for (size_t i = 0u; i < s->n_tasks; i++) {
        if (work->is_run) {
            put_title(out, "tasks", s->tasks[i].name, "misses");
        }
        put_title(out, "tasks", s->tasks[i].name, work->is_run ? "worst (ns)" : "bound (ns)");
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        if (work->is_run) {
            put_title(out, "flows", s->flows[i].name, "sent");
        }
        put_title(out, "flows", s->flows[i].name, work->is_run ? "delivered" : "accepted (ns)");
        put_title(out, "flows", s->flows[i].name, work->is_run ? "worst (ns)" : "conforming (ns)");
    }
    fputs(",why\n", out);
}

/* ---- Check ----------------------------------------------------------------------------------- */

struct worst {
    int64_t slack; /* INT64_MAX: no deadline, INT64_MIN: no bound */
    const char *name;
};

static void take_slack(struct worst *w, int64_t slack, const char *name)
{
    if (slack < w->slack) {
        *w = (struct worst){slack, name};
    }
}

/* Of the first one that does not hold. */
static void put_why(const struct tg_proof *p, FILE *out)
{
    const struct tg_why *why = NULL;
    const char *name = "";
    char sentence[512] = "";
    char text[TG_SYSTEM_NAME_MAX_BYTES + 520u] = "";

    for (size_t i = p->system->n_flows; i-- > 0u;) {
        if (!p->result.flows[i].met) {
            why = &p->result.flows[i].why;
            name = p->system->flows[i].name;
        }
    }
    for (size_t i = p->system->n_tasks; i-- > 0u;) {
        if (!p->result.tasks[i].met) {
            why = &p->result.tasks[i].why;
            name = p->system->tasks[i].name;
        }
    }
    if (why != NULL) {
        (void)tg_why_sentence(&p->analysis.input, why, sentence, sizeof sentence);
        (void)snprintf(text, sizeof text, "%s: %s", name, sentence);
    }
    fputc(',', out);
    put_text(out, text);
    fputc('\n', out);
}

static void put_proof(const struct tg_cell_work *work, uint32_t cell, const struct tg_proof *p,
                      FILE *out)
{
    struct worst w = {.slack = INT64_MAX};

    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        take_slack(&w, p->result.tasks[i].slack, p->system->tasks[i].name);
    }
    for (size_t i = 0u; i < p->system->n_flows; i++) {
        take_slack(&w, p->result.flows[i].slack, p->system->flows[i].name);
    }
    put_start(work, cell, out, p->result.ok ? TG_CELL_HOLDS : TG_CELL_FAILS);
    fputc(',', out);
    if (w.slack != INT64_MAX && w.slack != INT64_MIN) {
        fprintf(out, "%" PRId64, w.slack);
    }
    fputc(',', out);
    put_text(out, w.name != NULL ? w.name : "");
    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        put_bound(out, p->result.tasks[i].response.value);
    }
    for (size_t i = 0u; i < p->system->n_flows; i++) {
        put_bound(out, tg_proof_accepted(p, i)->value);
        put_bound(out,
                  p->analysis.flows[i].has_source ? tg_proof_conforming(p, i)->value : TG_NO_BOUND);
    }
    put_why(p, out);
}

static int check_cell(const struct tg_cell_work *work, uint32_t cell,
                      const struct tg_system *system, FILE *out, char *text, size_t size)
{
    struct tg_proof proof;
    const int err = tg_proof_open(system, &proof, text, size);

    if (err == 0) {
        put_proof(work, cell, &proof, out);
        tg_proof_close(&proof);
    } else if (err == TG_ANALYSIS_ERR_INPUT) {
        put_invalid(work, cell, out, text);
    } else {
        (void)snprintf(text, size, "out of memory");
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

/* ---- Run ------------------------------------------------------------------------------------- */

struct task_sum {
    uint64_t misses;
    tg_ns worst_ns;
};

struct flow_sum {
    uint64_t sent;
    uint64_t delivered;
    tg_ns worst_ns;
};

/* Over all scenarios. */
struct sums {
    bool holds;
    uint64_t late;
    uint64_t lost;
    uint64_t dropped;
    uint64_t interrupts; /* ticks, too */
    struct flow_sum all;
    struct task_sum *tasks;
    struct flow_sum *flows;
};

static void add_flow(struct flow_sum *sum, const struct tg_sim_flow_result *f)
{
    sum->sent += f->sent;
    sum->delivered += f->delivered;
    if (f->worst_protocol_ns > sum->worst_ns) {
        sum->worst_ns = f->worst_protocol_ns;
    }
}

static void add_results(struct sums *sums, const struct tg_sim_results *r, size_t n_flows)
{
    sums->interrupts += r->interrupts + r->ticks;
    for (uint32_t i = 0u; i < r->n_tasks; i++) {
        sums->tasks[i].misses += r->tasks[i].misses;
        if (r->tasks[i].worst_ns > sums->tasks[i].worst_ns) {
            sums->tasks[i].worst_ns = r->tasks[i].worst_ns;
        }
    }
    for (uint32_t i = 0u; i < r->n_flows; i++) {
        const struct tg_sim_flow_result *const f = &r->flows[i];

        add_flow(&sums->all, f);
        sums->late += f->is_conforming ? f->late : 0u;
        sums->lost += f->lost;
        sums->dropped += f->dropped_budget + f->dropped_no_buffer + f->malformed + f->unregistered;
        if (i >= 1u && i <= n_flows) {
            add_flow(&sums->flows[i - 1u], f);
        }
    }
}

/* Returns an enum tg_sim_error; 1 if the traffic cannot be made. */
static int simulate(const struct tg_system *system, const struct tg_system_scenario *scenario,
                    enum tg_sim_policy policy, struct sums *sums, char *text, size_t size)
{
    struct tg_run_result r = {.system = system, .scenario = scenario};
    struct tg_sim_results *const results = &r.policies[policy];
    struct tg_traffic *traffic;

    if (tg_traffic_open(system, scenario, &traffic, text, size) != 0) {
        return 1;
    }
    const struct tg_sim_input input = {.system = system,
                                       .policy = policy,
                                       .arrivals = {.next = tg_traffic_next, .ctx = traffic},
                                       .for_ns = scenario->for_ns,
                                       .seed = scenario->seed};
    const int err = tg_sim_run(&input, results);

    if (err == 0) {
        r.has[policy] = true;
        sums->holds = sums->holds && tg_run_holds(&r, policy);
        add_results(sums, results, system->n_flows);
    } else {
        (void)snprintf(text, size, "scenario '%s': %s", scenario->name,
                       results->failure[0] != '\0' ? results->failure : "it cannot be simulated");
    }
    tg_sim_results_free(results);
    tg_traffic_close(traffic);
    return err;
}

static int simulate_all(const struct tg_cell_work *work, const struct tg_system *system,
                        struct sums *sums, char *text, size_t size)
{
    int err = 0;

    for (size_t i = 0u; i < system->n_scenarios && err == 0; i++) {
        const struct tg_system_scenario *const scenario = &system->scenarios[i];

        if (work->scenario == NULL || strcmp(work->scenario, scenario->name) == 0) {
            err = simulate(system, scenario, work->policy, sums, text, size);
        }
    }
    return err;
}

static void put_sums(const struct tg_cell_work *work, uint32_t cell, const struct sums *sums,
                     FILE *out)
{
    const struct tg_system *const s = work->grid->system;
    uint64_t misses = 0u;

    for (size_t i = 0u; i < s->n_tasks; i++) {
        misses += sums->tasks[i].misses;
    }
    put_start(work, cell, out, sums->holds ? TG_CELL_HOLDS : TG_CELL_FAILS);
    fprintf(out,
            ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
            misses, sums->late, sums->all.sent, sums->all.delivered, sums->lost, sums->dropped,
            sums->interrupts);
    for (size_t i = 0u; i < s->n_tasks; i++) {
        fprintf(out, ",%" PRIu64 ",%" PRIu64, sums->tasks[i].misses, sums->tasks[i].worst_ns);
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, sums->flows[i].sent,
                sums->flows[i].delivered, sums->flows[i].worst_ns);
    }
    fputs(",\n", out);
}

static int run_cell(const struct tg_cell_work *work, uint32_t cell, const struct tg_system *system,
                    FILE *out, char *text, size_t size)
{
    struct sums sums = {.holds = true,
                        .tasks = calloc(system->n_tasks + 1u, sizeof *sums.tasks),
                        .flows = calloc(system->n_flows + 1u, sizeof *sums.flows)};
    const int err = sums.tasks == NULL || sums.flows == NULL
                        ? TG_SIM_ERR_MEMORY
                        : simulate_all(work, system, &sums, text, size);
    int status = TG_EXIT_HOLDS;

    if (err == 0) {
        put_sums(work, cell, &sums, out);
    } else if (err == TG_SIM_ERR_MEMORY) {
        (void)snprintf(text, size, "out of memory");
        status = TG_EXIT_LACKS;
    } else if (err == TG_SIM_ERR_INVARIANT) {
        status = TG_EXIT_FAILS;
    } else {
        put_invalid(work, cell, out, text);
    }
    free(sums.tasks);
    free(sums.flows);
    return status;
}

/* ---- A cell ---------------------------------------------------------------------------------- */

int tg_cell_row(const struct tg_cell_work *work, uint32_t cell, FILE *out, char *text, size_t size)
{
    static struct tg_errors errors;
    struct tg_system *system;

    tg_errors_init(&errors);
    if (tg_grid_system(work->grid, cell, &system, &errors) != 0) {
        put_invalid(work, cell, out, errors.items[0].text);
        return TG_EXIT_HOLDS;
    }
    const int status = work->is_run ? run_cell(work, cell, system, out, text, size)
                                    : check_cell(work, cell, system, out, text, size);

    tg_system_free(system);
    return status;
}
