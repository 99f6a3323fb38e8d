/* SPDX-License-Identifier: MIT
 *
 * run_json.c - one scenario for programs. All times in nanoseconds.
 */
#include "run_bound.h"

static void write_bound(struct tg_json *j, uint64_t bound_ns)
{
    if (bound_ns == TG_NO_BOUND) {
        tg_json_null(j, "bound_ns");
    } else {
        tg_json_count(j, "bound_ns", bound_ns);
    }
}

static void write_tasks(const struct tg_run_result *r, const struct tg_sim_results *results,
                        struct tg_json *j)
{
    tg_json_array(j, "tasks");
    for (uint32_t i = 0u; i < results->n_tasks; i++) {
        const struct tg_sim_task_result *const t = &results->tasks[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "name", r->system->tasks[i].name);
        tg_json_count(j, "jobs", t->jobs);
        tg_json_count(j, "missed", t->misses);
        tg_json_count(j, "unfinished", t->unfinished);
        tg_json_count(j, "worst_ns", t->worst_ns);
        if (tg_sim_runs_core(results->policy)) {
            write_bound(j, tg_run_task_bound(r, i));
        }
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_latency(const struct tg_sim_flow_result *f, struct tg_json *j)
{
    if (f->delivered == 0u) {
        tg_json_null(j, "latency_ns");
        return;
    }
    tg_json_row(j, "latency_ns");
    tg_json_count(j, "p50", tg_hist_quantile(&f->latency, 50u, 100u));
    tg_json_count(j, "p99", tg_hist_quantile(&f->latency, 99u, 100u));
    tg_json_count(j, "max", f->latency.max);
    tg_json_end(j);
}

static void write_flows(const struct tg_run_result *r, const struct tg_sim_results *results,
                        struct tg_json *j)
{
    tg_json_array(j, "flows");
    for (uint32_t i = 0u; i < results->n_flows; i++) {
        const struct tg_sim_flow_result *const f = &results->flows[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "name", tg_run_flow_name(r->system, i));
        tg_json_count(j, "sent", f->sent);
        tg_json_count(j, "delivered", f->delivered);
        tg_json_count(j, "late", f->late);
        tg_json_count(j, "dropped_budget", f->dropped_budget);
        tg_json_count(j, "dropped_no_buffer", f->dropped_no_buffer);
        tg_json_count(j, "malformed", f->malformed);
        tg_json_count(j, "unregistered", f->unregistered);
        tg_json_count(j, "lost_in_nic", f->lost);
        tg_json_count(j, "in_flight", f->in_flight);
        tg_json_bool(j, "conforming", f->is_conforming);
        tg_json_count(j, "most_held", f->most_held_pkts);
        write_latency(f, j);
        if (tg_sim_runs_core(results->policy)) {
            write_bound(j, tg_run_flow_bound(r, i));
        }
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_queues(const struct tg_run_result *r, const struct tg_sim_results *results,
                         struct tg_json *j)
{
    tg_json_array(j, "queues");
    for (uint32_t i = 0u; i < results->n_queues; i++) {
        const struct tg_sim_queue_result *const q = &results->queues[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "name", tg_sim_queue_name(r->system, results->policy, i));
        tg_json_count(j, "received", q->received);
        tg_json_count(j, "lost", q->lost);
        tg_json_count(j, "interrupts", q->interrupts);
        tg_json_count(j, "most_filled", q->most_filled_pkts);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_cpu(const struct tg_sim_results *results, struct tg_json *j)
{
    tg_json_row(j, "cpu_ns");
    tg_json_count(j, "interrupts", results->cpu_ns[TG_SIM_SHARE_INTERRUPTS]);
    tg_json_count(j, "protocol", results->cpu_ns[TG_SIM_SHARE_PROTOCOL]);
    tg_json_count(j, "receivers", results->cpu_ns[TG_SIM_SHARE_RECEIVERS]);
    tg_json_count(j, "tasks", results->cpu_ns[TG_SIM_SHARE_TASKS]);
    tg_json_count(j, "idle", results->cpu_ns[TG_SIM_SHARE_IDLE]);
    tg_json_end(j);
    tg_json_count(j, "interrupts", results->interrupts);
    tg_json_count(j, "ticks", results->ticks);
    tg_json_count(j, "polled", results->polled);
    tg_json_count(j, "mode_changes", results->mode_changes);
    tg_json_count(j, "switches", results->switches);
    tg_json_count(j, "most_held", results->most_held_pkts);
}

static void write_gate(const struct tg_run_result *r, struct tg_json *j)
{
    static const char *const limits[] = {[TG_LIMIT_FOUND] = "search",
                                         [TG_LIMIT_NOT_NEEDED] = "search: no limit is needed",
                                         [TG_LIMIT_NONE] = "search: no limit is enough"};

    tg_json_row(j, "gate");
    tg_json_count(j, "packets", r->gate_pkts);
    tg_json_count(j, "period_ns", r->gate_period_ns);
    tg_json_text(j, "from", r->gate == TG_RUN_GATE_WRITTEN ? "file" : limits[r->limit]);
    tg_json_end(j);
}

void tg_run_json(const struct tg_run_result *r, struct tg_json *j)
{
    tg_json_object(j, NULL);
    tg_json_text(j, "name", r->scenario->name);
    tg_json_count(j, "for_ns", r->scenario->for_ns);
    tg_json_count(j, "seed", r->scenario->seed);
    tg_json_array(j, "policies");
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const struct tg_sim_results *const results = &r->policies[p];

        if (!r->has[p]) {
            continue;
        }
        tg_json_object(j, NULL);
        tg_json_text(j, "policy", tg_sim_policy_name((enum tg_sim_policy)p));
        tg_json_bool(j, "holds", tg_run_holds(r, (enum tg_sim_policy)p));
        if (p == TG_SIM_STOCK_LIMITED) {
            write_gate(r, j);
        }
        write_tasks(r, results, j);
        write_flows(r, results, j);
        write_queues(r, results, j);
        write_cpu(results, j);
        tg_json_end(j);
    }
    tg_json_end(j);
    tg_json_end(j);
}
