/* SPDX-License-Identifier: MIT
 *
 * rules.c - any list of rules: it is refused at places within it, or the core takes all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/rules_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static uint32_t count_lines(const uint8_t *data, size_t size)
{
    uint32_t lines = 1u;

    for (size_t i = 0u; i < size; i++) {
        lines += data[i] == '\n';
    }
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tg_rules rules;
    struct tg_errors errors;
    const int err = tg_rules_parse((const char *)data, size, &rules, &errors);

    require((err != 0) == (errors.n != 0u), "an error that is not said");
    require((err != 0) == (rules.n == 0u), "rules in spite of an error, or none at all");
    for (size_t i = 0u; i < errors.n; i++) {
        require(errors.items[i].at.line <= count_lines(data, size), "a line that is not there");
        require(errors.items[i].text[0] != '\0', "an error without words");
    }
    for (size_t i = 0u; i < rules.n; i++) {
        struct tg_pattern pattern;

        require(tg_match_compile(&rules.rules[i].match, &pattern) == 0, "the core refuses a match");
        require(rules.rules[i].name != NULL && rules.rules[i].match_text != NULL, "no name");
    }
    tg_rules_free(&rules);
    return 0;
}
