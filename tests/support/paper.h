/* SPDX-License-Identifier: MIT
 *
 * paper.h - a stream that a test reads again: cmocka's setup and teardown of *state.
 */
#ifndef TG_TESTS_PAPER_H
#define TG_TESTS_PAPER_H

#include <stdio.h>

struct paper {
    FILE *out;
    char *text;
    size_t length;
};

int open_paper(void **state);
int close_paper(void **state);

/* What was written so far. */
const char *text_of(struct paper *p);

#endif
