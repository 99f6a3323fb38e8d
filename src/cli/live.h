/* SPDX-License-Identifier: MIT
 *
 * live.h - where a running node is found: a socket $XDG_RUNTIME_DIR/tidegate-NAME.sock (else in
 * /tmp). Who connects writes one byte and reads until the end: the figures of this moment.
 */
#ifndef TG_CLI_LIVE_H
#define TG_CLI_LIVE_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#define TG_LIVE_PLAIN  'p' /* tables */
#define TG_LIVE_COLOUR 'c' /* tables for a terminal with colours */
#define TG_LIVE_JSON   'j' /* the document of `tidegate run --json` */

/* The address of a node's socket.
 *
 * Context: any.
 * Returns: 0; -1 if the name is empty, has a '/', or is too long.
 * Cost:    O(length). */
int tg_live_address(const char *name, struct sockaddr_un *out);

#endif
