/* SPDX-License-Identifier: MIT
 *
 * shadow_test.c - the conformance test on the shadow port: no cache operation may be forgotten.
 */
#include "cases.h"
#include "shadow_port.h"
#include "single.h"

static struct tg_shadow_port port;
static uint8_t memory[WORLD_BUFFERS * WORLD_BUFFER_BYTES];
static uint8_t fetched[WORLD_BUFFERS * WORLD_BUFFER_BYTES];

struct tg_sim_port *single_open(struct world *w, uint32_t floor)
{
    const struct tg_shadow_memory all = {.cpu = w->memory,
                                         .memory = memory,
                                         .fetched = fetched,
                                         .n_buffers = WORLD_BUFFERS,
                                         .buffer_bytes = WORLD_BUFFER_BYTES};

    tg_shadow_port_init(&port, 1000000u, floor, &all, rng_next(single_rng()) | 1u);
    return &port.sim;
}

void single_between(struct world *w)
{
    (void)w;
    if (rng_percent(single_rng(), 1u)) {
        tg_shadow_port_age(&port);
    }
}

void harness_nic_write(struct world *w, uint8_t *data, const uint8_t *bytes, uint32_t len_bytes)
{
    (void)w;
    tg_shadow_port_nic_write(&port, data, bytes, len_bytes);
}

int main(void)
{
    single_init("port_shadow");
    return conformance_run("shadow");
}
