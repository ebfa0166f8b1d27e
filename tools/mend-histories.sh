#!/bin/bash
# Long histories of failures and repairs: tables of mend follow each, and after each no connected pair is lost, nothing can
# deadlock, and the change can be written safely (tests/unit/test_mend_repair.c, which has 300 changes a case).
#
# usage: tools/mend-histories.sh BUILD_DIR [CHANGES]     CHANGES of each case, by default 1,700: 10,200 in all
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
RIPSTOP_HISTORY=${2:-1700} exec "$1/tests/unit_mend_repair"
