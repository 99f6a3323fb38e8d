/* SPDX-License-Identifier: MIT
 *
 * system_errors_test.c - every bad input of a system file and its exact message: the cases of
 * vectors/system_errors.txt, each a test of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "system_base.h"

#define CASES_MAX 512u

struct bad {
    size_t first; /* lines of the good file that are replaced */
    size_t last;
    char *text;
    char *errors;
    char name[48];
};

static struct bad cases[CASES_MAX];
static size_t n_cases;

static void test_case(void **state)
{
    const struct bad *const c = *state;
    char *const text = malloc(SYSTEM_TEXT_MAX);
    char *const errors = malloc(SYSTEM_TEXT_MAX);

    assert_non_null(text);
    assert_non_null(errors);
    system_base_with(c->first, c->last, c->text, text);
    system_errors_of(text, strlen(text), errors);
    assert_string_equal(errors, c->errors);
    free(text);
    free(errors);
}

/* Without a line that was replaced there is nothing wrong, so each error is due to what was
 * replaced. */
static void test_good(void **state)
{
    char text[SYSTEM_TEXT_MAX];
    char errors[SYSTEM_TEXT_MAX];

    (void)state;
    system_base_with(1u, 1u, system_base[0], text);
    system_errors_of(text, strlen(text), errors);
    assert_string_equal(errors, "");
}

/* text and line, with a line end between them unless text is empty (NULL: there is none yet). */
static char *append(char *text, const char *line)
{
    const size_t used = text != NULL ? strlen(text) : 0u;
    char *const longer = realloc(text, used + strlen(line) + 2u);

    if (longer == NULL) {
        abort();
    }
    (void)sprintf(longer + used, "%s%s", text != NULL ? "\n" : "", line);
    return longer;
}

static void read_line(const char *line)
{
    struct bad *const c = n_cases != 0u ? &cases[n_cases - 1u] : NULL;

    if (line[0] == '@' && n_cases < CASES_MAX) {
        struct bad *const next = &cases[n_cases++];

        if (sscanf(line, "@%zu-%zu", &next->first, &next->last) == 1) {
            next->last = next->first;
        }
        (void)snprintf(next->name, sizeof next->name, "case_%zu_line_%zu", n_cases, next->first);
    } else if (c != NULL && strncmp(line, "! ", 2u) == 0) {
        c->errors = append(c->errors, line + 2);
    } else if (c != NULL && c->errors == NULL) {
        c->text = append(c->text, line);
    }
}

static int read_cases(void)
{
    FILE *const file = fopen("../vectors/system_errors.txt", "r");
    char line[1024];

    if (file == NULL) {
        perror("../vectors/system_errors.txt");
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        read_line(line);
    }
    (void)fclose(file);
    return n_cases < CASES_MAX ? 0 : -1;
}

int main(void)
{
    static struct CMUnitTest tests[CASES_MAX + 1u];

    if (read_cases() != 0) {
        return 1;
    }
    tests[0] = (struct CMUnitTest)cmocka_unit_test(test_good);
    for (size_t i = 0u; i < n_cases; i++) {
        tests[i + 1u] = (struct CMUnitTest){
            .name = cases[i].name, .test_func = test_case, .initial_state = &cases[i]};
    }
    const int failed = _cmocka_run_group_tests("system_errors", tests, n_cases + 1u, NULL, NULL);

    for (size_t i = 0u; i < n_cases; i++) {
        free(cases[i].text);
        free(cases[i].errors);
    }
    return failed;
}
