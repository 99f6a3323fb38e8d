/* SPDX-License-Identifier: MIT
 *
 * syscalls.c - what newlib asks of a system: the host's streams, a heap, an end.
 *
 * Standard output and error go through the host, one write at a time, so they cost the same however
 * fast somebody reads.
 */
#include "semihost.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define STDERR      2
#define EXIT_SIGNAL 128

extern uint8_t board_heap_start[];
extern uint8_t board_heap_end[];

/* Names and types are newlib's. NOLINTBEGIN(*-reserved-identifier) */
int _write(int fd, const void *bytes, size_t n);
int _read(int fd, void *bytes, size_t n);
int _close(int fd);
off_t _lseek(int fd, off_t offset, int whence);
int _fstat(int fd, struct stat *status);
int _isatty(int fd);
void *_sbrk(ptrdiff_t n);
int _kill(pid_t pid, int signal);
pid_t _getpid(void);
_Noreturn void _exit(int code);
void _fini(void);

int _write(int fd, const void *bytes, size_t n)
{
    static int handles[2] = {-1, -1};
    int *const handle = &handles[fd == STDERR];

    if (*handle < 0) {
        *handle = semihost_open(":tt", fd == STDERR ? SEMIHOST_APPEND : SEMIHOST_WRITE);
    }
    return (int)(n - semihost_write(*handle, bytes, n));
}

int _read(int fd, void *bytes, size_t n)
{
    (void)fd;
    (void)bytes;
    (void)n;
    return 0;
}

int _close(int fd)
{
    (void)fd;
    return 0;
}

off_t _lseek(int fd, off_t offset, int whence)
{
    (void)fd;
    (void)offset;
    (void)whence;
    return 0;
}

int _fstat(int fd, struct stat *status)
{
    (void)fd;
    status->st_mode = S_IFCHR;
    return 0;
}

int _isatty(int fd)
{
    (void)fd;
    return 1;
}

void *_sbrk(ptrdiff_t n)
{
    static uint8_t *end = board_heap_start;
    uint8_t *const start = end;

    if (n > (ptrdiff_t)((uintptr_t)board_heap_end - (uintptr_t)end)) {
        errno = ENOMEM;
        return (void *)-1;
    }
    end += n;
    return start;
}

int _kill(pid_t pid, int signal)
{
    (void)pid;
    semihost_exit(EXIT_SIGNAL + signal);
}

pid_t _getpid(void)
{
    return 1;
}

_Noreturn void _exit(int code)
{
    semihost_exit(code);
}

void _fini(void)
{
}
/* NOLINTEND(*-reserved-identifier) */
