#!/bin/sh
# Instructions per packet-hop of the event loop, compared with a limit, and for a switch that fails or is repaired: measures of
# speed that do not depend on the load of the machine. Build first: cmake --build build --target bench. Needs valgrind; takes a
# minute.
#
# usage: tools/instructions.sh [BENCH_ENGINE]
set -eu
cd "$(dirname "$0")/.."
bench=${1:-build/tests/bench_engine}
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed" >&2; exit 1; }
[ -x "$bench" ] || { echo "instructions: $bench is not built" >&2; exit 1; }

# count MOST FABRIC METHOD LOAD CYCLES; MOST -: no limit
count() {
  most=$1
  shift
  valgrind --tool=callgrind --toggle-collect=engine_run --callgrind-out-file=/dev/null "$bench" run "$@" 2>&1 |
    awk -v what="$1 load $3" -v most="$most" '
      / hops / { for (i = 1; i < NF; i++) if ($i == "hops") hops = $(i + 1) }
      /Collected/ { instructions = $NF }
      END { if (!hops || !instructions) exit 1
            each = instructions / hops
            printf "%-40s %8.0f instructions a hop (%d hops)", what, each, hops
            if (most != "-") printf "; at most %d: %s, %.2f of it", most, each <= most ? "met" : "MISSED", each / most
            print "" }'
}

# change FABRIC METHOD LOAD CYCLES CHANGES
change() {
  valgrind --tool=callgrind --toggle-collect=apply_changes --callgrind-out-file=/dev/null "$bench" run "$@" 2>&1 |
    awk -v what="$1 load $3" -v changes="$5" '
      /Collected/ { instructions = $NF }
      END { if (!instructions) exit 1
            printf "%-40s %8.0f instructions a change (%d changes)\n", what, instructions / changes, changes }'
}

count - torus:16x16 minimal-adaptive:escape=bubble 0.1 8000
count 1400 torus:16x16 minimal-adaptive:escape=bubble 1 4000
count 2000 kary-ntree:k=16,n=3 misroute 1 400
change torus:64x64 immunet 0.1 1100 40
change kary-ntree:k=16,n=3 misroute 0.3 1100 40
