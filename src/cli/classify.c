/* SPDX-License-Identifier: MIT
 *
 * classify.c - `tidegate classify`: what the receive path does with the frames of a capture.
 */
#include "command.h"
#include "classify_report.h"
#include "receiver.h"
#include "station_options.h"

#include "system/capture_file.h"
#include "system/rules_system.h"

#include <string.h>

enum { OPTION_EACH, OPTION_JSON, OPTION_STATION, OPTION_MTU };

static const struct tg_option options[] = {
    [OPTION_EACH] = {"--each", NULL, "a line for each frame first"},
    [OPTION_JSON] = {"--json", NULL, "one JSON document with the same figures"},
    [OPTION_STATION] = {"--station", "MAC", TG_STATION_HELP},
    [OPTION_MTU] = {"--mtu", "BYTES", TG_MTU_HELP},
    {NULL, NULL, NULL},
};

/* Everything that a run needs. */
struct run {
    const struct tg_arguments *arguments;
    struct tg_rules rules;
    struct tg_station station;
    struct tg_capture_file *capture;
    struct tg_receiver *receiver;
    struct tg_classify_report report;
};

/* The receive path starts with the first frame: then its budgets are full. */
static int take_frame(struct run *run, const struct tg_captured *frame)
{
    const struct tg_sample sample = {.bytes = frame->bytes,
                                     .n_bytes = frame->n_bytes,
                                     .len_bytes = frame->len_bytes,
                                     .tci = TG_TCI_NONE,
                                     .now_ns = frame->at_ns};
    struct tg_outcome outcome;

    if (run->receiver == NULL) {
        run->receiver = tg_receiver_open(&run->rules, &run->station, frame->at_ns);
        if (run->receiver == NULL) {
            fputs("tidegate classify: out of memory\n", stderr);
            return TG_EXIT_LACKS;
        }
    }
    tg_receiver_frame(run->receiver, &sample, &outcome);
    tg_classify_report_frame(&run->report, &sample, &outcome, tg_receiver_bytes(run->receiver));
    return TG_EXIT_HOLDS;
}

static int read_capture(struct run *run)
{
    const char *const path = run->arguments->operands[1];
    struct tg_captured frame;
    enum tg_capture_state state;
    int status = TG_EXIT_HOLDS;

    while ((state = tg_capture_file_next(run->capture, &frame)) == TG_CAPTURE_FRAME &&
           status == TG_EXIT_HOLDS) {
        status = take_frame(run, &frame);
    }
    run->report.is_truncated = state == TG_CAPTURE_TRUNCATED;
    tg_classify_report_end(&run->report);
    if (state == TG_CAPTURE_TRUNCATED) {
        (void)fflush(stdout);
        fprintf(stderr, "%s: truncated after frame %llu (%s); what is before was used\n", path,
                (unsigned long long)run->report.all.frames, tg_capture_file_message(run->capture));
    }
    if (state == TG_CAPTURE_DAMAGED) {
        (void)fflush(stdout);
        fprintf(stderr, "%s: damaged after frame %llu: %s\n", path,
                (unsigned long long)run->report.all.frames, tg_capture_file_message(run->capture));
        return TG_EXIT_USAGE;
    }
    return status;
}

static int classify(struct run *run)
{
    const struct tg_arguments *const a = run->arguments;
    char message[TG_CAPTURE_MESSAGE_BYTES];

    if (tg_capture_file_open(a->operands[1], &run->capture, message) != 0) {
        fprintf(stderr, "%s\n", message);
        return TG_EXIT_USAGE;
    }
    if (tg_classify_report_start(&run->report, &run->rules, a->operands[0], a->operands[1],
                                 a->values[OPTION_EACH] != NULL,
                                 a->values[OPTION_JSON] != NULL) != 0) {
        fputs("tidegate classify: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    return tg_command_finish(&tg_command_classify, read_capture(run));
}

static int run_classify(const struct tg_arguments *arguments)
{
    struct run run = {.arguments = arguments,
                      .station = {.mac = TG_MAC_NONE, .mtu_bytes = TG_MTU_DEFAULT_BYTES}};
    struct tg_errors errors;

    if (tg_rules_load_any(arguments->operands[0], &run.rules, &run.station, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }
    int status = tg_station_from_options(&tg_command_classify, arguments->values[OPTION_STATION],
                                         arguments->values[OPTION_MTU], &run.station);
    if (status == TG_EXIT_HOLDS) {
        status = classify(&run);
    }
    tg_classify_report_free(&run.report);
    tg_receiver_close(run.receiver);
    tg_capture_file_close(run.capture);
    tg_rules_free(&run.rules);
    return status;
}

const struct tg_command tg_command_classify = {
    .name = "classify",
    .summary = "What the receive path does with the frames of a capture: flows, budgets, verdicts",
    .details =
        "RULES is a system file (its name ends in .yaml), or a text file, a flow a line:\n"
        "\n"
        "  # name    = match [ budget N per TIME | unlimited ]\n"
        "  setpoint  = udp dst port 5000 budget 3 per 1 ms\n"
        "  telemetry = tcp src port 1883 unlimited\n"
        "  arp       = arp and not ether broadcast\n"
        "  best_effort = budget 10 per 1 ms\n"
        "\n"
        "A match is a subset of what tcpdump takes (docs/matches.md). TIME has a unit: ns, us, ms, "
        "s.\n"
        "A flow without budget is only counted, as if unlimited. best_effort is what no match "
        "takes.\n"
        "\n"
        "CAPTURE is a pcap or pcapng file of Ethernet frames; - is standard input. Budgets run on "
        "its\n"
        "time stamps. Packets that pass are released at once. The frames go through the same code "
        "as\n"
        "in firmware. A capture that ends within a frame is used up to there. Frames that were\n"
        "captured cut (tcpdump -s) are judged by their length on the wire; if the bytes that "
        "decide\n"
        "are missing, the frame counts as `cut` and is not given to the receive path.\n",
    .operands = {"RULES", "CAPTURE"},
    .options = options,
    .run = run_classify,
    .examples = "tidegate classify examples/rules.txt examples/office.pcap\n"
                "tidegate classify examples/motor.yaml examples/office.pcap --each\n"
                "tcpdump -w - -c 1000 | tidegate classify rules.txt -\n",
};
