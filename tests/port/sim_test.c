/* SPDX-License-Identifier: MIT
 *
 * sim_test.c - the conformance test on the sim port.
 */
#include "cases.h"
#include "single.h"

#include <string.h>

static struct tg_sim_port port;

struct tg_sim_port *single_open(struct world *w, uint32_t floor)
{
    (void)w;
    tg_sim_port_init(&port, 1000000u, floor);
    return &port;
}

void single_between(struct world *w)
{
    (void)w;
}

void harness_nic_write(struct world *w, uint8_t *data, const uint8_t *bytes, uint32_t len_bytes)
{
    (void)w;
    memcpy(data, bytes, len_bytes);
}

int main(void)
{
    single_init("port_sim");
    return conformance_run("sim");
}
