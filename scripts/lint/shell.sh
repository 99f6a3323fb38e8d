#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The scripts: shellcheck, and dash (the /bin/sh of Debian) reads them.
set -eu

for script in dev $(sh scripts/files.sh '*.sh'); do
    dash -n "$script"
    shellcheck "$script"
done
shellcheck .ci/run
