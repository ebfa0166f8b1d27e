#!/bin/bash
# ripstop run --shard: parts into stores of their own, the report of a part, and tables where all parts are together.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 4}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 200, window: 100}
END

# rows STORE...: every run, key, value and window of the stores but the seconds, sorted.
rows() {
  for store in "$@"; do
    "$RIPSTOP" report x.yaml --store "$store" -o page.html --csv csv >/dev/null 2>note || complain "report: $(cat note)"
    cat csv/*.csv
  done | sort -u
}

"$RIPSTOP" run x.yaml --store whole.db --workers 2 >table 2>progress || complain "whole: $(cat progress)"
grep -qx 'x.yaml: [0-9]* runs, 0 of them in whole.db already' progress || complain "the whole is no part: $(cat progress)"
rows whole.db >whole

# ---------------------------------------------------------------- five parts
runs=0
for part in 1 2 3 4 5; do
  "$RIPSTOP" run x.yaml --shard $part/5 >said 2>progress || complain "part $part: $(cat progress)"
  [ -s said ] && complain "part $part prints tables: $(cat said)"
  count=$(sed -n "s/^x.yaml: part $part of 5: \([0-9]*\) runs, 0 of them in out\/x.$part-of-5.db already$/\1/p" progress)
  grep -qx "ripstop: part $part of 5 is done; out/x.$part-of-5.db has $count of the 24 runs, and tables are printed where all are together" progress ||
    complain "part $part does not say what it is: $(cat progress)"
  [ "${count:-0}" -eq 5 ] || [ "${count:-0}" -eq 4 ] || complain "part $part has $count runs"
  runs=$((runs + count))
done
[ $runs -eq 24 ] || complain "five parts have $runs runs"
rows out/x.?-of-5.db >parts
cmp -s whole parts || complain "parts have other rows: $(diff whole parts | head -5)"
"$RIPSTOP" run x.yaml --shard 2/5 >said 2>progress || complain "again: $(cat progress)"
grep -qx 'x.yaml: part 2 of 5: 5 runs, 5 of them in out/x.2-of-5.db already' progress || complain "again: $(cat progress)"
[ -e out/x.db ] && complain "parts made the store of the whole"

# ---------------------------------------------------------------- one store: the last part prints
for part in 3 1 2; do
  "$RIPSTOP" run x.yaml --shard $part/3 --store one.db >said 2>progress || complain "one store: $(cat progress)"
done
cmp -s table said || complain "the last part's table: $(diff table said)"
rows one.db | cmp -s - whole || complain "parts in one store have other rows"

# ---------------------------------------------------------------- more parts than runs; a part that fails; refusals
"$RIPSTOP" run x.yaml --shard 30/30 --store none.db >said 2>progress || complain "an empty part: $(cat progress)"
grep -qx 'x.yaml: part 30 of 30: 0 runs, 0 of them in none.db already' progress || complain "an empty part: $(cat progress)"
"$RIPSTOP" run x.yaml --shard 1/1 --store whole.db >said 2>progress || complain "the only part: $(cat progress)"
cmp -s table said || complain "the only part is the whole: $(cat said)"
for wrong in 0/5 6/5 5 5/ /5 2/0 -1/5 a/b 2/5/1 1/1000001; do
  refused "run: --shard must be PART/PARTS, as 2/5, from 1/1 to 1000000/1000000, not '$wrong'" run x.yaml --shard $wrong
done
finish
