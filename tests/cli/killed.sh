#!/bin/bash
# kill -9 at any moment leaves outputs whole or as they were, and nothing beside them that the next command does not clean.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: updown
faults: {count: [0, 1], samples: 40}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 300, window: 50}
figures: [{id: latency, x: faults.count, y: latency.mean}]
END
"$RIPSTOP" run x.yaml --store x.db >/dev/null 2>said || complain "run: $(cat said)"
"$RIPSTOP" store export x.db -o whole.csv || complain "export"
"$RIPSTOP" report x.yaml --store x.db -o whole.html --csv whole >/dev/null 2>said || complain "report: $(cat said)"

# Each a little later than the one before: 0 to 60 ms.
for i in $(seq 0 40); do
  delay=$(awk "BEGIN { print $i * 0.0015 }")
  timeout -s KILL "$delay" "$RIPSTOP" store export x.db -o table.csv 2>/dev/null
  [ ! -e table.csv ] || cmp -s table.csv whole.csv || complain "a table that is not whole"
  timeout -s KILL "$delay" "$RIPSTOP" report x.yaml --store x.db -o page.html --csv csv >/dev/null 2>&1
  for file in csv/*.csv; do
    [ ! -e "$file" ] || cmp -s "$file" "whole/${file#csv/}" || complain "$file is not whole"
  done
  timeout -s KILL "$delay" "$RIPSTOP" run x.yaml --store killed.db >/dev/null 2>&1
  timeout -s KILL "$delay" "$RIPSTOP" store merge merged.db x.db >/dev/null 2>&1
done
"$RIPSTOP" store export x.db -o table.csv || complain "export"
"$RIPSTOP" report x.yaml --store x.db -o page.html --csv csv >/dev/null || complain "report"
"$RIPSTOP" run x.yaml --store killed.db >/dev/null 2>said || complain "run: $(cat said)"
"$RIPSTOP" store merge merged.db x.db >said 2>&1 || complain "merge: $(cat said)"
for store in killed.db merged.db; do
  "$RIPSTOP" store check $store >said || complain "$store: $(cat said)"
  grep -q "^$store: 80 runs" said || complain "$store: $(cat said)"
done
ls | grep -E -- '-(wal|shm|journal)$|\.new-' && complain "left beside stores and outputs: $(ls)"
ls csv | grep -E '\.new-' && complain "left in csv: $(ls csv)"

# ---------------------------------------------------------------- a merge that is refused
echo no store >bad.db
sqlite3 x.db ".backup evil.db"
sqlite3 evil.db "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM runs; END"
for from in bad.db evil.db nowhere.db merged.db; do
  "$RIPSTOP" store merge merged.db $from >said 2>&1
  [ $? -eq 2 ] || complain "merge of $from: $(cat said)"
done
refused "trigger 'evil' does not belong there" store merge evil.db x.db
ls | grep -E -- '-(wal|shm|journal)$' && complain "left after a refused merge: $(ls)"
"$RIPSTOP" store check merged.db >said || complain "merged.db: $(cat said)"
finish
