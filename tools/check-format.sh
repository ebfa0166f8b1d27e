#!/bin/sh
# Fails, naming the places, when a source file is not as clang-format 14 would write it (.clang-format).
set -eu
cd "$(dirname "$0")/.."
find src include lab tests examples -name '*.[ch]' | LC_ALL=C sort | xargs clang-format-14 --dry-run --Werror
echo "format: good"
