# SPDX-License-Identifier: MIT
#
# lwip-net.awk - the rows of lwip-net.sh (CSV with a heading) as a table of medians over the rounds,
# with a verdict on each bar; -v cells=FILE gets the medians for the plot: kind, rate, policy,
# answered %, p99 in us, jobs missed %.
BEGIN { FS = "," }

NR == 1 {
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}

{
    key = $1 SUBSEP $2 SUBSEP $3
    if (!(key in rounds)) cell[++n_cells] = key
    round = ++rounds[key]
    for (name in column) value[key, name, round] = $column[name]
    value[key, "read", round] = share(get("received"), get("received") + get("lost"))
    value[key, "answered", round] = share(get("answers"), get("asked"))
    value[key, "missed", round] = share(get("missed"), get("jobs"))
}

function get(name) { return $column[name] }

function share(part, whole) { return whole ? 100 * part / whole : 0 }

# Of a column over the rounds; "-" where nothing was measured.
function median(name,    i, j, n, v, x) {
    for (i = 1; i <= rounds[key]; i++) {
        x = value[key, name, i]
        if (x == "") continue
        for (j = n++; j > 0 && v[j] > x + 0; j--) v[j + 1] = v[j]
        v[j + 1] = x + 0
    }
    return n ? v[int((n + 1) / 2)] : "-"
}

function print_heading(kind) {
    printf "\nflood: %s\n", kind
    printf row, "asked", "sent", "", "read", "urgent", "p50", "p99", "TCP", "jobs", "worst", "held", "held", \
        "back", "first", ""
    printf row, "pkts/s", "pkts/s", "policy", "%", "answered %", "us", "us", "Mbit/s", "missed %", "ms", "most", \
        "after", "ms", "ping ms", "bars"
}

# What was promised of Tidegate: all that is urgent where the driver reads all, beyond that no less
# than a stock driver with a gate; after each flood all buffers and an answer.
function verdict(policy, pps,    text) {
    if (policy == "stock-limited") limited = median("answered")
    if (policy != "tidegate") return ""
    if (median("read") >= 99.9) {
        readable = pps > readable ? pps : readable
        if (median("answered") < 99.9) text = text " urgent<99.9"
    } else if (median("answered") < limited) {
        text = text " urgent<limited"
    }
    if (median("held") > 0) text = text " held"
    if (median("ping_ms") > 10) text = text " ping>10"
    bad += text != ""
    return text == "" ? "ok" : "FAIL:" text
}

END {
    row = "%7s %7s %-13s %6s %10s %6s %6s %6s %8s %6s %5s %5s %6s %7s  %s\n"
    for (c = 1; c <= n_cells; c++) {
        key = cell[c]
        split(key, part, SUBSEP)
        if (part[1] != kind) print_heading(kind = part[1])
        printf row, part[2], sprintf("%.0f", median("sent_pps")), part[3], sprintf("%.1f", median("read")), \
            sprintf("%.2f", median("answered")), median("p50_us"), median("p99_us"), \
            sprintf("%.1f", median("tcp_mbits")), sprintf("%.1f", median("missed")), \
            sprintf("%.1f", median("worst_ms")), median("most_held"), median("held"), median("back_ms"), \
            sprintf("%.1f", median("ping_ms")), verdict(part[3], median("sent_pps"))
        print part[1], part[2], part[3], median("answered"), median("p99_us"), median("missed") >cells
    }
    printf "\nLargest flood that Tidegate's driver read in full: %.0f packets/s\n", readable
    printf "Bars: %s\n", bad ? "FAIL, in " bad " rows" : "all pass"
}
