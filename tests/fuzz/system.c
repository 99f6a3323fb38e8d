/* SPDX-License-Identifier: MIT
 *
 * system.c - any bytes as a system file: they are refused with places that exist, or they become a
 * system that core and analysis accept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower.h"
#include "sim_port.h"
#include "system/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BUFFERS_MAX 4096u /* more only cost time */

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_errors(const struct tg_errors *errors, size_t size)
{
    require(errors->n != 0u, "refused without an error");
    require(errors->n_more == 0u || errors->n == TG_ERRORS_MAX, "errors left out without need");
    for (size_t i = 0u; i < errors->n; i++) {
        const struct tg_file_error *const e = &errors->items[i];

        require(e->at.line >= 1u && e->at.line <= size + 2u, "a line that does not exist");
        require(e->at.column >= 1u && e->at.column <= size + 2u, "a column that does not exist");
        require(strlen(e->text) < sizeof e->text, "a text without end");
        for (const char *c = e->text; *c != '\0'; c++) {
            require((unsigned char)*c >= ' ' && *c != 0x7f, "a text that is not printable");
        }
    }
}

static void check_core(const struct tg_system *system)
{
    struct tg_system_config c;
    struct tg_sim_port port;
    struct tg_rxq queues[TG_QUEUES_MAX];
    struct tg_gate gates[TG_GATES_MAX];
    struct tg_protocol *const protocol = malloc(sizeof *protocol);
    uint8_t data[TG_FRAME_HEAD_BYTES];
    int bad_flow = 0;

    require(protocol != NULL && tg_system_lower_config(system, &c) == 0, "out of memory");
    require(c.buffer_bytes >= system->receive.station.mtu_bytes + 22u, "buffers are too small");
    if (c.n_buffers <= BUFFERS_MAX) {
        const struct tg_storage storage = {.flows = calloc(c.n_flows, sizeof(struct tg_flow)),
                                           .buckets = calloc(c.n_buckets, sizeof(uint32_t)),
                                           .buffers = calloc(c.n_buffers, sizeof(struct tg_buffer)),
                                           .queues = queues,
                                           .gates = gates,
                                           .n_flows = c.n_flows,
                                           .n_buckets = c.n_buckets,
                                           .n_buffers = c.n_buffers};

        for (uint32_t i = 0u; i < c.n_buffers; i++) {
            storage.buffers[i].data = data;
            storage.buffers[i].size_bytes = sizeof data;
        }
        tg_sim_port_init(&port, 0u, c.config.floor);
        require(tg_protocol_init(protocol, &c.config, &storage, &port, 1u, 0u, &bad_flow) == 0,
                "the core refuses what was accepted");
        free(storage.flows);
        free(storage.buckets);
        free(storage.buffers);
    }
    free(protocol);
    tg_system_config_free(&c);
}

static void check_analysis(const struct tg_system *system)
{
    struct tg_system_analysis a;
    char text[256];

    require(tg_system_lower_analysis(system, &a) == 0, "out of memory");
    if (tg_analysis_input_check(&a.input, text, sizeof text) != 0) {
        require(false, text);
    }
    tg_system_analysis_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;

    require(errors != NULL, "out of memory");
    if (tg_system_parse((const char *)data, size, NULL, &system, errors) != 0) {
        require(system == NULL, "refused, and a system");
        check_errors(errors, size);
    } else {
        require(errors->n == 0u, "accepted with errors");
        check_core(system);
        check_analysis(system);
        tg_system_free(system);
    }
    free(errors);
    return 0;
}
