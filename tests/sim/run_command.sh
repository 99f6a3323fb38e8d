# SPDX-License-Identifier: MIT
#
# run_command.sh BUILD_DIR: `tidegate run` as its users meet it: exit status, messages, the same bytes
# everywhere.
set -eu

tidegate=$1/tidegate
motor=../examples/motor.yaml
golden=sim/golden.yaml
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: expected %s, found %s\n' "$1" "$3" "$2"
    fi
}

# run ARGS...: status, $dir/out and $dir/err.
run() {
    status=0
    "$tidegate" run "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

# refused TEXT ARGS...: exit 2, TEXT on standard error, nothing on standard output.
refused() {
    text=$1
    shift
    run "$@"
    check "run $*: status" "$status" 2
    check "run $*: output" "$(cat "$dir/out")" ''
    case $(cat "$dir/err") in
    *"$text"*) passed=$((passed + 1)) ;;
    *)
        failed=$((failed + 1))
        printf 'run %s: no "%s" in: %s\n' "$*" "$text" "$(cat "$dir/err")"
        ;;
    esac
}

run "$motor"
check 'motor: status' "$status" 0
check 'motor: lines of more than 100 columns' "$(awk 'length > 100' "$dir/out")" ''
check 'motor: control characters' "$(tr -d '\n -~' <"$dir/out")" ''
check 'motor: nothing but the time on standard error' \
    "$(sed 's/^[0-9]* packets simulated in .*//' "$dir/err")" ''
check 'motor: scenarios' "$(grep -c '^plant-controller: ' "$dir/out")" 2
check 'motor: the search for a gate is not needed' "$(grep -c 'as the file says' "$dir/out")" 2
check 'motor: why a shared ring loses setpoints' \
    "$(grep -c 'of setpoint were lost in the NIC: its ring all is shared' "$dir/out")" 1
cp "$dir/out" "$dir/first"
run "$motor"
check 'motor: the same again' "$(cmp "$dir/out" "$dir/first" 2>&1)" ''

run "$motor" --policy stock-high
check 'stock-high: status' "$status" 1
run "$motor" --policy stock-low,tidegate --scenario 'flood 40 kpps'
check 'stock-low,tidegate: status' "$status" 1
check 'stock-low,tidegate: policies' "$(grep -c '^stock-\(high\|limited\)' "$dir/out")" 0
run "$motor" --policy tidegate --json
check 'json: status' "$status" 0
check 'json: scenarios' "$(grep -c '"for_ns": 1000000000' "$dir/out")" 2
check 'json: policies' "$(grep -c '"policy":' "$dir/out")" 2

# Tables and document of a system with everything random in it; its gate of stock-limited is searched.
for form in txt json; do
    [ $form = txt ] && run "$golden" || run "$golden" --json
    check "golden.$form: status" "$status" 0
    check "golden.$form: the same bytes on every machine" \
        "$(cmp "$dir/out" "sim/golden.$form" 2>&1)" ''
done

refused "unknown policy 'stock', allowed: stock-high, stock-low, stock-limited, tidegate" \
    "$motor" --policy tidegate,stock
refused "unknown policy ''" "$motor" --policy ''
refused "unknown target 'moon', allowed: sim" "$motor" --on moon
refused "has no scenario 'calm', allowed: 'flood 40 kpps', 'flood 1 Mpps'" "$motor" --scenario calm
refused 'no/such/file.yaml' no/such/file.yaml
refused "unknown option '--fast'" "$motor" --fast

sed '/^scenarios:/,$d' "$motor" >"$dir/none.yaml"
refused 'none.yaml has no scenarios' "$dir/none.yaml"

sed 's/{frames: udp dst port 9, rate: 40 kpps.*/{capture: none.pcap}/' "$motor" >"$dir/capture.yaml"
refused 'none.pcap' "$dir/capture.yaml"
: >"$dir/none.pcap"
refused 'none.pcap' "$dir/capture.yaml"

run --help
check 'help: status' "$status" 0
check 'help: lines of more than 100 columns' "$(awk 'length > 100' "$dir/out")" ''

status=0
"$tidegate" run "$golden" >/dev/full 2>"$dir/err" || status=$?
check 'full disk: status' "$status" 3

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
