#!/bin/bash
# Many sweeps of what the plug-in for OpenSM is made of, under valgrind: cables and switches go and come back, and every
# fifth picture of the fabric is damaged. No byte is lost, none is read or written that must not be, and memory in use
# does not grow (tests/unit/test_planner.c, which has 120 sweeps).
#
# usage: tools/planner-sweeps.sh BUILD_DIR [SWEEPS]     SWEEPS, by default 1,000; a build without sanitizers
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
command -v valgrind >/dev/null || { echo "valgrind is missing"; exit 77; }
RIPSTOP_SWEEPS=${2:-1000} CMOCKA_TEST_ABORT=1 exec valgrind --error-exitcode=1 --leak-check=full --show-leak-kinds=all \
  --errors-for-leak-kinds=definite,indirect,possible "$1/tests/unit_planner"
