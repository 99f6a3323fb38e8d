/* SPDX-License-Identifier: MIT
 *
 * paper.c - a stream that a test reads again.
 */
#define _POSIX_C_SOURCE 200809L

#include "paper.h"

#include "check_cmocka.h"

#include <stdlib.h>

int open_paper(void **state)
{
    struct paper *const p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->out = open_memstream(&p->text, &p->length);
    assert_non_null(p->out);
    *state = p;
    return 0;
}

int close_paper(void **state)
{
    struct paper *const p = *state;

    (void)fclose(p->out);
    free(p->text);
    free(p);
    return 0;
}

const char *text_of(struct paper *p)
{
    assert_int_equal(fflush(p->out), 0);
    return p->text;
}
