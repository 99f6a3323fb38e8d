#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fuzz-random.sh - run the tests of BUILD_DIR that draw random numbers again and again for so many
# SECONDS, each time from a new seed. What fails prints its seed: TG_SEED=N runs it again.
set -eu

build_dir=$1
seconds=$2
tests='safety_test|gen_.*_test|random_test|.*model_test|server_properties'

unset TG_SEED
rounds=0
end_s=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt "$end_s" ]; do
    if ! ctest --test-dir "$build_dir" -j "$(nproc)" --output-on-failure \
        --test-output-size-failed 10000000 -R "\\.($tests)\$" >"$build_dir/random.log" 2>&1; then
        cat "$build_dir/random.log" >&2
        printf 'fuzz: random FAILED in round %d\n' "$((rounds + 1))"
        exit 1
    fi
    rounds=$((rounds + 1))
done
printf 'fuzz: %-12s ok, %d rounds\n' random "$rounds"
