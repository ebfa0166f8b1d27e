#!/bin/sh
# Fails, naming each, when a function is longer than 60 lines, from the line of its name to its closing brace.
# clang-format puts the braces of functions, and nothing else of them, into the first column.
#   tools/check-functions.sh [MOST]
set -eu
cd "$(dirname "$0")/.."
find src include lab -name '*.[ch]' | LC_ALL=C sort | xargs awk -v most="${1:-60}" '
  FNR == 1 { first = 0 }
  /^[A-Za-z_].*[a-z_0-9*]+\(/ && !/;$/ && !/^(typedef|#)/ { first = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
  /^}$/ && first {
    if (FNR - first + 1 > most) { printf "%s:%d: %s has %d lines, more than %d\n", FILENAME, first, name, FNR - first + 1, most; wrong++ }
    first = 0
  }
  /^};/ || /^} [a-z_]+;/ { first = 0 }
  END { exit wrong > 0 }
'
echo "functions: good"
