#!/bin/bash
# Prints how many tests ctest ran and how many it skipped, and how long it took since a time.
#
# usage: tools/count-tests.sh JUNIT_FILE SECONDS     the file of `ctest --output-junit`; SECONDS: of `date +%s`, when it began
set -eu
[ $# -eq 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
count() { grep -oE "^[[:space:]]*$1=\"[0-9]+\"" "$2" | head -1 | grep -oE '[0-9]+'; }
echo "$(count tests "$1") tests, $(count skipped "$1") skipped, in $(($(date +%s) - $2)) s with the build."
