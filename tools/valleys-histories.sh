#!/bin/bash
# Random histories of links and switches that fail and return in fat trees, under `valleys`. First the protocol alone: after
# every cycle, packets must not be able to wait for each other; in each final state allowed turns and candidates are checked; as
# many with links that flap within a cycle, and as many with fixed turns (tests/unit/test_valleys_protocol.c, which has 300,
# 100, 100). Then beyond saturation: losses are counted, and no run may deadlock, with places for in-transit packets, without,
# and with fixed turns (tests/unit/test_valleys_simulate.c, which has 48, 16 and 16).
#
# usage: tools/valleys-histories.sh BUILD_DIR [HISTORIES [LOADED]]     by default 20,000 and 2,000 of each
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
RIPSTOP_HISTORIES=${2:-20000} "$1/tests/unit_valleys_protocol"
RIPSTOP_HISTORIES=${3:-2000} exec "$1/tests/unit_valleys_simulate"
