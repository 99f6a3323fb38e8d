/* SPDX-License-Identifier: MIT
 *
 * run_sentences.c - what the tables of a scenario mean.
 */
#include "run_sentences.h"
#include "span_text.h"

#include "report/terminal.h"

#include <inttypes.h>

#define LISTED_MAX 3u

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
        fprintf(out, "stock-limited takes %" PRIu32 " packets per %s, as the file says.\n",
                r->gate_pkts, period);
    } else if (r->gate == TG_RUN_GATE_WRITTEN) {
        fputs("stock-limited has no limit, as the file says.\n", out);
    } else if (r->gate == TG_RUN_GATE_SEARCHED && r->limit == TG_LIMIT_FOUND) {
        fprintf(out,
                "stock-limited takes %" PRIu32
                " packets per %s: the most with which no task misses "
                "a deadline.\n",
                r->gate_pkts, period);
    } else if (r->gate == TG_RUN_GATE_SEARCHED) {
        fprintf(out, "stock-limited takes %" PRIu32 " packets per %s: %s.\n", r->gate_pkts, period,
                r->limit == TG_LIMIT_NONE ? "even so a task misses its deadline"
                                          : "no limit is needed for the tasks");
    }
}

/* Names with numbers, as many as fit into a line. */
struct list {
    FILE *out;
    const char *before;
    uint32_t said;
    uint32_t left_out;
};

static void say_item(struct list *list, const char *name, uint64_t number)
{
    if (number == 0u) {
        return;
    }
    if (list->said == LISTED_MAX) {
        list->left_out++;
        return;
    }
    fprintf(list->out, "%s%s %" PRIu64, list->said == 0u ? list->before : ", ", name, number);
    list->said++;
}

static void end_list(const struct list *list)
{
    if (list->left_out != 0u) {
        fprintf(list->out, " and %" PRIu32 " more", list->left_out);
    }
}

static void say_policy(const struct tg_run_result *r, enum tg_sim_policy policy, FILE *out,
                       bool has_colour)
{
    const bool holds = tg_run_holds(r, policy);
    struct list missed = {.out = out, .before = ": missed deadlines: "};

    fprintf(out, "%-13s  ", tg_sim_policy_name(policy));
    fprintf(out, "%s%s%s", has_colour ? tg_terminal_start(holds ? TG_GOOD : TG_BAD) : "",
            holds ? "holds" : "does not hold", has_colour ? tg_terminal_end() : "");
    for (uint32_t i = 0u; i < r->policies[policy].n_tasks; i++) {
        say_item(&missed, r->system->tasks[i].name, r->policies[policy].tasks[i].misses);
    }
    end_list(&missed);

    struct list late = {.out = out,
                        .before = missed.said != 0u ? "; late packets: " : ": late packets: "};

    for (uint32_t i = 1u; i <= r->system->n_flows; i++) {
        say_item(&late, r->system->flows[i - 1u].name, late_packets(r, policy, i));
    }
    end_list(&late);
    fputc('\n', out);
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

static void say_loss(const struct tg_run_result *r, uint32_t flow, FILE *out)
{
    const struct tg_sim_flow_result *const f = &r->policies[TG_SIM_TIDEGATE].flows[flow];
    const struct tg_system_flow *const cfg = &r->system->flows[flow - 1u];
    const struct tg_system_queue *const queue = &r->system->queues[cfg->queue];
    const uint64_t others = sharing(r, TG_SIM_TIDEGATE, flow);

    fprintf(out,
            "\ntidegate: %" PRIu64 " of %" PRIu64 " packets of %s were lost in the NIC: ", f->lost,
            f->sent, cfg->name);
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

void tg_run_sentences(const struct tg_run_result *r, FILE *out, bool has_colour)
{
    say_gate(r, out);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p]) {
            say_policy(r, (enum tg_sim_policy)p, out, has_colour);
        }
    }
    for (uint32_t i = 1u; r->has[TG_SIM_TIDEGATE] && i <= r->system->n_flows; i++) {
        const bool is_promised = r->system->flows[i - 1u].source.every_ns != 0u ||
                                 r->system->flows[i - 1u].deadline_ns != TG_SYSTEM_ABSENT;

        if (is_promised && is_judged(r, TG_SIM_TIDEGATE, i) &&
            r->policies[TG_SIM_TIDEGATE].flows[i].lost != 0u) {
            say_loss(r, i, out);
        }
    }
}
