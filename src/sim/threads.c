/* SPDX-License-Identifier: MIT
 *
 * threads.c - what a thread does when it gets the CPU, and when part of its work is over.
 *
 *   task, server   one job per release, with the sections of the file; some take the stack's lock
 *   protocol       lock, next packet, its deferred half, hand over, done, unlock, again
 *   receiver       one job per packet of its flow, then the buffer is free
 *   poller         woken by the tick; one step per frame, with everything locked out
 */
#include "sim/state.h"

static void start_job(struct tg_thread *t, tg_ns total_ns)
{
    t->has_job = true;
    t->done_ns = 0u;
    t->total_ns = total_ns;
    t->irq_off_ns = 0u;
    t->section_ns = 0u;
    t->lock_ns = 0u;
}

static bool is_caller(const struct tg_sim *s, const struct tg_thread *t)
{
    return s->locks && t->kind == TG_SIM_RUN_TASK && s->system->tasks[t->index].calls_stack;
}

static struct tg_sim_task *task_of(struct tg_sim *s, const struct tg_thread *t)
{
    return &s->tasks[t->kind == TG_SIM_RUN_TASK ? t->index : s->system->n_tasks + t->index];
}

/* ---- Tasks and time servers ------------------------------------------------------------------ */

static bool begin_task(struct tg_sim *s, struct tg_thread *t)
{
    const struct tg_system_task *const task = &s->system->tasks[t->index];

    if (is_caller(s, t) && !tg_cpu_lock(&s->cpu, t)) {
        return false;
    }
    start_job(t, task->wcet_ns);
    t->irq_off_ns = task->irq_off_ns;
    t->section_ns = task->section_ns;
    if (is_caller(s, t)) {
        t->lock_ns =
            s->system->receive.lock_ns < t->total_ns ? s->system->receive.lock_ns : t->total_ns;
    }
    return true;
}

/* A server's capacity is all that it takes from the CPU, switches included. */
static bool begin_server(struct tg_sim *s, struct tg_thread *t)
{
    const tg_ns capacity_ns = s->system->servers[t->index].capacity_ns;
    const tg_ns switches_ns = 2u * s->system->switch_ns;

    start_job(t, capacity_ns > switches_ns ? capacity_ns - switches_ns : 0u);
    return true;
}

static tg_ns nominal_ns(const struct tg_sim *s, const struct tg_sim_task *state, uint32_t i,
                        uint64_t job)
{
    return state->offset_ns + job * s->system->tasks[i].period_ns;
}

static void miss(struct tg_sim *s)
{
    s->out->has_missed = true;
    s->is_stopped = s->is_stopped || s->input->stop_on_miss;
}

static void judge_job(struct tg_sim *s, uint32_t i)
{
    struct tg_sim_task_result *const out = &s->out->tasks[i];
    const tg_ns response_ns = s->now_ns - nominal_ns(s, &s->tasks[i], i, s->tasks[i].finished);
    const bool is_late = response_ns > s->system->tasks[i].deadline_ns;

    out->worst_ns = response_ns > out->worst_ns ? response_ns : out->worst_ns;
    out->misses += is_late;
    if (is_late) {
        miss(s);
    }
    tg_sim_emit(s, TG_SIM_EVENT_FINISH, i, is_late);
}

static void finish_task(struct tg_sim *s, struct tg_thread *t)
{
    struct tg_sim_task *const state = task_of(s, t);

    if (t->kind == TG_SIM_RUN_TASK) {
        judge_job(s, t->index);
    }
    state->finished++;
    if (state->finished == state->released) {
        tg_cpu_sleep(&s->cpu, t);
    }
}

static tg_ns period_ns(const struct tg_sim *s, uint32_t i)
{
    return i < s->system->n_tasks ? s->system->tasks[i].period_ns
                                  : s->system->servers[i - s->system->n_tasks].period_ns;
}

static tg_ns delay_ns(struct tg_sim *s, uint32_t i, uint64_t job)
{
    if (i >= s->system->n_tasks || s->system->tasks[i].jitter_ns == 0u) {
        return 0u;
    }
    if (s->input->release_delay != NULL) {
        return s->input->release_delay(s->input->release_ctx, i, job);
    }
    return tg_random_below(&s->tasks[i].random, s->system->tasks[i].jitter_ns + 1u);
}

tg_ns tg_task_next_release(struct tg_sim *s, uint32_t i)
{
    const struct tg_sim_task *const state = &s->tasks[i];
    const tg_ns at_ns =
        state->offset_ns + state->released * period_ns(s, i) + delay_ns(s, i, state->released);

    return at_ns < s->end_ns ? at_ns : TG_SIM_NEVER;
}

/* A release that was due before the one in front of it comes together with that (R8). */
void tg_task_release(struct tg_sim *s)
{
    while (tg_heap_at_ns(&s->releases) <= s->now_ns) {
        const uint32_t i = s->releases.items[0].number;
        struct tg_sim_task *const state = &s->tasks[i];

        if (i < s->system->n_tasks) {
            s->out->tasks[i].jobs++;
            tg_sim_emit(s, TG_SIM_EVENT_RELEASE, i, 0u);
            if (state->finished != state->released &&
                s->now_ns >
                    nominal_ns(s, state, i, state->finished) + s->system->tasks[i].deadline_ns) {
                miss(s);
            }
        }
        state->released++;
        tg_cpu_ready(&s->cpu, state->thread);
        tg_heap_replace(&s->releases, tg_task_next_release(s, i));
    }
    s->is_stale = true;
}

/* ---- The protocol task and receivers --------------------------------------------------------- */

static bool begin_packet(struct tg_sim *s, struct tg_thread *t)
{
    if (s->locks && !tg_cpu_lock(&s->cpu, t)) {
        return false; /* without a packet in hand (R7) */
    }
    s->in_hand = s->ops->next(s);
    if (s->in_hand == NULL) {
        tg_cpu_sleep(&s->cpu, t);
        if (s->locks) {
            tg_cpu_unlock(&s->cpu);
        }
        return false;
    }
    const struct tg_sim_flow *const flow = &s->flows[s->in_hand->flow];

    start_job(t, flow->deferred_ns);
    t->irq_off_ns = flow->irq_off_ns;
    t->section_ns = flow->section_ns;
    return true;
}

static void give_back(struct tg_sim *s, struct tg_packet *packet)
{
    tg_account_released(s, packet);
    s->ops->release(s, packet);
}

static void finish_packet(struct tg_sim *s)
{
    struct tg_packet *const packet = s->in_hand;
    struct tg_sim_flow *const flow = &s->flows[packet->flow];

    tg_account_done(s, packet);
    if (flow->receiver != NULL) {
        tg_packet_append(&flow->received, packet);
        tg_cpu_ready(&s->cpu, flow->receiver);
    } else {
        give_back(s, packet);
    }
    s->in_hand = NULL;
    s->ops->done(s);
    if (s->locks) {
        tg_cpu_unlock(&s->cpu);
    }
}

static bool begin_receiver(struct tg_sim *s, struct tg_thread *t)
{
    if (s->flows[t->index + 1u].received.first == NULL) {
        tg_cpu_sleep(&s->cpu, t);
        return false;
    }
    start_job(t, s->system->flows[t->index].receiver_wcet_ns);
    return true;
}

static void finish_receiver(struct tg_sim *s, struct tg_thread *t)
{
    struct tg_sim_flow *const flow = &s->flows[t->index + 1u];
    struct tg_packet *const packet = tg_packet_take(&flow->received);

    tg_account_received(s, packet);
    give_back(s, packet);
    if (flow->received.first == NULL) {
        tg_cpu_sleep(&s->cpu, t);
    }
}

/* ---- The polling task ------------------------------------------------------------------------ */

/* The core's lock is held for all of a frame's step, so nothing else runs meanwhile. */
static bool begin_poll(struct tg_sim *s, struct tg_thread *t)
{
    uint32_t queue;

    s->step_ns = s->now_ns;
    while ((queue = s->ops->poll_target(s)) == TG_SIM_NOBODY) {
        if (!s->ops->poll(s)) { /* takes no time: the tick has paid for finding nothing */
            tg_cpu_sleep(&s->cpu, t);
            return false;
        }
    }
    tg_nic_step(&s->nic);
    start_job(t, s->ops->frame_ns(s, queue));
    t->irq_off_ns = t->total_ns;
    return true;
}

static void finish_poll(struct tg_sim *s)
{
    s->out->polled++;
    (void)s->ops->poll(s); /* whether there is more is seen when the next step begins */
}

/* ---- All of them ----------------------------------------------------------------------------- */

bool tg_thread_begin(struct tg_sim *s, struct tg_thread *t)
{
    switch (t->kind) {
    case TG_SIM_RUN_TASK:
        return begin_task(s, t);
    case TG_SIM_RUN_SERVER:
        return begin_server(s, t);
    case TG_SIM_RUN_PROTOCOL:
        return begin_packet(s, t);
    case TG_SIM_RUN_RECEIVER:
        return begin_receiver(s, t);
    default:
        return begin_poll(s, t);
    }
}

static void finish(struct tg_sim *s, struct tg_thread *t)
{
    t->has_job = false;
    switch (t->kind) {
    case TG_SIM_RUN_TASK:
    case TG_SIM_RUN_SERVER:
        finish_task(s, t);
        break;
    case TG_SIM_RUN_PROTOCOL:
        finish_packet(s);
        break;
    case TG_SIM_RUN_RECEIVER:
        finish_receiver(s, t);
        break;
    default:
        finish_poll(s);
        break;
    }
}

void tg_thread_advance(struct tg_sim *s, struct tg_thread *t)
{
    if (t->switch_left_ns != 0u || !t->has_job) {
        return;
    }
    if (t->lock_ns != 0u && t->done_ns >= t->lock_ns) {
        t->lock_ns = 0u;
        tg_cpu_unlock(&s->cpu);
    }
    if (t->done_ns >= t->total_ns) {
        finish(s, t);
    }
}
