#!/bin/sh
# Lines of src/ that the tests run, per room. First: cmake --workflow --preset coverage
set -eu
cd "$(dirname "$0")/../build-coverage"
find . -path '*ripstop*.dir*' -name '*.gcda' | LC_ALL=C sort | xargs gcov -n 2>/dev/null | awk -F"[':%]" '
  /^File / { file = $2 }
  /^Lines executed/ && file ~ /\/src\/[a-z]+\// {
    room = file
    sub(/.*\/src\//, "", room); sub(/\/.*/, "", room)
    split($0, word, " of ")
    lines[room] += word[2]; run[room] += word[2] * $2 / 100 # in "Lines executed:87.50% of 8" the third is 87.50
    all += word[2]; all_run += word[2] * $2 / 100
    file = ""
  }
  END {
    if (!all) exit 1
    for (room in lines) printf "%-12s %6.1f %% of %5d lines\n", room, 100 * run[room] / lines[room], lines[room] | "sort"
    close("sort")
    printf "%-12s %6.1f %% of %5d lines\n", "all", 100 * all_run / all, all
  }'
