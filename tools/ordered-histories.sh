#!/bin/bash
# Random histories of links and routers that fail and return, under `ordered`. First the protocol alone: after each history its
# order, its tables and the draining of its queues are checked (tests/unit/test_ordered_protocol.c, which has 1,500). Then beyond
# saturation: losses are counted, and no run may deadlock, with 64 places for in-transit packets, with one and with none
# (tests/unit/test_ordered_simulate.c, which has 42 and 16).
#
# usage: tools/ordered-histories.sh BUILD_DIR [HISTORIES [LOADED]]     by default 60,000 of the protocol and 2,100 each
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
RIPSTOP_HISTORIES=${2:-60000} "$1/tests/unit_ordered_protocol"
RIPSTOP_HISTORIES=${3:-2100} exec "$1/tests/unit_ordered_simulate"
