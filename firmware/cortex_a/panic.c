/* SPDX-License-Identifier: MIT
 *
 * panic.c - the end that nobody wants.
 */
#include "board.h"
#include "kernel.h"
#include "semihost.h"

#define EXIT_PANIC 3

static void say(const char *text)
{
    while (*text != '\0') {
        board_uart_put(*text++);
    }
}

/* By the UART, which needs no debugger. */
_Noreturn void board_panic(const char *what, const char *thread)
{
    say("panic: ");
    say(what);
    if (thread != NULL) {
        say(" (thread ");
        say(thread);
        say(")");
    }
    say("\r\n");
    semihost_exit(EXIT_PANIC);
}
