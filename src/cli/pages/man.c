/* SPDX-License-Identifier: MIT
 *
 * man.c - manual pages (man(7)).
 */
#include "pages.h"

#include <ctype.h>
#include <string.h>

/* Text of a line; nothing in it is a request. */
static void put(FILE *out, const char *text, size_t length)
{
    if (length != 0u && (text[0] == '.' || text[0] == '\'')) {
        fputs("\\&", out);
    }
    for (size_t i = 0u; i < length; i++) {
        if (text[i] == '\\') {
            fputs("\\e", out);
        } else if (text[i] == '-') {
            fputs("\\-", out);
        } else {
            fputc(text[i], out);
        }
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_heading(FILE *out, const char *suffix, const char *summary)
{
    fputs(".TH TIDEGATE", out);
    for (const char *c = suffix; *c != '\0'; c++) {
        fputc(toupper((unsigned char)*c), out);
    }
    fputs(" 1 \"\" \"tidegate " TG_VERSION "\" \"Tidegate\"\n.SH NAME\ntidegate", out);
    put_text(out, suffix);
    fputs(" \\- ", out);
    put_text(out, summary);
    fputc('\n', out);
}

/* Paragraphs as they are filled anew, indented lines as they stand. */
static void put_details(FILE *out, const char *details)
{
    bool is_fixed = false;
    bool is_new = false;

    for (const char *line = details; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool is_indented = line[0] == ' ';

        if (length == 0u) {
            is_new = true;
        } else {
            if (is_fixed && !is_indented) {
                fputs(".RE\n.fi\n", out);
            }
            if (is_new) {
                fputs(".PP\n", out);
            }
            if (!is_fixed && is_indented) {
                fputs(".nf\n.RS 2\n", out);
            }
            is_fixed = is_indented;
            is_new = false;
            put(out, is_indented ? line + 2 : line, is_indented ? length - 2u : length);
            fputc('\n', out);
        }
        line += length + (line[length] == '\n' ? 1u : 0u);
    }
    fputs(is_fixed ? ".RE\n.fi\n" : "", out);
}

static void put_option(FILE *out, const struct tg_option *option)
{
    fputs("\\fB", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    if (option->value != NULL) {
        fputs(" \\fI", out);
        put_text(out, option->value);
        fputs("\\fR", out);
    }
}

static void put_synopsis(const struct tg_command *c, FILE *out)
{
    fprintf(out, ".SH SYNOPSIS\n.B tidegate %s\n", c->name);
    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        fputc('[', out);
        put_option(out, &c->options[i]);
        fputs("]\n", out);
    }
    for (size_t i = 0u; c->operands[i] != NULL; i++) {
        fputs("\\fI", out);
        put_text(out, c->operands[i]);
        fputs("\\fR\n", out);
    }
}

static void put_options(const struct tg_command *c, FILE *out)
{
    static const struct tg_option help = {"--help", NULL, "say this in short"};

    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        fputs(".TP\n", out);
        put_option(out, &c->options[i]);
        fputc('\n', out);
        put_text(out, c->options[i].help);
        fputc('\n', out);
    }
    fputs(".TP\n", out);
    put_option(out, &help);
    fputc('\n', out);
    put_text(out, help.help);
    fputc('\n', out);
}

static void put_common(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (int i = 0; tg_exit_meanings[i] != NULL; i++) {
        fprintf(out, ".TP\n.B %d\n", i);
        put_text(out, tg_exit_meanings[i]);
        fputc('\n', out);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n"
          "If it is set and not empty, nothing is coloured and no progress is shown.\n",
          out);
}

static void put_examples(const struct tg_command *c, FILE *out)
{
    if (c->examples == NULL) {
        return;
    }
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (const char *line = c->examples; *line != '\0';) {
        const size_t length = strcspn(line, "\n");

        put(out, line, length);
        fputc('\n', out);
        line += length + 1u;
    }
    fputs(".fi\n", out);
}

/* Every other page. */
static void put_references(const struct tg_command *but, FILE *out)
{
    const char *separator = "";

    fputs(".SH SEE ALSO\n", out);
    if (but != NULL) {
        fputs("\\fBtidegate\\fR(1)", out);
        separator = ",\n";
    }
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        if (tg_commands[i] != but) {
            fprintf(out, "%s\\fBtidegate\\-%s\\fR(1)", separator, tg_commands[i]->name);
            separator = ",\n";
        }
    }
    fputs("\n.PP\nThe system file is described in\n.IR system\\-file.md ,\n"
          "matches in\n.IR matches.md ,\nboth in the documentation that is installed.\n",
          out);
}

void tg_man_command(const struct tg_command *command, FILE *out)
{
    char suffix[64];

    (void)snprintf(suffix, sizeof suffix, "-%s", command->name);
    put_heading(out, suffix, command->summary);
    put_synopsis(command, out);
    fputs(".SH DESCRIPTION\n", out);
    put_details(out, command->details);
    put_options(command, out);
    put_common(out);
    put_examples(command, out);
    put_references(command, out);
}

void tg_man_all(FILE *out)
{
    put_heading(out, "", "keeps real-time tasks on time, whatever arrives from the network");
    fputs(".SH SYNOPSIS\n.B tidegate\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.br\n"
          ".B tidegate \\-\\-version\n.SH DESCRIPTION\n"
          "One file describes the tasks of a controller, what it receives and what may disturb it. "
          "The commands below work on it, on the code that runs in firmware.\n.SH COMMANDS\n",
          out);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        fprintf(out, ".TP\n\\fBtidegate\\-%s\\fR(1)\n", tg_commands[i]->name);
        put_text(out, tg_commands[i]->summary);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n.TP\n.B \\-\\-help\nlist the commands; behind a command, say more about "
          "it\n.TP\n.B \\-\\-version\nsay which version this is\n",
          out);
    put_common(out);
    put_references(NULL, out);
}
