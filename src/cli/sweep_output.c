/* SPDX-License-Identifier: MIT
 *
 * sweep_output.c - the rows of a sweep, in a file that a killed sweep goes on with.
 */
#define _POSIX_C_SOURCE 200809L
#include "sweep_output.h"
#include "command.h"

#include "system/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which sweep it is ----------------------------------------------------------------------- */

/* FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): not against forgery. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *const b = bytes;

    for (size_t i = 0u; i < n; i++) {
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void put_sweep(const struct tg_cell_work *work, uint64_t file, FILE *out)
{
    fprintf(out, "# tidegate " TG_VERSION " sweep: file %016" PRIx64 ", command %s", file,
            work->is_run ? "run" : "check");
    if (work->scenario != NULL) {
        fprintf(out, ", scenario %s", work->scenario);
    }
    if (work->is_run && work->policy != TG_SIM_TIDEGATE) {
        fprintf(out, ", policy %s", tg_sim_policy_name(work->policy));
    }
    for (uint32_t i = 0u; i < work->grid->n_axes; i++) {
        const struct tg_grid_axis *const a = &work->grid->axes[i];

        fprintf(out, ", %s=%" PRIu64 "..%" PRIu64 "%s %s%" PRIu64, a->path, a->from, a->to,
                tg_grid_unit(a),
                a->step != 0u     ? "by "
                : a->factor != 0u ? "x"
                                  : ":",
                a->step != 0u     ? a->step
                : a->factor != 0u ? a->factor
                                  : a->n);
    }
    fputc('\n', out);
}

/* What cannot be read is not hashed: the loader refuses such a capture, cell by cell. */
static uint64_t hash_file(uint64_t hash, const char *path)
{
    FILE *const in = fopen(path, "rb");
    uint8_t bytes[4096];
    size_t n;

    if (in != NULL) {
        while ((n = fread(bytes, 1u, sizeof bytes, in)) != 0u) {
            hash = hash_bytes(hash, bytes, n);
        }
        (void)fclose(in);
    }
    return hash;
}

/* The system file and the captures that it sends. */
static uint64_t hash_input(const struct tg_cell_work *work)
{
    const struct tg_system *const s = work->grid->system;
    uint64_t hash =
        hash_bytes(UINT64_C(0xcbf29ce484222325), work->grid->text, work->grid->size_bytes);

    for (size_t i = 0u; i < s->n_scenarios && work->is_run; i++) {
        for (size_t t = 0u; t < s->scenarios[i].n_traffic; t++) {
            const char *const path = s->scenarios[i].traffic[t].capture_path;

            hash = path != NULL ? hash_file(hash, path) : hash;
        }
    }
    return hash;
}

static char *title_of(const struct tg_cell_work *work)
{
    const uint64_t file = hash_input(work);
    char *title = NULL;
    size_t size = 0u;
    FILE *const out = open_memstream(&title, &size);

    if (out == NULL) {
        return NULL;
    }
    put_sweep(work, file, out);
    return fclose(out) == 0 ? title : NULL;
}

uint64_t tg_sweep_hash(const struct tg_cell_work *work)
{
    char *const title = title_of(work);
    const uint64_t hash =
        title != NULL ? hash_bytes(UINT64_C(0xcbf29ce484222325), title, strlen(title)) : 0u;

    free(title);
    return hash;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Behind so many fields of a row, or its end. Commas within quotes are text. */
static const char *skip_fields(const char *row, uint32_t n)
{
    bool is_quoted = false;

    for (; n != 0u && *row != '\0'; row++) {
        is_quoted = is_quoted != (*row == '"');
        n -= *row == ',' && !is_quoted;
    }
    return row;
}

/* The title of a column, as it stands in the head, begins so. */
static bool is_title(const char *field, const char *title)
{
    const char *const text = *field == '"' ? field + 1 : field;
    const size_t length = strlen(title);

    return strncmp(text, title, length) == 0 && strchr(",\"\n", text[length]) != NULL;
}

/* Which column the map is of; titles: the head. */
static int find_map(struct tg_sweep_output *o, const char *titles)
{
    for (uint32_t i = o->work->grid->n_axes + 1u; *skip_fields(titles, i) != '\0'; i++) {
        if (is_title(skip_fields(titles, i), o->work->map)) {
            o->map_field = i - o->work->grid->n_axes;
            return TG_EXIT_HOLDS;
        }
    }
    const char *const columns = skip_fields(titles, o->work->grid->n_axes + 1u);

    return tg_command_misuse(&tg_command_sweep, "--map: found '%s'; allowed: a column of %.*s",
                             o->work->map, (int)strcspn(columns, "\n"), columns);
}

const struct tg_sweep_row *tg_sweep_best(const struct tg_sweep_output *o)
{
    const struct tg_sweep_row *best = NULL;

    for (uint32_t i = 0u; o->work->map != NULL && i < o->n_rows; i++) {
        const struct tg_sweep_row *const row = &o->rows[i];

        if (row->verdict == TG_CELL_HOLDS && row->figure != TG_SWEEP_NO_FIGURE &&
            (best == NULL || row->figure < best->figure)) {
            best = row;
        }
    }
    return best;
}

bool tg_sweep_best_text(const struct tg_sweep_output *o, char text[TG_SWEEP_BEST_BYTES])
{
    const struct tg_grid *const grid = o->work->grid;
    const struct tg_sweep_row *const best = tg_sweep_best(o);
    char value[TG_GRID_TEXT_BYTES];

    text[0] = '\0';
    if (best == NULL) {
        tg_text_add(text, TG_SWEEP_BEST_BYTES, "No cell holds.");
        return o->work->map != NULL;
    }
    tg_text_add(text, TG_SWEEP_BEST_BYTES,
                "The least %s of the cells that hold is %" PRId64 ", with", o->work->map,
                best->figure);
    for (uint32_t i = 0u; i < grid->n_axes; i++) {
        tg_text_add(text, TG_SWEEP_BEST_BYTES, "%s %s = %s", i != 0u ? "," : "", grid->axes[i].path,
                    tg_grid_text(&grid->axes[i], tg_grid_value(grid, (uint32_t)(best - o->rows), i),
                                 value));
    }
    tg_text_add(text, TG_SWEEP_BEST_BYTES, ".");
    return true;
}

/* The first number behind the verdict; of run the sum of two. */
static int64_t figure_of(const char *text, bool is_run)
{
    char *end;
    const int64_t first = strtoll(text, &end, 10);

    if (end == text) {
        return TG_SWEEP_NO_FIGURE;
    }
    return is_run && *end == ',' ? first + strtoll(end + 1, NULL, 10) : first;
}

static int keep_row(struct tg_sweep_output *o, const char *row)
{
    struct tg_sweep_row *const kept = &o->rows[o->n_rows];

    for (uint32_t i = 0u; i < o->work->grid->n_axes; i++) {
        const char *const comma = strchr(row, ',');
        char *end;

        if (comma == NULL ||
            strtoull(row, &end, 10) != tg_grid_value(o->work->grid, o->n_rows, i) || end != comma) {
            return -1;
        }
        row = comma + 1;
    }
    for (uint32_t v = 0u; v < TG_CELL_VERDICTS; v++) {
        const size_t length = strlen(tg_cell_verdict_names[v]);

        if (strncmp(row, tg_cell_verdict_names[v], length) == 0 && row[length] == ',') {
            const char *const figure =
                o->work->map != NULL ? skip_fields(row, o->map_field) : row + length + 1u;

            kept->verdict = (enum tg_cell_verdict)v;
            kept->figure = figure_of(figure, o->work->is_run && o->work->map == NULL);
            o->n_rows++;
            return 0;
        }
    }
    return -1;
}

int tg_sweep_output_take(void *ctx, const char *row)
{
    struct tg_sweep_output *const o = ctx;

    if (keep_row(o, row) != 0 || fputs(row, o->out) == EOF || fflush(o->out) != 0) {
        (void)tg_command_misuse(&tg_command_sweep, "%s cannot be written",
                                o->path != NULL ? o->path : "standard output");
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

/* ---- Begin, or go on ------------------------------------------------------------------------- */

static int refuse(const struct tg_sweep_output *o, uint32_t line, const char *found)
{
    fprintf(stderr,
            "%s:%" PRIu32 ":1: found %s; allowed: rows of this file and grid, which the sweep goes "
            "on with, or no file\n",
            o->path, line, found);
    return TG_EXIT_USAGE;
}

/* What is there already. *end: behind the last row that is whole. */
static int read_rows(struct tg_sweep_output *o, const char *titles, long *end)
{
    char *line = NULL;
    size_t size = 0u;
    uint32_t number = 0u;
    int status = TG_EXIT_HOLDS;

    while (status == TG_EXIT_HOLDS && getline(&line, &size, o->out) > 0) {
        const bool is_whole = strchr(line, '\n') != NULL;
        const char *const wanted = number == 0u ? o->title : titles;

        number++;
        if (!is_whole && (number > 2u || strncmp(line, wanted, strlen(line)) == 0)) {
            break;
        }
        if (number <= 2u && strcmp(line, wanted) != 0) {
            status = refuse(o, number, number == 1u ? "another sweep, or none" : "other columns");
        } else if (number > 2u && (o->n_rows == o->work->grid->n_cells || keep_row(o, line) != 0)) {
            status = refuse(o, number, "a row of another grid");
        }
        *end = ftell(o->out);
    }
    free(line);
    return status;
}

static int go_on(struct tg_sweep_output *o, const char *titles)
{
    long end = 0;

    o->out = fopen(o->path, "a+b");
    if (o->out == NULL) {
        (void)tg_command_misuse(&tg_command_sweep, "-o: %s: %s", o->path, strerror(errno));
        return TG_EXIT_USAGE;
    }
    rewind(o->out);

    const int status = read_rows(o, titles, &end);

    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    /* A head without a row is written again. */
    end = o->n_rows != 0u ? end : 0;
    if (fflush(o->out) != 0 || ftruncate(fileno(o->out), end) != 0 ||
        fseek(o->out, 0, SEEK_END) != 0) {
        (void)tg_command_misuse(&tg_command_sweep, "-o: %s: %s", o->path, strerror(errno));
        return TG_EXIT_LACKS;
    }
    if (o->n_rows != 0u) {
        fprintf(stderr, "%s: %" PRIu32 " of %" PRIu32 " cells are there already\n", o->path,
                o->n_rows, o->work->grid->n_cells);
    }
    return TG_EXIT_HOLDS;
}

int tg_sweep_output_open(struct tg_sweep_output *o, const struct tg_cell_work *work,
                         const char *path)
{
    char *titles = NULL;
    size_t size = 0u;
    FILE *const head = open_memstream(&titles, &size);
    int status = TG_EXIT_HOLDS;

    *o = (struct tg_sweep_output){.work = work,
                                  .path = path,
                                  .out = stdout,
                                  .title = title_of(work),
                                  .rows = calloc(work->grid->n_cells, sizeof *o->rows)};
    if (head != NULL) {
        tg_cell_titles(work, head);
    }
    if (head == NULL || fclose(head) != 0 || o->title == NULL || o->rows == NULL) {
        (void)tg_command_misuse(&tg_command_sweep, "out of memory");
        free(titles);
        return TG_EXIT_LACKS;
    }
    if (work->map != NULL) {
        status = find_map(o, titles);
    }
    if (status == TG_EXIT_HOLDS && path != NULL) {
        status = go_on(o, titles);
    }
    if (status == TG_EXIT_HOLDS && o->n_rows == 0u) {
        fputs(o->title, o->out);
        fputs(titles, o->out);
    }
    free(titles);
    return status;
}

int tg_sweep_output_close(struct tg_sweep_output *o, int status)
{
    if (o->out != NULL && o->out != stdout) {
        const bool is_bad = ferror(o->out) != 0;

        if (fclose(o->out) != 0 || is_bad) {
            (void)tg_command_misuse(&tg_command_sweep, "-o: %s cannot be written", o->path);
            status = TG_EXIT_LACKS;
        }
    }
    free(o->title);
    free(o->rows);
    return status;
}
