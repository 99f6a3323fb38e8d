/* SPDX-License-Identifier: MIT
 *
 * board.c - runs on the emulated board: the program, the plan, the emulator, the cache.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "board.h"
#include "board_plan.h"
#include "command.h"
#include "gen_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING_MAX     256u /* descriptors that the firmware has */
#define BUFFER_BYTES 1536u

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0u; i < n; i++) {
        h = (h ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Returns: false if the file cannot be read. */
static bool hash_file(uint64_t *h, const char *path)
{
    FILE *const in = fopen(path, "r");
    char bytes[4096];

    if (in == NULL) {
        return false;
    }
    for (size_t n = 1u; n != 0u;) {
        n = fread(bytes, 1u, sizeof bytes, in);
        *h = hash(*h, bytes, n);
    }
    const bool is_bad = ferror(in) != 0;

    return fclose(in) == 0 && !is_bad;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Start a program in a directory, with standard output into a file, and errors if there is one for
 * them. Returns: its process, or -1. */
static pid_t start(char *const argv[], const char *directory, const char *output,
                   const char *errors)
{
    (void)fflush(NULL); /* else the child would write it again */
    const pid_t pid = fork();

    if (pid == 0) {
        if (chdir(directory) == 0 && freopen(output, "w", stdout) != NULL &&
            (errors == NULL || freopen(errors, "w", stderr) != NULL)) {
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

    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---- Where things are ------------------------------------------------------------------------ */

/* The directory above that of this program: of the source tree, where it was built. */
static bool find_root(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1u);

    if (n <= 0) {
        return false;
    }
    out[n] = '\0';
    for (int level = 0; level < 2; level++) {
        char *const slash = strrchr(out, '/');

        if (slash == NULL) {
            return false;
        }
        *slash = '\0';
    }
    return true;
}

static bool make_directory(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Programs run elsewhere: the path must be a whole one. */
static bool realpath_of(const char *path, char *out, size_t size)
{
    char *const whole = realpath(path, NULL);
    const bool fits = whole != NULL && strlen(whole) < size;

    if (fits) {
        memcpy(out, whole, strlen(whole) + 1u);
    }
    free(whole);
    return fits;
}

static bool find_cache(const char *given, char *out, size_t size)
{
    const char *const chosen = given != NULL ? given : getenv("TG_LAB_CACHE");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    int n;

    if (chosen != NULL) {
        return make_directory(chosen) && realpath_of(chosen, out, size);
    }
    if (xdg != NULL && xdg[0] == '/') {
        n = snprintf(out, size, "%s", xdg);
    } else {
        n = snprintf(out, size, "%s/.cache", home != NULL ? home : "/tmp");
    }
    if (n <= 0 || (size_t)n + sizeof "/tidegate-lab" > size || !make_directory(out)) {
        return false;
    }
    (void)snprintf(out + n, size - (size_t)n, "/tidegate-lab");
    return make_directory(out);
}

static int hash_tools(struct tg_board *board, const char *command)
{
    char *argv[] = {(char[]){"qemu-system-arm"}, (char[]){"--version"}, NULL};
    char version[TG_BOARD_PATH_BYTES + 64u];

    (void)snprintf(version, sizeof version, "%s/version.%ld", board->cache, (long)getpid());
    board->tools = HASH_START;

    const bool is_there =
        ended_well(start(argv, ".", version, NULL)) && hash_file(&board->tools, version);

    (void)remove(version);
    if (!is_there) {
        fprintf(stderr,
                "tidegate %s: there is no qemu-system-arm; install the Debian package of this "
                "name\n",
                command);
        return TG_EXIT_LACKS;
    }
    return hash_file(&board->tools, board->runner) ? TG_EXIT_HOLDS : TG_EXIT_LACKS;
}

/* What programs are linked from: parts.txt has a file a line. */
static bool hash_firmware(struct tg_board *board, const char *parts)
{
    FILE *const in = fopen(parts, "r");
    char path[TG_BOARD_PATH_BYTES];
    bool is_there = in != NULL;

    board->linked = HASH_START;
    while (is_there && fgets(path, sizeof path, in) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        is_there = hash_file(&board->linked, path);
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    return is_there;
}

static const struct {
    const char *name;
    const char *application;
    const char *build; /* variable of the environment: another directory than build-NAME */
} KINDS[] = {[TG_BOARD_ZYNQ] = {"zynq", "lab", "TG_ZYNQ_BUILD"},
             [TG_BOARD_VIRT] = {"virt", "node", "TG_VIRT_BUILD"}};

int tg_board_open(struct tg_board *board, enum tg_board_kind kind, const char *command,
                  const char *cache)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *const name = KINDS[kind].name;
    const char *const build = getenv(KINDS[kind].build);
    char root[TG_BOARD_PATH_BYTES / 2u];
    char parts[TG_BOARD_PATH_BYTES + 16u];

    *board = (struct tg_board){.jobs = cores > 1 ? (uint32_t)cores : 1u};
    if (!find_root(root, sizeof root) || !find_cache(cache, board->cache, sizeof board->cache)) {
        fprintf(stderr, "tidegate %s: no directory for what the board gives: --cache DIR\n",
                command);
        return TG_EXIT_LACKS;
    }
    (void)snprintf(board->runner, sizeof board->runner, "%s/firmware/boards/%s/run.sh", root, name);
    if (build != NULL) {
        (void)snprintf(board->firmware, sizeof board->firmware, "%s/firmware/apps/%s", build,
                       KINDS[kind].application);
    } else {
        (void)snprintf(board->firmware, sizeof board->firmware, "%s/build-%s/firmware/apps/%s",
                       root, name, KINDS[kind].application);
    }
    (void)snprintf(parts, sizeof parts, "%s/parts.txt", board->firmware);
    if (!hash_firmware(board, parts) || access(board->runner, R_OK) != 0) {
        fprintf(stderr,
                "tidegate %s: %s, or what it names, is missing; in a source tree: cmake --preset "
                "%s && ninja -C build-%s\n",
                command, parts, name, name);
        return TG_EXIT_LACKS;
    }
    return hash_tools(board, command);
}

int tg_board_accepts(const char *path, const struct tg_system *s)
{
    const struct tg_system_queue *const q = &s->queues[0];
    const uint32_t mtu = s->receive.station.mtu_bytes;

    if (s->n_queues != 1u) {
        fprintf(stderr,
                "%s:%u:%u: queues: found %zu; allowed on target zynq: one, as the Zynq-7000 has\n",
                path, (unsigned)s->queues[1].at.line, (unsigned)s->queues[1].at.column,
                s->n_queues);
        return TG_EXIT_USAGE;
    }
    if (q->ring_pkts > RING_MAX || q->absolute_timer_ns != 0u || q->packet_timer_ns != 0u ||
        q->moderation_pkts != 0u) {
        fprintf(stderr,
                "%s:%u:%u: queue: allowed on target zynq: a ring of at most %u, no moderation (the "
                "emulator has none)\n",
                path, (unsigned)q->at.line, (unsigned)q->at.column, RING_MAX);
        return TG_EXIT_USAGE;
    }
    if (mtu < 1488u || mtu > 1500u) {
        fprintf(stderr, "%s: receive.mtu: found %u; allowed on target zynq: 1488..1500\n", path,
                (unsigned)mtu);
        return TG_EXIT_USAGE;
    }
    return TG_EXIT_HOLDS;
}

/* ---- The program ----------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *bytes, size_t n)
{
    FILE *const out = fopen(path, "w");

    if (out == NULL) {
        return false;
    }
    const bool is_written = fwrite(bytes, 1u, n, out) == n;

    return fclose(out) == 0 && is_written;
}

/* The tables as text. Returns: NULL when out of memory. */
static char *tables_of(const struct tg_system *system, size_t *size)
{
    struct tg_system_config config;
    char *text = NULL;

    if (tg_system_lower_config(system, &config) != 0) {
        return NULL;
    }
    FILE *const out = open_memstream(&text, size);

    if (out != NULL) {
        tg_gen_tables(system, &config, "a system file", out);
        (void)fclose(out);
    }
    tg_system_config_free(&config);
    return text;
}

static bool write_header(const struct tg_system *system, const char *path)
{
    FILE *const out = fopen(path, "w");

    if (out == NULL) {
        return false;
    }
    tg_gen_header(system, "a system file", out);
    return fclose(out) == 0;
}

/* Link the firmware with these tables. */
static bool link_program(const struct tg_board *board, const struct tg_system *system,
                         const char *tables, size_t size, char *program)
{
    char directory[TG_BOARD_PATH_BYTES + 64u];
    char path[TG_BOARD_PATH_BYTES + 128u];
    char script[TG_BOARD_PATH_BYTES + 16u];
    char *argv[] = {(char[]){"sh"}, script, directory, program, NULL};
    bool is_linked = false;

    (void)snprintf(script, sizeof script, "%s/link.sh", board->firmware);
    (void)snprintf(directory, sizeof directory, "%s/tables.%ld", board->cache, (long)getpid());
    if (make_directory(directory)) {
        (void)snprintf(path, sizeof path, "%s/tidegate_config.h", directory);
        is_linked = write_header(system, path);
        (void)snprintf(path, sizeof path, "%s/tidegate_config.c", directory);
        is_linked = is_linked && write_file(path, tables, size) &&
                    ended_well(start(argv, ".", "/dev/null", NULL));
        (void)remove(path);
        (void)snprintf(path, sizeof path, "%s/tidegate_config.h", directory);
        (void)remove(path);
        (void)rmdir(directory);
    }
    return is_linked;
}

bool tg_board_program(const struct tg_board *board, const struct tg_system *system, char *program,
                      size_t size, uint64_t *program_hash)
{
    char fresh[TG_BOARD_PATH_BYTES + 64u];
    size_t tables_size = 0u;
    char *const tables = tables_of(system, &tables_size);
    bool is_there = tables != NULL;

    if (is_there) {
        *program_hash = hash(board->linked, tables, tables_size);
        (void)snprintf(program, size, "%s/%016" PRIx64 ".elf", board->cache, *program_hash);
        if (access(program, R_OK) != 0) {
            (void)snprintf(fresh, sizeof fresh, "%s/program.%ld", board->cache, (long)getpid());
            is_there = link_program(board, system, tables, tables_size, fresh) &&
                       rename(fresh, program) == 0;
        }
    }
    free(tables);
    return is_there;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* One run at work. */
struct run {
    pid_t pid;
    struct tg_board_cell *cell;
    char plan[TG_BOARD_PATH_BYTES + 64u];
    char output[TG_BOARD_PATH_BYTES + 64u];
    char errors[TG_BOARD_PATH_BYTES + 80u]; /* QEMU warns of a network without an outside */
};

struct batch {
    const struct tg_board *board;
    const char *command;
    char program[TG_BOARD_PATH_BYTES + 64u];
    uint64_t program_hash;
    struct run *runs; /* board->jobs */
    uint32_t n_running;
    size_t done;
    size_t n;
    struct tg_progress progress;
};

static int fail(const struct batch *b, const char *what)
{
    fprintf(stderr, "tidegate %s: %s\n", b->command, what);
    return TG_EXIT_LACKS;
}

/* Wait until one run has ended, and keep its result. */
static int finish_one(struct batch *b)
{
    int status = -1;
    const pid_t pid = wait(&status);

    for (uint32_t i = 0u; i < b->board->jobs; i++) {
        struct run *const r = &b->runs[i];

        if (r->pid == pid && pid > 0) {
            r->pid = 0;
            b->n_running--;
            b->done++;
            (void)remove(r->plan);
            tg_progress_show(&b->progress, b->done, b->n, r->cell->scenario->name);
            if (status != 0 || rename(r->output, r->cell->result) != 0) {
                fprintf(stderr, "tidegate %s: '%s' on the board failed, see %s and %s\n",
                        b->command, r->cell->scenario->name, r->output, r->errors);
                return TG_EXIT_LACKS;
            }
            (void)remove(r->errors);
        }
    }
    return pid > 0 ? TG_EXIT_HOLDS : fail(b, "a run on the board was lost");
}

static int start_run(struct batch *b, struct tg_board_cell *cell, const char *plan, size_t size)
{
    struct run *r = b->runs;
    char argument[32];
    char trace[32];
    char shift[16];

    while (r->pid != 0) {
        r++;
    }
    (void)snprintf(r->plan, sizeof r->plan, "%s/%016" PRIx64 ".plan", b->board->cache, cell->key);
    (void)snprintf(r->output, sizeof r->output, "%s/output.%ld.%zu", b->board->cache,
                   (long)getpid(), (size_t)(r - b->runs));
    (void)snprintf(r->errors, sizeof r->errors, "%s.errors", r->output);
    /* The firmware reads this text, too: its length must not depend on where it lies. */
    (void)snprintf(argument, sizeof argument, "plan=%016" PRIx64 ".plan", cell->key);
    (void)snprintf(trace, sizeof trace, "trace=%016" PRIx64 ".trace", cell->key);
    (void)snprintf(shift, sizeof shift, "%u", (unsigned)cell->shift);
    if (!write_file(r->plan, plan, size) || setenv("TG_ZYNQ_SHIFT", shift, 1) != 0 ||
        setenv("TG_ZYNQ_SECONDS", TG_BOARD_SECONDS, 1) != 0) {
        return fail(b, "a plan cannot be written");
    }
    char *argv[] = {(char[]){"sh"}, (char *)(uintptr_t)b->board->runner,       b->program,
                    argument,       cell->trace_until_ns != 0u ? trace : NULL, NULL};

    r->cell = cell;
    r->pid = start(argv, b->board->cache, r->output, r->errors);
    if (r->pid < 0) {
        r->pid = 0;
        return fail(b, "no process for the emulator");
    }
    b->n_running++;
    return b->n_running == b->board->jobs ? finish_one(b) : TG_EXIT_HOLDS;
}

/* Is there a result from an earlier time? One that makes no sense is run again. */
static bool is_kept(const struct batch *b, const struct tg_board_cell *cell)
{
    struct tg_board_result r;

    if (access(cell->result, R_OK) != 0 ||
        (cell->trace_until_ns != 0u && access(cell->trace, R_OK) != 0)) {
        return false;
    }
    const bool is_whole = tg_board_read(cell, b->command, &r) == TG_EXIT_HOLDS;

    tg_board_free(&r);
    if (!is_whole) {
        fprintf(stderr, "tidegate %s: it is run again\n", b->command);
    }
    return is_whole;
}

static int run_cell(struct batch *b, struct tg_board_cell *cell)
{
    char text[512] = "";
    char *plan = NULL;
    size_t size = 0u;
    int status = TG_EXIT_HOLDS;

    if (!tg_board_program(b->board, cell->system, b->program, sizeof b->program,
                          &b->program_hash)) {
        return fail(b, "the firmware cannot be linked");
    }
    if (tg_board_plan(cell, &plan, &size, text, sizeof text) != 0) {
        free(plan);
        return fail(b, text);
    }
    cell->key = hash(b->program_hash ^ b->board->tools, plan, size);
    (void)snprintf(cell->result, sizeof cell->result, "%.900s/%016" PRIx64 ".txt", b->board->cache,
                   cell->key);
    (void)snprintf(cell->trace, sizeof cell->trace, "%.900s/%016" PRIx64 ".trace", b->board->cache,
                   cell->key);
    if (is_kept(b, cell)) {
        b->done++;
    } else {
        status = start_run(b, cell, plan, size);
    }
    free(plan);
    return status;
}

int tg_board_run(const struct tg_board *board, const char *command, struct tg_board_cell *cells,
                 size_t n)
{
    struct batch b = {.board = board, .command = command, .n = n};
    int status = TG_EXIT_HOLDS;

    b.runs = calloc(board->jobs, sizeof *b.runs);
    if (b.runs == NULL) {
        return fail(&b, "out of memory");
    }
    tg_progress_start(&b.progress);
    for (size_t i = 0u; i < n && status == TG_EXIT_HOLDS; i++) {
        status = run_cell(&b, &cells[i]);
    }
    while (b.n_running != 0u) {
        const int last = finish_one(&b);

        status = status == TG_EXIT_HOLDS ? last : status;
    }
    tg_progress_end(&b.progress);
    free(b.runs);
    return status;
}
