# SPDX-License-Identifier: MIT
#
# bound.awk - the longest path through compiled code, in instructions.
#
#   objdump -dl --no-show-raw-insn OBJECT | awk -v entry=FUNCTION [-v without=FUNCTION] [-v show=FUNCTION] \
#       -f bound.awk FACTS -
#
# Every path that the branches allow counts, but for what FACTS (bound.txt) says: how often loops turn, what
# indirect calls reach, which functions are not reached. A loop or a call that it knows nothing of is an error.
# An instruction counts whether its condition holds or not, as in the emulator.

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
        turns[text] = $2
    } else if ($1 == "call") {
        reaches[$2 " " $3] = $4
    } else if ($1 == "never") {
        never[$2] = 1
    } else if (NF != 0 && $1 !~ /^#/) {
        fail(FILENAME ": found '" $1 "'; allowed: loop, call, never")
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

function cost_of_call(name) {
    if (plain(name) in never || plain(name) == without) {
        return IMPOSSIBLE
    }
    if (!(name in first) || first[name] > last_of[name]) {
        fail("no code of " name)
    }
    return longest_of(name)
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
function weigh(b, name,    i, cost, kind_here, conditional_here, parts) {
    cost = 0
    for (i = b; ; i++) {
        cost++
        classify(i)
        kind_here = kind
        conditional_here = is_conditional
        if (kind_here == "call") {
            cost += cost_of_call(op[i] ~ /^blx/ && arguments[i] !~ /</ ? target_of(i) : named(arguments[i]))
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
            ends[b] = cost_of_call(named(arguments[i]))
        }
    }
    if (kind_here == "" || kind_here == "call" || conditional_here) {
        if (i < last_of[name]) {
            leads[b] = leads[b] " " (i + 1)
        } else if (ends[b] < 0) {
            ends[b] = cost_of_call(owner[i + 1]) # it goes on in what stands behind it
        }
    }
}

# Edges that go back, each with the turns of its loop.
function find_loops(name,    stack, n, b, k, targets, to, text) {
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
            if (!(text in turns)) {
                print places[tail[b]] ": a loop without a bound, in " name ": " text >"/dev/stderr"
                unbounded = 1
            }
            n_back[name]++
            back[b " " to] = n_back[name]
            back_turns[name " " n_back[name]] = turns[text] + 0
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

function longest_of(name,    taken, j, i) {
    if (!(name in results)) {
        cut(name)
        for (i = first[name]; i <= last_of[name]; i++) {
            if (i in starts) {
                weigh(i, name)
            }
        }
        find_loops(name)
        taken = "-" # never empty
        for (j = 1; j <= n_back[name]; j++) {
            taken = (j > 1 ? taken "," : "") "0"
        }
        results[name] = longest(name, taken)
        if (plain(name) == show) {
            print_way(first[name] "|" taken)
        }
    }
    return results[name]
}

END {
    if (failed) {
        exit 1
    }
    IMPOSSIBLE = -1000000
    total = longest_of(entry)
    if (unbounded || total < 0) {
        exit 1
    }
    print total + 1 # the vector
}
