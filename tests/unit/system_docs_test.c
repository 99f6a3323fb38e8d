/* SPDX-License-Identifier: MIT
 *
 * system_docs_test.c - docs/system-file.md has every field of the schema, in its order, with its
 * values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "system/wording.h"

#define DOC_MAX_BYTES 65536u
#define DEPTH_MAX     8u

static char doc[DOC_MAX_BYTES];

static int read_doc(void **state)
{
    FILE *const file = fopen("../../docs/system-file.md", "r");

    (void)state;
    if (file == NULL) {
        perror("../../docs/system-file.md");
        return -1;
    }
    const size_t n = fread(doc, 1u, sizeof doc - 1u, file);
    doc[n] = '\0';
    (void)fclose(file);
    return n < sizeof doc - 1u ? 0 : -1;
}

/* What has to stand before the meaning of a field. */
static void row_of(const struct tg_schema_field *field, char row[2u * TG_WORDING_BYTES])
{
    static const char unit[] = ", with its unit (ns, us, ms, s)";
    char allowed[TG_WORDING_BYTES];

    tg_word_allowed(field, allowed);
    char *const cut = strstr(allowed, unit); /* said once, at the top of the document */
    if (cut != NULL) {
        *cut = '\0';
    }
    (void)snprintf(row, 2u * TG_WORDING_BYTES, "| `%s` | %s | %s", field->name, allowed,
                   field->is_required ? "**required** |" : "");
}

static void check_map(const struct tg_schema *map)
{
    char text[2u * TG_WORDING_BYTES];

    (void)snprintf(text, sizeof text, "\n## %s\n", map->name);
    const char *at = strstr(doc, text);
    assert_non_null(at);
    at = strstr(at, "\n|---|---|---|---|\n");
    assert_non_null(at);
    at = strchr(at + 1, '\n') + 1;
    for (const struct tg_schema_field *f = map->fields; f->name != NULL; f++) {
        row_of(f, text);
        if (strncmp(at, text, strlen(text)) != 0) {
            print_error("%s.%s: no row that starts with: %s\n", map->name, f->name, text);
            fail();
        }
        assert_true(f->is_required == (strstr(at, "**required**") != NULL &&
                                       strstr(at, "**required**") < strchr(at, '\n')));
        at = strchr(at, '\n') + 1;
    }
    assert_int_equal(*at, '\n'); /* and no field that does not exist */
}

/* Maps within maps; the schema is a tree. */
static void test_every_map(void **state)
{
    const struct tg_schema_field *fields[DEPTH_MAX];
    size_t depth = 1u;
    size_t n_maps = 1u;

    (void)state;
    check_map(&tg_schema_file);
    fields[0] = tg_schema_file.fields;
    while (depth > 0u) {
        const struct tg_schema_field *const f = fields[depth - 1u]++;

        if (f->name == NULL) {
            depth--;
        } else if (f->map != NULL) {
            assert_true(depth < DEPTH_MAX);
            check_map(f->map);
            fields[depth++] = f->map->fields;
            n_maps++;
        }
    }
    assert_true(n_maps >= 15u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_map)};

    return cmocka_run_group_tests(tests, read_doc, NULL);
}
