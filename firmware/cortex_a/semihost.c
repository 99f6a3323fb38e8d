/* SPDX-License-Identifier: MIT
 *
 * semihost.c - services of the host.
 */
#include "semihost.h"
#include "kernel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20
};

#define STOPPED_EXIT 0x20026u /* ADP_Stopped_ApplicationExit */

#define LINE_BYTES 1024u

static uintptr_t call(uint32_t number, const void *block)
{
    register uintptr_t r0 __asm("r0") = number;
    register const void *r1 __asm("r1") = block;

    __asm volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
    return r0;
}

void semihost_command_line(char *line, size_t size_bytes)
{
    const uintptr_t block[2] = {(uintptr_t)line, size_bytes};

    if (call(SYS_GET_CMDLINE, block) != 0u) {
        line[0] = '\0';
    }
}

/* The text behind KEY=, or NULL. */
static const char *find(const char *line, const char *key)
{
    const size_t len = strlen(key);

    for (const char *at = strstr(line, key); at != NULL; at = strstr(at + 1, key)) {
        if ((at == line || at[-1] == ' ') && at[len] == '=') {
            return at + len + 1u;
        }
    }
    return NULL;
}

const char *semihost_word(const char *key, const char *fallback, char *value, size_t size_bytes)
{
    char line[LINE_BYTES];

    semihost_command_line(line, sizeof(line));

    const char *const found = find(line, key);
    const char *const from = found != NULL ? found : fallback;
    const size_t n = found != NULL ? strcspn(found, " ") : strlen(fallback);

    if (n >= size_bytes) {
        kernel_panic("a parameter is too long", NULL);
    }
    memcpy(value, from, n);
    value[n] = '\0';
    return value;
}

long semihost_number(const char *key, long fallback)
{
    char word[24];
    char *end;

    (void)semihost_word(key, "", word, sizeof(word));
    if (word[0] == '\0') {
        return fallback;
    }
    const long value = strtol(word, &end, 0);

    if (*end != '\0') {
        kernel_panic("a parameter is not a number", NULL);
    }
    return value;
}

int semihost_open(const char *path, unsigned mode)
{
    const uintptr_t block[3] = {(uintptr_t)path, mode, strlen(path)};

    return (int)call(SYS_OPEN, block);
}

size_t semihost_write(int handle, const void *bytes, size_t n)
{
    const uintptr_t block[3] = {(uintptr_t)handle, (uintptr_t)bytes, n};

    return call(SYS_WRITE, block);
}

size_t semihost_read(int handle, void *bytes, size_t n)
{
    const uintptr_t block[3] = {(uintptr_t)handle, (uintptr_t)bytes, n};

    return call(SYS_READ, block);
}

void semihost_close(int handle)
{
    const uintptr_t block[1] = {(uintptr_t)handle};

    (void)call(SYS_CLOSE, block);
}

_Noreturn void semihost_exit(int code)
{
    const uintptr_t block[2] = {STOPPED_EXIT, (uintptr_t)code};

    for (;;) {
        (void)call(SYS_EXIT_EXTENDED, block);
    }
}
