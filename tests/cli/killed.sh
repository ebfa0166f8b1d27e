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

# ---------------------------------------------------------------- stores that say that they have a log
# beside NAME FILES WORDS...: ripstop WORDS leaves these files, in their order, and no others beside the store.
beside() {
  local name=$1 files=$2
  shift 2
  "$RIPSTOP" "$@" >said 2>&1
  [ "$(echo $name*)" = "$files" ] || complain "ripstop $*: left $(echo $name*): $(cat said)"
}
sqlite3 x.db ".backup log.db"
sqlite3 log.db "PRAGMA journal_mode = WAL" >/dev/null
sqlite3 evil.db "PRAGMA journal_mode = WAL" >/dev/null
ln -s "$PWD/log.db" linked
beside log.db log.db store check log.db
grep -q '^good$' said || complain "log.db: $(cat said)"
beside log.db log.db store check linked
beside linked linked store check linked
beside log.db log.db store export log.db
beside log.db log.db report x.yaml --store log.db -o page.html
beside evil.db evil.db store merge merged.db evil.db
beside evil.db evil.db store merge evil.db x.db
beside evil.db evil.db store check evil.db
cp log.db full.db
sqlite3 full.db '.dbconfig no_ckpt_on_close on' "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM runs; END" >/dev/null
[ -s full.db-wal ] || complain "no log: $(ls)"
rm -f full.db-shm
sha256sum full.db full.db-wal >sums
beside full.db 'full.db full.db-wal' store merge merged.db full.db
beside full.db 'full.db full.db-wal' store merge full.db x.db
sha256sum --quiet -c sums || complain "a log that was refused is another"
# The journals of a process that writes stay.
coproc writer { sqlite3 log.db; }
echo "BEGIN IMMEDIATE; SELECT 'begun';" >&"${writer[1]}"
read -r -u "${writer[0]}" line
[ "$line" = begun ] || complain "no writer: $line"
beside log.db 'log.db log.db-shm log.db-wal' store check log.db
echo "INSERT INTO owners VALUES (9, 'h', 'm', 1, 1, 1); COMMIT; SELECT count(*) FROM owners;" >&"${writer[1]}"
read -r -u "${writer[0]}" line
[ "$line" = 1 ] || complain "a writer lost its log: $line"
eval "exec ${writer[1]}>&-"
wait "$writer_PID"
[ "$(sqlite3 log.db 'SELECT count(*) FROM owners')" = 1 ] || complain "what a writer wrote is lost"
"$RIPSTOP" store check merged.db >said || complain "merged.db: $(cat said)"
finish
