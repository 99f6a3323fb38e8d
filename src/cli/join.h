/* SPDX-License-Identifier: MIT
 *
 * join.h - go on as another program that lies beside this one: it is linked with what this one is
 * not.
 */
#ifndef TG_CLI_JOIN_H
#define TG_CLI_JOIN_H

/* Go on as this program's path with the suffix.
 *
 * Context: main task.
 * Units:   argv ends with NULL, argv[0] included.
 * Returns: only if there is none.
 * Cost:    O(1). */
void tg_join(const char *suffix, char **argv);

#endif
