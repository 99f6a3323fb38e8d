#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cppcheck over every file that the build compiles.
set -eu

# NDEBUG: cppcheck does not see that a failed TG_ASSERT never returns. internalAstError: cppcheck 2.10
# cannot read a compound literal in a conditional expression.
cppcheck --quiet -DNDEBUG --project="$1/compile_commands.json" -j "$(nproc)" \
    --std=c11 --inline-suppr --enable=warning,performance,portability --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppress=internalAstError --suppress=normalCheckLevelMaxBranches
