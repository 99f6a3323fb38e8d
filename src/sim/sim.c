/* SPDX-License-Identifier: MIT
 *
 * sim.c - the loop: what comes next, and who has the CPU until then.
 */
#include "sim/state.h"

#include <stdlib.h>

void tg_sim_emit_event(struct tg_sim *s, enum tg_sim_event_kind kind, uint32_t index,
                       uint32_t value)
{
    const struct tg_sim_event event = {
        .at_ns = s->now_ns, .kind = kind, .index = index, .value = value};

    s->input->event(s->input->event_ctx, &event);
}

static void show_runner(struct tg_sim *s, uint32_t runner, uint32_t index)
{
    if (TG_UNLIKELY(s->input->event != NULL) &&
        (runner != s->shown_runner || index != s->shown_index)) {
        s->shown_runner = runner;
        s->shown_index = index;
        tg_sim_emit_event(s, TG_SIM_EVENT_RUN, index, runner);
    }
}

/* ---- What comes from outside ----------------------------------------------------------------- */

static void fetch_arrival(struct tg_sim *s)
{
    const struct tg_sim_arrivals *const arrivals = &s->input->arrivals;

    s->has_arrival = arrivals->next != NULL && arrivals->next(arrivals->ctx, &s->arrival) &&
                     s->arrival.at_ns < s->end_ns;
}

static uint32_t may_interrupt(const struct tg_sim *s)
{
    return s->unmasked & ~s->held;
}

static void arrive(struct tg_sim *s, const struct tg_sim_arrival *arrival)
{
    const uint32_t wanted = arrival->frame != NULL ? arrival->frame->queue : arrival->queue;
    const uint32_t queue = s->nic.is_single ? 0u : wanted;

    if (queue >= s->nic.n_queues || arrival->at_ns < s->now_ns) {
        s->err = TG_SIM_ERR_ARRIVALS;
        s->is_stopped = true;
        return;
    }
    if (arrival->frame == NULL) {
        tg_nic_disturb(&s->nic, queue);
    } else {
        tg_account_arrival(s, queue, arrival->frame,
                           tg_nic_arrive(&s->nic, queue, arrival->frame, s->now_ns));
    }
    if ((s->nic.asking & may_interrupt(s)) != 0u) {
        s->is_stale = true;
    }
}

static void sample(struct tg_sim *s)
{
    s->sample_at_ns += s->input->sample_ns;
    s->ops->count(s);
    s->input->sample(s->input->sample_ctx, s->now_ns, s->out);
}

static tg_ns earlier(tg_ns a, tg_ns b)
{
    return a < b ? a : b;
}

static tg_ns next_happening(const struct tg_sim *s)
{
    tg_ns at_ns = s->has_arrival ? s->arrival.at_ns : TG_SIM_NEVER;

    at_ns = earlier(at_ns, tg_heap_at_ns(&s->releases));
    at_ns = earlier(at_ns, s->tick_is_due ? TG_SIM_NEVER : s->timer_at_ns);
    at_ns = earlier(at_ns, s->nic.timer_at_ns);
    return earlier(at_ns, s->sample_at_ns);
}

/* Everything that happens now, before work that ends now has its effect: a frame that comes at the
 * last instant of a step is seen by whoever looks when it ends. */
static void happen(struct tg_sim *s)
{
    while (s->has_arrival && s->arrival.at_ns <= s->now_ns && !s->is_stopped) {
        arrive(s, &s->arrival);
        fetch_arrival(s);
    }
    if (tg_heap_at_ns(&s->releases) <= s->now_ns) {
        tg_task_release(s);
    }
    if (s->nic.timer_at_ns <= s->now_ns) {
        tg_nic_timer(&s->nic, s->now_ns);
        s->is_stale = true;
    }
    if (s->timer_at_ns <= s->now_ns && !s->tick_is_due) {
        s->tick_is_due = true;
        s->is_stale = true;
    }
    if (s->sample_at_ns <= s->now_ns) {
        sample(s);
    }
}

/* ---- Interrupt level ------------------------------------------------------------------------- */

static void start_step(struct tg_sim *s, enum tg_activity activity, uint32_t queue, tg_ns cost_ns)
{
    static const enum tg_sim_runner runners[] = {[TG_ACTIVITY_INTERRUPT] = TG_SIM_RUN_INTERRUPT,
                                                 [TG_ACTIVITY_TICK] = TG_SIM_RUN_TICK,
                                                 [TG_ACTIVITY_POLL] = TG_SIM_RUN_POLL};

    s->activity = activity;
    s->activity_queue = queue;
    s->activity_end_ns = s->now_ns + cost_ns;
    s->step_ns = s->now_ns;
    tg_nic_step(&s->nic);
    show_runner(s, (uint32_t)runners[activity], queue);
}

static void start_interrupt(struct tg_sim *s, uint32_t queue)
{
    const uint32_t bit = 1u << queue;
    tg_ns cost_ns = s->nic.filled_pkts[queue] != 0u ? s->ops->frame_ns(s, queue) : 0u;

    if ((s->in_service & bit) == 0u) {
        s->in_service |= bit;
        s->out->interrupts++;
        s->out->queues[queue].interrupts++;
        cost_ns += s->system->irq_ns;
    }
    s->nic.spurious &= ~bit;
    if (s->nic.filled_pkts[queue] == 0u) {
        s->nic.asking &= ~bit;
    }
    start_step(s, TG_ACTIVITY_INTERRUPT, queue, cost_ns);
}

static uint32_t rank_of(const struct tg_sim *s, uint32_t queue)
{
    return s->nic.queues[queue].cfg->rank;
}

/* The queue of the highest rank among these, or TG_SIM_NOBODY. */
static uint32_t highest_rank(const struct tg_sim *s, uint32_t queues)
{
    uint32_t best = TG_SIM_NOBODY;

    for (uint32_t i = 0u; queues != 0u; i++, queues >>= 1) {
        if ((queues & 1u) != 0u && (best == TG_SIM_NOBODY || rank_of(s, i) > rank_of(s, best))) {
            best = i;
        }
    }
    return best;
}

/* The frame to poll next in the tick handler. Finding nothing takes no time: the tick has paid for
 * it. */
static uint32_t poll_target(struct tg_sim *s)
{
    while (s->is_polling) {
        const uint32_t queue = s->ops->poll_target(s);

        if (queue != TG_SIM_NOBODY) {
            return queue;
        }
        s->step_ns = s->now_ns;
        s->is_polling = s->ops->poll(s);
    }
    return TG_SIM_NOBODY;
}

/* Returns: false if interrupt level has nothing to do. */
static bool choose_step(struct tg_sim *s)
{
    if (s->tick_is_due) {
        s->tick_is_due = false;
        s->timer_at_ns = TG_SIM_NEVER;
        s->out->ticks++;
        start_step(s, TG_ACTIVITY_TICK, 0u, s->system->receive.tick_ns);
        return true;
    }
    const uint32_t polled = poll_target(s);
    const uint32_t asking = highest_rank(s, s->nic.asking & may_interrupt(s));

    if (polled != TG_SIM_NOBODY &&
        (asking == TG_SIM_NOBODY || rank_of(s, polled) >= rank_of(s, asking))) {
        start_step(s, TG_ACTIVITY_POLL, polled, s->ops->frame_ns(s, polled));
        return true;
    }
    if (asking != TG_SIM_NOBODY) {
        start_interrupt(s, asking);
        return true;
    }
    return false;
}

static void finish_step(struct tg_sim *s)
{
    const uint32_t bit = 1u << s->activity_queue;

    switch (s->activity) {
    case TG_ACTIVITY_INTERRUPT:
        if (!s->ops->interrupt(s, s->activity_queue)) {
            s->in_service &= ~bit;
        }
        break;
    case TG_ACTIVITY_TICK:
        if (s->ops->tick(s)) {
            if (s->poller != NULL) {
                tg_cpu_ready(&s->cpu, s->poller);
            } else {
                s->is_polling = true;
            }
        }
        break;
    default:
        s->out->polled++;
        s->is_polling = s->ops->poll(s);
        break;
    }
    s->in_service &= s->unmasked;
}

/* An adversary that answers the end of reception with another frame. */
static bool react(struct tg_sim *s)
{
    struct tg_sim_arrival arrival;
    const struct tg_sim_view view = {
        .now_ns = s->now_ns, .unmasked = may_interrupt(s), .filled_pkts = s->nic.filled_pkts};

    if (s->input->react == NULL || !s->input->react(s->input->react_ctx, &view, &arrival)) {
        return false;
    }
    arrival.at_ns = s->now_ns;
    arrive(s, &arrival);
    return !s->is_stopped;
}

/* ---- The CPU --------------------------------------------------------------------------------- */

static void choose_thread(struct tg_sim *s, struct tg_thread *t)
{
    s->cpu.current = t;
    if (t == s->cpu.latest) {
        return;
    }
    s->cpu.latest = t;
    t->switch_left_ns = s->system->switch_ns;
    s->out->switches++;
}

/* The kernel writes the register as soon as it knows who runs next: at a release as at the end of a
 * job, so that no queue below comes in between. An interrupt that is held back is left. */
static void write_register(struct tg_sim *s)
{
    const struct tg_thread *const running = tg_cpu_pick(&s->cpu);

    s->held = 0u;
    for (uint32_t i = 0u; i < s->nic.n_queues; i++) {
        if (running != NULL && running->priority >= s->nic.queues[i].cfg->priority_max) {
            s->held |= 1u << i;
        }
    }
    s->in_service &= ~s->held;
}

static void choose(struct tg_sim *s)
{
    s->is_stale = false;
    while (!s->is_stopped) {
        if (s->has_register) {
            write_register(s);
        }
        /* A refill is counted from the start of the step that asked for it: it may be past. */
        s->tick_is_due = s->tick_is_due || s->timer_at_ns <= s->now_ns;
        if (!tg_cpu_is_irq_off(&s->cpu)) {
            if (choose_step(s)) {
                return;
            }
            if (react(s)) {
                continue;
            }
        }
        struct tg_thread *const t = tg_cpu_pick(&s->cpu);

        if (t == NULL) {
            s->cpu.current = NULL;
            s->activity = TG_ACTIVITY_IDLE;
            s->activity_end_ns = TG_SIM_NEVER;
            show_runner(s, TG_SIM_RUN_IDLE, 0u);
            return;
        }
        choose_thread(s, t);
        if (t->switch_left_ns == 0u && !t->has_job && !tg_thread_begin(s, t)) {
            continue;
        }
        s->activity = TG_ACTIVITY_THREAD;
        s->activity_end_ns = s->now_ns + tg_cpu_stretch_ns(t);
        show_runner(s, t->kind, t->index);
        return;
    }
}

static enum tg_sim_share share_of_thread(const struct tg_thread *t)
{
    switch (t->kind) {
    case TG_SIM_RUN_PROTOCOL:
        return TG_SIM_SHARE_PROTOCOL;
    case TG_SIM_RUN_RECEIVER:
        return TG_SIM_SHARE_RECEIVERS;
    case TG_SIM_RUN_POLLER:
        return TG_SIM_SHARE_INTERRUPTS;
    default:
        return TG_SIM_SHARE_TASKS;
    }
}

static enum tg_sim_share share_of(const struct tg_sim *s)
{
    switch (s->activity) {
    case TG_ACTIVITY_IDLE:
        return TG_SIM_SHARE_IDLE;
    case TG_ACTIVITY_THREAD:
        return share_of_thread(s->cpu.current);
    default:
        return TG_SIM_SHARE_INTERRUPTS;
    }
}

/* Let time pass; never beyond the end of what the CPU does. */
static void pass(struct tg_sim *s, tg_ns at_ns)
{
    const tg_ns span_ns = at_ns - s->now_ns;

    s->out->cpu_ns[share_of(s)] += span_ns;
    if (s->activity == TG_ACTIVITY_THREAD) {
        struct tg_thread *const t = s->cpu.current;

        if (t->switch_left_ns != 0u) {
            t->switch_left_ns -= span_ns;
        } else {
            t->done_ns += span_ns;
        }
    }
    s->now_ns = at_ns;
}

static void finish_activity(struct tg_sim *s)
{
    if (s->activity == TG_ACTIVITY_THREAD) {
        tg_thread_advance(s, s->cpu.current);
    } else {
        finish_step(s);
    }
}

static void run(struct tg_sim *s)
{
    s->shown_runner = TG_SIM_NOBODY;
    fetch_arrival(s);
    happen(s);
    choose(s);
    while (!s->is_stopped) {
        const tg_ns at_ns = earlier(next_happening(s), s->activity_end_ns);

        if (at_ns > s->end_ns) {
            pass(s, s->end_ns);
            return;
        }
        pass(s, at_ns);
        happen(s);
        if (s->activity_end_ns == s->now_ns) {
            finish_activity(s);
            choose(s);
        } else if (s->is_stale && s->activity <= TG_ACTIVITY_THREAD) {
            choose(s);
        }
    }
}

int tg_sim_run(const struct tg_sim_input *input, struct tg_sim_results *out)
{
    struct tg_sim *const s = calloc(1u, sizeof *s);

    *out = (struct tg_sim_results){.policy = input->policy};
    if (s == NULL) {
        return TG_SIM_ERR_MEMORY;
    }
    s->input = input;
    s->system = input->system;
    s->out = out;
    s->end_ns = input->for_ns;
    s->sample_at_ns = input->sample_ns != 0u ? input->sample_ns : TG_SIM_NEVER;

    int err = tg_sim_setup(s);

    if (err == 0) {
        run(s);
        err = tg_account_close(s);
    }
    tg_sim_teardown(s);
    free(s);
    return err;
}
