/* SPDX-License-Identifier: MIT
 *
 * tasks.c - response times with arbitrary deadlines: every job of the longest busy window.
 */
#include "analysis/tasks.h"

struct job {
    struct tg_level *level;
    const struct tg_task *task;
    uint64_t blocking;
    uint64_t jobs; /* of the task itself, this one included */
};

/* Others of the same priority interfere; the task's own releases are counted by job number. */
static uint64_t other_tasks(const struct job *job, uint64_t span)
{
    const struct tg_task *t = job->task;
    const uint64_t all = tg_level_tasks(job->level, span, 0);
    const uint64_t own = tg_mul(t->wcet, tg_ceil_div(tg_add(span, t->jitter), t->period));

    return tg_sub(all, own);
}

static uint64_t job_demand(void *context, uint64_t span)
{
    const struct job *job = context;
    struct tg_room room;
    uint64_t sum = tg_add_product(job->blocking, job->jobs, job->task->wcet);

    sum = tg_add(sum, tg_level_interrupts(job->level, span, &room));
    sum = tg_add(sum, other_tasks(job, span));
    return tg_add(sum, tg_level_flows(job->level, TG_VIEW_FLOOD, span, &room, NULL));
}

/* [L_i] with the task's own resource blocking. */
static uint64_t busy_window(const struct job *job, uint64_t limit, uint32_t *steps)
{
    struct job all = *job;
    uint64_t w = job->level->busy[TG_VIEW_FLOOD].value;

    if (job->blocking == job->level->blocking.total) {
        return w; /* no resource of its own: the level's */
    }
    for (;;) {
        all.jobs = tg_ceil_div(tg_add(w, job->task->jitter), job->task->period);
        const uint64_t next = job_demand(&all, w);
        if (next <= w) {
            return w;
        }
        if (next > limit || *steps == 0) {
            return TG_NO_BOUND;
        }
        w = next;
        (*steps)--;
    }
}

static struct tg_breakdown parts_of(const struct job *job, uint64_t finish)
{
    struct tg_room room;
    const uint64_t interrupts = tg_level_interrupts(job->level, finish, &room);

    return (struct tg_breakdown){
        .blocking = job->blocking,
        .own = tg_mul(job->jobs, job->task->wcet),
        .tasks = other_tasks(job, finish),
        .interrupts = interrupts,
        .flows = tg_level_flows(job->level, TG_VIEW_FLOOD, finish, &room, NULL),
        .jitter = job->task->jitter,
        .elapsed = tg_mul(job->jobs - 1, job->task->period),
    };
}

static void unbounded(struct tg_task_result *out, struct tg_why why)
{
    out->response = tg_unbounded(why);
    out->from_release = TG_NO_BOUND;
    out->busy_window = TG_NO_BOUND;
}

/* Is the job, which arrives at that offset, certainly no worse than those before it? One look at
 * the time when it would be: if it can have ended by then, it has. */
static bool is_harmless(struct job *job, uint64_t arrival, const struct tg_task_result *worst)
{
    const uint64_t jitter = job->task->jitter;
    const uint64_t from_arrival = tg_sub(tg_add(worst->response.value, arrival), jitter);
    const uint64_t from_release = tg_add(worst->from_release, tg_sub(arrival, jitter));
    const uint64_t finish = tg_min(from_arrival, from_release);

    return finish > 0 && job_demand(job, finish) <= finish;
}

/* The worst of all jobs that start in the busy window. */
static void worst_job(struct job *job, uint64_t limit, uint32_t *steps, struct tg_task_result *out)
{
    const struct tg_task *t = job->task;
    const tg_share others =
        tg_share_sub(job->level->share[TG_VIEW_FLOOD].total.lower, t->share.lower);
    const uint64_t jobs = tg_ceil_div(tg_add(out->busy_window, t->jitter), t->period);
    uint64_t finish = 0;
    uint64_t worst_finish = 0;

    out->response.value = 0;
    out->from_release = 0;
    for (uint64_t k = 0; k < jobs; k++) {
        const uint64_t arrival = tg_mul(k, t->period);
        /* No job ends after the busy window. */
        if (tg_sub(tg_add(out->busy_window, t->jitter), arrival) <= out->response.value &&
            tg_sub(out->busy_window, tg_sub(arrival, t->jitter)) <= out->from_release) {
            break;
        }
        job->jobs = k + 1;
        if (k > 0 && *steps > 0 && is_harmless(job, arrival, out)) {
            (*steps)--;
            continue;
        }
        const uint64_t least =
            tg_level_least(job->level, tg_add_product(job->blocking, job->jobs, t->wcet), others);
        finish = tg_least_fixed_point(job_demand, job, tg_max(least, finish), limit, steps);
        if (finish == TG_NO_BOUND) {
            unbounded(out, tg_why(TG_WHY_NO_CONVERGENCE));
            return;
        }
        const uint64_t response = tg_sub(tg_add(finish, t->jitter), arrival);
        if (response > out->response.value) {
            out->response.value = response;
            out->worst_job = k;
            worst_finish = finish;
        }
        out->from_release = tg_max(out->from_release, tg_sub(finish, tg_sub(arrival, t->jitter)));
    }
    job->jobs = out->worst_job + 1;
    out->response.parts = parts_of(job, worst_finish);
}

static void judge(struct tg_task_result *out, uint64_t deadline)
{
    const uint64_t bound = out->response.value;

    out->slack = INT64_MAX;
    if (deadline != TG_NO_BOUND) {
        out->slack = bound == TG_NO_BOUND ? INT64_MIN : (int64_t)deadline - (int64_t)bound;
    }
    out->met = bound <= deadline;
    if (out->met) {
        return;
    }
    out->why = out->response.why;
    if (bound != TG_NO_BOUND) {
        out->why = tg_why(TG_WHY_DEADLINE);
        out->why.a = bound;
        out->why.b = deadline;
    }
}

struct tg_task_result tg_task_response(struct tg_level *level, const struct tg_task *task)
{
    const struct tg_analysis_task *in = &level->model->in->tasks[task->index];
    const struct tg_bound *busy = &level->busy[TG_VIEW_FLOOD];
    struct tg_task_result out = {.blocking = level->blocking};
    struct tg_why why;
    uint32_t steps = TG_STEPS_MAX;

    out.blocking.resource = in->blocking;
    out.blocking.total = tg_add(level->blocking.total, in->blocking);
    out.left_ppm = tg_sub(1000000, tg_share_ppm(level->share[TG_VIEW_FLOOD].total.upper));

    struct job job = {level, task, out.blocking.total, 1};
    if (busy->value == TG_NO_BOUND) {
        unbounded(&out, busy->why);
    } else {
        const uint64_t limit =
            tg_level_limit(level, TG_VIEW_FLOOD, &level->share[TG_VIEW_FLOOD], &why);
        out.busy_window = busy_window(&job, limit, &steps);
        if (out.busy_window == TG_NO_BOUND) {
            unbounded(&out, tg_why(TG_WHY_NO_CONVERGENCE));
        } else {
            worst_job(&job, limit, &steps, &out);
        }
    }
    judge(&out, in->deadline);
    return out;
}

/* The first job, as far as its deadline. */
static uint64_t first_job(struct job *job, uint64_t limit)
{
    const struct tg_task *t = job->task;
    const tg_share others =
        tg_share_sub(job->level->share[TG_VIEW_FLOOD].total.lower, t->share.lower);
    const uint64_t least = tg_level_least(job->level, tg_add(job->blocking, t->wcet), others);
    uint32_t steps = TG_STEPS_MAX;

    return tg_least_fixed_point(job_demand, job, least, limit, &steps);
}

bool tg_task_meets(struct tg_level *level, const struct tg_task *task)
{
    const struct tg_analysis_task *in = &level->model->in->tasks[task->index];
    struct job job = {level, task, tg_add(level->blocking.total, in->blocking), 1};
    struct tg_why why;

    if (in->deadline == TG_NO_BOUND) {
        return true;
    }
    level->share[TG_VIEW_FLOOD] = tg_level_share(level, TG_VIEW_FLOOD, NULL, TG_NO_BOUND);
    const uint64_t limit = tg_level_limit(level, TG_VIEW_FLOOD, &level->share[TG_VIEW_FLOOD], &why);
    if (limit == 0 || in->deadline < task->jitter) {
        return false;
    }
    const uint64_t finish = first_job(&job, tg_min(limit, in->deadline - task->jitter));
    if (finish == TG_NO_BOUND) {
        return false;
    }
    if (tg_add(finish, task->jitter) <= task->period) {
        return true; /* with it the busy window ends */
    }
    tg_level_find_busy_window(level, TG_VIEW_FLOOD);
    return tg_task_response(level, task).met;
}
