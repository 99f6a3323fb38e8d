/* SPDX-License-Identifier: MIT
 *
 * json_value.c - for scripts: json_value PATH < DOCUMENT prints the value at that path.
 *
 * Exit status: 0; 1 no value there; 2 this is no JSON.
 */
#include "json_check.h"

#include <stdio.h>

#define DOCUMENT_MAX_BYTES (16u << 20)

int main(int argc, char **argv)
{
    static char text[DOCUMENT_MAX_BYTES + 1u];
    const char *value;
    size_t length;

    if (argc != 2) {
        fprintf(stderr, "usage: %s PATH < DOCUMENT\n", argv[0]);
        return 2;
    }
    text[fread(text, 1u, DOCUMENT_MAX_BYTES, stdin)] = '\0';
    if (!tg_json_check(text, argv[1], &value, &length)) {
        fputs("not JSON\n", stderr);
        return 2;
    }
    if (value != NULL) {
        printf("%.*s\n", (int)length, value);
    }
    return value == NULL;
}
