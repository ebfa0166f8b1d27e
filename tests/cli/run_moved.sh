#!/bin/bash
# A store that is removed, renamed or replaced while `run` writes it: exit code 3, one line that says where the runs are,
# and they are there. Also: `run` names the process that it waits for.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: updown
faults: {count: [0, 1], samples: 3000}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 20000}
END
sed 's/3000/3/' x.yaml >small.yaml
"$RIPSTOP" run small.yaml --store small.db >/dev/null 2>said || complain "run: $(cat said)"

# moved WORD KEPT COMMAND: what the command does to x.db while it is written is noticed.
moved() {
  local word=$1 kept=$2 victim code said
  rm -rf x.db* y.db*
  "$RIPSTOP" run x.yaml --workers 1 --store x.db >table 2>error &
  victim=$!
  until [ -e x.db ] && [ "$(sqlite3 -readonly x.db 'SELECT count(*) FROM runs' 2>/dev/null || echo 0)" -gt 0 ]; do
    kill -0 $victim 2>/dev/null || { complain "it ended by itself: $(cat error)"; return; }
  done
  eval "$3"
  wait $victim
  code=$?
  said=$(grep -c '^ripstop: store x.db ' error)
  [ $code -eq 3 ] && [ "$said" -eq 1 ] && grep -qF "$word" error || complain "$3: exit code $code: $(cat error)"
  [ -s table ] && complain "$3: a table"
  "$RIPSTOP" store check $kept >said || complain "$3: $kept: $(cat said)"
  grep -qE '^x?y?.*: [1-9][0-9]* runs' said || complain "$3: $kept has no runs: $(cat said)"
  [ ! -e x.db-wal ] && [ ! -e x.db-shm ] || complain "$3: left: $(ls)"
}

moved 'runs were saved to x.db.rescued-1' x.db.rescued-1 'rm x.db'
[ ! -e x.db ] || complain "x.db is there again"
"$RIPSTOP" store merge x.db x.db.rescued-1 >said || complain "what was saved cannot be merged: $(cat said)"
moved 'runs were saved to x.db.rescued-1' x.db.rescued-1 'rm x.db x.db-wal x.db-shm'
moved "$PWD/y.db, and has all that was stored" y.db 'mv x.db y.db'
moved 'runs were saved to x.db.rescued-1' x.db.rescued-1 'cp small.db new.db; mv new.db x.db'
cmp -s small.db x.db || complain "the store that took the place was changed"
"$RIPSTOP" store check x.db >said || complain "the store that took the place: $(cat said)"
rm -rf x.db*

# ---------------------------------------------------------------- waiting
"$RIPSTOP" run small.yaml --workers 1 --store wait.db >/dev/null 2>said || complain "run: $(cat said)"
id=$(sqlite3 wait.db 'SELECT id FROM runs LIMIT 1')
sqlite3 wait.db "DELETE FROM numbers; DELETE FROM runs; INSERT INTO owners VALUES (9, 'far' || char(10) || 'host', 'm', 4711, 1, 99999999999);
  INSERT INTO leases VALUES ('$id', 9)"
for json in '' --json; do
  rm -f events said
  env --default-signal=INT "$RIPSTOP" run small.yaml $json --workers 1 --store wait.db >events 2>said &
  victim=$!
  until grep -qs waiting said events; do
    kill -0 $victim 2>/dev/null || { complain "run waits for no process: $(cat said)"; break; }
    sleep 0.05
  done
  kill -INT $victim
  wait $victim
  [ $? -eq 130 ] || complain "interrupted while it waits: $(cat said)"
  [ "$json" ] || grep -qE '^ripstop: waiting for 1 run of process 4711 on far.host: last sign of life seen at [0-9:]{8}, taken over at [0-9:]{8} without another one' said ||
    complain "no process is named: $(cat said)"
  [ ! "$json" ] || grep -q '"event":"waiting".*"host":"far\\nhost","process":4711,"runs":1,"silent":.*"left":' events ||
    complain "no process is named: $(cat events)"
done
[ "$(sqlite3 wait.db 'SELECT count(*) FROM runs')" -eq 5 ] || complain "the other runs were not done"

# By its own clock, not that of the owner: LEASE seconds after it was first seen.
[ "${RIPSTOP_WAIT:-}" ] || finish
"$RIPSTOP" run small.yaml --workers 1 --store wait.db >table 2>said || complain "waited in vain: $(cat said)"
[ "$(sqlite3 wait.db 'SELECT count(*) FROM runs')" -eq 6 ] || complain "a dead owner's run was not done"
finish
