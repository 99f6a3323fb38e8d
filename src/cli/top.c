/* SPDX-License-Identifier: MIT
 *
 * top.c - `tidegate top`: what a running node does, once a second.
 */
#include "command.h"
#include "live.h"

#include "report/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define PERIOD_MS 1000
#define ROWS      24u /* of a terminal that does not say */

enum { OPTION_ONCE, OPTION_JSON };

static const struct tg_option options[] = {
    [OPTION_ONCE] = {"--once", NULL, "the figures of this moment, and no more"},
    [OPTION_JSON] = {"--json", NULL, "likewise, as one JSON document"},
    {NULL, NULL, NULL},
};

/* ---- Ask a node ------------------------------------------------------------------------------ */

static int connect_to(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0) {
        return fd;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/* Returns: the node's answer, to be given to free(); NULL if there is no such node. */
static char *ask(const struct sockaddr_un *address, char request)
{
    const int fd = connect_to(address);
    char *text = NULL;
    size_t size = 0u;
    FILE *const out = fd >= 0 ? open_memstream(&text, &size) : NULL;
    char part[4096];
    ssize_t n = 0;

    if (out != NULL && send(fd, &request, 1u, MSG_NOSIGNAL) == 1) {
        while ((n = read(fd, part, sizeof part)) > 0) {
            (void)fwrite(part, 1u, (size_t)n, out);
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    if (out != NULL && fclose(out) != 0) {
        n = -1;
    }
    if (n < 0 || size == 0u) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- A terminal ------------------------------------------------------------------------------ */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Keys come one by one and are not shown. Returns: false if standard input is no terminal. */
static bool take_keys(struct termios *before)
{
    if (tcgetattr(STDIN_FILENO, before) != 0) {
        return false;
    }
    struct termios now = *before;

    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    return tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
}

/* Over what stands there, as far as there are lines. */
static void redraw(const char *text)
{
    struct winsize window = {.ws_row = 0u};
    unsigned row = 0u;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0u) {
        window.ws_row = ROWS;
    }
    fputs("\033[H", stdout);
    while (*text != '\0' && row + 1u < window.ws_row) {
        const size_t length = strcspn(text, "\n");

        printf("%.*s\033[K\n", (int)length, text);
        text += text[length] == '\n' ? length + 1u : length;
        row++;
    }
    fputs("\033[J", stdout);
    (void)fflush(stdout);
}

/* Until the next picture is due. Returns: false if it is not wanted any more. */
static bool pause_for_key(bool has_keys)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = '\0';

    if (poll(&keys, has_keys ? 1u : 0u, PERIOD_MS) > 0 && read(STDIN_FILENO, &key, 1u) < 1) {
        key = 'q';
    }
    return key != 'q' && is_interrupted == 0;
}

static void watch(const struct sockaddr_un *address, bool is_terminal)
{
    const char request = tg_terminal_has_colour(stdout) ? TG_LIVE_COLOUR : TG_LIVE_PLAIN;
    struct termios before;
    const bool has_keys = is_terminal && take_keys(&before);
    const struct sigaction action = {.sa_handler = interrupt};
    char *text;

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    fputs(is_terminal ? "\033[2J" : "", stdout);
    do {
        text = ask(address, request);
        if (text != NULL && is_terminal) {
            redraw(text);
        } else if (text != NULL) {
            printf("%s\n", text);
            (void)fflush(stdout);
        }
        free(text);
    } while (text != NULL && pause_for_key(has_keys));
    if (has_keys) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static int no_node(const char *name, const struct sockaddr_un *address)
{
    (void)tg_command_misuse(&tg_command_top, "no node '%s' is running: nobody listens at %s", name,
                            address->sun_path);
    return TG_EXIT_LACKS;
}

static int run(const struct tg_arguments *arguments)
{
    const char *const name = arguments->operands[0];
    const bool is_json = arguments->values[OPTION_JSON] != NULL;
    struct sockaddr_un address;

    if (tg_live_address(name, &address) != 0) {
        return tg_command_misuse(&tg_command_top,
                                 "'%s' cannot be a node's name; allowed: a short one without '/'",
                                 name);
    }
    char *const text = ask(&address, is_json ? TG_LIVE_JSON : TG_LIVE_PLAIN);

    if (text == NULL) {
        return no_node(name, &address);
    }
    if (is_json || arguments->values[OPTION_ONCE] != NULL) {
        fputs(text, stdout);
    } else {
        watch(&address, isatty(STDOUT_FILENO) == 1);
    }
    free(text);
    return tg_command_finish(&tg_command_top, TG_EXIT_HOLDS);
}

const struct tg_command tg_command_top = {
    .name = "top",
    .summary = "What a running node does: its tables, once a second",
    .details = "NAME is that of a node which `tidegate run FILE --on lwip` started: its interface, "
               "or what\n"
               "--name gave it. On a terminal the tables stay in place; q or Ctrl-C ends. It ends "
               "with the\n"
               "node, too.\n",
    .operands = {"NAME", NULL},
    .options = options,
    .run = run,
    .examples = "tidegate top tap0\n"
                "tidegate top tap0 --json\n",
};
