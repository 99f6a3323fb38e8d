/* SPDX-License-Identifier: MIT
 *
 * completion.c - completion for bash.
 */
#include "pages.h"

#include "sim/sim.h"

#include <string.h>

/* What the values of options and the operands are, by the word that stands for them in --help;
 * nothing is offered for others. */
static const struct {
    const char *word;
    const char *kind;
} kinds[] = {
    {"FILE", "files"},     {"OUT", "files"},          {"DIR", "files"},
    {"RULES", "files"},    {"CAPTURE", "files"},      {"POLICIES", "policies"},
    {"TARGET", "targets"}, {"SCENARIO", "scenarios"},
};

static const char *kind_of(const char *word)
{
    for (size_t i = 0u; word != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].word, word) == 0) {
            return kinds[i].kind;
        }
    }
    return "nothing";
}

static const char head[] =
    "# bash completion for tidegate " TG_VERSION "\n"
    "\n"
    "# The words that begin like the one under the cursor; each line of the input is a word.\n"
    "_tidegate_offer() {\n"
    "    local word\n"
    "    while IFS= read -r word; do\n"
    "        [[ $word == \"$1\"* ]] && COMPREPLY+=(\"$2$(printf '%q' \"$word\")\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_tidegate_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "_tidegate_nothing() {\n"
    "    :\n"
    "}\n"
    "\n"
    "_tidegate_targets() {\n"
    "    _tidegate_offer \"$1\" '' <<<sim\n"
    "}\n"
    "\n"
    "# A list: what is before the last comma stays.\n"
    "_tidegate_policies() {\n"
    "    local before=\n"
    "    [[ $1 == *,* ]] && before=${1%,*},\n"
    "    _tidegate_offer \"${1##*,}\" \"$before\" <<'END'\n";

static const char middle[] =
    "END\n"
    "}\n"
    "\n"
    "# The scenarios of the system file on the command line, if there is one already.\n"
    "_tidegate_scenarios() {\n"
    "    local file start=${1#[\\'\\\"]}\n"
    "    for file in \"${COMP_WORDS[@]:2}\"; do\n"
    "        [[ $file == *.yaml && -r $file ]] || continue\n"
    "        _tidegate_offer \"${start//\\\\/}\" '' < <(sed -n '/^scenarios:/,$ "
    "s/^ *- *{*name: *\\([^#,}]*[^#,} ]\\).*/\\1/p' \"$file\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_tidegate() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    COMPREPLY=()\n"
    "    # An option and its value with = between them are three words.\n"
    "    if [[ $current == = ]]; then\n"
    "        current=\n"
    "    elif [[ $previous == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -W '";

static void put_command(const struct tg_command *c, FILE *out)
{
    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        if (c->options[i].value != NULL) {
            fprintf(out, "    '%s %s') _tidegate_%s \"$current\" ;;\n", c->name, c->options[i].name,
                    kind_of(c->options[i].value));
        }
    }
    fprintf(out,
            "    '%s '*)\n        if [[ $current == -* ]]; then\n"
            "            mapfile -t COMPREPLY < <(compgen -W '",
            c->name);
    for (size_t i = 0u; c->options[i].name != NULL; i++) {
        fprintf(out, "%s ", c->options[i].name);
    }
    fprintf(out,
            "--help' -- \"$current\")\n        else\n            _tidegate_%s \"$current\"\n"
            "        fi\n        ;;\n",
            kind_of(c->operands[0]));
}

void tg_completion(FILE *out)
{
    fputs(head, out);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        fprintf(out, "%s\n", tg_sim_policy_name((enum tg_sim_policy)p));
    }
    fputs(middle, out);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        fprintf(out, "%s ", tg_commands[i]->name);
    }
    fputs("--help --version' -- \"$current\")\n        return\n    fi\n"
          "    case \"${COMP_WORDS[1]} $previous\" in\n",
          out);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        put_command(tg_commands[i], out);
    }
    fputs("    esac\n}\n\ncomplete -F _tidegate tidegate\n", out);
}
