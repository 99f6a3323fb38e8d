/* SPDX-License-Identifier: MIT
 *
 * run_sweep.c - one scenario over load.
 */
#include "run_sweep.h"
#include "run_flood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S    UINT64_C(1000000000)
#define BELOW_GATE  16u /* the lowest rate is this part of what the gate admits */
#define BEYOND_GATE 32u /* the highest is this multiple, if the wire takes it */

/* ---- Which runs ------------------------------------------------------------------------------ */

/* Two significant digits: rates that can be read. */
static uint64_t rounded(double rate_pps)
{
    const double unit = pow(10.0, floor(log10(rate_pps)) - 1.0);

    return (uint64_t)(floor(rate_pps / unit + 0.5) * unit + 0.5);
}

/* What the largest gate admits, or all that the interrupt can look at. */
static uint64_t admitted_pps(const struct tg_system *system)
{
    const tg_ns step_ns = system->irq_ns + system->receive.eager_ns;
    uint64_t most_pps = 0u;

    for (size_t i = 0u; i < system->n_gates; i++) {
        const struct tg_system_budget *const gate = &system->gates[i];
        const uint64_t pps = gate->kind == TG_SERVER_UNLIMITED
                                 ? NS_PER_S / step_ns
                                 : gate->packets * NS_PER_S / gate->period_ns;

        most_pps = pps > most_pps ? pps : most_pps;
    }
    return most_pps;
}

static void choose_rates(const struct tg_system *system, const struct tg_system_scenario *scenario,
                         uint64_t rates_pps[TG_SWEEP_RATES])
{
    const double own = (double)tg_flood_rate_pps(scenario);
    const double admitted = (double)admitted_pps(system);
    const double wire = system->receive.wire_gap_ns != 0u
                            ? (double)NS_PER_S / (double)system->receive.wire_gap_ns
                            : (double)TG_SYSTEM_RATE_MAX_PPS;
    const double low = fmax(fmin(admitted / BELOW_GATE, own), 10.0);
    const double high = fmax(fmin(fmax(admitted * BEYOND_GATE, own), wire), 4.0 * low);

    for (uint32_t i = 0u; i < TG_SWEEP_RATES; i++) {
        rates_pps[i] = rounded(low * pow(high / low, (double)i / (TG_SWEEP_RATES - 1u)));
    }
}

/* The flood from its start: shares are of flooded time. */
static void cut_scenario(const struct tg_system_scenario *scenario,
                         struct tg_system_traffic *traffic, struct tg_system_scenario *out)
{
    const tg_ns start_ns = tg_flood_start_ns(scenario);
    tg_ns end_ns = 0u;

    *out = *scenario;
    out->traffic = traffic;
    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        traffic[i] = scenario->traffic[i];
        traffic[i].from_ns = traffic[i].from_ns > start_ns ? traffic[i].from_ns - start_ns : 0u;
        traffic[i].until_ns = traffic[i].until_ns > start_ns ? traffic[i].until_ns - start_ns : 1u;
        if (tg_flood_is(&traffic[i]) && traffic[i].until_ns > end_ns) {
            end_ns = traffic[i].until_ns;
        }
    }
    out->for_ns = end_ns < TG_SWEEP_MOST_NS ? end_ns : TG_SWEEP_MOST_NS;
}

tg_ns tg_sweep_to_simulate_ns(const struct tg_system_scenario *scenario)
{
    const tg_ns start_ns = tg_flood_start_ns(scenario);
    tg_ns end_ns = 0u;

    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        if (tg_flood_is(&scenario->traffic[i]) && scenario->traffic[i].until_ns > end_ns) {
            end_ns = scenario->traffic[i].until_ns;
        }
    }
    const tg_ns flood_ns = end_ns - start_ns;

    return TG_SWEEP_RATES * (flood_ns < TG_SWEEP_MOST_NS ? flood_ns : TG_SWEEP_MOST_NS);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* All but the time and rate, which are compared once both are scaled. */
static bool is_same_source(const struct tg_system_traffic *a, const struct tg_system_traffic *b)
{
    return a->kind == b->kind && a->flow == b->flow && a->form == b->form &&
           is_same_text(a->match_text, b->match_text) &&
           is_same_text(a->capture_path, b->capture_path) && a->length_bytes == b->length_bytes &&
           a->from_ns == b->from_ns && a->until_ns == b->until_ns && a->jitter_ns == b->jitter_ns &&
           a->burst_pkts == b->burst_pkts && a->repeat == b->repeat && a->every_ns == b->every_ns &&
           a->rate_pps == b->rate_pps;
}

bool tg_sweep_is_same(const struct tg_system_scenario *a, const struct tg_system_scenario *b)
{
    struct tg_system_traffic scaled_a[TG_SYSTEM_TRAFFIC_MAX];
    struct tg_system_traffic scaled_b[TG_SYSTEM_TRAFFIC_MAX];
    struct tg_system_scenario out;

    if (a->n_traffic != b->n_traffic || a->for_ns != b->for_ns || a->seed != b->seed) {
        return false;
    }
    tg_flood_scale(a, NS_PER_S, scaled_a, &out);
    tg_flood_scale(b, NS_PER_S, scaled_b, &out);
    for (size_t i = 0u; i < a->n_traffic; i++) {
        if (!is_same_source(&scaled_a[i], &scaled_b[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Which figures --------------------------------------------------------------------------- */

static bool is_chosen(const struct tg_sweep *sweep, uint32_t flow)
{
    for (uint32_t i = 0u; i < sweep->n_flows; i++) {
        if (sweep->flows[i] == flow) {
            return true;
        }
    }
    return false;
}

/* The most urgent flows whose own sources send. */
static void choose_flows(const struct tg_system *system, const struct tg_system_scenario *scenario,
                         struct tg_sweep *sweep)
{
    while (sweep->n_flows < TG_SWEEP_FLOWS_MAX) {
        uint32_t best = 0u;

        for (size_t i = 0u; i < scenario->n_traffic; i++) {
            const uint32_t flow = (uint32_t)(scenario->traffic[i].flow + 1);

            if (flow != 0u && !is_chosen(sweep, flow) &&
                (best == 0u ||
                 system->flows[flow - 1u].priority > system->flows[best - 1u].priority)) {
                best = flow;
            }
        }
        if (best == 0u) {
            return;
        }
        sweep->flows[sweep->n_flows++] = best;
    }
}

static void choose_task(const struct tg_system *system, struct tg_sweep *sweep)
{
    for (uint32_t i = 1u; i < system->n_tasks; i++) {
        if (system->tasks[i].priority > system->tasks[sweep->urgent].priority) {
            sweep->urgent = i;
        }
    }
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole != 0u ? 100.0 * (double)part / (double)whole : 0.0;
}

static double per_second(uint64_t packets, tg_ns for_ns)
{
    return (double)packets * (double)NS_PER_S / (double)for_ns;
}

static double seconds(tg_ns ns)
{
    return (double)ns / (double)NS_PER_S;
}

static void take_flows(const struct tg_sim_results *r, const struct tg_sweep *sweep,
                       struct tg_sweep_point *p)
{
    uint64_t rest = 0u;

    for (uint32_t i = 0u; i < r->n_flows; i++) {
        rest += is_chosen(sweep, i) ? 0u : r->flows[i].delivered;
    }
    p->rest_pps = per_second(rest, r->for_ns);
    for (uint32_t i = 0u; i < sweep->n_flows; i++) {
        const struct tg_sim_flow_result *const f = &r->flows[sweep->flows[i]];
        const uint64_t in_time = f->delivered + f->in_flight - f->late;

        p->sent[i] = f->sent;
        p->delivered[i] = f->delivered;
        p->in_time[i] = percent(in_time, f->sent);
        p->latency[i] =
            f->delivered != 0u ? seconds(tg_hist_quantile(&f->latency, 99u, 100u)) : 0.0;
        p->has_all[i] = in_time == f->sent;
    }
}

static void take(const struct tg_sim_results *r, const struct tg_sweep *sweep,
                 struct tg_sweep_point *p)
{
    uint64_t jobs = 0u;
    uint64_t misses = 0u;

    for (uint32_t i = 0u; i < r->n_tasks; i++) {
        jobs += r->tasks[i].jobs;
        misses += r->tasks[i].misses;
    }
    p->interrupts = percent(r->cpu_ns[TG_SIM_SHARE_INTERRUPTS], r->for_ns);
    p->protocol = percent(r->cpu_ns[TG_SIM_SHARE_PROTOCOL], r->for_ns);
    p->tasks =
        percent(r->cpu_ns[TG_SIM_SHARE_TASKS] + r->cpu_ns[TG_SIM_SHARE_RECEIVERS], r->for_ns);
    p->kept = percent(jobs - misses, jobs);
    p->taken = per_second(r->interrupts + r->ticks, r->for_ns);
    p->response = r->n_tasks != 0u ? seconds(r->tasks[sweep->urgent].worst_ns) : 0.0;
    p->keeps_all = misses == 0u;
    take_flows(r, sweep, p);
}

/* A flow that gets more packets when the flood grows: they are not its own source's. Whoever sent
 * them, they are counted with the rest. A few more or less are in flight on the wire at the end. */
static bool is_flooded(const struct tg_sweep *sweep, const bool has[TG_SIM_POLICIES], uint32_t flow)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const uint64_t first = sweep->points[p][0].sent[flow];

        if (has[p] && sweep->points[p][TG_SWEEP_RATES - 1u].sent[flow] > first + first / 8u + 4u) {
            return true;
        }
    }
    return false;
}

static void leave_out(struct tg_sweep *sweep, uint32_t flow)
{
    sweep->n_flows--;
    memmove(&sweep->flows[flow], &sweep->flows[flow + 1u],
            (sweep->n_flows - flow) * sizeof sweep->flows[0]);
    for (uint32_t k = 0u; k < TG_SIM_POLICIES * TG_SWEEP_RATES; k++) {
        struct tg_sweep_point *const p = &sweep->points[k / TG_SWEEP_RATES][k % TG_SWEEP_RATES];

        p->rest_pps += per_second(p->delivered[flow], sweep->for_ns);
        for (uint32_t i = flow; i < sweep->n_flows; i++) {
            p->in_time[i] = p->in_time[i + 1u];
            p->latency[i] = p->latency[i + 1u];
            p->has_all[i] = p->has_all[i + 1u];
            p->sent[i] = p->sent[i + 1u];
            p->delivered[i] = p->delivered[i + 1u];
        }
    }
}

/* ---- The runs -------------------------------------------------------------------------------- */

static int run_one(const struct tg_sim_input *input, struct tg_traffic *traffic,
                   enum tg_sim_policy policy, struct tg_sweep *sweep, struct tg_sweep_point *out)
{
    struct tg_sim_input own = *input;
    struct tg_sim_results results;

    tg_traffic_rewind(traffic);
    own.arrivals = (struct tg_sim_arrivals){.next = tg_traffic_next, .ctx = traffic};
    own.policy = policy;
    own.for_ns = sweep->for_ns;

    const int err = tg_sim_run(&own, &results);

    if (err == 0) {
        take(&results, sweep, out);
    }
    sweep->packets += results.packets;
    tg_sim_results_free(&results);
    return err;
}

static int run_rate(const struct tg_sim_input *input, const struct tg_system_scenario *scenario,
                    const bool has[TG_SIM_POLICIES], uint32_t rate, struct tg_sweep *out,
                    char *text, size_t size)
{
    struct tg_system_traffic scaled_traffic[TG_SYSTEM_TRAFFIC_MAX];
    struct tg_system_scenario scaled;
    struct tg_traffic *traffic;
    int err = 0;

    tg_flood_scale(scenario, out->rates_pps[rate], scaled_traffic, &scaled);
    if (tg_traffic_open(input->system, &scaled, &traffic, text, size) != 0) {
        return -1;
    }
    for (uint32_t p = 0u; p < TG_SIM_POLICIES && err == 0; p++) {
        if (has[p]) {
            err = run_one(input, traffic, (enum tg_sim_policy)p, out, &out->points[p][rate]);
        }
    }
    tg_traffic_close(traffic);
    if (err != 0) {
        (void)snprintf(text, size, "floods of %llu packets a second cannot be simulated: error %d",
                       (unsigned long long)out->rates_pps[rate], err);
    }
    return err != 0 ? -1 : 0;
}

int tg_sweep_run(const struct tg_sim_input *input, const struct tg_system_scenario *scenario,
                 const bool has[TG_SIM_POLICIES], struct tg_sweep *out, char *text, size_t size)
{
    struct tg_system_traffic traffic[TG_SYSTEM_TRAFFIC_MAX];
    struct tg_system_scenario cut;

    *out = (struct tg_sweep){.flood_ns = tg_flood_start_ns(scenario)};
    choose_rates(input->system, scenario, out->rates_pps);
    choose_flows(input->system, scenario, out);
    choose_task(input->system, out);
    cut_scenario(scenario, traffic, &cut);
    out->for_ns = cut.for_ns;
    for (uint32_t rate = 0u; rate < TG_SWEEP_RATES; rate++) {
        if (run_rate(input, &cut, has, rate, out, text, size) != 0) {
            return -1;
        }
    }
    for (uint32_t i = out->n_flows; i-- > 0u;) {
        if (is_flooded(out, has, i)) {
            leave_out(out, i);
        }
    }
    return 0;
}
