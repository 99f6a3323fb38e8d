/* SPDX-License-Identifier: MIT
 *
 * child.c - what a host's harnesses share: the port's assertion fails in a child, since it does not
 * return.
 */
#define _POSIX_C_SOURCE 200809L

#include "check_cmocka.h"
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

bool harness_assert(char *said, size_t size_bytes)
{
    int fds[2];
    int status;

    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(fds[1], STDERR_FILENO);
        tg_port_assert_failed("where.c", 4711);
    }
    (void)close(fds[1]);
    assert_int_equal(waitpid(child, &status, 0), child);

    const ssize_t n = read(fds[0], said, size_bytes - 1u);

    (void)close(fds[0]);
    said[n > 0 ? n : 0] = '\0';
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
