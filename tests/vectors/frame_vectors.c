/* SPDX-License-Identifier: MIT
 *
 * frame_vectors.c - frame_vectors FILE...: does the core give each frame to the flow that the
 * file says?
 *
 * A file holds one frame a line, columns separated by tabs:
 *
 *     name   expected   bytes in hex   [tag control word that the NIC stripped, decimal or 0x hex]
 *
 * expected: a flow's name, B (best effort) or D (malformed). Lines that begin with # are
 * comments, but
 *
 *     # flows: name "match", ...                            binds flows from there on
 *     # ... Station address 02:00:00:00:00:01, MTU 1500 ... sets the station from there on
 *
 * Exit status: 0 all agree, 1 some do not, 2 a file is not in this format.
 */
#include "sim_port.h"
#include "system/match_text.h"
#include "tidegate/rx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLOWS_MAX = 256,
    BUCKETS = 1024,
    NAME_BYTES = 64,
    FRAME_BYTES_MAX = 65535,
    LINE_BYTES = 2 * FRAME_BYTES_MAX + 256,
    COLUMNS_MAX = 4,
    BEST_EFFORT = 0,
    MALFORMED = -1
};

/* Refilled before each frame, and enough for it twice. */
static const struct tg_server_config GATE_BUDGET = {
    .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 4u, .period_ns = TG_PERIOD_MIN_NS};

/* Never spent, and refilled once in so many frames. */
static const struct tg_server_config FLOW_BUDGET = {.kind = TG_SERVER_DEFERRABLE,
                                                    .budget_pkts = TG_SERVER_BUDGET_MAX,
                                                    .period_ns = TG_PERIOD_MAX_NS};

#define FRAME_EVERY_NS (TG_PERIOD_MAX_NS / (TG_SERVER_BUDGET_MAX / 4u))

/* What is known while a file is read. */
struct run {
    const char *path;
    unsigned line;
    unsigned passed;
    unsigned failed;
    struct tg_station station;
    bool is_started; /* the core is up */
    struct tg_sim_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct tg_rxq *queue;
    struct tg_buffer *in_ring;
    struct tg_flow flows[FLOWS_MAX + 1];
    uint32_t buckets[BUCKETS];
    struct tg_buffer buffers[FLOWS_MAX + 2];   /* one in the ring, one reserved by each flow */
    uint8_t no_bytes[TG_FRAME_HEAD_BYTES];     /* of a buffer that no frame is in */
    struct tg_flow_config cfgs[FLOWS_MAX + 1]; /* by flow id */
    char names[FLOWS_MAX + 1][NAME_BYTES];
    int n_flows;
    tg_ns now_ns;
};

static int bad_file(const struct run *r, const char *what, const char *found)
{
    fprintf(stderr, "%s:%u: %s: '%s'\n", r->path, r->line, what, found);
    return 2;
}

/* Bring the core up for this station, with one queue and the flows that are known so far. */
static int start(struct run *r)
{
    const struct tg_gate_config gate = {.budget = GATE_BUDGET};
    const struct tg_queue_config queue = {.ring = 1u};
    const struct tg_config cfg = {.gates = &gate,
                                  .queues = &queue,
                                  .station = r->station,
                                  .best_effort_budget = FLOW_BUDGET,
                                  .best_effort_reserve_pkts = 1u,
                                  .n_gates = 1u,
                                  .n_queues = 1u};
    const struct tg_storage storage = {.flows = r->flows,
                                       .buckets = r->buckets,
                                       .buffers = r->buffers,
                                       .queues = r->rxqs,
                                       .gates = r->gate_states,
                                       .n_flows = FLOWS_MAX + 1u,
                                       .n_buckets = BUCKETS,
                                       .n_buffers = FLOWS_MAX + 2u};

    r->is_started = true;
    for (uint32_t i = 0u; i < storage.n_buffers; i++) {
        r->buffers[i] = (struct tg_buffer){.data = r->no_bytes, .size_bytes = sizeof r->no_bytes};
    }
    tg_sim_port_init(&r->port, r->now_ns, 0u);
    if (tg_protocol_init(&r->protocol, &cfg, &storage, &r->port, 1u, r->now_ns, NULL)) {
        return bad_file(r, "the MTU must be 68..65521", r->path);
    }
    r->queue = &r->protocol.queues[0];
    r->in_ring = tg_rxq_fill(r->queue);
    for (int id = 1; id <= r->n_flows; id++) {
        if (tg_rx_bind(&r->protocol, &r->cfgs[id], r->now_ns) != id) {
            abort();
        }
    }
    return 0;
}

static int start_once(struct run *r)
{
    return r->is_started ? 0 : start(r);
}

/* Returns: the id of the flow with this name, BEST_EFFORT, MALFORMED, or less than that for
 * none. */
static int expected_of(const struct run *r, const char *name)
{
    if (strcmp(name, "D") == 0) {
        return MALFORMED;
    }
    if (strcmp(name, "B") == 0) {
        return BEST_EFFORT;
    }
    for (int id = 1; id <= r->n_flows; id++) {
        if (strcmp(r->names[id], name) == 0) {
            return id;
        }
    }
    return MALFORMED - 1;
}

static int bind_flow(struct run *r, const char *name, const char *text)
{
    struct tg_flow_config cfg = {.budget = FLOW_BUDGET, .reserve_pkts = 1u};
    struct tg_match_error error;

    if (expected_of(r, name) >= MALFORMED) {
        return bad_file(r, "the name of this flow is taken", name);
    }
    if (tg_match_parse(text, &cfg.match, &error)) {
        fprintf(stderr, "%s:%u: flow %s: '%s', column %zu: %s\n", r->path, r->line, name, text,
                error.offset + 1u, error.message);
        return 2;
    }
    const int id = tg_rx_bind(&r->protocol, &cfg, r->now_ns);

    if (id < 0) {
        return bad_file(r,
                        id == TG_ERR_EXISTS        ? "another flow has this match"
                        : id == TG_ERR_UNREACHABLE ? "other flows take all frames of this match"
                        : id == TG_ERR_SHADOWS     ? "this match takes all frames of another flow"
                                                   : "too many flows or shapes",
                        text);
    }
    strcpy(r->names[id], name);
    r->cfgs[id] = cfg;
    r->n_flows = id;
    return 0;
}

/* `name "match", name "match", ...` */
static int read_flows(struct run *r, char *text)
{
    int err = start_once(r);

    while (err == 0) {
        char *const name = text + strspn(text, " ");
        const size_t name_bytes = strcspn(name, " \"");
        char *const match = name + name_bytes + strspn(name + name_bytes, " ");
        char *const end = *match == '"' ? strchr(match + 1, '"') : NULL;

        if (name_bytes == 0u || name_bytes >= NAME_BYTES || end == NULL) {
            return bad_file(r, "expected: name \"match\", with a name shorter than 64", name);
        }
        name[name_bytes] = '\0';
        *end = '\0';
        err = bind_flow(r, name, match + 1);
        text = end + 1 + strspn(end + 1, " ");
        if (err || *text == '\0') {
            return err;
        }
        if (*text != ',') {
            return bad_file(r, "expected a comma between flows", text);
        }
        text += 1 + strspn(text + 1, " ");
        if (*text == '\0') { /* the list goes on in another line */
            return 0;
        }
    }
    return err;
}

static int read_station(struct run *r, const char *text)
{
    unsigned byte[6];
    unsigned mtu_bytes;
    uint8_t address[6];

    if (sscanf(text, "Station address %2x:%2x:%2x:%2x:%2x:%2x, MTU %5u", &byte[0], &byte[1],
               &byte[2], &byte[3], &byte[4], &byte[5], &mtu_bytes) != 7) {
        return bad_file(r, "expected: Station address 02:00:00:00:00:01, MTU 1500", text);
    }
    for (unsigned i = 0u; i < 6u; i++) {
        address[i] = (uint8_t)byte[i];
    }
    r->station = (struct tg_station){.mac = tg_mac(address), .mtu_bytes = mtu_bytes};
    return start(r);
}

static int read_comment(struct run *r, char *text)
{
    char *const after = text + strspn(text, "# ");
    const char *const station = strstr(text, "Station address");

    if (strncmp(after, "flows:", 6u) == 0) {
        return read_flows(r, after + 6);
    }
    return station != NULL ? read_station(r, station) : 0;
}

static int digit_of(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Returns: the number of bytes, or -1. */
static int read_hex(const char *text, uint8_t *bytes)
{
    int n = 0;

    for (; *text != '\0'; text += 2, n++) {
        const int high = digit_of(text[0]);
        const int low = high < 0 ? -1 : digit_of(text[1]);

        if (low < 0 || n == FRAME_BYTES_MAX) {
            return -1;
        }
        bytes[n] = (uint8_t)(high << 4 | low);
    }
    return n;
}

/* Through the eager half, the protocol task and back. Returns: what became of the frame. */
static int classify(struct run *r, const uint8_t *bytes, uint32_t len_bytes, uint32_t tci)
{
    struct tg_rx_frame frame = {
        .now_ns = r->now_ns, .buffer = r->in_ring, .len_bytes = len_bytes, .tci = tci};
    struct tg_buffer *const received = r->in_ring;
    int found = MALFORMED;

    /* A block of exactly this size: a sanitizer sees every byte that is read behind the frame. */
    received->data = malloc(len_bytes);
    received->size_bytes = len_bytes;
    if (len_bytes != 0u) {
        if (received->data == NULL) {
            abort();
        }
        memcpy(received->data, bytes, len_bytes);
    }
    const enum tg_verdict verdict = tg_rx_eager(r->queue, &frame);
    struct tg_buffer *const packet = tg_rx_next(&r->protocol);

    r->in_ring = frame.buffer;
    if (packet != NULL) {
        found = packet->flow;
        tg_rx_done(&r->protocol);
        if (tg_rx_release(&r->protocol, packet)) {
            abort();
        }
    }
    free(received->data);
    /* The two halves must agree, whatever the file expects. */
    if (verdict != (packet != NULL ? TG_VERDICT_PASSED : TG_VERDICT_MALFORMED)) {
        abort();
    }
    return found;
}

static const char *name_of(const struct run *r, int flow)
{
    return flow == MALFORMED ? "D" : flow == BEST_EFFORT ? "B" : r->names[flow];
}

static int read_tci(const char *text, uint32_t *tci)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 0);

    *tci = (uint32_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value <= 0xffffu ? 0 : -1;
}

static int read_frame(struct run *r, char *text)
{
    static uint8_t bytes[FRAME_BYTES_MAX];
    char *columns[COLUMNS_MAX] = {text};
    unsigned n = 1u;
    uint32_t tci = TG_TCI_NONE;

    for (char *tab = strchr(text, '\t'); tab != NULL; tab = strchr(tab + 1, '\t')) {
        *tab = '\0';
        if (n == COLUMNS_MAX) {
            return bad_file(r, "more than 4 columns, the fifth", tab + 1);
        }
        columns[n++] = tab + 1;
    }
    if (n < 3u || columns[0][0] == '\0') {
        return bad_file(r, "expected: name, expected, hex, separated by tabs", columns[0]);
    }
    const int expected = expected_of(r, columns[1]);
    const int len_bytes = read_hex(columns[2], bytes);

    if (expected < MALFORMED) {
        return bad_file(r, "neither D, B nor a flow of this file", columns[1]);
    }
    if (len_bytes < 0) {
        return bad_file(r, "not a frame in hex digits, two a byte", columns[2]);
    }
    if (n == 4u && columns[3][0] != '\0' && read_tci(columns[3], &tci)) {
        return bad_file(r, "not a tag control word, 0..65535", columns[3]);
    }
    if (start_once(r)) {
        return 2;
    }
    /* While a refill of the gate is due the core takes every step, then it may take a shortcut. */
    r->now_ns += FRAME_EVERY_NS;
    int found = classify(r, bytes, (uint32_t)len_bytes, tci);

    if (found == expected) {
        found = classify(r, bytes, (uint32_t)len_bytes, tci);
    }
    if (found == expected) {
        r->passed++;
    } else {
        r->failed++;
        printf("%s:%u: %s: expected %s, found %s\n", r->path, r->line, columns[0], columns[1],
               name_of(r, found));
    }
    return 0;
}

static int read_line(struct run *r, char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    if (text[strspn(text, " \t")] == '\0') {
        return 0;
    }
    return text[0] == '#' ? read_comment(r, text) : read_frame(r, text);
}

static int read_file(struct run *r, FILE *file)
{
    static char text[LINE_BYTES];

    while (fgets(text, (int)sizeof text, file) != NULL) {
        r->line++;
        if (strlen(text) == sizeof text - 1u) {
            return bad_file(r, "the line is too long, a frame has at most 65535 bytes", "...");
        }
        const int err = read_line(r, text);

        if (err) {
            return err;
        }
    }
    return ferror(file) ? bad_file(r, "cannot be read", r->path) : 0;
}

int main(int argc, char **argv)
{
    static const uint8_t usual[6] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};
    unsigned passed = 0u;
    unsigned failed = 0u;

    if (argc < 2) {
        fprintf(stderr, "usage: frame_vectors FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        static struct run run;
        FILE *const file = fopen(argv[i], "r");

        run = (struct run){.path = argv[i], .station = {.mac = tg_mac(usual), .mtu_bytes = 1500u}};
        if (file == NULL) {
            perror(argv[i]);
            return 2;
        }
        const int err = read_file(&run, file);

        (void)fclose(file);
        if (err) {
            return err;
        }
        passed += run.passed;
        failed += run.failed;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0u ? 0 : 1;
}
