/* SPDX-License-Identifier: MIT
 *
 * table.c - aligned tables of text and numbers.
 */
#include "table.h"
#include "html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP "  "

struct cell {
    char *text; /* NULL: empty */
    enum tg_paint paint;
    bool has_rule; /* a line before the row that begins with this cell */
};

struct tg_table {
    struct tg_column *columns;
    size_t n_columns;
    struct cell *cells;
    size_t n_cells;
    size_t room;
    bool rule_is_next;
};

static void *or_exit(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

struct tg_table *tg_table_new(const struct tg_column *columns, size_t n_columns)
{
    struct tg_table *const t = or_exit(malloc(sizeof *t));

    *t = (struct tg_table){.columns = or_exit(calloc(n_columns, sizeof columns[0])),
                           .n_columns = n_columns};
    memcpy(t->columns, columns, n_columns * sizeof columns[0]);
    return t;
}

void tg_table_free(struct tg_table *t)
{
    if (t == NULL) {
        return;
    }
    for (size_t i = 0u; i < t->n_cells; i++) {
        free(t->cells[i].text);
    }
    free(t->cells);
    free(t->columns);
    free(t);
}

static void add(struct tg_table *t, char *text, enum tg_paint paint)
{
    if (t->n_cells == t->room) {
        t->room = t->room != 0u ? 2u * t->room : 64u;
        t->cells = or_exit(realloc(t->cells, t->room * sizeof t->cells[0]));
    }
    t->cells[t->n_cells] = (struct cell){.text = text, .paint = paint, .has_rule = t->rule_is_next};
    t->n_cells++;
    t->rule_is_next = false;
}

void tg_table_cell(struct tg_table *t, enum tg_paint paint, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);

    const int length = vsnprintf(NULL, 0u, format, args);
    const size_t bytes = length > 0 ? (size_t)length + 1u : 1u;
    char *const text = or_exit(malloc(bytes));

    text[0] = '\0';
    (void)vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(args);
    add(t, text, paint);
}

void tg_table_count(struct tg_table *t, enum tg_paint paint, uint64_t number)
{
    tg_table_cell(t, paint, "%" PRIu64, number);
}

void tg_table_end_row(struct tg_table *t)
{
    while (t->n_cells % t->n_columns != 0u) {
        add(t, NULL, TG_PLAIN);
    }
}

void tg_table_rule(struct tg_table *t)
{
    t->rule_is_next = true;
}

/* Columns on a terminal: every byte that begins a character of UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0u;

    for (; text != NULL && *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0u) != 0x80u;
    }
    return width;
}

static size_t width_of_column(const struct tg_table *t, size_t column)
{
    size_t width = width_of(t->columns[column].title);
    const size_t unit = width_of(t->columns[column].unit);

    width = unit > width ? unit : width;
    for (size_t i = column; i < t->n_cells; i += t->n_columns) {
        const size_t cell = width_of(t->cells[i].text);

        width = cell > width ? cell : width;
    }
    return width;
}

struct printer {
    const struct tg_table *table;
    const size_t *widths;
    FILE *out;
    bool has_colour;
    size_t owed; /* blanks before the next text: those at the end of a line are never paid */
};

static void print_cell(struct printer *p, size_t column, const char *text, enum tg_paint paint)
{
    const size_t free_columns = p->widths[column] - width_of(text);
    const bool is_right = p->table->columns[column].align == TG_RIGHT;
    const bool is_painted = p->has_colour && paint != TG_PLAIN;

    p->owed += column != 0u ? strlen(GAP) : 0u;
    p->owed += is_right ? free_columns : 0u;
    if (width_of(text) != 0u) {
        fprintf(p->out, "%*s", (int)p->owed, "");
        p->owed = 0u;
        fprintf(p->out, "%s%s%s", is_painted ? tg_terminal_start(paint) : "", text,
                is_painted ? tg_terminal_end() : "");
    }
    p->owed += is_right ? 0u : free_columns;
}

static void end_line(struct printer *p)
{
    fputc('\n', p->out);
    p->owed = 0u;
}

static void print_rule(const struct printer *p)
{
    size_t width = 0u;

    for (size_t i = 0u; i < p->table->n_columns; i++) {
        width += p->widths[i] + (i != 0u ? strlen(GAP) : 0u);
    }
    fputs(p->has_colour ? tg_terminal_start(TG_FAINT) : "", p->out);
    for (size_t i = 0u; i < width; i++) {
        fputs(p->has_colour ? "\xe2\x94\x80" : "-", p->out);
    }
    fprintf(p->out, "%s\n", p->has_colour ? tg_terminal_end() : "");
}

static void print_header(struct printer *p)
{
    bool has_units = false;

    for (size_t i = 0u; i < p->table->n_columns; i++) {
        print_cell(p, i, p->table->columns[i].title, TG_STRONG);
        has_units = has_units || p->table->columns[i].unit != NULL;
    }
    end_line(p);
    for (size_t i = 0u; has_units && i < p->table->n_columns; i++) {
        print_cell(p, i, p->table->columns[i].unit, TG_FAINT);
    }
    if (has_units) {
        end_line(p);
    }
    print_rule(p);
}

static void print_row(struct printer *p, const struct cell *row)
{
    if (row->has_rule) {
        print_rule(p);
    }
    for (size_t i = 0u; i < p->table->n_columns; i++) {
        print_cell(p, i, row[i].text, row[i].paint);
    }
    end_line(p);
}

void tg_table_print(const struct tg_table *t, FILE *out, bool has_colour)
{
    size_t *const widths = or_exit(calloc(t->n_columns + 1u, sizeof widths[0]));
    struct printer p = {.table = t, .widths = widths, .out = out, .has_colour = has_colour};

    for (size_t i = 0u; i < t->n_columns; i++) {
        widths[i] = width_of_column(t, i);
    }
    print_header(&p);
    for (size_t i = 0u; i + t->n_columns <= t->n_cells; i += t->n_columns) {
        print_row(&p, &t->cells[i]);
    }
    free(widths);
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static void open_tag(const char *tag, enum tg_align align, enum tg_paint paint, FILE *out)
{
    static const char *const paints[] = {
        [TG_PLAIN] = "",    [TG_STRONG] = "strong", [TG_FAINT] = "faint",
        [TG_GOOD] = "good", [TG_WARN] = "warn",     [TG_BAD] = "bad"};
    const char *const side = align == TG_RIGHT ? "r" : "";

    if (side[0] == '\0' && paint == TG_PLAIN) {
        fprintf(out, "<%s>", tag);
    } else {
        fprintf(out, "<%s class=\"%s%s%s\">", tag, side,
                side[0] != '\0' && paint != TG_PLAIN ? " " : "", paints[paint]);
    }
}

static void html_header(const struct tg_table *t, FILE *out)
{
    fputs("<thead><tr>", out);
    for (size_t i = 0u; i < t->n_columns; i++) {
        open_tag("th", t->columns[i].align, TG_PLAIN, out);
        tg_html_text(out, t->columns[i].title);
        if (t->columns[i].unit != NULL) {
            fputs("<br><small>", out);
            tg_html_text(out, t->columns[i].unit);
            fputs("</small>", out);
        }
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n", out);
}

static void html_row(const struct tg_table *t, const struct cell *row, FILE *out)
{
    fputs(row->has_rule ? "<tr class=\"rule\">" : "<tr>", out);
    for (size_t i = 0u; i < t->n_columns; i++) {
        open_tag("td", t->columns[i].align, row[i].paint, out);
        tg_html_text(out, row[i].text != NULL ? row[i].text : "");
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

void tg_table_html(const struct tg_table *t, FILE *out)
{
    fputs("<div class=\"wide\"><table>\n", out);
    html_header(t, out);
    fputs("<tbody>\n", out);
    for (size_t i = 0u; i + t->n_columns <= t->n_cells; i += t->n_columns) {
        html_row(t, &t->cells[i], out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}
