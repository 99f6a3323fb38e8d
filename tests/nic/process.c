/* SPDX-License-Identifier: MIT
 *
 * process.c - the NIC's process as a child of the test.
 */
#include "process.h"
#include "guest.h"
#include "pcap_write.h"
#include "test_frame.h"

#include "check_cmocka.h"
#include "nic/device/device.h"
#include "nic/device/setup.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];
static char socket_path[96];
static pid_t left_over; /* of a test that failed before it stopped its process */

static const char *process_directory(void)
{
    if (directory[0] == '\0') {
        strcpy(directory, "/tmp/tidegate-nic-XXXXXX"); /* mkdtemp() fills in the rest */
        assert_non_null(mkdtemp(directory));
    }
    return directory;
}

const char *process_socket(void)
{
    (void)snprintf(socket_path, sizeof socket_path, "%s/nic.sock", process_directory());
    return socket_path;
}

void process_clean(void)
{
    char path[96];

    (void)unlink(process_socket());
    (void)snprintf(path, sizeof path, "%s/frames.pcap", process_directory());
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/system.yaml", process_directory());
    (void)unlink(path);
    (void)rmdir(directory);
    directory[0] = '\0';
}

static void send_report(void *context, const struct tg_nic_device *d)
{
    static struct process_report report;
    const int pipe_end = *(const int *)context;

    for (uint32_t at = 0u; at < TG_NIC_REGISTERS_END; at += 4u) {
        report.registers[at / 4u] = tg_nic_model_read(d->model, at);
    }
    report.refused_peers = d->server.refused;
    report.is_consistent = tg_nic_model_check(d->model) == NULL;
    if (write(pipe_end, &report, sizeof report) != (ssize_t)sizeof report) {
        abort();
    }
}

/* The child. A byte on the pipe says that it listens. */
static _Noreturn void run_device(const char *system, const char *frames, int pipe_end)
{
    struct tg_nic_file file;
    struct tg_errors errors;
    struct tg_nic_device device;
    struct tg_nic_device_config cfg = {.socket = process_socket(),
                                       .report = send_report,
                                       .context = &pipe_end,
                                       .setup = &file.setup};
    char message[TG_IVSHMEM_MESSAGE_BYTES];

    tg_errors_init(&errors);
    if (tg_nic_file_load(system, &file, &errors) != 0 ||
        tg_nic_frames_open(frames, &file.setup, &cfg.frames, message) != 0 ||
        tg_nic_device_open(&device, &cfg, message) != 0 || write(pipe_end, "", 1u) != 1) {
        fprintf(stderr, "the NIC does not start: %s\n", message);
        _exit(1);
    }
    tg_nic_device_run(&device, &cfg);
    tg_nic_device_close(&device);
    tg_nic_frames_close(cfg.frames);
    tg_nic_file_free(&file);
    exit(0); /* not _exit: a sanitizer looks for leaks */
}

static const char *write_system(void)
{
    static char path[96];

    (void)snprintf(path, sizeof path, "%s/system.yaml", process_directory());
    FILE *const out = fopen(path, "w");

    assert_non_null(out);
    assert_true(fputs(GUEST_SYSTEM, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

void process_start(struct process *p, const char *frames)
{
    const char *const system = write_system();
    int ends[2];
    char byte;

    if (left_over != 0) {
        (void)kill(left_over, SIGKILL);
        (void)waitpid(left_over, NULL, 0);
    }
    assert_int_equal(pipe(ends), 0);
    (void)fflush(stdout);
    p->id = fork();
    assert_true(p->id >= 0);
    left_over = p->id;
    if (p->id == 0) {
        (void)close(ends[0]);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        run_device(system, frames, ends[1]);
    }
    (void)close(ends[1]);
    p->reports = ends[0];
    assert_int_equal(read(p->reports, &byte, 1u), 1);
}

void process_ask(const struct process *p, struct process_report *report)
{
    uint8_t *const to = (uint8_t *)report;
    size_t n = 0u;

    assert_int_equal(kill(p->id, SIGUSR1), 0);
    while (n < sizeof *report) {
        const ssize_t more = read(p->reports, to + n, sizeof *report - n);

        assert_true(more > 0);
        n += (size_t)more;
    }
    assert_true(report->is_consistent);
}

uint64_t process_count(const struct process_report *report, uint32_t offset)
{
    return (uint64_t)report->registers[offset / 4u + 1u] << 32 | report->registers[offset / 4u];
}

bool process_is_alive(const struct process *p)
{
    return waitpid(p->id, NULL, WNOHANG) == 0;
}

void process_stop(struct process *p)
{
    int status = -1;

    assert_true(process_is_alive(p));
    assert_int_equal(kill(p->id, SIGTERM), 0);
    assert_int_equal(waitpid(p->id, &status, 0), p->id);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    left_over = 0;
    (void)close(p->reports);
}

void process_kill(struct process *p)
{
    assert_int_equal(kill(p->id, SIGKILL), 0);
    assert_int_equal(waitpid(p->id, NULL, 0), p->id);
    left_over = 0;
    (void)close(p->reports);
}

const char *process_capture(const uint16_t *ports, uint32_t n_ports, uint32_t n)
{
    static char spec[120];

    (void)snprintf(spec, sizeof spec, "pcap:%s/frames.pcap", process_directory());
    FILE *const out = fopen(spec + strlen("pcap:"), "wb");

    assert_non_null(out);
    pcap_write_head(out, PCAP_LINK_ETHERNET);
    for (uint32_t i = 0u; i < n; i++) {
        const struct frame f = frame_udp(ports[i % n_ports]);

        pcap_write_frame(out, UINT64_C(1000000) * i, f.bytes, f.len_bytes, f.len_bytes);
    }
    assert_int_equal(fclose(out), 0);
    return spec;
}
