/* SPDX-License-Identifier: MIT
 *
 * measure.c - how long packets took, by flow.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#define LATENCY_BITS 42u /* up to 73 minutes, more than any deadline of a file */
#define BUCKETS      TG_HIST_BUCKETS(LATENCY_BITS)

int tg_inheriting_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    int err = pthread_mutexattr_init(&attr);

    if (err) {
        return err;
    }
    err = pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    if (!err) {
        err = pthread_mutex_init(lock, &attr);
    }
    (void)pthread_mutexattr_destroy(&attr);
    return err;
}

int tg_measure_init(struct tg_measure *m, const struct tg_system *system)
{
    *m = (struct tg_measure){.system = system, .n_flows = (uint32_t)system->n_flows + 2u};
    m->flows = calloc(m->n_flows, sizeof *m->flows);
    m->buckets = calloc((size_t)m->n_flows * BUCKETS, sizeof *m->buckets);
    if (m->flows == NULL || m->buckets == NULL || tg_inheriting_lock(&m->lock) != 0) {
        free(m->flows);
        free(m->buckets);
        return -1;
    }
    for (uint32_t i = 0u; i < m->n_flows; i++) {
        if (tg_hist_init(&m->flows[i].latency, m->buckets + (size_t)i * BUCKETS, BUCKETS) != 0) {
            abort(); /* BUCKETS is what it asks for */
        }
    }
    return 0;
}

void tg_measure_free(struct tg_measure *m)
{
    (void)pthread_mutex_destroy(&m->lock);
    free(m->flows);
    free(m->buckets);
}

static tg_ns deadline_ns(const struct tg_system *system, uint32_t flow)
{
    const bool is_flow = flow != 0u && flow <= system->n_flows;

    return is_flow ? system->flows[flow - 1u].deadline_ns : TG_SYSTEM_ABSENT;
}

void tg_measure_delivered(struct tg_measure *m, uint32_t flow, tg_ns arrival_ns, tg_ns now_ns)
{
    struct tg_flow_measure *const f = &m->flows[flow];
    const tg_ns latency_ns = now_ns > arrival_ns ? now_ns - arrival_ns : 0u;

    (void)pthread_mutex_lock(&m->lock);
    f->delivered++;
    f->late += latency_ns > deadline_ns(m->system, flow);
    tg_hist_add(&f->latency, latency_ns);
    (void)pthread_mutex_unlock(&m->lock);
}

int tg_measure_read(struct tg_measure *m, struct tg_sim_flow_result *flows)
{
    for (uint32_t i = 0u; i < m->n_flows; i++) {
        uint32_t *const buckets = malloc(BUCKETS * sizeof *buckets);

        if (buckets == NULL) {
            return -1;
        }
        (void)pthread_mutex_lock(&m->lock);
        flows[i].delivered = m->flows[i].delivered;
        flows[i].late = m->flows[i].late;
        flows[i].latency = m->flows[i].latency;
        memcpy(buckets, m->flows[i].latency.buckets, BUCKETS * sizeof *buckets);
        (void)pthread_mutex_unlock(&m->lock);
        flows[i].latency.buckets = buckets;
    }
    return 0;
}
