#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is installed beside the command: manual pages and completion that know every command and option, headers
# and the core.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

prefix=$work/prefix
said='cmake --install'
if cmake --install "$build" --prefix "$prefix" >out 2>err; then pass; else flunk "$said fails"; fi
man=$prefix/share/man/man1
completion=$prefix/share/bash-completion/completions/tidegate
installed=$prefix/bin/tidegate

# there FILE: it was installed.
there() {
    if [ -s "$prefix/$1" ]; then pass; else flunk "$said: no $1"; fi
}

for file in bin/tidegate include/tidegate/rx.h include/tidegate/port.h share/man/man1/tidegate.1 \
    share/doc/tidegate/system-file.md share/doc/tidegate/examples/motor.yaml; do
    there "$file"
done
library=$(find "$prefix" -name libtg_core.a)
if [ -n "$library" ] && ar t "$library" | grep -q '^rx'; then pass; else flunk "$said: no core"; fi
printf '#include <tidegate/rx.h>\nint main(void) { return (int)sizeof(struct tg_protocol) == 0; }\n' >user.c
if cc -std=c11 -Wall -Wextra -Werror -fsyntax-only "-I$prefix/include" user.c 2>err
then pass; else flunk "$said: the headers need something else"; fi
if grep -rlE '#include "(core|system|sim)/' "$prefix/include" >err
then flunk "$said: a header that needs more"; else pass; fi
if "$installed" --version >out && "$installed" run "$prefix/share/doc/tidegate/examples/motor.yaml" \
    --policy tidegate >out 2>err
then pass; else flunk 'the installed command does not run'; fi

# Every command has its page, and every option its entry there and in the completion.
"$installed" --help >all
commands=$(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' all)
if [ "$(echo "$commands" | wc -l)" -ge 3 ]; then pass; else flunk "$said: no commands in --help"; fi
for command in $commands; do
    said="tidegate-$command.1"
    there "share/man/man1/tidegate-$command.1"
    "$installed" "$command" --help >help
    options=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' help)
    for option in $options; do
        escaped=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
        if grep -q "^\\\\fB$escaped\\\\fR" "$man/tidegate-$command.1"
        then pass; else flunk "$said: no $option"; fi
        if sed -n "/^    '$command '/,/;;/p" "$completion" | grep -q -- "[' ]${option}[' ]"
        then pass; else flunk "completion of $command: no $option"; fi
    done
    if grep -q "tidegate.-$command" "$man/tidegate.1"; then pass; else flunk "tidegate.1: no $command"; fi
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
        if grep -q "^\.SH $section" "$man/tidegate-$command.1"
        then pass; else flunk "$said: no section $section"; fi
    done
    # Nothing of the texts is taken for a request that there is not.
    if grep -n '^\.' "$man/tidegate-$command.1" | grep -vE ':\.(TH|SH|PP|TP|B|IR|nf|fi|RS|RE|br)( |$)' >err
    then flunk "$said: a request by accident"; else pass; fi
done

# offers WANTED WORD...: completing the last word gives exactly these, in any order (a line each).
offers() {
    wanted=$1
    shift
    said="completion of $*"
    # shellcheck disable=SC2016 # bash's own
    bash -c '
        completion=$1
        shift
        compopt() { :; }
        . "$completion"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _tidegate
        ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$completion" "$@" | sort >out 2>err
    printf '%s' "$wanted" | sort >wanted
    if cmp -s out wanted; then pass; else flunk "$said: not '$wanted'"; fi
}

system=$tests/report.yaml
touch z-a.yaml z-b.yaml
: >err
offers 'run
' tidegate ru
offers '--policy
' tidegate run --pol
offers '--trace
--trace-window
' tidegate run "$system" --tr
offers 'stock-high
stock-limited
stock-low
stock-moderated
' tidegate run --policy st
offers 'tidegate,stock-high
tidegate,stock-limited
tidegate,stock-low
tidegate,stock-moderated
' tidegate run --policy tidegate,st
offers 'tidegate
' tidegate run --policy = ti
offers 'sim
' tidegate run --on ''
offers 'z-a.yaml
' tidegate run z-a
offers 'z-a.yaml
z-b.yaml
' tidegate classify z-
offers 'quiet
' tidegate run "$system" --scenario q
offers 'ten\ times\ that
' tidegate run "$system" --scenario ten
offers '' tidegate run --scenario q
offers '' tidegate run --trace-window ''
offers '' tidegate moon --
finish
