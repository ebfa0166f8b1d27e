#!/bin/bash
# All measurements of the cost of size: from 64 to a million end nodes, a failed switch among a million, one run on two threads
# compared with two runs at once, a campaign on four ranks compared with two workers, and instructions per hop. Takes about
# nine minutes and 3 GiB on an otherwise idle machine. Prints the machine first, since the numbers depend on it. Measurements
# whose program, mpirun or valgrind, is missing are skipped with a message.
#
# usage: tools/bench-scale.sh [--quick] [BUILD]
set -eu -o pipefail
cd "$(dirname "$0")/.."
quick=
[ "${1:-}" = --quick ] && { quick=--quick; shift; }
build=${1:-build}
[ -x "$build/tests/bench_scale" ] || { echo "bench-scale: $build/tests/bench_scale is not built: cmake --build $build --target bench" >&2; exit 1; }
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
echo "load average $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"

# spent COMMAND...: its seconds by the clock and of processors, those of its children too.
spent() {
  local TIMEFORMAT='%R %U %S'
  { time "$@" >/dev/null 2>"$folder/error"; } 2>"$folder/spent" || { cat "$folder/error" >&2; return 1; }
  awk '{ print $1, $2 + $3 }' "$folder/spent"
}

# A campaign into a fresh store, by two workers and by four ranks, on the same two processors.
workers() { taskset -c "$two" "$build/ripstop" run "$folder/experiment.yaml" --store "$folder/workers-$1.db" --workers 2; }
ranks() {
  taskset -c "$two" mpirun --oversubscribe --bind-to none -n 4 "$build/ripstop" run "$folder/experiment.yaml" \
    --store "$folder/ranks-$1.db"
}
compare_ranks() {
  local turns=${quick:+2} seeds=${quick:+20}
  turns=${turns:-3} seeds=${seeds:-400}
  echo
  echo "A campaign of $((3 * seeds)) runs, in turns: seconds by the clock, and of processors"
  { command -v mpirun && [ -e "$build/ripstop-mpi.so" ]; } >/dev/null || { echo "not measured: no mpirun, or a build without MPI"; return; }
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
  local two
  two=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -2 | paste -sd,)
  printf 'title: ranks and workers\nfabric: kary-ntree:k=4,n=3\nmethod: misroute\ntraffic: {load: [0.1, 0.5, 1]}\nseed: [%s]\n%s\n' \
    "$(seq -s, "$seeds")" 'measure: {warmup: 1000, cycles: 20000}' >"$folder/experiment.yaml"
  printf '%6s %10s %10s %7s %12s %12s %7s\n' turn '2 workers' '4 ranks' ratio 'workers cpu' 'ranks cpu' ratio
  for turn in $(seq "$turns"); do
    echo "$turn $(spent workers "$turn") $(spent ranks "$turn")"
  done | awk '
    { printf "%6d %10.2f %10.2f %7.3f %12.2f %12.2f %7.3f\n", $1, $2, $4, $4 / $2, $3, $5, $5 / $3; clock[NR] = $4 / $2; cpu[NR] = $5 / $3 }
    function median(of, n,   i, j, t) {
      for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (of[j] < of[i]) { t = of[i]; of[i] = of[j]; of[j] = t }
      return n % 2 ? of[(n + 1) / 2] : (of[n / 2] + of[n / 2 + 1]) / 2 }
    END { c = median(clock, NR); p = median(cpu, NR)
      printf "  %-6s 4 ranks on two processors within 5 %% of 2 workers, by the clock: %.3f; of processors: %.3f (medians of pairs)\n",
             c <= 1.05 ? "met" : "MISSED", c, p }'
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/tests/bench_scale" $quick
compare_ranks
if command -v valgrind >/dev/null; then
  printf '\nInstructions\n'
  tools/instructions.sh "$build/tests/bench_engine"
else
  echo "instructions: not counted: valgrind is not installed"
fi
