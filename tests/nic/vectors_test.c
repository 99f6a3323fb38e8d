/* SPDX-License-Identifier: MIT
 *
 * vectors_test.c - the NIC and the software path decide alike, for every frame of tests/vectors:
 * the same flow, best effort or malformed. The format is that of frame_vectors.c.
 */
#include "check_cmocka.h"
#include "nic/model/model.h"
#include "sim_port.h"
#include "system/match_text.h"
#include "tidegate/rx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX    64u
#define BUCKETS      256u
#define MEMORY_BYTES 0x20000u
#define LINE_BYTES   140000u
#define BUFFER       0x4000u
#define MALFORMED    (-1)

/* Both paths, for one list of flows and one station. */
struct pair {
    struct tg_station station;
    struct tg_nic_rule rules[RULES_MAX];
    uint32_t n_rules;
    bool is_open;

    struct tg_nic_model *model;
    uint8_t *memory;
    struct tg_nic_ring ring;

    struct tg_sim_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[1];
    struct tg_gate gates[1];
    struct tg_flow flows[RULES_MAX + 1u];
    uint32_t buckets[BUCKETS];
    struct tg_buffer buffers[RULES_MAX + 2u];
    struct tg_buffer *in_ring;
    uint8_t bytes[TG_NIC_FRAME_MAX];
};

static bool nobody(void *context, uint32_t peer, uint32_t vector)
{
    (void)context;
    (void)peer;
    (void)vector;
    return true;
}

/* ---- The NIC --------------------------------------------------------------------------------- */

static void write_register(struct pair *p, uint32_t offset, uint32_t value)
{
    struct tg_nic_ring port = {.slots = (void *)(p->memory + TG_NIC_WRITE_PORT),
                               .offered = (void *)(p->memory + TG_NIC_WRITES_OFFERED),
                               .returned = (void *)(p->memory + TG_NIC_WRITES_DONE),
                               .size = TG_NIC_WRITE_PORT_MAX};

    port.sent = *port.returned;
    port.done = port.sent;
    tg_nic_ring_offer(&port, offset, value);
    assert_int_equal(tg_nic_model_doorbell(p->model, 0u), TG_WORK_DONE);
    assert_int_equal(tg_nic_ring_slot(&port, port.done)->len_bytes, 1u);
}

static void open_nic(struct pair *p)
{
    const struct tg_nic_setup setup = {.station = p->station,
                                       .rules = p->rules,
                                       .n_rules = p->n_rules,
                                       .n_queues = 1u,
                                       .queues = {{.priority_max = 31u}},
                                       .accepts_unregistered = true};
    const struct tg_nic_backend backend = {.raise = nobody};
    uint32_t bad_rule = 0u;

    p->memory = aligned_alloc(64u, MEMORY_BYTES);
    assert_int_equal(
        tg_nic_model_open(&p->model, &setup, &backend, p->memory, MEMORY_BYTES, 7u, &bad_rule), 0);
    p->ring =
        (struct tg_nic_ring){.slots = (void *)(p->memory + TG_NIC_DATA),
                             .offered = (void *)(p->memory + TG_NIC_Q_OFFERED(0u)),
                             .returned = (void *)(p->memory + TG_NIC_QUEUE(0u) + TG_NIC_Q_RETURNED),
                             .size = 2u};
    write_register(p, TG_NIC_QUEUE(0u) + TG_NIC_Q_RING_BASE, TG_NIC_DATA);
    write_register(p, TG_NIC_QUEUE(0u) + TG_NIC_Q_RING_SIZE, 2u);
    write_register(p, TG_NIC_QUEUE(0u) + TG_NIC_Q_CONTROL, TG_NIC_ENABLE);
}

/* Returns: the rule that took it, 0: best effort, or MALFORMED. */
static int nic_decides(struct pair *p, const uint8_t *bytes, uint32_t len_bytes)
{
    uint8_t *const exact = malloc(len_bytes + 1u); /* a sanitizer sees what is read behind it */

    if (tg_nic_ring_room(&p->ring) == 2u) {
        tg_nic_ring_offer(&p->ring, BUFFER, TG_NIC_FRAME_MAX);
    }
    memcpy(exact + 1, bytes, len_bytes);
    const enum tg_nic_fate fate = tg_nic_model_receive(p->model, exact + 1, len_bytes, 0u);

    free(exact);
    if (fate == TG_NIC_MALFORMED) {
        return MALFORMED;
    }
    assert_int_equal(fate, TG_NIC_DELIVERED);
    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(&p->ring, p->ring.done);

    assert_true(tg_nic_ring_has_returned(&p->ring));
    tg_nic_ring_take(&p->ring);
    assert_int_equal(slot->len_bytes, len_bytes);
    assert_memory_equal(p->memory + BUFFER, bytes, len_bytes);
    return (int)slot->flow;
}

/* ---- The software path ----------------------------------------------------------------------- */

static void open_software(struct pair *p)
{
    const struct tg_gate_config gate = {.budget = {.kind = TG_SERVER_UNLIMITED}};
    const struct tg_queue_config queue = {.ring = 1u};
    struct tg_flow_config flows[RULES_MAX];
    const struct tg_config cfg = {.gates = &gate,
                                  .queues = &queue,
                                  .flows = flows,
                                  .station = p->station,
                                  .best_effort_budget = {.kind = TG_SERVER_UNLIMITED},
                                  .best_effort_reserve_pkts = 1u,
                                  .n_flows = (uint16_t)p->n_rules,
                                  .n_gates = 1u,
                                  .n_queues = 1u};
    const struct tg_storage storage = {.flows = p->flows,
                                       .buckets = p->buckets,
                                       .buffers = p->buffers,
                                       .queues = p->rxqs,
                                       .gates = p->gates,
                                       .n_flows = RULES_MAX + 1u,
                                       .n_buckets = BUCKETS,
                                       .n_buffers = RULES_MAX + 2u};

    for (uint32_t i = 0u; i < p->n_rules; i++) {
        flows[i] = (struct tg_flow_config){.match = p->rules[i].match,
                                           .budget = {.kind = TG_SERVER_UNLIMITED},
                                           .reserve_pkts = 1u};
    }
    for (uint32_t i = 0u; i < RULES_MAX + 2u; i++) {
        p->buffers[i] = (struct tg_buffer){.data = p->bytes, .size_bytes = sizeof p->bytes};
    }
    tg_sim_port_init(&p->port, 0u, 0u);
    assert_int_equal(tg_protocol_init(&p->protocol, &cfg, &storage, &p->port, 1u, 0u, NULL), 0);
    p->in_ring = tg_rxq_fill(&p->protocol.queues[0]);
}

static int software_decides(struct pair *p, const uint8_t *bytes, uint32_t len_bytes, uint32_t tci)
{
    struct tg_rx_frame frame = {.buffer = p->in_ring, .len_bytes = len_bytes, .tci = tci};

    memcpy(p->bytes, bytes, len_bytes);
    const enum tg_verdict verdict = tg_rx_eager(&p->protocol.queues[0], &frame);

    p->in_ring = frame.buffer;
    if (verdict == TG_VERDICT_MALFORMED) {
        return MALFORMED;
    }
    assert_int_equal(verdict, TG_VERDICT_PASSED);
    struct tg_buffer *const packet = tg_rx_next(&p->protocol);
    const int flow = packet->flow;

    tg_rx_done(&p->protocol);
    assert_int_equal(tg_rx_release(&p->protocol, packet), 0);
    return flow;
}

/* ---- The files ------------------------------------------------------------------------------- */

static void close_pair(struct pair *p)
{
    if (p->is_open) {
        tg_nic_model_close(p->model);
        free(p->memory);
        p->is_open = false;
    }
}

/* `name "match", ...`: the quoted parts are the rules, in their order. */
static void take_flows(struct pair *p, char *text)
{
    struct tg_match_error error;

    close_pair(p);
    for (char *open = strchr(text, '"'); open != NULL; open = strchr(open, '"')) {
        char *const end = strchr(open + 1, '"');

        *end = '\0';
        assert_int_equal(tg_match_parse(open + 1, &p->rules[p->n_rules++].match, &error), 0);
        open = end + 1;
    }
}

static void take_station(struct pair *p, const char *text)
{
    unsigned byte[6];
    uint8_t address[6];
    unsigned mtu_bytes;

    assert_int_equal(sscanf(text, "Station address %2x:%2x:%2x:%2x:%2x:%2x, MTU %5u", &byte[0],
                            &byte[1], &byte[2], &byte[3], &byte[4], &byte[5], &mtu_bytes),
                     7);
    for (unsigned i = 0u; i < 6u; i++) {
        address[i] = (uint8_t)byte[i];
    }
    close_pair(p);
    p->station = (struct tg_station){.mac = tg_mac(address), .mtu_bytes = mtu_bytes};
}

/* A NIC that strips no tags sees the outermost one in the bytes. */
static uint32_t put_tag_back(uint8_t *to, const uint8_t *bytes, uint32_t len_bytes, uint32_t tci)
{
    const uint8_t tag[4] = {0x81, 0x00, (uint8_t)(tci >> 8), (uint8_t)tci};

    if (tci == TG_TCI_NONE || len_bytes < 12u) {
        memcpy(to, bytes, len_bytes);
        return len_bytes;
    }
    memcpy(to, bytes, 12u);
    memcpy(to + 12, tag, 4u);
    memcpy(to + 16, bytes + 12, len_bytes - 12u);
    return len_bytes + 4u;
}

static bool take_frame(struct pair *p, const char *file, char *text)
{
    static uint8_t bytes[TG_NIC_FRAME_MAX];
    static uint8_t tagged[TG_NIC_FRAME_MAX + 4u];
    char *const expected = strchr(text, '\t') + 1;
    char *const hex = strchr(expected, '\t') + 1;
    const char *const end = strchr(hex, '\t');
    const uint32_t len_bytes =
        (uint32_t)(end != NULL ? (size_t)(end - hex) : strcspn(hex, "\r\n")) / 2u;
    const uint32_t tci =
        end != NULL && end[1] != '\n' ? (uint32_t)strtoul(end + 1, NULL, 0) : TG_TCI_NONE;

    if (!p->is_open) {
        open_nic(p);
        open_software(p);
        p->is_open = true;
    }
    for (uint32_t i = 0u; i < len_bytes; i++) {
        const char digits[3] = {hex[2u * i], hex[2u * i + 1u], '\0'};

        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    const uint32_t tagged_bytes = put_tag_back(tagged, bytes, len_bytes, tci);

    if (tagged_bytes > TG_NIC_FRAME_MAX) {
        return false;
    }
    const int nic = nic_decides(p, tagged, tagged_bytes);
    const int software = software_decides(p, bytes, len_bytes, tci);

    if (nic != software) {
        fail_msg("%s: %.40s: the NIC says %d, the software path %d", file, text, nic, software);
    }
    assert_int_equal(nic == MALFORMED, expected[0] == 'D' && expected[1] == '\t');
    return true;
}

static uint32_t read_file(const char *path)
{
    static char line[LINE_BYTES];
    static struct pair p;
    FILE *const file = fopen(path, "r");
    uint32_t n = 0u;

    assert_non_null(file);
    memset(&p, 0, sizeof p);
    p.station = (struct tg_station){.mac = UINT64_C(0x010000000002), .mtu_bytes = 1500u};
    while (fgets(line, (int)sizeof line, file) != NULL) {
        char *const flows = strstr(line, "flows:");
        const char *const station = strstr(line, "Station address");

        if (line[0] != '#') {
            n += line[0] != '\n' && take_frame(&p, path, line);
            continue;
        }
        if (station != NULL) {
            take_station(&p, station);
        }
        if (flows != NULL && strspn(line, "# ") == (size_t)(flows - line)) {
            take_flows(&p, flows);
        }
    }
    (void)fclose(file);
    close_pair(&p);
    return n;
}

static void all_vectors_are_decided_alike(void **state)
{
    DIR *const dir = opendir("../vectors");
    uint32_t n = 0u;

    (void)state;
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[300];

        if (strstr(entry->d_name, ".tsv") != NULL) {
            (void)snprintf(path, sizeof path, "../vectors/%s", entry->d_name);
            n += read_file(path);
        }
    }
    (void)closedir(dir);
    print_message("%u frames\n", n);
    assert_true(n > 200u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_vectors_are_decided_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
