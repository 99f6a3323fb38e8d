/* SPDX-License-Identifier: MIT
 *
 * command.c - arguments and help of a subcommand, from its table.
 */
#include "command.h"

#include <stdarg.h>
#include <string.h>

int tg_command_misuse(const struct tg_command *command, const char *format, ...)
{
    va_list args;

    (void)fflush(stdout);
    fprintf(stderr, "tidegate %s: ", command->name);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return TG_EXIT_USAGE;
}

int tg_command_finish(const struct tg_command *command, int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)tg_command_misuse(command, "standard output cannot be written");
        return TG_EXIT_LACKS;
    }
    return status;
}

/* Room for one item of the usage line; longer ones would be cut. */
#define ITEM_BYTES   64u
#define LINE_COLUMNS 100
#define HELP_COLUMN  18

static void print_usage(const struct tg_command *c, FILE *out)
{
    const int indent = fprintf(out, "usage: tidegate %s", c->name);
    int column = indent;

    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        const char *const value = c->options[i].value;
        char item[ITEM_BYTES];
        const int length = snprintf(item, sizeof item, " [%s%s%s]", c->options[i].name,
                                    value != NULL ? " " : "", value != NULL ? value : "");

        if (column + length > LINE_COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fputs(item, out);
        column += length;
    }
    for (size_t i = 0u; c->operands[i] != NULL; i++) {
        fprintf(out, " %s", c->operands[i]);
    }
    fputc('\n', out);
}

/* Long ones have their help on a line of its own. */
static void print_option(const char *name, const char *value, const char *help)
{
    const int width =
        printf("  %s%s%s", name, value != NULL ? " " : "", value != NULL ? value : "");

    if (width > HELP_COLUMN - 2) {
        fputc('\n', stdout);
    }
    printf("%*s%s\n", width > HELP_COLUMN - 2 ? HELP_COLUMN : HELP_COLUMN - width, "", help);
}

static void print_help(const struct tg_command *c)
{
    print_usage(c, stdout);
    printf("\n%s\n\n%s\noptions:\n", c->summary, c->details);
    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        print_option(c->options[i].name, c->options[i].value, c->options[i].help);
    }
    print_option("--help", NULL, "this text");
    for (const char *line = c->examples; line != NULL && *line != '\0';) {
        const int length = (int)strcspn(line, "\n");

        printf("%s  %.*s\n", line == c->examples ? "\nexamples:\n" : "", length, line);
        line += length + 1;
    }
}

/* The option that text names, up to its '='. */
static size_t find_option(const struct tg_command *c, const char *text)
{
    const size_t length = strcspn(text, "=");
    size_t i = 0u;

    while (c->options[i].name != NULL && (strlen(c->options[i].name) != length ||
                                          strncmp(c->options[i].name, text, length) != 0)) {
        i++;
    }
    return i;
}

static int unknown_option(const struct tg_command *c, const char *text)
{
    char allowed[256] = "";
    size_t length = 0u;

    for (size_t i = 0u; c->options[i].name != NULL && length < sizeof allowed; i++) {
        length +=
            (size_t)snprintf(allowed + length, sizeof allowed - length, "%s, ", c->options[i].name);
    }
    return tg_command_misuse(c, "unknown option '%s', allowed: %s--help", text, allowed);
}

static bool is_repeatable(const struct tg_option *option)
{
    return option->value != NULL && strstr(option->value, "...") != NULL;
}

static int repeat(const struct tg_command *c, const char *name, const char *value,
                  struct tg_arguments *out)
{
    for (size_t i = 0u; i < TG_REPEATS_MAX; i++) {
        if (out->repeated[i] == NULL) {
            out->repeated[i] = value;
            return TG_EXIT_HOLDS;
        }
    }
    return tg_command_misuse(c, "%s is given too often, allowed: %u times", name, TG_REPEATS_MAX);
}

/* One option; *i moves to its last argument. */
static int take_option(const struct tg_command *c, int argc, char **argv, int *i,
                       struct tg_arguments *out)
{
    const char *const text = argv[*i];
    const char *const equals = strchr(text, '=');
    const size_t option = find_option(c, text);
    const char *const name = c->options[option].name;

    if (name == NULL) {
        return unknown_option(c, text);
    }
    if (out->values[option] != NULL && !is_repeatable(&c->options[option])) {
        return tg_command_misuse(c, "%s is given twice, allowed: once", name);
    }
    if (c->options[option].value == NULL) {
        if (equals != NULL) {
            return tg_command_misuse(c, "%s takes no value", name);
        }
        out->values[option] = "";
        return TG_EXIT_HOLDS;
    }
    if (equals == NULL && *i + 1 >= argc) {
        return tg_command_misuse(c, "%s needs a value: %s %s", name, name,
                                 c->options[option].value);
    }
    out->values[option] = equals != NULL ? equals + 1 : argv[++*i];
    return is_repeatable(&c->options[option]) ? repeat(c, name, out->values[option], out)
                                              : TG_EXIT_HOLDS;
}

static int take_operand(const struct tg_command *c, size_t *n, const char *text,
                        struct tg_arguments *out)
{
    if (c->operands[*n] == NULL) {
        (void)tg_command_misuse(c, "'%s' is one argument too many", text);
        print_usage(c, stderr);
        return TG_EXIT_USAGE;
    }
    out->operands[(*n)++] = text;
    return TG_EXIT_HOLDS;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

int tg_command_run(const struct tg_command *command, int argc, char **argv)
{
    struct tg_arguments arguments = {.words = argv};
    bool has_options = true;
    size_t n = 0u;

    if (asks_for_help(argc, argv)) {
        print_help(command);
        return tg_command_finish(command, TG_EXIT_HOLDS);
    }
    for (int i = 0; i < argc; i++) {
        int err = TG_EXIT_HOLDS;

        if (has_options && strcmp(argv[i], "--") == 0) {
            has_options = false;
        } else if (has_options && argv[i][0] == '-' && argv[i][1] != '\0') {
            err = take_option(command, argc, argv, &i, &arguments);
        } else {
            err = take_operand(command, &n, argv[i], &arguments);
        }
        if (err != TG_EXIT_HOLDS) {
            return err;
        }
    }
    if (command->operands[n] != NULL) {
        (void)tg_command_misuse(command, "%s is missing", command->operands[n]);
        print_usage(command, stderr);
        return TG_EXIT_USAGE;
    }
    return command->run(&arguments);
}
