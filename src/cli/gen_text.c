/* SPDX-License-Identifier: MIT
 *
 * gen_text.c - a system as C tables for firmware.
 */
#include "gen_text.h"

#include <inttypes.h>
#include <string.h>

#define IDENTIFIER_BYTES (TG_SYSTEM_NAME_MAX_BYTES + 16u)

/* Text inside a comment: what would end it, or begin another one, is taken apart. */
static void put_comment(const char *text, FILE *out)
{
    for (char last = '\0'; *text != '\0'; last = *text++) {
        if ((last == '*' && *text == '/') || (last == '/' && *text == '*')) {
            fputc(' ', out);
        }
        fputc(*text, out);
    }
}

static void put_origin(const char *source, const char *what, FILE *out)
{
    fputs("/* ", out);
    fputs(what, out);
    fputs("\n *\n * Made by `tidegate gen` from ", out);
    put_comment(source, out);
    fputs(": change that file, not this one. */\n", out);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Capitals and digits; anything else becomes one '_' however much it is. */
static void identifier_of(const char *name, char text[IDENTIFIER_BYTES])
{
    size_t n = 0u;

    for (; *name != '\0' && n + 1u < IDENTIFIER_BYTES; name++) {
        if (is_letter(*name)) {
            text[n++] = (char)(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
        } else if (n == 0u || text[n - 1u] != '_') {
            text[n++] = '_';
        }
    }
    text[n] = '\0';
}

/* No name has "__" in it, so that a number behind one is unique. */
static void put_enumerator(const char *prefix, const char *name, bool is_unique, size_t number,
                           FILE *out)
{
    char text[IDENTIFIER_BYTES];

    identifier_of(name, text);
    fprintf(out, "    %s_%s", prefix, text);
    if (!is_unique) {
        fprintf(out, "__%zu", number);
    }
    fprintf(out, " = %zu,\n", number);
}

static bool is_same_identifier(const char *a, const char *b)
{
    char first[IDENTIFIER_BYTES];
    char second[IDENTIFIER_BYTES];

    identifier_of(a, first);
    identifier_of(b, second);
    return strcmp(first, second) == 0;
}

static bool is_unique_flow(const struct tg_system *s, size_t flow)
{
    bool is_unique = !is_same_identifier(s->flows[flow].name, "best effort");

    for (size_t i = 0u; i < s->n_flows; i++) {
        is_unique =
            is_unique && (i == flow || !is_same_identifier(s->flows[i].name, s->flows[flow].name));
    }
    return is_unique;
}

static bool is_unique_queue(const struct tg_system *s, size_t queue)
{
    bool is_unique = true;

    for (size_t i = 0u; i < s->n_queues; i++) {
        is_unique = is_unique &&
                    (i == queue || !is_same_identifier(s->queues[i].name, s->queues[queue].name));
    }
    return is_unique;
}

void tg_gen_header(const struct tg_system *s, const char *source, FILE *out)
{
    put_origin(source, "Receive path of this firmware.", out);
    fputs("#ifndef TIDEGATE_CONFIG_H\n#define TIDEGATE_CONFIG_H\n\n#include \"tidegate/rx.h\"\n\n"
          "/* Flows, as tg_buffer.flow and snapshots number them. */\nenum {\n"
          "    TIDEGATE_FLOW_BEST_EFFORT = 0,\n",
          out);
    for (size_t i = 0u; i < s->n_flows; i++) {
        put_enumerator("TIDEGATE_FLOW", s->flows[i].name, is_unique_flow(s, i), i + 1u, out);
    }
    fputs("};\n\n/* Queues, for tg_rxq_attach(). */\nenum {\n", out);
    for (size_t i = 0u; i < s->n_queues; i++) {
        put_enumerator("TIDEGATE_QUEUE", s->queues[i].name, is_unique_queue(s, i), i, out);
    }
    fputs(
        "};\n\nextern const struct tg_config tidegate_config;\n\n"
        "/* Memory for one tg_protocol_init() with tidegate_config. Call it once, before that. */\n"
        "const struct tg_storage *tidegate_storage(void);\n\n#endif\n",
        out);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct {
    uint16_t field;
    const char *name;
} fields[] = {
    {TG_FIELD_DST_PORT, "TG_FIELD_DST_PORT"},
    {TG_FIELD_SRC_PORT, "TG_FIELD_SRC_PORT"},
    {TG_FIELD_SRC_HOST, "TG_FIELD_SRC_HOST"},
    {TG_FIELD_DST_HOST, "TG_FIELD_DST_HOST"},
    {TG_FIELD_SYN, "TG_FIELD_SYN"},
    {TG_FIELD_PROTOCOL, "TG_FIELD_PROTOCOL"},
    {TG_FIELD_TYPE, "TG_FIELD_TYPE"},
    {TG_FIELD_BROADCAST, "TG_FIELD_BROADCAST"},
    {TG_FIELD_MULTICAST, "TG_FIELD_MULTICAST"},
    {TG_FIELD_VLAN, "TG_FIELD_VLAN"},
    {TG_FIELD_FAMILY, "TG_FIELD_FAMILY"},
};

static void put_fields(uint16_t set, FILE *out)
{
    const char *separator = "";

    for (size_t i = 0u; i < sizeof fields / sizeof fields[0]; i++) {
        if ((set & fields[i].field) != 0u) {
            fprintf(out, "%s%s", separator, fields[i].name);
            separator = " | ";
        }
    }
    fputs(separator[0] == '\0' ? "0u" : "", out);
}

static void put_number(const char *name, uint64_t number, FILE *out)
{
    if (number != 0u) {
        fprintf(out, ", .%s = %" PRIu64 "u", name, number);
    }
}

static void put_host(const char *name, const uint8_t host[16], FILE *out)
{
    static const uint8_t none[16];

    if (memcmp(host, none, sizeof none) == 0) {
        return;
    }
    fprintf(out, ",\n               .%s = {", name);
    for (size_t i = 0u; i < 16u; i++) {
        fprintf(out, "%s%uu", i != 0u ? ", " : "", host[i]);
    }
    fputc('}', out);
}

static void put_match(const struct tg_match *m, FILE *out)
{
    fputs("     .match = {.fields = ", out);
    put_fields(m->fields, out);
    put_number("vlan", m->vlan, out);
    put_number("type", m->type, out);
    put_number("dst_port", m->dst_port, out);
    put_number("src_port", m->src_port, out);
    put_number("protocol", m->protocol, out);
    put_number("family", m->family, out);
    if (m->broadcast) {
        fputs(", .broadcast = true", out);
    }
    put_host("src_host", m->src_host, out);
    put_host("dst_host", m->dst_host, out);
    fputs("},\n", out);
}

static const char *kind_name(enum tg_server_kind kind)
{
    switch (kind) {
    case TG_SERVER_UNLIMITED:
        return "TG_SERVER_UNLIMITED";
    case TG_SERVER_POLLING:
        return "TG_SERVER_POLLING";
    case TG_SERVER_SPORADIC:
        return "TG_SERVER_SPORADIC";
    default:
        return "TG_SERVER_DEFERRABLE";
    }
}

static void put_budget(const char *name, const struct tg_server_config *b, const tg_ns *windows,
                       FILE *out)
{
    fprintf(out, ".%s = {.kind = %s", name, kind_name(b->kind));
    put_number("budget_pkts", b->budget_pkts, out);
    if (b->period_ns != 0u) {
        fprintf(out, ", .period_ns = UINT64_C(%" PRIu64 ")", b->period_ns);
    }
    if (b->window != NULL) {
        fprintf(out, ", .window = &windows[%zu]", (size_t)(b->window - windows));
    }
    fputs("}", out);
}

static size_t window_of(const struct tg_server_config *b)
{
    return b->window != NULL ? b->budget_pkts : 0u;
}

static size_t count_windows(const struct tg_config *c)
{
    size_t n = window_of(&c->best_effort_budget);

    for (size_t i = 0u; i < c->n_gates; i++) {
        n += window_of(&c->gates[i].budget);
    }
    for (size_t i = 0u; i < c->n_flows; i++) {
        n += window_of(&c->flows[i].budget);
    }
    return n;
}

static void put_flows(const struct tg_system *s, const struct tg_system_config *c, FILE *out)
{
    if (s->n_flows == 0u) {
        return;
    }
    fputs("\nstatic const struct tg_flow_config flow_configs[] = {\n", out);
    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_flow_config *const f = &c->config.flows[i];

        fputs("    /* ", out);
        put_comment(s->flows[i].name, out);
        fputs(": ", out);
        put_comment(s->flows[i].match_text, out);
        fputs(" */\n    {\n", out);
        put_match(&f->match, out);
        fputs("     ", out);
        put_budget("budget", &f->budget, c->windows, out);
        fprintf(out, ",\n     .reserve_pkts = %uu,\n     .priority = %uu},\n", f->reserve_pkts,
                f->priority);
    }
    fputs("};\n", out);
}

static void put_receive(const struct tg_system_config *c, FILE *out)
{
    fputs("\nstatic const struct tg_gate_config gate_configs[] = {\n", out);
    for (size_t i = 0u; i < c->config.n_gates; i++) {
        fputs("    {", out);
        put_budget("budget", &c->config.gates[i].budget, c->windows, out);
        fprintf(out, ",\n     .refill = %s},\n",
                c->config.gates[i].refill == TG_REFILL_TICK ? "TG_REFILL_TICK"
                                                            : "TG_REFILL_TIMESTAMP");
    }
    fputs("};\n\nstatic const struct tg_queue_config queue_configs[] = {\n", out);
    for (size_t i = 0u; i < c->config.n_queues; i++) {
        const struct tg_queue_config *const q = &c->config.queues[i];

        fprintf(out, "    {.ring = %uu, .rank = %uu, .gate = %uu},\n", q->ring, q->rank, q->gate);
    }
    fputs("};\n", out);
}

static void put_config(const struct tg_system_config *c, FILE *out)
{
    const struct tg_config *const k = &c->config;

    fputs("\nconst struct tg_config tidegate_config = {\n"
          "    .gates = gate_configs,\n    .queues = queue_configs,\n",
          out);
    fputs(k->n_flows != 0u ? "    .flows = flow_configs,\n" : "", out);
    if (k->station.mac == TG_MAC_NONE) {
        fputs("    .station = {.mac = TG_MAC_NONE", out);
    } else {
        fprintf(out, "    .station = {.mac = UINT64_C(0x%012" PRIx64 ")", k->station.mac);
    }
    fprintf(out, ", .mtu_bytes = %" PRIu32 "u},\n", k->station.mtu_bytes);
    if (k->best_effort_reserve_pkts != 0u) {
        fputs("    ", out);
        put_budget("best_effort_budget", &k->best_effort_budget, c->windows, out);
        fprintf(out, ",\n    .best_effort_reserve_pkts = %uu,\n    .best_effort_priority = %uu,\n",
                k->best_effort_reserve_pkts, k->best_effort_priority);
    }
    fprintf(out,
            "    .floor = %uu,\n    .n_flows = %uu,\n    .n_gates = %uu,\n    .n_queues = %uu};\n",
            k->floor, k->n_flows, k->n_gates, k->n_queues);
}

static void put_storage(const struct tg_system_config *c, FILE *out)
{
    fprintf(out,
            "\nstatic struct tg_flow flows[%" PRIu32 "];\nstatic uint32_t buckets[%" PRIu32 "];\n"
            "static struct tg_buffer buffers[%" PRIu32 "];\n"
            "static _Alignas(64) uint8_t bytes[%" PRIu32 "][%" PRIu32 "];\n"
            "static struct tg_rxq queues[%u];\nstatic struct tg_gate gates[%u];\n",
            c->n_flows, c->n_buckets, c->n_buffers, c->n_buffers, c->buffer_bytes,
            c->config.n_queues, c->config.n_gates);
    fprintf(out,
            "\nstatic const struct tg_storage storage = {.flows = flows,\n"
            "                                          .buckets = buckets,\n"
            "                                          .buffers = buffers,\n"
            "                                          .queues = queues,\n"
            "                                          .gates = gates,\n"
            "                                          .n_flows = %" PRIu32 "u,\n"
            "                                          .n_buckets = %" PRIu32 "u,\n"
            "                                          .n_buffers = %" PRIu32 "u};\n",
            c->n_flows, c->n_buckets, c->n_buffers);
    fprintf(out,
            "\nconst struct tg_storage *tidegate_storage(void)\n{\n"
            "    for (uint32_t i = 0u; i < %" PRIu32 "u; i++) {\n"
            "        buffers[i].data = bytes[i];\n"
            "        buffers[i].size_bytes = %" PRIu32 "u;\n"
            "    }\n    return &storage;\n}\n",
            c->n_buffers, c->buffer_bytes);
}

void tg_gen_tables(const struct tg_system *s, const struct tg_system_config *c, const char *source,
                   FILE *out)
{
    const size_t n_windows = count_windows(&c->config);

    put_origin(source, "Tables of the receive path, and memory that fits them.", out);
    fputs("#include \"tidegate_config.h\"\n", out);
    if (n_windows != 0u) {
        fprintf(out,
                "\n/* Of sporadic budgets: when each packet was admitted. */\n"
                "static tg_ns windows[%zu];\n",
                n_windows);
    }
    put_flows(s, c, out);
    put_receive(c, out);
    put_config(c, out);
    put_storage(c, out);
}
