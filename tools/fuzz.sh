#!/bin/sh
# Builds the fuzzers of tests/fuzz with the sanitizers (preset asan) and runs each for some seconds on a copy of its corpus;
# then prints how many inputs each tried and what it found. Fails when one found something: the input lies beside its log
# in out/fuzz, and belongs into tests/fuzz/corpus/NAME/ with the fix. What is tried is kept there, so that the same command
# goes on from it.
#
# usage: tools/fuzz.sh SECONDS [NAME...]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS [NAME...]}
shift
[ $# -gt 0 ] || set -- $(basename -a -s .c tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')
cmake --preset asan >/dev/null
cmake --build --preset asan --target fuzzers
mkdir -p out/fuzz

# One for each processor at a time; what became of each lies in its log, whose last line is its exit code.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c '
  seconds=$1 name=$2 target=fuzz_$2 corpus=tests/fuzz/corpus/$2
  [ -d "$corpus" ] || corpus=""
  mkdir -p "out/fuzz/$target"
  echo "fuzz: $target for $seconds s"
  status=0
  "build-asan/tests/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="out/fuzz/$target-" "out/fuzz/$target" $corpus >"out/fuzz/$target.log" 2>&1 || status=$?
  echo "exit code $status" >>"out/fuzz/$target.log"
' sh "$seconds" NAME

found=0 total=0 fuzzers=0
totals=""
for name; do
  target=fuzz_$name
  log=out/fuzz/$target.log
  state=nothing
  [ "$(tail -n 1 "$log")" = "exit code 0" ] || {
    found=1
    state=$(sed -n 's/.*Test unit written to //p' "$log")
    tail -40 "$log"
  }
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  totals="$totals$(printf '%-20s %10s inputs, found %s' "$target" "${inputs:-?}" "${state:-its end}")
"
  total=$((total + ${inputs:-0})) fuzzers=$((fuzzers + 1))
done
printf '\n%s' "$totals"
[ $found = 1 ] || echo "fuzz: $fuzzers fuzzers, $total inputs, nothing found"
exit $found
