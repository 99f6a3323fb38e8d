#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cppcheck over every file that the build compiles, but not the tests: it takes what a helper function
# fills in there for uninitialised.
set -eu

# NDEBUG: cppcheck does not see that a failed TG_ASSERT never returns. internalAstError: it cannot
# read a compound literal in a conditional expression. pointerSize, memleak, nullPointer: it takes
# pointers that travel through memcpy or come with a count of 0 for lost; ASan and clang-tidy do not.
# preprocessorErrorDirective: it reads no headers behind -isystem, lwIP's for one; the compilers do.
for build in "$@"; do
    cppcheck --quiet -DNDEBUG --project="$build/compile_commands.json" -i "$PWD/tests" \
        -i "$PWD/firmware/tests" -j "$(nproc)" --std=c11 --inline-suppr \
        --enable=warning,performance,portability --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
        --suppress=internalAstError --suppress=pointerSize --suppress=memleak --suppress=nullPointer \
        --suppress=preprocessorErrorDirective
done
