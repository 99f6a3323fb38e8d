/* SPDX-License-Identifier: MIT
 *
 * explain.c - `tidegate explain`: what happens to one frame, step by step.
 */
#include "command.h"
#include "explain_report.h"
#include "hex.h"
#include "receiver.h"
#include "station_options.h"

#include "system/rules_system.h"
#include "system/value.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_MAX_BYTES 65535u
#define INPUT_MAX_BYTES (4u * FRAME_MAX_BYTES) /* two digits and two separators a byte */

enum { OPTION_HEX, OPTION_TCI, OPTION_JSON, OPTION_STATION, OPTION_MTU };

static const struct tg_option options[] = {
    [OPTION_HEX] = {"--hex", "HEX",
                    "the bytes of the frame; blanks and ':' may stand between them;"
                    " - reads standard input"},
    [OPTION_TCI] = {"--tci", "N",
                    "tag control word (decimal or 0x) of a tag that the NIC stripped"},
    [OPTION_JSON] = {"--json", NULL, "one JSON document that says the same"},
    [OPTION_STATION] = {"--station", "MAC", TG_STATION_HELP},
    [OPTION_MTU] = {"--mtu", "BYTES", TG_MTU_HELP},
    {NULL, NULL, NULL},
};

/* Standard input as a text, or NULL. */
static char *read_input(void)
{
    char *const text = malloc(INPUT_MAX_BYTES + 1u);

    if (text != NULL) {
        text[fread(text, 1u, INPUT_MAX_BYTES, stdin)] = '\0';
    }
    return text;
}

static int read_hex(const char *text, uint8_t *bytes, size_t *n_bytes)
{
    const struct tg_command *const c = &tg_command_explain;

    switch (tg_hex_read(text, bytes, FRAME_MAX_BYTES, n_bytes)) {
    case TG_HEX_DIGIT:
        return tg_command_misuse(c,
                                 "--hex, column %zu: found '%c', allowed: hexadecimal digits, "
                                 "blanks and ':' between bytes",
                                 *n_bytes + 1u, text[*n_bytes] >= ' ' ? text[*n_bytes] : '?');
    case TG_HEX_HALF:
        return tg_command_misuse(
            c, "--hex, column %zu: found half a byte, allowed: two digits each", *n_bytes + 1u);
    case TG_HEX_LONG:
        return tg_command_misuse(c, "--hex, column %zu: found one byte too many, allowed: %u",
                                 *n_bytes + 1u, FRAME_MAX_BYTES);
    case TG_HEX_OK:
        break;
    }
    return TG_EXIT_HOLDS;
}

static int read_frame(const char *hex, uint8_t *bytes, size_t *n_bytes)
{
    char *input = NULL;
    int status;

    if (hex == NULL) {
        return tg_command_misuse(&tg_command_explain,
                                 "the frame is missing: --hex HEX, or --hex - for standard input");
    }
    if (strcmp(hex, "-") == 0) {
        input = read_input();
        hex = input != NULL ? input : "";
    }
    status = read_hex(hex, bytes, n_bytes);
    free(input);
    return status;
}

static int read_tci(const char *text, uint32_t *tci)
{
    char *end;

    *tci = TG_TCI_NONE;
    if (text == NULL) {
        return TG_EXIT_HOLDS;
    }

    const bool is_hex = strncmp(text, "0x", 2u) == 0;
    const char *const digits = is_hex ? text + 2 : text;
    const unsigned long value = strtoul(digits, &end, is_hex ? 16 : 10);

    /* strtoul also takes blanks and signs. */
    if (strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789") == 0u || *end != '\0' ||
        value > 0xffffu) {
        return tg_command_misuse(&tg_command_explain,
                                 "--tci: found '%s', allowed: 0 to 65535, decimal or 0x", text);
    }
    *tci = (uint32_t)value;
    return TG_EXIT_HOLDS;
}

/* Everything is read; show the way of the frame. */
static int explain(const struct tg_arguments *a, const struct tg_rules *rules,
                   const struct tg_station *station, const struct tg_sample *sample)
{
    struct tg_receiver *const receiver = tg_receiver_open(rules, station, sample->now_ns);
    struct tg_outcome outcome;

    if (receiver == NULL) {
        fputs("tidegate explain: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    tg_receiver_frame(receiver, sample, &outcome);

    const struct tg_explained explained = {.rules = rules,
                                           .sample = sample,
                                           .outcome = &outcome,
                                           .table = tg_receiver_table(receiver),
                                           .bytes = tg_receiver_bytes(receiver)};

    if (a->values[OPTION_JSON] != NULL) {
        tg_explain_json(&explained);
    } else {
        tg_explain_text(&explained);
    }
    tg_receiver_close(receiver);
    return tg_command_finish(&tg_command_explain, TG_EXIT_HOLDS);
}

static int run_with_bytes(const struct tg_arguments *a, uint8_t *bytes)
{
    struct tg_rules rules;
    struct tg_station station = {.mac = TG_MAC_NONE, .mtu_bytes = TG_MTU_DEFAULT_BYTES};
    struct tg_errors errors;
    size_t n_bytes;
    uint32_t tci;
    int status = read_frame(a->values[OPTION_HEX], bytes, &n_bytes);

    if (status == TG_EXIT_HOLDS) {
        status = read_tci(a->values[OPTION_TCI], &tci);
    }
    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    if (tg_rules_load_any(a->operands[0], &rules, &station, &errors) != 0) {
        tg_errors_print(&errors, a->operands[0], stderr);
        return TG_EXIT_USAGE;
    }

    const struct tg_sample sample = {
        .bytes = bytes, .n_bytes = (uint32_t)n_bytes, .len_bytes = (uint32_t)n_bytes, .tci = tci};

    status = tg_station_from_options(&tg_command_explain, a->values[OPTION_STATION],
                                     a->values[OPTION_MTU], &station);
    if (status == TG_EXIT_HOLDS) {
        status = explain(a, &rules, &station, &sample);
    }
    tg_rules_free(&rules);
    return status;
}

static int run_explain(const struct tg_arguments *arguments)
{
    uint8_t *const bytes = malloc(FRAME_MAX_BYTES);

    if (bytes == NULL) {
        fputs("tidegate explain: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }

    const int status = run_with_bytes(arguments, bytes);

    free(bytes);
    return status;
}

const struct tg_command tg_command_explain = {
    .name = "explain",
    .summary = "What happens to one frame, step by step, with the number of each rule",
    .details =
        "RULES is a system file, or a list of flows as for `tidegate classify` (see its --help).\n"
        "The frame starts at its destination address and has no frame check sequence. Every\n"
        "budget is full. The frame goes through the same code as in firmware; frame rules are\n"
        "those of docs/frames.md, receive rules those of docs/design.md, section 3.\n",
    .operands = {"RULES"},
    .options = options,
    .run = run_explain,
    .examples = "tidegate explain examples/rules.txt --hex '020000000001 020000000002 0806'\n",
};
