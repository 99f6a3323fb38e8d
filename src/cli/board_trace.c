/* SPDX-License-Identifier: MIT
 *
 * board_trace.c - the trace that the lab's firmware wrote: records of struct tg_event.
 */
#include "board_trace.h"

#include "lab/plan.h"

#define RECORD_BYTES 16u

/* What has begun and not ended; a task's work and a receiver's have one each. */
struct open {
    bool is_open;
    tg_ns since_ns;
};

struct reader {
    const struct tg_system *system;
    struct tg_run_trace *out;
    tg_ns start_ns; /* of the plan, on the board's clock */
    tg_ns last_ns;
    struct open interrupt;
    struct open protocol;
    struct open tasks[TG_SYSTEM_TASKS_MAX + TG_SYSTEM_SERVERS_MAX];
    struct open receivers[TG_SYSTEM_FLOWS_MAX];
};

static uint64_t little_endian(const uint8_t *bytes, size_t n)
{
    uint64_t value = 0u;

    while (n-- > 0u) {
        value = value << 8 | bytes[n];
    }
    return value;
}

static void begin(struct open *o, tg_ns at_ns)
{
    *o = (struct open){.is_open = true, .since_ns = at_ns};
}

/* What had begun before the trace did is shown from there on. */
static void end(struct reader *r, struct open *o, enum tg_sim_runner runner, uint32_t index,
                tg_ns at_ns)
{
    tg_run_trace_slice(r->out, runner, index, o->is_open ? o->since_ns : 0u, at_ns);
    o->is_open = false;
}

static void show(struct reader *r, enum tg_sim_event_kind kind, tg_ns at_ns, uint32_t index,
                 uint32_t value)
{
    tg_run_trace_event(r->out, &(struct tg_sim_event){
                                   .kind = kind, .at_ns = at_ns, .index = index, .value = value});
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Of the core and its driver. Returns: false if it makes no sense. */
static bool take_core(struct reader *r, uint32_t kind, tg_ns at_ns, uint32_t subject,
                      uint32_t value)
{
    switch (kind) {
    case TG_EVENT_INTERRUPT_IN:
        begin(&r->interrupt, at_ns);
        return true;
    case TG_EVENT_INTERRUPT_OUT:
        end(r, &r->interrupt, TG_SIM_RUN_INTERRUPT, 0u, at_ns);
        return true;
    case TG_EVENT_VERDICT:
        if (subject > r->system->n_flows || value >= TG_VERDICT_NONE) {
            return false;
        }
        show(r, TG_SIM_EVENT_VERDICT, at_ns, subject, value);
        return true;
    case TG_EVENT_RAISE:
    case TG_EVENT_LOWER:
        show(r, TG_SIM_EVENT_PRIORITY, at_ns, 0u, value);
        return true;
    case TG_EVENT_POLLED:
        show(r, TG_SIM_EVENT_POLLED, at_ns, subject, value);
        return true;
    default: /* the verdict says as much as the queue; the packet's own events as DELIVER */
        return kind == TG_EVENT_ENQUEUE || kind == TG_EVENT_DELIVER || kind == TG_EVENT_LINK;
    }
}

static bool take_task(struct reader *r, uint32_t kind, tg_ns at_ns, uint32_t task, uint32_t value)
{
    const struct tg_system *const s = r->system;

    if (task >= s->n_tasks + s->n_servers) {
        return false;
    }
    const bool is_server = task >= s->n_tasks;

    if (kind == LAB_EVENT_JOB_IN) {
        begin(&r->tasks[task], at_ns);
    } else if (kind == LAB_EVENT_JOB_OUT) {
        end(r, &r->tasks[task], is_server ? TG_SIM_RUN_SERVER : TG_SIM_RUN_TASK,
            is_server ? task - (uint32_t)s->n_tasks : task, at_ns);
    }
    if (!is_server && kind != LAB_EVENT_JOB_IN) {
        show(r, kind == LAB_EVENT_RELEASE ? TG_SIM_EVENT_RELEASE : TG_SIM_EVENT_FINISH, at_ns, task,
             value);
    }
    return true;
}

/* flow: as in the results; only those of the system have receivers. */
static bool take_receiver(struct reader *r, uint32_t kind, tg_ns at_ns, uint32_t flow)
{
    if (flow == 0u || flow > r->system->n_flows) {
        return false;
    }
    if (kind == LAB_EVENT_RECEIVER_IN) {
        begin(&r->receivers[flow - 1u], at_ns);
    } else {
        end(r, &r->receivers[flow - 1u], TG_SIM_RUN_RECEIVER, flow - 1u, at_ns);
        show(r, TG_SIM_EVENT_RECEIVED, at_ns, flow, 0u);
    }
    return true;
}

static bool take_lab(struct reader *r, uint32_t kind, tg_ns at_ns, uint32_t subject, uint32_t value)
{
    switch (kind) {
    case LAB_EVENT_RELEASE:
    case LAB_EVENT_JOB_IN:
    case LAB_EVENT_JOB_OUT:
        return take_task(r, kind, at_ns, subject, value);
    case LAB_EVENT_RECEIVER_IN:
    case LAB_EVENT_RECEIVER_OUT:
        return take_receiver(r, kind, at_ns, subject);
    default:
        break;
    }
    if (subject > r->system->n_flows + 1u) {
        return false;
    }
    switch (kind) {
    case LAB_EVENT_ARRIVAL:
        show(r, TG_SIM_EVENT_ARRIVAL, at_ns, subject, 0u);
        return true;
    case LAB_EVENT_LOST:
        show(r, TG_SIM_EVENT_LOST, at_ns, subject, 0u);
        return true;
    case LAB_EVENT_PACKET_IN:
        begin(&r->protocol, at_ns);
        return true;
    case LAB_EVENT_PACKET_OUT:
        end(r, &r->protocol, TG_SIM_RUN_PROTOCOL, 0u, at_ns);
        show(r, TG_SIM_EVENT_DONE, at_ns, subject, 0u);
        return true;
    default:
        return false;
    }
}

static bool take(struct reader *r, const uint8_t *bytes, bool is_first)
{
    const tg_ns at_ns = little_endian(bytes, 8u);
    const uint32_t subject = (uint32_t)little_endian(bytes + 8, 2u);
    const uint32_t kind = bytes[10];
    const uint32_t value = bytes[11];

    if (is_first) {
        r->start_ns = at_ns;
        return kind == LAB_EVENT_START;
    }
    if (at_ns < r->start_ns) {
        return false;
    }
    tg_run_trace_lose(r->out, little_endian(bytes + 12, 4u));
    r->last_ns = at_ns - r->start_ns;
    return kind < LAB_EVENT_START ? take_core(r, kind, r->last_ns, subject, value)
                                  : take_lab(r, kind, r->last_ns, subject, value);
}

/* What has not ended is shown up to the last event. */
static void end_all(struct reader *r)
{
    const struct tg_system *const s = r->system;

    if (r->protocol.is_open) {
        end(r, &r->protocol, TG_SIM_RUN_PROTOCOL, 0u, r->last_ns);
    }
    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        if (r->tasks[i].is_open) {
            end(r, &r->tasks[i], TG_SIM_RUN_TASK, i, r->last_ns);
        }
    }
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        if (r->receivers[i].is_open) {
            end(r, &r->receivers[i], TG_SIM_RUN_RECEIVER, i, r->last_ns);
        }
    }
}

int tg_board_trace(FILE *in, const struct tg_system *system, struct tg_run_trace *out, char *text,
                   size_t text_size)
{
    struct reader r = {.system = system, .out = out};
    uint8_t bytes[RECORD_BYTES];
    unsigned n = 0u;
    size_t size;

    while ((size = fread(bytes, 1u, sizeof bytes, in)) == sizeof bytes) {
        if (!take(&r, bytes, n == 0u)) {
            break;
        }
        n++;
    }
    end_all(&r);
    if (size != 0u || n == 0u || ferror(in) != 0) {
        (void)snprintf(text, text_size, "%u: this is no event of the board", n + 1u);
        return -1;
    }
    return 0;
}
