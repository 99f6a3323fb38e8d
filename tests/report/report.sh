#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tidegate run --report: a page that is complete in itself, with every figure, the same each time.
# shellcheck disable=SC1091,SC2154 # cli_lib.sh and what it sets
set -eu

. "$(dirname -- "$0")/../system/cli_lib.sh"

# A name that needs no quotes in a command line, wherever the project stands.
cp "$tests/report.yaml" .
system=report.yaml

# page TEXT: ./page.html has a line with this text.
page() {
    if grep -qF -- "$1" page.html; then pass; else flunk "$said: no '$1' in the page"; fi
}

# page_count TEXT NUMBER: so often.
page_count() {
    n=$(grep -oF -- "$1" page.html | wc -l)
    if [ "$n" -eq "$2" ]; then pass; else flunk "$said: $n times '$1', not $2"; fi
}

run 0 run "$system" --report page.html
cp out tables
# One line on standard error: gnuplot has nothing to complain about.
err 'packets simulated in'
if [ "$(wc -l <err)" -eq 1 ]; then pass; else flunk "$said: something else on standard error"; fi
run 0 run "$system"
if cmp out tables >&2; then pass; else flunk 'a report changes the results'; fi

# Nothing comes from elsewhere: whatever is loaded is in the page.
said='the page'
if grep -oE '(src|srcset|href)="[^"]{0,12}' page.html | grep -vE '="(data:image/|#)' >err
then flunk "$said loads something"; else pass; fi
if grep -E '@import|url\(|<script|<link|<iframe|<object' page.html >err
then flunk "$said loads something"; else pass; fi
if grep -q 'https\?://' page.html; then flunk "$said names an address"; else pass; fi

# Figures: 2 of the quiet scenario, 5 of the next; the last has the load figures of the one before.
page_count '<picture>' 9
page_count '</figure>' 9
page_count '<b>The first milliseconds of the flood.</b>' 2
page_count '<b>The first milliseconds.</b>' 1
page_count '<b>How long packets take.</b>' 3
page_count '<b>What is still delivered.</b>' 1
page_count '<b>What the flood costs.</b>' 1
page_count '<b>Where the time of the CPU goes.</b>' 1
page 'Only the rate of the flood differs from scenario <q>a &quot;flood&quot; &amp; more</q>'

# Each is SVG, in two colourings, with all its panels.
grep -oE 'base64,[A-Za-z0-9+/=]+' page.html | cut -d, -f2 >pictures
if [ "$(wc -l <pictures)" -eq 18 ]; then pass; else flunk "$said: not 18 pictures"; fi
n=0
while read -r picture; do
    n=$((n + 1))
    printf '%s' "$picture" | base64 -d >"$n.svg"
    if head -n 1 "$n.svg" | grep -q '^<?xml' && grep -q '<svg' "$n.svg" && tail -n 2 "$n.svg" | grep -q '</svg>' &&
        grep -q '>tidegate<' "$n.svg"
    then pass; else flunk "$said: picture $n is no SVG with all policies"; fi
    if grep -E '(href|src)="?https?:' "$n.svg" >err; then flunk "$said: picture $n loads something"; else pass; fi
done <pictures
if cmp -s 1.svg 2.svg; then flunk "$said: light and dark are the same"; else pass; fi
for text in "it's &lt;i>fast" 'set &amp; point' 'time since the flood began'; do
    if grep -qF -- "$text" 5.svg; then pass; else flunk "$said: no '$text' in the timeline"; fi
done
if grep -q 'a task with a ' 5.svg && ! grep -q 'a task with a nam' 5.svg
then pass; else flunk "$said: the long name is not cut"; fi

# Texts are texts.
page "<h1>a &lt;b&gt;'bold'&lt;/b&gt; &amp; &quot;quoted&quot; name under flood</h1>"
page "<td>it's &lt;i&gt;fast&lt;/i&gt;</td>"
if grep -qE "<i>fast|<b>'bold'" page.html; then flunk "$said: a name became markup"; else pass; fi

# The figures of the terminal, cell by cell.
page '<td class="good">holds</td>'
grep -E '^ +(stock|tidegate)|^(set & point|web|best effort)' tables | while read -r line; do
    printf '%s\n' "$line" | grep -oE '[0-9]+(\.[0-9]+)? (us|ms|ns)'
done | sort -u >latencies
if [ "$(wc -l <latencies)" -gt 20 ]; then pass; else flunk 'no latencies in the tables'; fi
while read -r latency; do
    page "<td class=\"r\">$latency</td>"
done <latencies

# How to do it again; what was simulated.
page "tidegate run $system --report report.html"
page 'seed 7.'
page 'tidegate 0.'
page 'udp dst port 5000'
page 'poisson: 500 /s'
page '<td>anybody: arp and ether broadcast</td>'

# The same page again, wherever it is written to; and next to JSON.
run 0 run "$system" --report again.html --json
json holds true
if cmp page.html again.html >&2; then pass; else flunk "$said: not the same again"; fi

# A part of it.
run 1 run "$system" --report page.html --scenario quiet --policy tidegate,stock-low
page_count '<picture>' 2
page "tidegate run $system --policy tidegate,stock-low --scenario quiet --report report.html"

# What cannot be written; what is missing. Nothing is simulated then.
run 2 run "$system" --report no/such/directory/page.html
err '--report: no/such/directory/page.html: No such file or directory'
silent out
run 3 run "$system" --report /dev/full
err '--report: /dev/full cannot be written'
mkdir empty
status=0
said='tidegate run --report without gnuplot'
PATH=$work/empty "$build/tidegate" run "$system" --report missing.html >out 2>err || status=$?
if [ "$status" -eq 3 ]; then pass; else flunk "$said: status $status"; fi
err 'needs gnuplot: install the Debian package gnuplot-nox'
silent out
if [ -e missing.html ]; then flunk "$said: a page"; else pass; fi
printf '#!/bin/sh\nexit 1\n' >empty/gnuplot
chmod +x empty/gnuplot
status=0
PATH=$work/empty "$build/tidegate" run "$system" --report missing.html >out 2>err || status=$?
if [ "$status" -eq 3 ]; then pass; else flunk "$said: status $status"; fi
err 'gnuplot failed'
finish
