/* SPDX-License-Identifier: MIT
 *
 * setup.c - from a system to a run that can start, and back.
 */
#include "sim/state.h"

#include <stdlib.h>

#define LATENCY_BITS 42u /* an hour and more in ns; longer ones are still in the maximum */

/* calloc may give NULL for nothing. */
static void *zeroed(size_t n, size_t size)
{
    return calloc(n + 1u, size);
}

static int setup_results(struct tg_sim *s)
{
    struct tg_sim_results *const out = s->out;

    out->policy = s->input->policy;
    out->n_tasks = (uint32_t)s->system->n_tasks;
    out->n_flows = (uint32_t)s->system->n_flows + 2u;
    (void)tg_sim_queues(s->system, out->policy, &out->n_queues);
    out->tasks = zeroed(out->n_tasks, sizeof *out->tasks);
    out->flows = zeroed(out->n_flows, sizeof *out->flows);
    if (out->tasks == NULL || out->flows == NULL) {
        return TG_SIM_ERR_MEMORY;
    }
    for (uint32_t i = 0u; i < out->n_flows; i++) {
        uint32_t *const buckets = zeroed(TG_HIST_BUCKETS(LATENCY_BITS), sizeof *buckets);

        if (buckets == NULL ||
            tg_hist_init(&out->flows[i].latency, buckets, TG_HIST_BUCKETS(LATENCY_BITS)) != 0) {
            return TG_SIM_ERR_MEMORY;
        }
        out->flows[i].is_conforming = true;
    }
    return 0;
}

static void setup_flows(struct tg_sim *s)
{
    const struct tg_system_receive *const receive = &s->system->receive;

    for (uint32_t i = 0u; i < s->out->n_flows; i++) {
        struct tg_sim_flow *const flow = &s->flows[i];

        flow->deferred_ns = receive->deferred_ns;
        flow->section_ns = receive->section_ns;
        flow->deadline_ns = TG_SIM_NEVER;
        if (i != 0u && i <= s->system->n_flows) {
            const struct tg_system_flow *const f = &s->system->flows[i - 1u];

            flow->deferred_ns = f->deferred_ns;
            flow->section_ns = f->section_ns;
            flow->irq_off_ns = f->irq_off_ns;
            flow->deadline_ns = f->deadline_ns;
            flow->source = f->source;
        }
    }
}

static struct tg_thread *add_thread(struct tg_sim *s, enum tg_sim_runner kind, uint32_t index,
                                    uint8_t priority)
{
    struct tg_thread *const t = &s->cpu.threads[s->cpu.n_threads++];

    *t = (struct tg_thread){
        .kind = (uint32_t)kind, .index = index, .base = priority, .priority = priority};
    return t;
}

static void add_tasks(struct tg_sim *s)
{
    const struct tg_system *const system = s->system;

    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        struct tg_sim_task *const state = &s->tasks[i];

        if (i < system->n_tasks) {
            const struct tg_system_task *const task = &system->tasks[i];

            state->thread = add_thread(s, TG_SIM_RUN_TASK, i, task->priority);
            s->locks = s->locks || (task->calls_stack && system->receive.lock_ns != 0u);
            if (s->input->task_offsets_ns != NULL) {
                state->offset_ns = s->input->task_offsets_ns[i];
            }
        } else {
            const uint32_t k = i - (uint32_t)system->n_tasks;

            state->thread = add_thread(s, TG_SIM_RUN_SERVER, k, system->servers[k].priority);
        }
        tg_random_init(&state->random, s->input->seed, TG_RANDOM_RELEASES, i);

        const tg_ns at_ns = tg_task_next_release(s, i);

        if (at_ns != TG_SIM_NEVER) {
            tg_heap_add(&s->releases, at_ns, i);
        }
    }
}

static void setup_threads(struct tg_sim *s)
{
    const struct tg_system *const system = s->system;

    add_tasks(s);
    s->protocol = add_thread(s, TG_SIM_RUN_PROTOCOL, 0u, 0u);
    if (system->receive.polled_by_task && tg_sim_runs_core(s->input->policy)) {
        s->poller = add_thread(s, TG_SIM_RUN_POLLER, 0u, system->receive.poll_priority);
    }
    for (uint32_t i = 0u; i < system->n_flows; i++) {
        if (system->flows[i].receiver_wcet_ns != 0u) {
            s->flows[i + 1u].receiver =
                add_thread(s, TG_SIM_RUN_RECEIVER, i, system->flows[i].receiver_priority);
        }
    }
}

int tg_sim_setup(struct tg_sim *s)
{
    const struct tg_system *const system = s->system;
    int err = setup_results(s);

    if (err != 0) {
        return err;
    }
    err = tg_nic_init(&s->nic, system, s->input->policy);
    if (err != 0) {
        return err;
    }
    s->n_tasks = (uint32_t)(system->n_tasks + system->n_servers);
    s->n_packets = system->receive.buffers_pkts;
    s->tasks = zeroed(s->n_tasks, sizeof *s->tasks);
    s->flows = zeroed(s->out->n_flows, sizeof *s->flows);
    s->packets = zeroed(s->n_packets, sizeof *s->packets);
    s->cpu.threads = zeroed(s->n_tasks + system->n_flows + 2u, sizeof *s->cpu.threads);
    s->releases.items = zeroed(s->n_tasks, sizeof *s->releases.items);
    if (s->tasks == NULL || s->flows == NULL || s->packets == NULL || s->cpu.threads == NULL ||
        s->releases.items == NULL) {
        return TG_SIM_ERR_MEMORY;
    }
    setup_flows(s);
    setup_threads(s);
    s->timer_at_ns = TG_SIM_NEVER;
    s->has_register = s->input->policy == TG_SIM_COMBINED;
    if (tg_sim_runs_core(s->input->policy)) {
        s->ops = &tg_path_tidegate;
    } else {
        s->ops = &tg_path_stock;
    }
    return s->ops->open(s);
}

void tg_sim_teardown(struct tg_sim *s)
{
    if (s->ops != NULL) {
        s->ops->close(s);
    }
    tg_nic_free(&s->nic);
    free(s->tasks);
    free(s->flows);
    free(s->packets);
    free(s->cpu.threads);
    free(s->releases.items);
}
