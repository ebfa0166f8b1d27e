#!/bin/bash
# Histories of failures and repairs on 8 fabrics, each of 40 changes that begin with new tables: tables of mend follow each
# change, and after each no connected pair is lost, nothing can deadlock, and no transient state of old and new entries that its
# writing meets can (tests/unit/test_mend_repair.c, which has 8 histories a fabric).
#
# usage: tools/mend-histories.sh BUILD_DIR [HISTORIES]     HISTORIES of each fabric, by default 1,250: 10,000 in all
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
RIPSTOP_HISTORIES=${2:-1250} exec "$1/tests/unit_mend_repair"
