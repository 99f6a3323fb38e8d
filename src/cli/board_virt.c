/* SPDX-License-Identifier: MIT
 *
 * board_virt.c - runs on QEMU's virt machine: the network, the processes, their results.
 */
#include "board_virt.h"
#include "board_plan.h"
#include "board_virt_send.h"
#include "command.h"

#include "nic/wire/registers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATION    "192.0.2.1" /* firmware/apps/node, and what frames of a scenario are sent to */
#define CLIENTS    "192.0.2.2/24" /* our end */
#define NETWORK    "tg0"
#define NIC        "tg1"
#define SOCKET     "nic.sock"
#define PLAN       "plan"
#define END        "end"
#define COUNTERS   "nic.json"
#define MESSAGES   "nic.log"
#define COMMANDS   "network"
#define LINE_BYTES 512u

#define NS_PER_S     UINT64_C(1000000000)
#define START_MAX_S  60  /* until the board is ready */
#define FINISH_MAX_S 60  /* from the end of the traffic to that of the board */
#define SOCKET_MAX   200 /* times 50 ms */
#define BUFFER_BYTES 1536u
#define BUFFERS_MAX  2048u /* of packets; with rings and what is sent they fit the NIC's memory */
#define REASSEMBLY   8u    /* buffers of best effort that lwIP may hold for good, and two */

/* Somebody wants us to stop: everything is ended in order. */
static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
    (void)signal;
    is_stopped = 1;
}

/* One run. */
struct live {
    const struct tg_board *board;
    const char *command;
    const char *file;
    const char *directory;
    struct tg_board_cell *cell;
    pid_t nic;
    pid_t qemu;
    int console; /* what the board prints */
    char line[LINE_BYTES];
    size_t line_bytes;
    tg_ns ahead_ns; /* this host's clock minus the board's */
};

static int fail(const char *command, const char *what)
{
    fprintf(stderr, "tidegate %s: %s\n", command, what);
    return TG_EXIT_LACKS;
}

static tg_ns clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (tg_ns)t.tv_sec * NS_PER_S + (tg_ns)t.tv_nsec;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool write_file(const char *directory, const char *name, const char *bytes, size_t n)
{
    char path[TG_BOARD_PATH_BYTES + 64u];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *const out = fopen(path, "w");

    if (out == NULL) {
        return false;
    }
    const bool is_written = fwrite(bytes, 1u, n, out) == n;

    return fclose(out) == 0 && is_written;
}

static void remove_file(const char *directory, const char *name)
{
    char path[TG_BOARD_PATH_BYTES + 64u];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    (void)remove(path);
}

static void remove_directory(const char *directory)
{
    static const char *const names[] = {SOCKET, PLAN, END, COUNTERS, MESSAGES, COMMANDS};

    for (size_t i = 0u; i < sizeof names / sizeof names[0]; i++) {
        remove_file(directory, names[i]);
    }
    (void)rmdir(directory);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static bool to_file(int fd, const char *name)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    return file >= 0 && dup2(file, fd) == fd;
}

/* Start a program in the directory; it ends with us. output: where its standard output goes, or
 * -1: that and its messages go to files of the NIC. */
static pid_t start(char *const argv[], const char *directory, int output)
{
    (void)fflush(NULL); /* else the child would write it again */
    const pid_t pid = fork();

    if (pid == 0) {
        const bool is_ready =
            prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && chdir(directory) == 0 &&
            (output >= 0 ? dup2(output, STDOUT_FILENO) == STDOUT_FILENO
                         : to_file(STDOUT_FILENO, COUNTERS) && to_file(STDERR_FILENO, MESSAGES));

        if (is_ready) {
            (void)execvp(argv[0], argv);
        }
        _exit(127);
    }
    return pid;
}

/* Returns: true if it ended with status 0. */
static bool ended_well(pid_t pid)
{
    int status = -1;

    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

static void end(pid_t *pid, int with)
{
    if (*pid > 0) {
        (void)kill(*pid, with);
        (void)ended_well(*pid);
        *pid = 0;
    }
}

/* ---- The network ----------------------------------------------------------------------------- */

/* The kernel's own IPv6 would send what nobody asked for. A kernel without has no such file. */
static void silence_ipv6(void)
{
    FILE *const out = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w");

    if (out != NULL) {
        (void)fputs("1\n", out);
        (void)fclose(out);
    }
}

static int make_network(const char *command, const char *directory)
{
    static const char commands[] = "link set lo up\n"
                                   "link add " NETWORK " type veth peer name " NIC "\n"
                                   "address add " CLIENTS " dev " NETWORK "\n"
                                   "link set " NETWORK " up\n"
                                   "link set " NIC " up\n";
    char *argv[] = {(char[]){"ip"}, (char[]){"-batch"}, (char[]){COMMANDS}, NULL};

    if (unshare(CLONE_NEWNET) != 0) {
        fprintf(stderr,
                "tidegate %s: target virt makes a network namespace, and that needs root (%s)\n",
                command, strerror(errno));
        return TG_EXIT_LACKS;
    }
    silence_ipv6();
    if (!write_file(directory, COMMANDS, commands, sizeof commands - 1u) ||
        !ended_well(start(argv, directory, STDERR_FILENO))) {
        return fail(command, "no network: `ip` fails; it is in the Debian package iproute2");
    }
    return TG_EXIT_HOLDS;
}

/* ---- The NIC --------------------------------------------------------------------------------- */

static int start_nic(struct live *l)
{
    char socket[TG_BOARD_PATH_BYTES + 64u];
    char *argv[] = {(char[]){"/proc/self/exe"}, (char[]){"nic"},
                    (char[]){"--frames"},       (char[]){"veth:" NIC},
                    (char[]){"--rules"},        (char *)(uintptr_t)l->file,
                    (char[]){"--socket"},       (char[]){SOCKET},
                    (char[]){"--json"},         NULL};

    (void)snprintf(socket, sizeof socket, "%s/" SOCKET, l->directory);
    l->nic = start(argv, l->directory, -1);
    for (int i = 0; i < SOCKET_MAX && access(socket, F_OK) != 0; i++) {
        (void)poll(NULL, 0u, 50);
    }
    if (l->nic > 0 && access(socket, F_OK) == 0) {
        return TG_EXIT_HOLDS;
    }
    fprintf(stderr, "tidegate %s: the NIC does not start; `tidegate nic --rules %s` says why\n",
            l->command, l->file);
    return TG_EXIT_LACKS;
}

/* What the host dropped before the NIC saw it, of the counters that it prints at its end. */
static int finish_nic(struct live *l)
{
    static const char key[] = "\"lost_before\": %" SCNu64;
    char path[TG_BOARD_PATH_BYTES + 64u];
    char line[256];
    bool is_found = false;

    (void)kill(l->nic, SIGTERM);
    const bool is_well = ended_well(l->nic);

    l->nic = 0;
    (void)snprintf(path, sizeof path, "%s/" COUNTERS, l->directory);
    FILE *const in = fopen(path, "r");

    while (in != NULL && !is_found && fgets(line, sizeof line, in) != NULL) {
        is_found = sscanf(line + strspn(line, " "), key, &l->cell->lost_before) == 1;
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    return is_well && is_found ? TG_EXIT_HOLDS : fail(l->command, "the NIC did not end well");
}

/* ---- The board ------------------------------------------------------------------------------- */

static int start_qemu(struct live *l, const char *program)
{
    char nic[64];
    char seconds[32];
    char *argv[] = {(char[]){"sh"},
                    (char *)(uintptr_t)l->board->runner,
                    (char *)(uintptr_t)program,
                    (char[]){"plan=" PLAN},
                    (char[]){"end=" END},
                    NULL};
    int ends[2];

    (void)snprintf(nic, sizeof nic, SOCKET ",%zu", l->cell->system->n_queues);
    (void)snprintf(seconds, sizeof seconds, "%" PRIu64,
                   l->cell->scenario->for_ns / NS_PER_S + START_MAX_S + FINISH_MAX_S);
    if (setenv("TG_VIRT_NIC", nic, 1) != 0 || setenv("TG_VIRT_SECONDS", seconds, 1) != 0 ||
        pipe(ends) != 0) {
        return fail(l->command, "no process for the emulator");
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    l->console = ends[0];
    l->qemu = start(argv, l->directory, ends[1]);
    (void)close(ends[1]);
    return l->qemu > 0 ? TG_EXIT_HOLDS : fail(l->command, "no process for the emulator");
}

/* The next line that the board prints, without its end, at most until this time. Returns: false if
 * there is none. */
static bool next_line(struct live *l, char line[LINE_BYTES], tg_ns until_ns)
{
    for (;;) {
        char *const end_of_line = memchr(l->line, '\n', l->line_bytes);

        if (end_of_line != NULL) {
            const size_t n = (size_t)(end_of_line - l->line);

            memcpy(line, l->line, n);
            line[n] = '\0';
            l->line_bytes -= n + 1u;
            memmove(l->line, end_of_line + 1, l->line_bytes);
            return true;
        }
        const tg_ns now_ns = clock_ns();
        struct pollfd fd = {.fd = l->console, .events = POLLIN};
        ssize_t n = 0;

        if (!is_stopped && now_ns < until_ns && l->line_bytes < sizeof l->line &&
            poll(&fd, 1u, (int)((until_ns - now_ns) / 1000000u + 1u)) > 0) {
            n = read(l->console, l->line + l->line_bytes, sizeof l->line - l->line_bytes);
        }
        if (n <= 0) {
            return false;
        }
        l->line_bytes += (size_t)n;
    }
}

static int board_stopped(const struct live *l, const char *line)
{
    fprintf(stderr, "tidegate %s: '%s' on the board failed%s%s\n", l->command,
            l->cell->scenario->name, line[0] != '\0' ? ": " : "", line);
    return TG_EXIT_LACKS;
}

/* Until the board is ready. A line "clock T" was written when its clock was T, so it was read
 * later than that: of many the one that came soonest tells best how far the clocks are apart. */
static int wait_for_board(struct live *l)
{
    const tg_ns until_ns = clock_ns() + START_MAX_S * NS_PER_S;
    char line[LINE_BYTES] = "";

    l->ahead_ns = UINT64_MAX;
    while (next_line(l, line, until_ns)) {
        uint64_t ticks;

        if (sscanf(line, "clock %" SCNu64, &ticks) == 1) {
            const tg_ns ahead_ns = clock_ns() - ticks * TG_BOARD_TICK_NS;

            l->ahead_ns = ahead_ns < l->ahead_ns ? ahead_ns : l->ahead_ns;
        } else {
            return strncmp(line, "ready ", 6u) == 0 ? TG_EXIT_HOLDS : board_stopped(l, line);
        }
    }
    return board_stopped(l, is_stopped ? "stopped" : "it does not start");
}

/* The rest of what it prints is the result. */
static int finish_board(struct live *l)
{
    const tg_ns until_ns = clock_ns() + FINISH_MAX_S * NS_PER_S;
    FILE *const out = fopen(l->cell->result, "w");
    char line[LINE_BYTES] = "";
    char panic[LINE_BYTES] = "";

    if (out == NULL || !write_file(l->directory, END, "", 0u)) {
        if (out != NULL) {
            (void)fclose(out);
        }
        return fail(l->command, "the result cannot be written");
    }
    while (next_line(l, line, until_ns)) {
        fprintf(out, "%s\n", line);
        if (strncmp(line, "panic:", 6u) == 0) {
            memcpy(panic, line, sizeof panic);
        }
    }
    const bool is_written = fclose(out) == 0;
    const bool is_well = ended_well(l->qemu);

    l->qemu = 0;
    return is_well && is_written ? TG_EXIT_HOLDS : board_stopped(l, panic);
}

/* ---- A cell ---------------------------------------------------------------------------------- */

static int write_plan(struct live *l)
{
    char text[512] = "a plan cannot be written";
    char *plan = NULL;
    size_t size = 0u;
    const bool is_there = tg_board_plan(l->cell, &plan, &size, text, sizeof text) == 0 &&
                          write_file(l->directory, PLAN, plan, size);

    free(plan);
    return is_there ? TG_EXIT_HOLDS : fail(l->command, text);
}

static int send_traffic(struct live *l)
{
    char text[512];

    fprintf(stderr, "the board is " STATION "; clients: nsenter --net=/proc/%ld/ns/net COMMAND\n",
            (long)getpid());
    if (tg_virt_send(NETWORK, l->cell, l->ahead_ns, &is_stopped, text, sizeof text) != 0) {
        return fail(l->command, text);
    }
    return is_stopped ? board_stopped(l, "stopped") : TG_EXIT_HOLDS;
}

static int run_processes(struct live *l, const char *program)
{
    int status = write_plan(l);

    remove_file(l->directory, END);
    remove_file(l->directory, SOCKET);
    if (status == TG_EXIT_HOLDS) {
        status = start_nic(l);
    }
    if (status == TG_EXIT_HOLDS) {
        status = start_qemu(l, program);
    }
    if (status == TG_EXIT_HOLDS) {
        status = wait_for_board(l);
    }
    if (status == TG_EXIT_HOLDS) {
        status = send_traffic(l);
    }
    if (status == TG_EXIT_HOLDS) {
        status = finish_board(l);
    }
    if (status == TG_EXIT_HOLDS) {
        status = finish_nic(l);
    }
    end(&l->qemu, SIGTERM);
    end(&l->nic, SIGTERM);
    if (l->console >= 0) {
        (void)close(l->console);
    }
    return status;
}

static int run_cell(struct live *l, struct tg_board_cell *cell, size_t number)
{
    char program[TG_BOARD_PATH_BYTES + 64u];
    uint64_t hash;

    l->cell = cell;
    l->console = -1;
    l->line_bytes = 0u;
    cell->sent = calloc(cell->system->n_flows + 2u, sizeof *cell->sent);
    (void)snprintf(cell->result, sizeof cell->result, "%.900s/virt.%ld.%zu.txt", l->board->cache,
                   (long)getpid(), number);
    if (cell->sent == NULL) {
        return fail(l->command, "out of memory");
    }
    if (!tg_board_program(l->board, cell->system, program, sizeof program, &hash)) {
        return fail(l->command, "the firmware cannot be linked");
    }
    return run_processes(l, program);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int run_cells(struct live *l, struct tg_board_cell *cells, size_t n)
{
    struct tg_progress progress;
    int status = make_network(l->command, l->directory);

    tg_progress_start(&progress);
    for (size_t i = 0u; i < n && status == TG_EXIT_HOLDS; i++) {
        tg_progress_show(&progress, i, n, cells[i].scenario->name);
        status = run_cell(l, &cells[i], i);
    }
    tg_progress_end(&progress);
    return status;
}

int tg_virt_run(const struct tg_board *board, const char *command, const char *file,
                struct tg_board_cell *cells, size_t n)
{
    const struct sigaction action = {.sa_handler = stop}; /* calls that wait are to return */
    char directory[TG_BOARD_PATH_BYTES + 16u];
    char *const whole = realpath(file, NULL);

    (void)snprintf(directory, sizeof directory, "%s/virt.XXXXXX", board->cache);
    if (whole == NULL || mkdtemp(directory) == NULL) {
        free(whole);
        return fail(command, "no directory for what the board needs");
    }
    struct live l = {.board = board, .command = command, .file = whole, .directory = directory};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    const int status = run_cells(&l, cells, n);

    remove_directory(directory);
    free(whole);
    return status;
}

void tg_virt_free(struct tg_board_cell *cells, size_t n)
{
    for (size_t i = 0u; i < n; i++) {
        if (cells[i].sent != NULL) {
            (void)remove(cells[i].result);
            free(cells[i].sent);
        }
    }
}

/* ---- Files that it takes --------------------------------------------------------------------- */

static int accepts_ports(const char *path, const struct tg_system *s)
{
    uint32_t n = 0u;

    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_system_flow *const f = &s->flows[i];

        n += tg_board_port(s, f) != 0u;
        if (n > LAB_UDP_PORTS_MAX) {
            fprintf(stderr,
                    "%s:%u:%u: flow '%s' has one more UDP port; allowed on target virt: %u\n", path,
                    (unsigned)f->match_at.line, (unsigned)f->match_at.column, f->name,
                    LAB_UDP_PORTS_MAX);
            return TG_EXIT_USAGE;
        }
    }
    return TG_EXIT_HOLDS;
}

int tg_virt_accepts(const char *path, const struct tg_system *s)
{
    const struct tg_station *const station = &s->receive.station;

    if (station->mac == TG_MAC_NONE) {
        fprintf(
            stderr,
            "%s: receive.station is missing; target virt needs the board's own Ethernet address, "
            "as in 02:00:00:00:00:01\n",
            path);
        return TG_EXIT_USAGE;
    }
    if (station->mtu_bytes < 1488u || station->mtu_bytes > 1500u) {
        fprintf(stderr, "%s: receive.mtu: found %u; allowed on target virt: 1488..1500\n", path,
                (unsigned)station->mtu_bytes);
        return TG_EXIT_USAGE;
    }
    if (s->receive.buffers_pkts > BUFFERS_MAX) {
        fprintf(stderr, "%s: receive.buffers: found %u; allowed on target virt: at most %u\n", path,
                (unsigned)s->receive.buffers_pkts, BUFFERS_MAX);
        return TG_EXIT_USAGE;
    }
    if (!s->best_effort.is_dropped && s->best_effort.reserve_pkts < REASSEMBLY) {
        fprintf(stderr, "%s: best_effort.reserve: found %u; allowed on target virt: %u or more\n",
                path, (unsigned)s->best_effort.reserve_pkts, REASSEMBLY);
        return TG_EXIT_USAGE;
    }
    return accepts_ports(path, s);
}
