# SPDX-License-Identifier: MIT
#
# bound.awk - the longest path through compiled code, in instructions.
#
#   objdump -dl --inlines --no-show-raw-insn OBJECT | awk -v entry=FUNCTION [-v given=NAME] \
#       [-v without=FUNCTION] [-v show=FUNCTION] -f bound.awk FACTS -
#
# Every path that the branches allow counts, but for what FACTS (bound.txt) says: how often loops turn, what
# indirect calls reach, what is not reached. A loop or a call that it knows nothing of is an error. "either"
# names alternatives of which one holds, "from" a function whose calls have a name; facts behind "if NAME..."
# hold with these only, or with a name that is given. The bound is the largest over all choices. An instruction
# counts whether its condition holds or not, as in the emulator.

function fail(text) {
    print "bound: " text >"/dev/stderr"
    failed = 1
    exit 1
}

# "take_frame.lto_priv.1" is the compiler's name for take_frame.
function plain(name) {
    sub(/\..*/, "", name)
    return name
}

function source_text(place,    parts, file, line, n) {
    if (!(place in texts)) {
        split(place, parts, ":")
        file = parts[1]
        texts[place] = "?"
        for (n = 1; (getline line <file) > 0; n++) {
            gsub(/^[ \t]+|[ \t]+$/, "", line)
            texts[file ":" n] = line
        }
        close(file)
    }
    return texts[place]
}

FILENAME != "-" {
    if ($1 == "loop") {
        text = $0
        sub(/^loop +[0-9]+ +/, "", text)
        n_turns++
        turns_text[n_turns] = text
        turns_if[n_turns] = section
        turns[n_turns] = $2
    } else if ($1 == "call") {
        reaches[$2 " " $3] = $4
    } else if ($1 == "never") {
        never[$2] = never[$2] section "|"
    } else if ($1 == "not") {
        n_not++
        text = $0
        sub(/^not +/, "", text)
        not_outer[n_not] = ""
        if (match(text, / << /)) {
            not_outer[n_not] = substr(text, RSTART + RLENGTH)
            text = substr(text, 1, RSTART - 1)
        }
        not_text[n_not] = text
        not_if[n_not] = section
    } else if ($1 == "either") {
        either[++n_either] = substr($0, length($1) + 2)
    } else if ($1 == "from") {
        from[$2] = $3
    } else if ($1 == "if") {
        section = substr($0, 4)
    } else if (NF != 0 && $1 !~ /^#/) {
        fail(FILENAME ": found '" $1 "'; allowed: loop, call, never, not, either, from, if")
    }
    next
}

# A function begins: "00000030 <advance>:".
/^[0-9a-f]+ <.*>:$/ {
    name = $2
    gsub(/[<>:]/, "", name)
    address = $1
    sub(/^0+/, "", address)
    previous = last
    first[name] = n_code
    at_plain[plain(name)] = name
    place = ""
    next
}

/^\/.*:[0-9]+/ {
    place = $0
    sub(/ \(discriminator [0-9]+\)$/, "", place)
    outer = ""
    next
}

# Where that was taken in line, from the inside out; again for each instruction.
/^inlined by \// {
    if (is_code_before) {
        outer = ""
        is_code_before = 0
    }
    sub(/^inlined by /, "")
    sub(/ \([^)]*\)$/, "")
    sub(/ \(discriminator [0-9]+\)$/, "")
    outer = outer $0 "\n"
    next
}

# An instruction: "      30:\tldr\tr3, [r0, #32]".
/^ +[0-9a-f]+:\t/ {
    split($0, columns, "\t")
    if (columns[2] ~ /^\./) {
        next # data
    }
    address = columns[1]
    gsub(/[ :]/, "", address)
    index_of[address] = n_code
    owner[n_code] = name
    op[n_code] = columns[2]
    arguments[n_code] = columns[3]
    places[n_code] = place
    outers[n_code] = outer
    is_code_before = 1
    last_of[name] = n_code
    n_code++
}

# What an instruction does to the flow of control. kind: "" none, "jump", "call", "end"; is_conditional.
function classify(i,    m, args, condition) {
    condition = "(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo)"
    m = op[i]
    args = arguments[i]
    kind = ""
    is_conditional = 0
    if (m ~ "^b" condition "?$") {
        kind = "jump"
        is_conditional = m != "b"
    } else if (m ~ "^blx?" condition "?$") {
        kind = "call"
    } else if (m ~ "^bx" condition "?$" || (m ~ "^(pop|ldm)" && args ~ /pc}/)) {
        kind = "end"
        is_conditional = m ~ "^(bx|pop|ldm|ldmfd|ldmia)" condition "$"
    } else if (m ~ /^rfe/) {
        kind = "end"
    } else if (args ~ /^pc,/) {
        fail(owner[i] ": a computed jump: " m " " args)
    }
}

# The function that an indirect call reaches: by where its address was loaded from.
function target_of(i,    register, k, offset, key) {
    register = arguments[i]
    for (k = i - 1; k >= first[owner[i]]; k--) {
        if (op[k] ~ /^ldr/ && arguments[k] ~ "^" register ", \\[") {
            offset = 0
            if (match(arguments[k], /#[0-9]+/)) {
                offset = substr(arguments[k], RSTART + 1, RLENGTH - 1)
            }
            key = plain(owner[i]) " " offset
            if (key in reaches) {
                return at_plain[reaches[key]]
            }
            break
        }
    }
    key = plain(owner[i]) " *"
    if (!(key in reaches)) {
        fail(owner[i] ": an indirect call by " register " at offset " offset ", " places[i])
    }
    return at_plain[reaches[key]]
}

# The name in "1234 <name+0x56>", and the address before it.
function named(text) {
    sub(/^[^<]*</, "", text)
    sub(/[+>].*/, "", text)
    return text
}

# Do facts of this section hold?
function holds(section,    n, k, names) {
    n = split(section, names, " ")
    for (k = 1; k <= n; k++) {
        if (!(names[k] in chosen)) {
            return 0
        }
    }
    return 1
}

# How often a loop turns, by the last fact that holds; -1: nothing is known.
function turns_of(text,    k) {
    for (k = n_turns; k >= 1; k--) {
        if (turns_text[k] == text && holds(turns_if[k])) {
            return turns[k] + 0
        }
    }
    return -1
}

# Is a line not reached, by this instruction of it? Those count that the compiler does not move before the
# branch that leads to their line: jumps, calls, stores to more than the stack, multiplications, and what adds
# to a register.
function is_anchor(i,    registers) {
    if (op[i] ~ /^(add|sub)s?$/) {
        split(arguments[i], registers, ", ")
        return registers[1] == registers[2] && registers[1] != "sp"
    }
    return op[i] ~ /^(b|u?ml|str|stm|u?mul)/ && op[i] !~ /^(bic|bfc|bfi)/ && arguments[i] !~ /\[sp/
}

function is_dead(i,    k, n, j, lines) {
    if (!is_anchor(i)) {
        return 0
    }
    for (k = 1; k <= n_not; k++) {
        if (!holds(not_if[k]) || source_text(places[i]) != not_text[k]) {
            continue
        }
        if (not_outer[k] == "") {
            return 1
        }
        n = split(outers[i], lines, "\n")
        for (j = 1; j < n; j++) {
            if (source_text(lines[j]) == not_outer[k]) {
                return 1
            }
        }
    }
    return 0
}

function is_never(name,    k, n, where) {
    n = split(never[name], where, "|")
    for (k = 1; k < n; k++) {
        if (holds(where[k])) {
            return 1
        }
    }
    return 0
}

function cost_of_call(name, caller,    cost, context_here) {
    context_here = context
    if (caller in from) {
        context = context " " caller
        chosen[from[caller]] = 1
    }
    if (plain(name) == without || (plain(name) in never && is_never(plain(name)))) {
        cost = IMPOSSIBLE
    } else if (!(name in first) || first[name] > last_of[name]) {
        fail("no code of " name)
    } else {
        cost = longest_of(name)
    }
    if (caller in from) {
        delete chosen[from[caller]]
        context = context_here
    }
    return cost
}

# Cut a function into blocks: start[b] is true for its first instruction.
function cut(name,    i, address, parts) {
    starts[first[name]] = 1
    for (i = first[name]; i <= last_of[name]; i++) {
        classify(i)
        if (kind == "jump" || kind == "end") {
            starts[i + 1] = 1
        }
        if (kind == "jump" && named(arguments[i]) == name) {
            split(arguments[i], parts, " ")
            starts[index_of[parts[1]]] = 1
        }
    }
}

# The block that begins at instruction b: what it costs, where it leads.
function weigh(b, name,    to, i, cost, kind_here, conditional_here, parts) {
    cost = 0
    for (i = b; ; i++) {
        cost += is_dead(i) ? IMPOSSIBLE : 1
        classify(i)
        kind_here = kind
        conditional_here = is_conditional
        if (kind_here == "call") {
            to = op[i] ~ /^blx/ && arguments[i] !~ /</ ? target_of(i) : named(arguments[i])
            cost += cost_of_call(to, plain(name))
        }
        if (i == last_of[name] || (i + 1) in starts) {
            break
        }
    }
    costs[b] = cost
    tail[b] = i
    leads[b] = ""
    ends[b] = kind_here == "end" ? 0 : IMPOSSIBLE
    if (kind_here == "jump") {
        if (named(arguments[i]) == name) {
            split(arguments[i], parts, " ")
            leads[b] = index_of[parts[1]]
        } else {
            ends[b] = cost_of_call(named(arguments[i]), plain(name))
        }
    }
    if (kind_here == "" || kind_here == "call" || conditional_here) {
        if (i < last_of[name]) {
            leads[b] = leads[b] " " (i + 1)
        } else if (ends[b] < 0) {
            ends[b] = cost_of_call(owner[i + 1], plain(name)) # it goes on in what stands behind it
        }
    }
}

# Edges that go back, each with the turns of its loop.
function find_loops(name,    stack, n, b, k, targets, to, text, turns_here) {
    n = 1
    stack[1] = first[name]
    while (n > 0) {
        b = stack[n]
        if (!(b in followed)) {
            open[b] = 1
        }
        k = ++followed[b]
        if (k > split(leads[b], targets, " ")) {
            delete open[b]
            n--
            continue
        }
        to = targets[k]
        if (to in open) {
            text = source_text(places[tail[b]])
            turns_here = turns_of(text)
            if (turns_here < 0) {
                print places[tail[b]] ": a loop without a bound, in " name ": " text >"/dev/stderr"
                unbounded = 1
            }
            n_back[name]++
            back[b " " to] = n_back[name]
            back_turns[name " " n_back[name]] = turns_here
        } else if (!(to in followed)) {
            stack[++n] = to
        }
    }
}

# What counts of back edges become when this edge is taken; "" if its loop has turned often enough.
function after(edge, name, taken,    counts, m, j, result) {
    if (!(edge in back)) {
        return taken
    }
    m = split(taken, counts, ",")
    if (counts[back[edge]] >= back_turns[name " " back[edge]]) {
        return ""
    }
    counts[back[edge]]++
    result = counts[1]
    for (j = 2; j <= m; j++) {
        result = result "," counts[j]
    }
    return result
}

# Longest way from the beginning of a function to its end. A state is a block, and how often each edge that
# goes back was taken: these have no cycle.
function longest(name, taken,    stack, n, key, parts, b, m, targets, k, next_taken, best, is_ready) {
    n = 1
    stack[1] = first[name] "|" taken
    while (n > 0) {
        key = stack[n]
        split(key, parts, "|")
        b = parts[1]
        best = ends[b]
        is_ready = 1
        m = split(leads[b], targets, " ")
        for (k = 1; k <= m; k++) {
            next_taken = after(b " " targets[k], name, parts[2])
            if (next_taken == "") {
                continue
            }
            next_taken = targets[k] "|" next_taken
            if (!(next_taken in memo)) {
                stack[++n] = next_taken
                is_ready = 0
            } else if (memo[next_taken] > best) {
                best = memo[next_taken]
                choice[key] = next_taken
            }
        }
        if (is_ready) {
            memo[key] = best + costs[b] < 0 ? IMPOSSIBLE : best + costs[b]
            n--
        }
    }
    return memo[first[name] "|" taken]
}

# Print the longest way through a function, source line by source line.
function print_way(key,    parts, i) {
    for (; key != ""; key = choice[key]) {
        split(key, parts, "|")
        for (i = parts[1] + 0; i <= tail[parts[1]]; i++) {
            print places[i] "\t" op[i] "\t" arguments[i] >"/dev/stderr"
        }
    }
}

function longest_of(name,    taken, j, i, key) {
    key = name context
    if (!(key in results)) {
        cut(name)
        n_back[name] = 0
        for (i = first[name]; i <= last_of[name]; i++) {
            delete followed[i]
            if (i in starts) {
                weigh(i, name)
            }
        }
        find_loops(name)
        taken = "-" context # never empty
        for (j = 1; j <= n_back[name]; j++) {
            taken = (j > 1 ? taken "," : "") "0"
        }
        taken = taken "," context
        results[key] = longest(name, taken)
        if (plain(name) == show) {
            print_way(first[name] "|" taken)
        }
    }
    return results[key]
}

function forget() {
    split("", results)
    split("", memo)
    split("", choice)
    split("", back)
    split("", back_turns)
}

# The largest bound over the choices that are left.
function largest(k,    n, j, names, best, this) {
    if (k > n_either) {
        forget()
        best = longest_of(entry)
        if (show != "") {
            this = "choice:"
            for (j in chosen) {
                this = this " " j
            }
            print this " " best + 1 >"/dev/stderr"
        }
        return best
    }
    best = IMPOSSIBLE
    n = split(either[k], names, " ")
    for (j = 1; j <= n; j++) {
        chosen[names[j]] = 1
        this = largest(k + 1)
        best = this > best ? this : best
        delete chosen[names[j]]
    }
    return best
}

END {
    if (failed) {
        exit 1
    }
    IMPOSSIBLE = -1000000
    chosen[given] = 1
    total = largest(1)
    if (unbounded || total < 0) {
        exit 1
    }
    print total + 1 # the vector
}
