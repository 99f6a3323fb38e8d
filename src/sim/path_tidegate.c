/* SPDX-License-Identifier: MIT
 *
 * path_tidegate.c - the receive path under test: the core itself, on the port without a machine.
 */
#include "sim/state.h"
#include "tidegate/check.h"
#include "sim_port.h"

#include <stdlib.h>

#define TRACE_EVENTS 64u /* more than one call of the core reports */

struct ring {
    struct tg_sim *sim;
    uint32_t queue;
};

struct path {
    struct tg_protocol protocol;
    struct tg_rxq queues[TG_QUEUES_MAX];
    struct tg_gate gates[TG_GATES_MAX];
    struct tg_sim_port port;
    struct tg_system_config config;
    struct tg_storage storage;
    struct ring rings[TG_QUEUES_MAX];
    struct tg_snapshot snapshot;
    struct tg_trace trace;
    struct tg_event events[TRACE_EVENTS];
    bool will_pass; /* the frame of the step, as its cost has it */
    bool sees_all;  /* not only the frames that were there when the step started */
    uint8_t no_bytes[TG_FRAME_HEAD_BYTES]; /* of buffers that no frame is in yet */
};

/* ---- The driver's ring ----------------------------------------------------------------------- */

static bool peek(void *ctx, struct tg_rx_frame *frame)
{
    const struct ring *const ring = ctx;
    struct tg_sim *const s = ring->sim;
    const struct path *const path = s->path;
    const struct tg_nic_slot *const slot = tg_nic_first(&s->nic, ring->queue);

    frame->now_ns = s->step_ns;
    if (slot == NULL || (!path->sees_all && s->nic.queues[ring->queue].visible == 0u)) {
        return false;
    }
    slot->buffer->data = (uint8_t *)(uintptr_t)slot->frame->bytes; /* the core only reads */
    frame->buffer = slot->buffer;
    frame->len_bytes = slot->frame->len_bytes;
    frame->tci = TG_TCI_NONE;
    return true;
}

static void advance(void *ctx, struct tg_buffer *buffer)
{
    const struct ring *const ring = ctx;
    struct tg_sim *const s = ring->sim;
    struct path *const path = s->path;
    struct tg_nic_slot *const slot = tg_nic_first(&s->nic, ring->queue);

    tg_account_step(s, ring->queue, slot);
    if ((buffer != slot->buffer) != path->will_pass) {
        snprintf(s->out->failure, sizeof s->out->failure,
                 "queue %u: a frame cost what another verdict costs", ring->queue);
        s->err = TG_SIM_ERR_INVARIANT;
        s->is_stopped = true;
    }
    if (buffer != slot->buffer) {
        tg_account_accepted(s, &s->packets[slot->buffer - path->storage.buffers], slot);
        slot->buffer = buffer;
    }
    tg_nic_take(&s->nic, ring->queue);
    path->sees_all = true;
}

static const struct tg_ring_ops ring_ops = {.peek = peek, .advance = advance};

/* ---- Around each call of the core ------------------------------------------------------------ */

static void report(struct tg_sim *s, const struct tg_event *e)
{
    switch ((enum tg_event_kind)e->kind) {
    case TG_EVENT_VERDICT:
        tg_sim_emit(s, TG_SIM_EVENT_VERDICT,
                    e->value == TG_VERDICT_MALFORMED ? tg_sim_malformed(s->system) : e->subject,
                    e->value);
        break;
    case TG_EVENT_POLLED:
        tg_sim_emit(s, TG_SIM_EVENT_POLLED, e->subject, e->value);
        break;
    case TG_EVENT_RAISE:
    case TG_EVENT_LOWER:
        tg_sim_emit(s, TG_SIM_EVENT_PRIORITY, 0u, e->value);
        break;
    default:
        break; /* seen by the simulator itself */
    }
}

/* What the core asked its port for. */
static void follow(struct tg_sim *s)
{
    struct path *const path = s->path;
    struct tg_sim_port *const port = &path->port;

    s->unmasked = port->unmasked;
    s->timer_at_ns = port->timer_at_ns;
    if (port->priority != s->protocol->base) {
        tg_cpu_set_base(&s->cpu, s->protocol, port->priority);
    }
    if (port->is_woken) {
        port->is_woken = false;
        tg_cpu_ready(&s->cpu, s->protocol);
    }
    if (s->input->event != NULL) {
        struct tg_event event;

        while (tg_trace_take(&path->trace, &event)) {
            report(s, &event);
        }
    }
}

/* A step that started at s->step_ns ends. The port counts its timer from the start: the core
 * computed the delay from there, and reads the clock no second time. */
static struct path *step(struct tg_sim *s, bool sees_all)
{
    struct path *const path = s->path;

    path->port.now_ns = s->step_ns;
    path->sees_all = sees_all;
    return path;
}

/* Nothing that a verdict depends on changes while the step lasts: only interrupt level takes
 * budgets and buffers, and no thread that gives buffers back runs. Whether that is so is looked at
 * when the core has decided. */
static tg_ns frame_ns(struct tg_sim *s, uint32_t queue)
{
    struct path *const path = s->path;
    const uint32_t number = tg_nic_first(&s->nic, queue)->frame->flow;

    path->will_pass = false;
    if (number != tg_sim_malformed(s->system)) {
        const struct tg_flow *const flow = &path->protocol.table.flows[number];
        struct tg_server server = flow->server; /* asking must not refill it */

        path->will_pass =
            flow->counters.held_pkts < flow->reserve_pkts && tg_server_left(&server, s->now_ns);
    }
    return path->will_pass ? s->system->receive.eager_ns : s->system->receive.refused_ns;
}

static bool interrupt(struct tg_sim *s, uint32_t queue)
{
    struct path *const path = step(s, false);
    const bool has_more = tg_rxq_interrupt(&path->protocol.queues[queue], 1u) == TG_WORK_MORE;

    follow(s);
    return has_more;
}

static bool tick(struct tg_sim *s)
{
    struct path *const path = step(s, false);

    path->port.timer_at_ns = TG_SIM_NEVER;

    const bool has_more = tg_rx_tick(&path->protocol, s->step_ns) == TG_WORK_MORE;

    follow(s);
    return has_more;
}

static uint32_t poll_target(struct tg_sim *s)
{
    struct path *const path = s->path;

    for (const struct tg_rxq *q = path->protocol.highest; q != NULL; q = q->lower) {
        if (q->gate->is_polled && s->nic.filled_pkts[q->number] != 0u &&
            tg_server_left(&q->gate->server, s->now_ns)) {
            return q->number;
        }
    }
    return TG_SIM_NOBODY;
}

static bool poll(struct tg_sim *s)
{
    /* A poll that takes no time ends when it starts. */
    struct path *const path = step(s, s->step_ns == s->now_ns);
    const bool has_more = tg_rx_poll(&path->protocol, 1u) == TG_WORK_MORE;

    follow(s);
    return has_more;
}

static struct tg_packet *next(struct tg_sim *s)
{
    struct path *const path = s->path;
    const struct tg_buffer *const buffer = tg_rx_next(&path->protocol);

    follow(s);
    return buffer != NULL ? &s->packets[buffer - path->storage.buffers] : NULL;
}

static void done(struct tg_sim *s)
{
    struct path *const path = s->path;

    tg_rx_done(&path->protocol);
    follow(s);
}

static void release(struct tg_sim *s, struct tg_packet *packet)
{
    struct path *const path = s->path;

    if (tg_rx_release(&path->protocol, &path->storage.buffers[packet - s->packets]) != 0) {
        s->err = TG_SIM_ERR_INVARIANT;
        s->is_stopped = true;
    }
}

/* ---- Start and end --------------------------------------------------------------------------- */

static int reserve(struct tg_sim *s, struct path *path)
{
    const struct tg_system_config *const config = &path->config;
    struct tg_buffer *const buffers = calloc(s->n_packets, sizeof *buffers);

    path->storage = (struct tg_storage){
        .flows = calloc(config->n_flows, sizeof *path->storage.flows),
        .buckets = calloc(config->n_buckets, sizeof *path->storage.buckets),
        .buffers = buffers,
        .queues = path->queues,
        .gates = path->gates,
        .n_flows = config->n_flows,
        .n_buckets = config->n_buckets,
        .n_buffers = s->n_packets,
    };
    path->snapshot.flows = calloc(config->n_flows, sizeof *path->snapshot.flows);
    if (path->storage.flows == NULL || path->storage.buckets == NULL || buffers == NULL ||
        path->snapshot.flows == NULL) {
        return TG_SIM_ERR_MEMORY;
    }
    for (uint32_t i = 0u; i < s->n_packets; i++) {
        buffers[i].data = path->no_bytes;
        buffers[i].size_bytes = config->buffer_bytes;
    }
    return 0;
}

static int start(struct tg_sim *s, struct path *path)
{
    struct tg_protocol *const p = &path->protocol;
    struct tg_random random;
    int bad_flow;

    tg_random_init(&random, s->input->seed, TG_RANDOM_HASH, 0u);
    tg_sim_port_init(&path->port, 0u, s->system->receive.floor);
    if (s->input->event != NULL) {
        path->config.config.trace = true;
        path->port.trace = &path->trace;
    }
    if (tg_trace_init(&path->trace, path->events, TRACE_EVENTS) != 0) {
        return TG_SIM_ERR_CONFIG;
    }
    const int err = tg_protocol_init(p, &path->config.config, &path->storage, &path->port,
                                     tg_random_next(&random), 0u, &bad_flow);
    if (err != 0) {
        snprintf(s->out->failure, sizeof s->out->failure,
                 "the core refuses the configuration: error %d, flow %d", err, bad_flow);
        return TG_SIM_ERR_CONFIG;
    }
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        path->rings[i] = (struct ring){.sim = s, .queue = i};

        struct tg_rxq *const q = tg_rxq_attach(p, i, &ring_ops, &path->rings[i]);

        for (uint32_t k = 0u; k < s->nic.queues[i].size; k++) {
            s->nic.queues[i].slots[k].buffer = tg_rxq_fill(q);
        }
        tg_rxq_link(q, true);
    }
    follow(s);
    return 0;
}

static int open(struct tg_sim *s)
{
    struct path *const path = calloc(1u, sizeof *path);

    s->path = path;
    if (path == NULL || tg_system_lower_config(s->system, &path->config) != 0 ||
        reserve(s, path) != 0) {
        return TG_SIM_ERR_MEMORY;
    }
    s->protocol->base = s->system->receive.floor;
    s->protocol->priority = s->protocol->base;
    return start(s, path);
}

static void close(struct tg_sim *s)
{
    struct path *const path = s->path;

    if (path != NULL) {
        tg_system_config_free(&path->config);
        free(path->storage.flows);
        free(path->storage.buckets);
        free(path->storage.buffers);
        free(path->snapshot.flows);
        free(path);
    }
}

static void count(struct tg_sim *s)
{
    struct path *const path = s->path;
    const struct tg_snapshot *const snapshot = &path->snapshot;
    struct tg_sim_flow_result *const flows = s->out->flows;
    struct tg_sim_flow_result *const malformed = &flows[s->out->n_flows - 1u];

    tg_rx_snapshot(&path->protocol, &path->snapshot);
    for (uint32_t i = 0u; i + 1u < s->out->n_flows; i++) {
        flows[i].dropped_budget = snapshot->flows[i].dropped_budget;
        flows[i].dropped_no_buffer = snapshot->flows[i].dropped_no_buffer;
    }
    malformed->malformed = s->nic.malformed;
    flows[0].unregistered = s->nic.unregistered;
    s->out->mode_changes = 0u;
    for (uint32_t i = 0u; i < s->out->n_queues; i++) {
        malformed->malformed += snapshot->queues[i].malformed;
        flows[0].unregistered += snapshot->queues[i].unregistered;
        s->out->queues[i].spurious = snapshot->queues[i].spurious;
    }
    for (uint32_t i = 0u; i < path->protocol.n_gates; i++) {
        s->out->mode_changes += snapshot->closed[i];
    }
}

static const char *check(struct tg_sim *s)
{
    struct path *const path = s->path;

    for (uint32_t i = 0u; i + 1u < s->out->n_flows; i++) {
        if (path->snapshot.flows[i].passed != s->flows[i].accepted) {
            return "the core and the simulator count different packets";
        }
    }
    return tg_protocol_check(&path->protocol);
}

const struct tg_path_ops tg_path_tidegate = {
    .open = open,
    .close = close,
    .frame_ns = frame_ns,
    .interrupt = interrupt,
    .tick = tick,
    .poll_target = poll_target,
    .poll = poll,
    .next = next,
    .done = done,
    .release = release,
    .count = count,
    .check = check,
};
