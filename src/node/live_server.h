/* SPDX-License-Identifier: MIT
 *
 * live_server.h - the node's side of cli/live.h.
 */
#ifndef TG_NODE_LIVE_SERVER_H
#define TG_NODE_LIVE_SERVER_H

#include <stdio.h>
#include <sys/un.h>

struct tg_live_server {
    int fd; /* readable when somebody asks; -1: none */
    struct sockaddr_un address;
};

/* Writes the answer to one request of cli/live.h. */
typedef void tg_live_answer(void *ctx, char request, FILE *out);

/* Listen.
 *
 * Context: main thread, likewise below.
 * Returns: an enum tg_exit, after a message if it is not TG_EXIT_HOLDS: also if a node with this
 *          name is running. */
int tg_live_open(struct tg_live_server *server, const char *name);

/* Answer one who asks. Who does not ask or read at once is left.
 *
 * Cost: blocks for half a second at most. */
void tg_live_serve(struct tg_live_server *server, tg_live_answer *answer, void *ctx);

/* Nobody finds the node any more; a server that was not opened is allowed. */
void tg_live_close(struct tg_live_server *server);

#endif
