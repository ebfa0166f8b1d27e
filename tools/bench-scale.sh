#!/bin/sh
# What size costs, all of it: cost against size from 64 to a million end nodes, a switch that dies in a million, and one
# run on two threads beside two runs at once. Takes about three minutes and 3 GiB, on a machine that does nothing else.
# Prints the machine first, since the numbers mean nothing without it.
#
# usage: tools/bench-scale.sh [--quick] [BENCH_SCALE]
set -eu
cd "$(dirname "$0")/.."
quick=
[ "${1:-}" = --quick ] && { quick=--quick; shift; }
bench=${1:-build/tests/bench_scale}
[ -x "$bench" ] || { echo "bench-scale: $bench is not built: cmake --build build --target bench" >&2; exit 1; }
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
echo "load average $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
exec "$bench" $quick
