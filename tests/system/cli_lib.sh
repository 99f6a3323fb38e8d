# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# cli_lib.sh - for the tests of the command: run it, look at what it says. Use: . cli_lib.sh BUILD_DIR
build=$(CDPATH='' cd -- "$1" && pwd)
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck disable=SC2034 # for those who include this
examples=$tests/../../examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

flunk() {
    failed=$((failed + 1))
    echo "FAILED: $*" >&2
    sed 's/^/    out: /' out >&2
    sed 's/^/    err: /' err >&2
}

# run STATUS [ARGS]: the command ends with this status; its output is in ./out and ./err.
run() {
    wanted=$1
    shift
    status=0
    said="tidegate $*"
    NO_COLOR='' "$build/tidegate" "$@" >out 2>err || status=$?
    if [ "$status" -eq "$wanted" ]; then
        pass
    else
        flunk "$said: status $status, not $wanted"
    fi
}

# out TEXT, err TEXT: a line with this text is there.
out() {
    if grep -qF -- "$1" out; then pass; else flunk "$said: no '$1' on standard output"; fi
}

err() {
    if grep -qF -- "$1" err; then pass; else flunk "$said: no '$1' on standard error"; fi
}

# silent FILE: nothing was written to it.
silent() {
    if [ -s "$1" ]; then flunk "$said: something on $1"; else pass; fi
}

# row FLOW VERDICT FRAMES BYTES: the table has it (FLOW - for a row that belongs to the one above).
row() {
    if awk -v flow="$1" -v verdict="$2" -v frames="$3" -v bytes="$4" '
        /^[^ ]/ { name = $1; v = $2; f = $3; b = $4 }
        /^ / { v = $1; f = $2; b = $3 }
        name == flow && v == verdict && f == frames && b == bytes { found = 1 }
        END { exit !found }' out
    then pass; else flunk "$said: no row $*"; fi
}

# json PATH VALUE: the output is JSON and says so.
json() {
    value=$("$build/tests/json_value" "$1" <out 2>>err) || value="(status $?)"
    if [ "$value" = "$2" ]; then pass; else flunk "$said: $1 is $value, not $2"; fi
}

# plain: for a file or a pipe, and for people: no control characters, 100 columns.
plain() {
    if [ -n "$(tr -d '\n -~' <out)" ] || [ -n "$(awk 'length > 100' out)" ]; then
        flunk "$said: control characters or lines of more than 100 columns"
    else
        pass
    fi
}

# within SECONDS COMMAND...: the command succeeds, at once or later.
within() {
    tries=$(($1 * 20))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
