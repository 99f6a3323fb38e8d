/* SPDX-License-Identifier: MIT
 *
 * json.h - write one JSON document (RFC 8259), value after value.
 *
 *     struct tg_json j;
 *     tg_json_start(&j, stdout);
 *     tg_json_object(&j, NULL);
 *         tg_json_text(&j, "name", flow->name);
 *         tg_json_array(&j, "frames");
 *             tg_json_count(&j, NULL, 3u);
 *         tg_json_end(&j);
 *     tg_json_end(&j);
 *     err = tg_json_finish(&j);
 *
 * A value in an object takes its key, a value in an array (and the outermost one) takes NULL.
 */
#ifndef TG_REPORT_JSON_H
#define TG_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TG_JSON_DEPTH_MAX 16u

/* Private. */
struct tg_json {
    FILE *out;
    uint32_t depth;
    char ends[TG_JSON_DEPTH_MAX]; /* what closes each level that is open */
    bool has_values;              /* on the level that is open */
    uint32_t row_depth;           /* levels from this one on stay on one line; 0: none does */
};

/* Context: any task, for all functions here.
 * Cost:    O(length of the value), likewise. */
void tg_json_start(struct tg_json *j, FILE *out);

/* Open an object or an array; tg_json_end() closes the last one opened. At most TG_JSON_DEPTH_MAX
 * are open (checked by assert).
 *
 * Context, cost: as tg_json_start. */
void tg_json_object(struct tg_json *j, const char *key);

/* An object with all it holds on one line: one of many.
 *
 * Context, cost: as tg_json_start. */
void tg_json_row(struct tg_json *j, const char *key);

/* Context, cost: as tg_json_start. */
void tg_json_array(struct tg_json *j, const char *key);

/* Context, cost: as tg_json_start. */
void tg_json_end(struct tg_json *j);

/* A string. Bytes that are no UTF-8 become U+FFFD.
 *
 * Context, cost: as tg_json_start. */
void tg_json_text(struct tg_json *j, const char *key, const char *text);

/* A whole number, all digits: readers that keep numbers as doubles lose those beyond 2^53.
 *
 * Context, cost: as tg_json_start. */
void tg_json_count(struct tg_json *j, const char *key, uint64_t number);

/* A whole number of thousandths, written with all its digits: 1234 as 1.234.
 *
 * Context, cost: as tg_json_start. */
void tg_json_thousandths(struct tg_json *j, const char *key, uint64_t number);

/* Context, cost: as tg_json_start. */
void tg_json_int(struct tg_json *j, const char *key, int64_t number);

/* A real number so that reading it gives the same one; null if it is not finite.
 *
 * Context, cost: as tg_json_start. */
void tg_json_real(struct tg_json *j, const char *key, double number);

/* Context, cost: as tg_json_start. */
void tg_json_bool(struct tg_json *j, const char *key, bool value);

/* Context, cost: as tg_json_start. */
void tg_json_null(struct tg_json *j, const char *key);

/* End of the document: everything is closed (checked by assert).
 *
 * Context, cost: as tg_json_start.
 * Returns: 0, or -1 if not all of it could be written. */
int tg_json_finish(struct tg_json *j);

#endif
