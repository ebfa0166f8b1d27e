#!/bin/bash
# ripstop run and simulate with threads: the same tables and rows from any number of them, for each run and for the campaign.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# all_work: as many threads as were requested have worked, so that the test does not compare one with itself.
all_work() { grep 'worked on the run' progress && complain "fewer threads than were wished"; }

cat >x.yaml <<'END'
fabric: kary-ntree:k=4,n=2
method: misroute
faults: {count: [0, 2], samples: 4}
traffic: {load: 0.4}
measure: {warmup: 100, cycles: 900}
END

# ---------------------------------------------------------------- several runs at a time
for workers in 1 2; do
  "$RIPSTOP" run x.yaml --workers $workers --store x-$workers.db >x-$workers 2>progress || complain "--workers $workers: $(cat progress)"
  "$RIPSTOP" report x.yaml --store x-$workers.db -o page.html --csv csv >/dev/null && sort csv/runs.csv >rows-$workers
done
cmp -s x-1 x-2 || complain "another table with --workers 2: $(diff x-1 x-2)"
cmp -s rows-1 rows-2 || complain "other rows with --workers 2: $(diff rows-1 rows-2 | head -5)"

# ---------------------------------------------------------------- several threads for each run
cat >wide.yaml <<'END'
title: Wide
fabric: torus:32x24
method: dor
faults: {count: [0, 3], samples: 2}
traffic: {load: 0.1, packet: 4}
measure: {warmup: 20, cycles: 60, window: 10}
END
for threads in 1 3; do
  "$RIPSTOP" run wide.yaml --workers 1 --threads $threads --store wide-$threads.db >wide-$threads 2>progress ||
    complain "--threads $threads: $(cat progress)"
  all_work
  "$RIPSTOP" report wide.yaml --store wide-$threads.db -o page.html --csv csv >/dev/null && sort csv/runs.csv >rows-$threads
done
cmp -s wide-1 wide-3 || complain "another table with --threads 3: $(diff wide-1 wide-3)"
cmp -s rows-1 rows-3 || complain "other rows with --threads 3: $(diff rows-1 rows-3 | head -5)"
sed 's/^method:.*/method: link-fault-messages/; s/^fabric:.*/fabric: mport-ntree:m=16,n=3/' wide.yaml >protocol.yaml
for threads in 1 2; do
  "$RIPSTOP" run protocol.yaml --threads $threads --store protocol-$threads.db >protocol-$threads 2>progress ||
    complain "protocol, --threads $threads: $(cat progress)"
  all_work
done
cmp -s protocol-1 protocol-2 || complain "another table of a protocol with --threads 2: $(diff protocol-1 protocol-2)"
sed 's/32x24/2x2/; s/samples: 2/samples: 1/' wide.yaml >narrow.yaml
"$RIPSTOP" run narrow.yaml --threads 9 --store narrow.db >table 2>progress || complain "--threads 9: $(cat progress)"
[ "$(grep -c 'of 9 threads 1 worked on the run' progress)" = 1 ] || complain "run does not say once how many worked: $(cat progress)"
"$RIPSTOP" simulate torus:2x2 --method dor --load 0.1 --threads 9 >table 2>progress || complain "simulate --threads 9: $(cat progress)"
grep -q 'of 9 threads 1 worked on the run' progress || complain "simulate does not say how many worked: $(cat progress)"
"$RIPSTOP" simulate torus:2x2 --method dor --load 0.1 >table 2>progress || complain "simulate: $(cat progress)"
[ ! -s progress ] || complain "a note without need: $(cat progress)"

refused "run: --threads must be at least 1" run x.yaml --threads 0

# ---------------------------------------------------------------- cycles in which all ranks compute
printf 'num_ranks 2\nrank 0 {\na: calc 1000000\nb: send 64b to 1\nb requires a\n}\nrank 1 {\nrecv 64b from 0\n}\n' >long.goal
long=(simulate torus:32x32 --method minimal-adaptive:escape=bubble --workload goal:long.goal)
for threads in 1 2; do
  "$RIPSTOP" "${long[@]}" --threads $threads 2>progress | grep -v '^  speed' >long-$threads
  all_work
done
grep -q "^  workload.cycles  *1000068 cycles" long-1 || complain "a long computation: $(cat long-1)"
cmp -s long-1 long-2 || complain "a long computation on two threads: $(diff long-1 long-2)"
finish
