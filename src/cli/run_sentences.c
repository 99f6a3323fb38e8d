/* SPDX-License-Identifier: MIT
 *
 * run_sentences.c - what the tables of a scenario mean.
 */
#include "run_sentences.h"
#include "run_table.h"
#include "span_text.h"

#include "system/text.h"

#include <inttypes.h>

#define LISTED_MAX 2u
#define LIST_BYTES 256u

/* A deadline is judged while its flow keeps to what the file says of its source. */
static bool is_judged(const struct tg_run_result *r, enum tg_sim_policy policy, uint32_t flow)
{
    return flow != 0u && flow <= r->system->n_flows &&
           r->policies[policy].flows[flow].is_conforming;
}

static uint64_t late_packets(const struct tg_run_result *r, enum tg_sim_policy policy,
                             uint32_t flow)
{
    return is_judged(r, policy, flow) ? r->policies[policy].flows[flow].late : 0u;
}

bool tg_run_holds(const struct tg_run_result *r, enum tg_sim_policy policy)
{
    for (uint32_t i = 0u; i < r->policies[policy].n_tasks; i++) {
        if (r->policies[policy].tasks[i].misses != 0u) {
            return false;
        }
    }
    for (uint32_t i = 0u; i < r->policies[policy].n_flows; i++) {
        if (late_packets(r, policy, i) != 0u) {
            return false;
        }
    }
    return true;
}

static void say_gate(const struct tg_run_result *r, FILE *out)
{
    char period[TG_SPAN_TEXT_BYTES];

    (void)tg_whole_text(r->gate_period_ns, period);
    if (r->gate == TG_RUN_GATE_WRITTEN && r->gate_pkts != 0u) {
        fprintf(out, "\nstock-limited takes %" PRIu32 " packets per %s, as the file says.\n",
                r->gate_pkts, period);
    } else if (r->gate == TG_RUN_GATE_WRITTEN) {
        fputs("\nstock-limited has no limit, as the file says.\n", out);
    } else if (r->gate == TG_RUN_GATE_SEARCHED && r->limit == TG_LIMIT_FOUND) {
        fprintf(out,
                "\nstock-limited takes %" PRIu32
                " packets per %s: the most with which no task misses "
                "a deadline.\n",
                r->gate_pkts, period);
    } else if (r->gate == TG_RUN_GATE_SEARCHED) {
        fprintf(out, "\nstock-limited takes %" PRIu32 " packets per %s: %s.\n", r->gate_pkts,
                period,
                r->limit == TG_LIMIT_NONE ? "even so a task misses its deadline"
                                          : "no limit is needed for the tasks");
    }
}

/* A flow whose source the file describes: what it sends should arrive. */
bool tg_run_is_promised(const struct tg_run_result *r, enum tg_sim_policy policy, uint32_t flow)
{
    return is_judged(r, policy, flow) && r->system->flows[flow - 1u].source.every_ns != 0u;
}

static uint64_t lost_packets(const struct tg_run_result *r, enum tg_sim_policy policy,
                             uint32_t flow)
{
    const struct tg_sim_flow_result *const f = &r->policies[policy].flows[flow];

    return tg_run_is_promised(r, policy, flow) ? f->lost + f->dropped_budget + f->dropped_no_buffer
                                               : 0u;
}

/* Names with numbers; those that find no room are counted. */
struct list {
    char text[LIST_BYTES];
    uint32_t said;
    uint32_t left_out;
};

static void list_add(struct list *list, const char *name, uint64_t number)
{
    if (number == 0u) {
        return;
    }
    if (list->said == LISTED_MAX) {
        list->left_out++;
        return;
    }
    tg_text_add(list->text, sizeof list->text, "%s%s %" PRIu64, list->said == 0u ? "" : ", ", name,
                number);
    list->said++;
}

static void list_cell(struct tg_table *t, struct list *list, enum tg_paint paint)
{
    if (list->left_out != 0u) {
        tg_text_add(list->text, sizeof list->text, ", %" PRIu32 " more", list->left_out);
    }
    if (list->said == 0u) {
        tg_table_cell(t, TG_FAINT, "-");
    } else {
        tg_table_cell(t, paint, "%s", list->text);
    }
}

static void verdict_row(const struct tg_run_result *r, enum tg_sim_policy policy,
                        struct tg_table *t)
{
    const bool holds = tg_run_holds(r, policy);
    struct list missed = {.said = 0u};
    struct list late = {.said = 0u};
    struct list lost = {.said = 0u};

    for (uint32_t i = 0u; i < r->system->n_tasks; i++) {
        list_add(&missed, r->system->tasks[i].name, r->policies[policy].tasks[i].misses);
    }
    for (uint32_t i = 1u; i <= r->system->n_flows; i++) {
        list_add(&late, r->system->flows[i - 1u].name, late_packets(r, policy, i));
        list_add(&lost, r->system->flows[i - 1u].name, lost_packets(r, policy, i));
    }
    tg_table_cell(t, TG_STRONG, "%s", tg_sim_policy_name(policy));
    tg_table_cell(t, holds ? TG_GOOD : TG_BAD, "%s", holds ? "holds" : "does not hold");
    list_cell(t, &missed, TG_BAD);
    list_cell(t, &late, TG_BAD);
    list_cell(t, &lost, TG_WARN);
}

struct tg_table *tg_run_verdict_table(const struct tg_run_result *r)
{
    static const struct tg_column columns[] = {{"policy", NULL, TG_LEFT},
                                               {"verdict", NULL, TG_LEFT},
                                               {"missed deadlines", NULL, TG_LEFT},
                                               {"late packets", NULL, TG_LEFT},
                                               {"lost packets", NULL, TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p]) {
            verdict_row(r, (enum tg_sim_policy)p, t);
        }
    }
    return t;
}

/* Frames of others that wanted into the same ring. */
static uint64_t sharing(const struct tg_run_result *r, enum tg_sim_policy policy, uint32_t flow)
{
    const uint32_t queue = r->system->flows[flow - 1u].queue;
    const struct tg_sim_queue_result *const q = &r->policies[policy].queues[queue];

    return q->received + q->lost - r->policies[policy].flows[flow].sent;
}

static void say_gate_of(const struct tg_system *system, uint32_t queue, FILE *out)
{
    const struct tg_system_budget *const gate = &system->gates[system->queues[queue].gate];
    char period[TG_SPAN_TEXT_BYTES];

    if (gate->kind == TG_SERVER_UNLIMITED) {
        fputs("the CPU cannot keep up with them", out);
    } else {
        fprintf(out, "the gate admits %" PRIu32 " per %s", gate->packets,
                tg_whole_text(gate->period_ns, period));
    }
}

static void say_loss(const struct tg_run_result *r, enum tg_sim_policy policy, uint32_t flow,
                     FILE *out)
{
    const struct tg_sim_flow_result *const f = &r->policies[policy].flows[flow];
    const struct tg_system_flow *const cfg = &r->system->flows[flow - 1u];
    const struct tg_system_queue *const queue = &r->system->queues[cfg->queue];
    const uint64_t others = sharing(r, policy, flow);

    fprintf(out, "\n%s: %" PRIu64 " of %" PRIu64 " packets of %s were lost in the NIC: ",
            tg_sim_policy_name(policy), f->lost, f->sent, cfg->name);
    if (others == 0u) {
        fprintf(out, "its ring %s has\n%" PRIu16 " descriptors, too few for this flow alone.\n",
                queue->name, queue->ring_pkts);
        return;
    }
    fprintf(out, "its ring %s is shared with\n%" PRIu64 " other frames, ", queue->name, others);
    say_gate_of(r->system, cfg->queue, out);
    fputs(", and a full ring drops\nwhatever comes next. A receive queue of its own (`queues` with "
          "`priorities`) keeps the flow apart.\n",
          out);
}

static void say_losses(const struct tg_run_result *r, enum tg_sim_policy policy, FILE *out)
{
    for (uint32_t i = 1u; i <= r->system->n_flows; i++) {
        if (tg_run_is_promised(r, policy, i) && r->policies[policy].flows[i].lost != 0u) {
            say_loss(r, policy, i, out);
        }
    }
}

void tg_run_sentences(const struct tg_run_result *r, FILE *out)
{
    say_gate(r, out);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p] && tg_sim_runs_core((enum tg_sim_policy)p)) {
            say_losses(r, (enum tg_sim_policy)p, out);
        }
    }
}
