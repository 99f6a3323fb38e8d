#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs.sh - API pages of include/tidegate/ in OUT/html. The headers are written in plain comments;
# the filter marks them for doxygen. That each function has its contract is checked by `./dev lint`.
set -eu

out=$1
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "$out"
cd -- "$root"

doxygen - <<END
PROJECT_NAME = Tidegate
OUTPUT_DIRECTORY = "$out"
INPUT = include
RECURSIVE = YES
FILE_PATTERNS = *.h
FULL_PATH_NAMES = NO
OPTIMIZE_OUTPUT_FOR_C = YES
GENERATE_LATEX = NO
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = NO
FILTER_PATTERNS = "*.h=awk -f scripts/docs-filter.awk"
PREDEFINED = TG_NODISCARD=
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
EXTRACT_STATIC = YES
EXTRACT_ALL = YES
SORT_MEMBER_DOCS = NO
HAVE_DOT = NO
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
END
printf 'docs: %s\n' "$out/html/index.html"
