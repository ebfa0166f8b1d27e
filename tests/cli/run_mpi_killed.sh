#!/bin/bash
# mpirun ripstop run: a rank is stopped, and one killed, in the midst of it. The job ends, what was done is kept, the next
# start goes on.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
. "$RIPSTOP_SOURCE/tests/cli/libmpi.sh"

# The same experiment with so many samples that it cannot come to its end; its first runs are those with few.
cat >short.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 2}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 20000, window: 100}
END
sed 's/samples: 2/samples: 4000/' short.yaml >long.yaml

"$MPIRUN" --oversubscribe -n 3 "$RIPSTOP" run long.yaml --store killed.db >said 2>progress &
job=$!
until [ "$(kept long.yaml killed.db)" -gt 0 ]; do
  kill -0 $job 2>/dev/null || { complain "it ended by itself: $(cat progress)"; break; }
done
# ---------------------------------------------------------------- a rank that waits for rank 0 sleeps, whatever it has to send
# busy PID: hundredths of a second of a processor that it takes in half a second.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
busy() {
  local before=$(ticks "$1")
  sleep 0.5
  echo $(($(ticks "$1") - before))
}
owner=$(rank_of $job 0)
waiting=$(rank_of $job 1)
kill -STOP "$owner"
for look in 1 2 3 4 5 6 7 8 9 10; do [ "$(busy "$waiting")" -gt 5 ] || break; done
[ $look -lt 10 ] || complain "rank 1 is busy while rank 0 is stopped"
kill -CONT "$owner"

kill -9 "$(rank_of $job 2)"
wait $job && complain "a rank died, exit code 0"
ranks 3 "$RIPSTOP" run short.yaml --store killed.db >table 2>progress || complain "after kill -9: $(cat progress)"
grep -q ' 0 of them in killed.db already' progress && complain "kill -9 lost what was stored: $(cat progress)"
"$RIPSTOP" run short.yaml --store short.db >said 2>progress || complain "short: $(cat progress)"
cmp -s table said || complain "another table after kill -9: $(diff table said)"
rows short.yaml short.db >whole
rows short.yaml killed.db | cmp -s - whole || complain "other rows after kill -9"
finish
