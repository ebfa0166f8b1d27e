#!/bin/sh
# Builds the fuzzers of tests/fuzz and runs each for some seconds on a copy of its corpus; fails when one finds
# something, and leaves the input beside this line's output: put it into tests/fuzz/corpus/NAME/ with the fix. The last
# line has the total.
#
# usage: tools/fuzz.sh SECONDS
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
mkdir -p out/fuzz
total=0 fuzzers=0
for source in tests/fuzz/fuzz_*.c; do
  [ -e "$source" ] || { echo "fuzz: there are no fuzzers"; exit 1; }
  target=$(basename "$source" .c)
  corpus=tests/fuzz/corpus/${target#fuzz_}
  [ -d "$corpus" ] || corpus=""
  mkdir -p "out/fuzz/$target"
  echo "fuzz: $target for $seconds s"
  "build-fuzz/tests/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="out/fuzz/$target-" "out/fuzz/$target" $corpus 2>out/fuzz/$target.log || { cat "out/fuzz/$target.log"; exit 1; }
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "out/fuzz/$target.log")
  echo "fuzz: $target: $inputs inputs"
  total=$((total + inputs)) fuzzers=$((fuzzers + 1))
done
echo "fuzz: $fuzzers fuzzers, $total inputs, nothing found"
