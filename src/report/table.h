/* SPDX-License-Identifier: MIT
 *
 * table.h - aligned tables of text and numbers.
 *
 *     flow      verdict   frames    bytes          the header, strong
 *                                       B          units, faint; only if a column has one
 *     ─────────────────────────────────────
 *     setpoint  passed       120     7200          one call per cell, row after row
 *     ─────────────────────────────────────        tg_table_rule()
 *     total                  120     7200
 *
 * Every column is as wide as its widest cell; numbers are right-aligned; no line ends in blanks.
 * Plain (not painted) tables use '-' for rules, so that they stay ASCII unless a cell is not.
 */
#ifndef TG_REPORT_TABLE_H
#define TG_REPORT_TABLE_H

#include "report/terminal.h"

#include <stddef.h>
#include <stdint.h>

enum tg_align { TG_LEFT = 0, TG_RIGHT };

struct tg_column {
    const char *title;
    const char *unit; /* or NULL */
    enum tg_align align;
};

struct tg_table;

/* An empty table. The columns are copied, their texts are not.
 *
 * Context: any task; ends the program with exit status 3 when there is no memory, as all functions
 *          here.
 * Cost:    O(1). */
struct tg_table *tg_table_new(const struct tg_column *columns, size_t n_columns);

/* Context: any task; NULL is allowed. Cost: O(cells). */
void tg_table_free(struct tg_table *t);

/* The next cell, left to right, then the next row. A row may end early with tg_table_end_row().
 *
 * Context: any task.
 * Cost:    O(length). */
__attribute__((format(printf, 3, 4))) void tg_table_cell(struct tg_table *t, enum tg_paint paint,
                                                         const char *format, ...);

/* The next cell: a whole number.
 *
 * Context, cost: as tg_table_cell. */
void tg_table_count(struct tg_table *t, enum tg_paint paint, uint64_t number);

/* Fill the row up with empty cells; nothing if it has just begun.
 *
 * Context: any task.
 * Cost:    O(columns). */
void tg_table_end_row(struct tg_table *t);

/* A line across, before the row that comes next.
 *
 * Context: any task, between rows.
 * Cost:    O(1). */
void tg_table_rule(struct tg_table *t);

/* Write it.
 *
 * Context: any task; the last row is complete.
 * Cost:    O(cells). */
void tg_table_print(const struct tg_table *t, FILE *out, bool has_colour);

/* Write it as a <table>: numbers and other cells aligned right have the class `r`, painted ones the
 * name of their paint (`strong`, `faint`, `good`, `warn`, `bad`).
 *
 * Context, cost: as tg_table_print. */
void tg_table_html(const struct tg_table *t, FILE *out);

#endif
