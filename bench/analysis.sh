#!/bin/sh
# SPDX-License-Identifier: MIT
# needs: bench report
#
# analysis.sh - what one analysis costs over the size of the system, and a plot of it.
set -eu

table=$1/analysis_speed.txt
plot=$1/analysis_speed.svg

"$1/bench/analysis_speed" >"$table"
awk '
    /^#/ { printf "%6s %6s %11s %12s  %s\n", "tasks", "flows", "priorities", "time", "bar"; next }
    {
        bar = $1 == 32 && $2 == 64 ? 1000 : $1 == 1000 ? 1000000 : 0
        printf "%6d %6d %11d %9.2f ms", $1, $2, $3, $5 / 1000
        if (bar) {
            printf "  %s ms %s", bar / 1000, $5 <= bar ? "ok" : "over the bar"
        }
        print ""
    }' "$table"

gnuplot -e "set terminal svg size 800,500; set output '$plot'; set logscale xy; set grid; \
set xlabel 'tasks and flows'; set ylabel 'time of one analysis [ms]'; set key left; \
plot '$table' using (\$1 + \$2):(\$3 == 32 ? \$5 / 1000 : 1 / 0) with linespoints title '32 priorities', \
'$table' using (\$1 + \$2):(\$3 != 32 ? \$5 / 1000 : 1 / 0) with linespoints title 'a priority for each task'"
echo "plot: $plot"
