/* SPDX-License-Identifier: MIT
 *
 * sweep_grid.c - the cells of `tidegate sweep`.
 */
#define _POSIX_C_SOURCE 200809L
#include "sweep_grid.h"
#include "command.h"
#include "rate_text.h"
#include "span_text.h"

#include "system/slurp.h"
#include "system/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TG_RATE_TEXT_BYTES <= TG_GRID_TEXT_BYTES, "a rate is a text");
_Static_assert(TG_SPAN_TEXT_BYTES <= TG_GRID_TEXT_BYTES, "a duration is a text");

/* ---- One axis -------------------------------------------------------------------------------- */

/* The column counts within the text of --vary. */
static int refuse(const char *varied, const char *at, const char *what)
{
    return tg_command_misuse(&tg_command_sweep, "--vary '%s', column %zu: found '%s'; allowed: %s",
                             varied, (size_t)(at - varied) + 1u, at, what);
}

static int read_value(const struct tg_grid_axis *axis, const char *text, size_t length,
                      uint64_t *out)
{
    struct tg_value_error error;

    switch (axis->place.kind) {
    case TG_LOCATED_DURATION:
        return tg_value_duration(text, length, out, &error);
    case TG_LOCATED_RATE:
        return tg_value_rate(text, length, out, &error);
    default:
        return tg_value_number(text, length, out, &error);
    }
}

static const char *what_is_read(const struct tg_grid_axis *axis)
{
    return axis->place.kind == TG_LOCATED_DURATION ? "a duration, as 10us"
           : axis->place.kind == TG_LOCATED_RATE   ? "a rate, as 10kpps"
                                                   : "a whole number";
}

/* One of the unit in which FROM is written. */
static uint64_t unit_of(const struct tg_grid_axis *axis, const char *from, size_t length)
{
    const size_t digits = strspn(from, "0123456789");
    char one[32];
    uint64_t unit = 1u;

    (void)snprintf(one, sizeof one, "1%.*s", (int)(length - digits), from + digits);
    return read_value(axis, one, strlen(one), &unit) == 0 && unit != 0u ? unit : 1u;
}

static uint32_t count_factor(const struct tg_grid_axis *axis)
{
    uint32_t n = 1u;

    for (uint64_t v = axis->from; v <= axis->to / axis->factor; v *= axis->factor) {
        n++;
    }
    return n;
}

/* What is behind the colon: how many values, or how many times as large each is. */
static int take_steps(struct tg_grid_axis *axis, const char *varied, const char *steps)
{
    const bool is_factor = steps[0] == 'x';
    const char *const digits = steps + is_factor;
    struct tg_value_error error;
    uint64_t number = 0u;

    if (tg_value_number(digits, strlen(digits), &number, &error) != 0 || number < 2u) {
        return refuse(varied, steps,
                      "how many values, from 2 on, or x and a whole number from 2 on");
    }
    if (is_factor) {
        if (axis->from == 0u) {
            return refuse(varied, steps, "how many values, as the first one is 0");
        }
        axis->factor = number;
        axis->n = count_factor(axis);
        return TG_EXIT_HOLDS;
    }
    if (number - 1u > axis->to - axis->from || number > TG_GRID_CELLS_MAX) {
        return refuse(varied, steps,
                      "as many values as there are whole numbers in the range, up "
                      "to 100000");
    }
    axis->n = (uint32_t)number;
    return TG_EXIT_HOLDS;
}

static int take_range(struct tg_grid_axis *axis, const char *varied, const char *range)
{
    const char *const dots = strstr(range, "..");
    const char *const colon = strchr(range, ':');
    const char *const to = dots != NULL ? dots + 2 : NULL;

    if (dots == NULL || read_value(axis, range, (size_t)(dots - range), &axis->from) != 0) {
        return dots == NULL ? refuse(varied, range, "FROM..TO")
                            : refuse(varied, range, what_is_read(axis));
    }
    if (read_value(axis, to, colon != NULL ? (size_t)(colon - to) : strlen(to), &axis->to) != 0) {
        return refuse(varied, to, what_is_read(axis));
    }
    if (axis->to < axis->from) {
        return refuse(varied, to, "not less than what the range begins with");
    }
    if (colon != NULL) {
        return take_steps(axis, varied, colon + 1);
    }
    axis->step = unit_of(axis, range, (size_t)(dots - range));

    const uint64_t last = (axis->to - axis->from) / axis->step;

    if (last >= TG_GRID_CELLS_MAX) {
        return refuse(varied, range, "at most 100000 values: add how many, as :10");
    }
    axis->n = (uint32_t)last + 1u;
    return TG_EXIT_HOLDS;
}

static int take_axis(struct tg_grid *grid, const char *varied, struct tg_errors *errors)
{
    struct tg_grid_axis *const axis = &grid->axes[grid->n_axes];
    const char *equals = strstr(varied, "..");

    /* The last one before the range: names may have their own. */
    while (equals != NULL && equals > varied && *equals != '=') {
        equals--;
    }
    if (equals == NULL || *equals != '=' || equals == varied ||
        (size_t)(equals - varied) >= sizeof axis->path) {
        return refuse(varied, varied, "PATH=FROM..TO");
    }
    memcpy(axis->path, varied, (size_t)(equals - varied));
    if (tg_locate(grid->text, grid->size_bytes, axis->path, &axis->place, errors) != 0) {
        tg_errors_print(errors, grid->file, stderr);
        return TG_EXIT_USAGE;
    }
    for (uint32_t i = 0u; i < grid->n_axes; i++) {
        if (strcmp(grid->axes[i].path, axis->path) == 0) {
            return refuse(varied, varied, "each value once");
        }
    }
    grid->n_axes++;
    return take_range(axis, varied, equals + 1);
}

/* ---- The grid -------------------------------------------------------------------------------- */

static bool is_before(const struct tg_grid *grid, uint32_t a, uint32_t b)
{
    const struct tg_position p = grid->axes[a].place.at;
    const struct tg_position q = grid->axes[b].place.at;

    return p.line != q.line ? p.line < q.line : p.column < q.column;
}

static void sort_by_place(struct tg_grid *grid)
{
    for (uint32_t i = 0u; i < grid->n_axes; i++) {
        uint32_t k = i;

        for (; k > 0u && is_before(grid, i, grid->by_place[k - 1u]); k--) {
            grid->by_place[k] = grid->by_place[k - 1u];
        }
        grid->by_place[k] = i;
    }
}

static int take_axes(struct tg_grid *grid, const char *const *varied, struct tg_errors *errors)
{
    uint64_t cells = 1u;

    for (uint32_t i = 0u; varied[i] != NULL; i++) {
        const int status = take_axis(grid, varied[i], errors);

        if (status != TG_EXIT_HOLDS) {
            return status;
        }
        cells *= grid->axes[i].n;
        if (cells > TG_GRID_CELLS_MAX) {
            return tg_command_misuse(&tg_command_sweep,
                                     "--vary '%s': found %" PRIu64 " cells; allowed: at most %u",
                                     varied[i], cells, TG_GRID_CELLS_MAX);
        }
    }
    grid->n_cells = (uint32_t)cells;
    sort_by_place(grid);
    return TG_EXIT_HOLDS;
}

static char *directory_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1u : (size_t)(slash - path));
}

int tg_grid_open(struct tg_grid *grid, const char *file, const char *const *varied)
{
    static struct tg_errors errors;

    *grid = (struct tg_grid){.file = file, .directory = directory_of(file)};
    tg_errors_init(&errors);
    if (grid->directory == NULL) {
        (void)tg_command_misuse(&tg_command_sweep, "out of memory");
        return TG_EXIT_LACKS;
    }
    grid->text = tg_slurp(file, &grid->size_bytes, &errors);
    if (grid->text == NULL || tg_system_parse(grid->text, grid->size_bytes, grid->directory,
                                              &grid->system, &errors) != 0) {
        tg_errors_print(&errors, file, stderr);
        return TG_EXIT_USAGE;
    }
    return take_axes(grid, varied, &errors);
}

void tg_grid_close(struct tg_grid *grid)
{
    tg_system_free(grid->system);
    free(grid->text);
    free(grid->directory);
}

uint64_t tg_grid_value(const struct tg_grid *grid, uint32_t cell, uint32_t axis)
{
    const struct tg_grid_axis *const a = &grid->axes[axis];
    const uint64_t span = a->to - a->from;
    uint64_t value = a->from;

    for (uint32_t i = grid->n_axes; --i > axis;) {
        cell /= grid->axes[i].n;
    }
    const uint64_t k = cell % a->n;

    if (a->step != 0u) {
        return a->from + k * a->step;
    }
    if (a->factor == 0u) { /* in two parts: the product could be too large */
        return a->from + span / (a->n - 1u) * k + span % (a->n - 1u) * k / (a->n - 1u);
    }
    for (uint64_t i = 0u; i < k; i++) {
        value *= a->factor;
    }
    return value;
}

const char *tg_grid_text(const struct tg_grid_axis *axis, uint64_t value,
                         char text[TG_GRID_TEXT_BYTES])
{
    switch (axis->place.kind) {
    case TG_LOCATED_DURATION:
        return tg_whole_text(value, text);
    case TG_LOCATED_RATE:
        return tg_rate_text(value, text);
    default:
        (void)snprintf(text, TG_GRID_TEXT_BYTES, "%" PRIu64, value);
        return text;
    }
}

const char *tg_grid_unit(const struct tg_grid_axis *axis)
{
    return axis->place.kind == TG_LOCATED_DURATION ? " (ns)"
           : axis->place.kind == TG_LOCATED_RATE   ? " (pps)"
                                                   : "";
}

int tg_grid_system(const struct tg_grid *grid, uint32_t cell, struct tg_system **out,
                   struct tg_errors *errors)
{
    static const char *const units[] = {
        [TG_LOCATED_NUMBER] = "", [TG_LOCATED_DURATION] = " ns", [TG_LOCATED_RATE] = " pps"};
    struct tg_edit edits[TG_GRID_AXES_MAX];
    char *text = NULL;
    size_t size = 0u;
    FILE *const file = open_memstream(&text, &size);

    for (uint32_t i = 0u; i < grid->n_axes; i++) {
        const struct tg_grid_axis *const axis = &grid->axes[grid->by_place[i]];

        edits[i].at = axis->place.at;
        (void)snprintf(edits[i].value, sizeof edits[i].value, "%" PRIu64 "%s",
                       tg_grid_value(grid, cell, grid->by_place[i]), units[axis->place.kind]);
    }
    int err =
        file == NULL ? -1 : tg_edit_text(grid->text, grid->size_bytes, edits, grid->n_axes, file);

    if (file != NULL && fclose(file) != 0) {
        err = -1;
    }
    if (err != 0) {
        tg_errors_add(errors, (struct tg_position){0u, 0u}, "out of memory");
    } else {
        err = tg_system_parse(text, size, grid->directory, out, errors);
    }
    free(text);
    return err;
}
