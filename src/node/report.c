/* SPDX-License-Identifier: MIT
 *
 * report.c - what a node says.
 */
#include "report.h"
#include "run_table.h"
#include "span_text.h"

#include <inttypes.h>

/* The one policy of a node as the result of a scenario, which the tables and the document take. */
struct view {
    struct tg_system_scenario scenario;
    struct tg_run_result result;
};

static void look(const struct tg_node *node, const struct tg_sim_results *results,
                 struct view *view)
{
    const enum tg_sim_policy policy = results->policy;

    *view =
        (struct view){.scenario = {.name = (char *)node->cfg.interface, .for_ns = results->for_ns},
                      .result = {.system = node->system, .scenario = &view->scenario}};
    view->result.has[policy] = true;
    view->result.policies[policy] = *results;
    if (policy == TG_SIM_STOCK_LIMITED) {
        view->result.gate = TG_RUN_GATE_WRITTEN;
        view->result.gate_pkts = node->limit.budget_pkts;
        view->result.gate_period_ns = node->limit.period_ns;
    }
}

bool tg_node_holds(const struct tg_node *node, const struct tg_sim_results *results)
{
    struct view view;

    look(node, results, &view);
    return tg_run_holds(&view.result, results->policy);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void print(struct tg_table *t, FILE *out, bool has_colour)
{
    fputc('\n', out);
    tg_table_print(t, out, has_colour);
    tg_table_free(t);
}

/* When the threads of the tasks really started. */
static struct tg_table *thread_table(struct tg_node *node)
{
    static const struct tg_column columns[] = {{"thread", NULL, TG_LEFT},
                                               {"priority", NULL, TG_RIGHT},
                                               {"jobs", NULL, TG_RIGHT},
                                               {"started late", "at most", TG_RIGHT},
                                               {"worked", NULL, TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < node->system->n_tasks; i++) {
        const struct tg_task_measure m = tg_tasks_measure(&node->tasks, i);
        char text[TG_SPAN_TEXT_BYTES];

        tg_table_cell(t, TG_PLAIN, "%s", node->system->tasks[i].name);
        tg_table_count(t, TG_PLAIN, node->system->tasks[i].priority);
        tg_table_count(t, TG_PLAIN, m.jobs);
        tg_table_cell(t, TG_PLAIN, "%s", tg_span_text(m.worst_lateness_ns, text));
        tg_table_cell(t, TG_PLAIN, "%s", tg_span_text(m.used_ns, text));
    }
    return t;
}

static void count(struct tg_table *t, uint64_t n, enum tg_paint paint)
{
    tg_table_count(t, n != 0u ? paint : TG_FAINT, n);
}

/* What the interface did; "lost" is in the kernel, before anything of ours saw the frame. */
static struct tg_table *interface_table(const struct tg_node *node,
                                        const struct tg_sim_results *results)
{
    static const struct tg_column columns[] = {
        {"interface", NULL, TG_LEFT},    {"received", NULL, TG_RIGHT},
        {"ring full", "lost", TG_RIGHT}, {"wakes", NULL, TG_RIGHT},
        {"for nothing", NULL, TG_RIGHT}, {"too long", "frames", TG_RIGHT},
        {"unsent", "frames", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    const struct tg_sim_queue_result *const q = &results->queues[0];

    tg_table_cell(t, TG_STRONG, "%s", node->cfg.interface);
    tg_table_count(t, TG_PLAIN, q->received);
    count(t, q->lost, TG_WARN);
    tg_table_count(t, TG_PLAIN, q->interrupts);
    count(t, q->spurious, TG_PLAIN);
    count(t, node->iface->giants, TG_WARN);
    count(t, node->iface->unsent, TG_WARN);
    return t;
}

static void print_heading(const struct tg_node *node, const struct tg_sim_results *results,
                          FILE *out, bool has_colour)
{
    char text[TG_SPAN_TEXT_BYTES];

    fprintf(out, "%s%s on %s%s", has_colour ? tg_terminal_start(TG_STRONG) : "", node->system->name,
            node->cfg.interface, has_colour ? tg_terminal_end() : "");
    fprintf(out, " (%s, %s, %" PRIu64 " frames)\n\n", tg_sim_policy_name(results->policy),
            tg_span_text(results->for_ns, text), results->packets);
}

void tg_node_print(struct tg_node *node, const struct tg_sim_results *results, FILE *out,
                   bool has_colour)
{
    struct view view;

    look(node, results, &view);
    print_heading(node, results, out, has_colour);
    tg_run_print_tables(&view.result, out, has_colour);
    if (node->system->n_tasks != 0u) {
        print(thread_table(node), out, has_colour);
    }
    print(interface_table(node, results), out, has_colour);
    if (node->iface->giants != 0u) {
        fprintf(out,
                "\nFrames longer than the mtu come from a sender that leaves segmentation to its "
                "hardware.\nAt the other end: ip link set NAME gso_max_segs 1\n");
    }
    if (node->unanswered != 0u) {
        fprintf(out, "\n%" PRIu64 " datagrams from the port of a service were not echoed.\n",
                node->unanswered);
    }
    if (!tg_posix_port_is_realtime(&node->port)) {
        fputs("\nOrdinary threads, no right to real-time priorities: no bound holds.\n", out);
    }
}

/* ---- Document -------------------------------------------------------------------------------- */

static void write_threads(struct tg_node *node, struct tg_json *j)
{
    tg_json_array(j, "threads");
    for (size_t i = 0u; i < node->system->n_tasks; i++) {
        const struct tg_task_measure m = tg_tasks_measure(&node->tasks, i);

        tg_json_row(j, NULL);
        tg_json_text(j, "name", node->system->tasks[i].name);
        tg_json_count(j, "worst_lateness_ns", m.worst_lateness_ns);
        tg_json_count(j, "used_ns", m.used_ns);
        tg_json_end(j);
    }
    tg_json_end(j);
}

void tg_node_json(struct tg_node *node, const struct tg_sim_results *results, struct tg_json *j)
{
    struct view view;

    look(node, results, &view);
    tg_json_object(j, NULL);
    tg_json_text(j, "system", node->system->name);
    tg_json_text(j, "target", "lwip");
    tg_json_text(j, "interface", node->cfg.interface);
    tg_json_array(j, "scenarios");
    tg_run_json(&view.result, j);
    tg_json_end(j);
    write_threads(node, j);
    tg_json_count(j, "buffers_held", node->held);
    tg_json_count(j, "spurious", results->queues[0].spurious);
    tg_json_count(j, "too_long", node->iface->giants);
    tg_json_count(j, "unsent", node->iface->unsent);
    tg_json_count(j, "unanswered", node->unanswered);
    tg_json_bool(j, "realtime", tg_posix_port_is_realtime(&node->port));
}
