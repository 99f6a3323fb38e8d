/* SPDX-License-Identifier: MIT
 *
 * nic.c - `tidegate nic`: the priority NIC as a device for a guest of QEMU.
 */
#include "command.h"
#include "nic_report.h"

#include "system/value.h"

#include <string.h>

enum { OPTION_FRAMES, OPTION_RULES, OPTION_SOCKET, OPTION_FOR, OPTION_JSON };

static const struct tg_option options[] = {
    [OPTION_FRAMES] = {"--frames", "SOURCE", "where frames come from; see above"},
    [OPTION_RULES] = {"--rules", "FILE", "a system file, or a list of rules as for classify"},
    [OPTION_SOCKET] = {"--socket", "PATH", "where QEMU's ivshmem-doorbell connects to"},
    [OPTION_FOR] = {"--for", "TIME", "end after this time; else with SIGINT or SIGTERM"},
    [OPTION_JSON] = {"--json", NULL, "counters as JSON"},
    {NULL, NULL, NULL},
};

struct run {
    const struct tg_arguments *arguments;
    struct tg_nic_file file;
    struct tg_nic_device_config config;
    struct tg_nic_device device;
};

static void report(void *context, const struct tg_nic_device *device)
{
    const struct run *const run = context;

    (void)tg_nic_report(device, &run->file, run->arguments->values[OPTION_JSON] != NULL, stdout);
}

static int take_options(struct run *run)
{
    const char *const *const values = run->arguments->values;
    struct tg_value_error error;

    for (size_t i = OPTION_FRAMES; i <= OPTION_SOCKET; i++) {
        if (values[i] == NULL) {
            return tg_command_misuse(&tg_command_nic, "%s is missing", options[i].name);
        }
    }
    if (values[OPTION_FOR] != NULL &&
        (tg_value_duration(values[OPTION_FOR], strlen(values[OPTION_FOR]), &run->config.for_ns,
                           &error) != 0 ||
         run->config.for_ns == 0u || run->config.for_ns > TG_PERIOD_MAX_NS)) {
        return tg_command_misuse(&tg_command_nic,
                                 "--for: found '%s', allowed: a duration as in 10 s",
                                 values[OPTION_FOR]);
    }
    run->config.socket = values[OPTION_SOCKET];
    return TG_EXIT_HOLDS;
}

static int lacks(const char *message)
{
    fprintf(stderr, "tidegate nic: %s\n", message);
    return TG_EXIT_LACKS;
}

static int serve(struct run *run)
{
    char message[TG_IVSHMEM_MESSAGE_BYTES];

    if (tg_nic_device_open(&run->device, &run->config, message) != 0) {
        return lacks(message);
    }
    fprintf(stderr,
            "serving %u queues; QEMU: -chardev socket,path=%s,id=iv "
            "-device ivshmem-doorbell,chardev=iv,vectors=%u\n",
            run->file.setup.n_queues, run->config.socket, run->file.setup.n_queues);
    tg_nic_device_run(&run->device, &run->config);
    report(run, &run->device);
    tg_nic_device_close(&run->device);
    return tg_command_finish(&tg_command_nic, TG_EXIT_HOLDS);
}

static int open_and_serve(struct run *run)
{
    char message[TG_NIC_FRAMES_MESSAGE_BYTES];

    if (tg_nic_frames_open(run->arguments->values[OPTION_FRAMES], &run->file.setup,
                           &run->config.frames, message) != 0) {
        return tg_command_misuse(&tg_command_nic, "--frames: %s", message);
    }
    const int status = serve(run);

    tg_nic_frames_close(run->config.frames);
    return status;
}

static int run_nic(const struct tg_arguments *arguments)
{
    struct run run = {.arguments = arguments};
    struct tg_errors errors;
    int status = take_options(&run);

    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    if (tg_nic_file_load(arguments->values[OPTION_RULES], &run.file, &errors) != 0) {
        tg_errors_print(&errors, arguments->values[OPTION_RULES], stderr);
        return TG_EXIT_USAGE;
    }
    run.config.setup = &run.file.setup;
    run.config.report = report;
    run.config.context = &run;
    status = open_and_serve(&run);
    tg_nic_file_free(&run.file);
    return status;
}

const struct tg_command tg_command_nic = {
    .name = "nic",
    .summary = "A network controller with priorities, as a device for a guest of QEMU",
    .details = "Serves QEMU's ivshmem-doorbell: registers, rings and buffers in shared memory, one "
               "vector\n"
               "for each receive queue (docs/nic.md). Queues, flows, priorities, moderation and "
               "gates are\n"
               "those of --rules; a list of rules has two queues, `rules` above `rest`.\n"
               "\n"
               "SOURCE is one of\n"
               "\n"
               "  tap:NAME               a TAP device; it is made if there is none\n"
               "  veth:NAME              a network interface of this machine\n"
               "  pcap:FILE              a capture, with its times\n"
               "  generator:RATE,COUNT   a frame for each flow in turn, and one for none: "
               "'generator:10 kpps,5000'\n"
               "\n"
               "The last two start when the guest has all queues enabled, and end by themselves. "
               "Counters\n"
               "are printed at the end, and on SIGUSR1. Guests may come and go; none is trusted.\n",
    .operands = {NULL},
    .options = options,
    .run = run_nic,
    .examples =
        "tidegate nic --frames pcap:examples/office.pcap --rules examples/plc.yaml --socket "
        "nic.sock\n"
        "tidegate nic --frames veth:veth1 --rules examples/rules.txt --socket nic.sock "
        "--json\n",
};
