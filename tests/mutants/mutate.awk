# SPDX-License-Identifier: MIT
#
# mutate.awk - awk -v name=NAME -v root=DIR -f mutate.awk mutants.txt: the source of a mutant, broken, on
# standard output. White space of the original text stands for any white space, so that a formatter may
# move it. Exit: 0, or 1 if its text does not stand in the source exactly once.

BEGIN { RS = ""; FS = "\n" }

# Where text stands in source from place on, as RSTART and RLENGTH.
function look(source, text)
{
    gsub(/[][\\.^$(){}?*+|\/]/, "\\\\&", text)
    gsub(/[[:space:]]+/, "[[:space:]]+", text)
    return match(source, text)
}

function read_all(path,    all, line, old)
{
    old = RS
    RS = "\n"
    while ((getline line <path) > 0) {
        all = all line "\n"
    }
    RS = old
    return all
}

function complain(what)
{
    print name ": " what >"/dev/stderr"
    exit 1
}

# source with one text in place of the other, which are both forgotten.
function replaced(source,    start, rest)
{
    if (!look(source, original)) {
        complain("its text does not stand in " head[3])
    }
    start = RSTART
    rest = substr(source, RSTART + RLENGTH)
    if (look(rest, original)) {
        complain("its text stands in " head[3] " more than once")
    }
    source = substr(source, 1, start - 1) broken rest
    original = broken = ""
    return source
}

{
    first = 1
    while ($first ~ /^#/) {
        first++
    }
    split($first, head, " ")
    if (head[1] != name) {
        next
    }
    source = read_all(root "/" head[3])
    for (i = first + 1; i <= NF; i++) {
        sign = substr($i, 1, 1)
        if (sign == "-" && last == "+") {
            source = replaced(source)
        }
        if (sign == "-") {
            original = original (original == "" ? "" : " ") substr($i, 3)
        } else if (sign == "+") {
            broken = broken (broken == "" ? "" : "\n") substr($i, 3)
        }
        last = sign
    }
    printf "%s", replaced(source)
    exit 0
}
