/* SPDX-License-Identifier: MIT
 *
 * live_server.c - the node's side of cli/live.h.
 */
#include "live_server.h"
#include "command.h"
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_US 250000

static int fail(const struct tg_live_server *server, const char *what)
{
    fprintf(stderr, "tidegate run: %s: %s\n", server->address.sun_path, what);
    return TG_EXIT_LACKS;
}

/* A socket that nobody listens at was left by a node that was killed. */
static bool is_taken(const struct tg_live_server *server)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)&server->address,
                                            sizeof server->address) == 0;

    if (fd >= 0) {
        (void)close(fd);
    }
    return answers;
}

/* No other file is ours to remove. */
static bool is_socket(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

int tg_live_open(struct tg_live_server *server, const char *name)
{
    server->fd = -1;
    if (tg_live_address(name, &server->address) != 0) {
        fprintf(stderr, "tidegate run: '%s' cannot be a node's name: a short one without '/'\n",
                name);
        return TG_EXIT_USAGE;
    }
    if (is_taken(server)) {
        return fail(server, "a node with this name is running; --name gives it another one");
    }
    if (is_socket(server->address.sun_path)) {
        (void)unlink(server->address.sun_path);
    }
    server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->fd < 0 ||
        bind(server->fd, (const struct sockaddr *)&server->address, sizeof server->address) != 0 ||
        listen(server->fd, 4) != 0) {
        const int err = errno;

        if (server->fd >= 0) {
            (void)close(server->fd); /* the file is not ours, so it stays */
            server->fd = -1;
        }
        return fail(server, strerror(err));
    }
    return TG_EXIT_HOLDS;
}

static void send_all(int fd, const char *text, size_t size)
{
    while (size > 0u) {
        const ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);

        if (sent <= 0) {
            return; /* who asked is gone, or does not read */
        }
        text += sent;
        size -= (size_t)sent;
    }
}

static void reply(int fd, char request, tg_live_answer *answer, void *ctx)
{
    char *text = NULL;
    size_t size = 0u;
    FILE *const out = open_memstream(&text, &size);

    if (out == NULL) {
        return;
    }
    answer(ctx, request, out);
    if (fclose(out) == 0) {
        send_all(fd, text, size);
    }
    free(text);
}

void tg_live_serve(struct tg_live_server *server, tg_live_answer *answer, void *ctx)
{
    const struct timeval patience = {.tv_usec = PATIENCE_US};
    const int fd = accept(server->fd, NULL, NULL);
    char request;

    if (fd < 0) {
        return;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (recv(fd, &request, 1u, 0) == 1) {
        reply(fd, request, answer, ctx);
    }
    (void)close(fd);
}

void tg_live_close(struct tg_live_server *server)
{
    if (server->fd >= 0) {
        (void)close(server->fd);
        (void)unlink(server->address.sun_path);
        server->fd = -1;
    }
}
