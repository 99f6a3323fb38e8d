/* SPDX-License-Identifier: MIT
 *
 * semihost.h - services of the host that runs the emulator, or of a debugger: parameters, files,
 * exit code.
 *
 * Source: Arm, Semihosting for AArch32 and AArch64.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stddef.h>

/* What stood behind `arg=` of QEMU's -semihosting-config, words with one space between; "" if there
 * is more than size_bytes. */
void semihost_command_line(char *line, size_t size_bytes);

/* The value of KEY=VALUE on the command line as a number, or fallback. What is no number stops the
 * program. */
long semihost_number(const char *key, long fallback);

/* Copy the value of KEY=VALUE, or fallback. Returns: value. */
const char *semihost_word(const char *key, const char *fallback, char *value, size_t size_bytes);

/* Read a file, or write one, from its start on; open returns -1 when the host refuses. ":tt" is the
 * host's own console. */
int semihost_open(const char *path, unsigned mode);
size_t semihost_write(int handle, const void *bytes, size_t n); /* Returns: bytes NOT written. */
size_t semihost_read(int handle, void *bytes, size_t n);        /* Returns: bytes NOT read. */
void semihost_close(int handle);

enum { SEMIHOST_READ = 1, SEMIHOST_WRITE = 5, SEMIHOST_APPEND = 9 }; /* binary */

/* End the emulator with this code. */
_Noreturn void semihost_exit(int code);

#endif
