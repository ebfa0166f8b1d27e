#!/bin/bash
# ripstop run --json: events for programs, and what the line for people says of precision and of what is left.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs sqlite3

cat >x.yaml <<'END'
fabric: ["kary-ntree:k=2,n=2", "torus:3x3"]
method: updown
faults: {count: [0, 1], samples: 3}
traffic: {load: [0.2, 0.4], packet: 4}
measure: {warmup: 100, cycles: 1000, precision: {value: accepted, relative: 0.2, most: 2000}}
END

echo id,verdict >rows
# Runs the SQL text on the table `e`, whose column x is an event, and `r`, the rows of the store.
ask() {
  sqlite3 -batch :memory: 'create table e(x)' '.mode ascii' '.separator "\037" "\n"' '.import events e' '.mode csv' \
    '.import rows r' '.mode list' '.separator " "' "$1"
}
# Arguments WORD FIELD...: prints these fields of the events of this kind.
of() {
  local word=$1 fields
  shift
  fields=$(printf ", x->>'%s'" "$@")
  ask "select ${fields:2} from e where x->>'event' = '$word'"
}
# is WHAT WANTED GOT
is() { [ "$2" = "$3" ] || complain "$1: '$3', not '$2'"; }

"$RIPSTOP" run x.yaml --json --workers 2 >events 2>said || complain "--json: $(cat said)"
grep -v '^ripstop: ' said && complain "lines for people beside events"
is 'events that are no JSON' 0 "$(ask 'select count(*) from e where not json_valid(x)')"
is 'the order of events' 'start end' "$(ask "select x->>'event' from e" | grep -v -e run -e progress | xargs)"
is start 'x.yaml out/x.db 24 0 24 2 1' "$(of start file store runs stored to_do workers threads)"
"$RIPSTOP" store export out/x.db >rows 2>said || complain "export: $(cat said)"
is 'runs as they are stored' 24 "$(ask "select count(*) from e join r on x->>'run' = r.id and x->>'verdict' = r.verdict")"
is 'runs with a reason' 12 "$(ask "select count(*) from e where x->>'verdict' = 'does-not-apply' and x->>'reason' like '%fat trees%'")"
is end 'done 24 0 24 24 24 12' "$(of end result done by_others to_do runs stored '$.verdicts.does-not-apply')"
is precision "$(ask "select sum(x->>'precise'), sum(not x->>'precise') from e where x->>'event' = 'run'")" "$(of end precise not_precise)"
is 'runs with a goal' 12 "$(ask "select (x->>'precise') + (x->>'not_precise') from e where x->>'event' = 'end'")"
[ "$(of end precise)" -gt 0 ] || complain "no run was precise enough"
"$RIPSTOP" run x.yaml --json >events 2>said || complain "again: $(cat said)"
is 'what is stored already' '24 0' "$(of start stored to_do)"
is 'nothing to do' 'done 0' "$(of end result done)"

# ---------------------------------------------------------------- progress, and an end before the end
sed 's/, precision.*}/}/; s/samples: 3/samples: 2000/; s/cycles: 1000/cycles: 20000/' x.yaml >long.yaml
env --default-signal=INT "$RIPSTOP" run long.yaml --json --workers 1 >events 2>said &
victim=$!
until grep -q '"event":"progress".*"seconds_left"' events; do
  kill -0 $victim || { complain "it ended by itself: $(cat said)"; break; }
  sleep 0.05
done
interrupt $victim
wait $victim
is 'the exit code of an interrupt' 130 $?
is 'an interrupt' interrupted "$(of end result)"
is 'what is kept' "$(sqlite3 out/long.db 'select count(*) from runs')" "$(of end stored)"
is 'what was told' "$(of end done)" "$(of run run | wc -l)"
is 'progress that cannot be' 0 "$(ask "select count(*) from e where x->>'event' = 'progress' and not (x->>'done' > 0 and
  x->>'done' <= x->>'to_do' and x->>'runs_per_second' > 0 and x->>'seconds_left' > 0 or
  x->>'done' = 0 and x->>'runs_per_second' = 0 and x->>'seconds_left' is null)")"

# ---------------------------------------------------------------- exit codes are those of the tables
cat >bad.yaml <<'END'
fabric: torus:2x4
method: dor:bubble=on
program: {kernel: "fft:points=256", limit: 400}
END
"$RIPSTOP" run bad.yaml --json >events 2>said
is 'the exit code of an error' 1 $?
is 'an error' 'error 1' "$(of run verdict) $(of end '$.verdicts.error')"
of run reason | grep -q 'program.limit' || complain "no reason: $(cat events)"

# ---------------------------------------------------------------- no reader is left: the true reason
(trap '' PIPE; sleep 0.2; "$RIPSTOP" run x.yaml --json; echo $? >code) 2>said | true
is 'the reason of an output that nobody takes' 'ripstop: the output could not be written: Broken pipe 3' "$(tail -n 1 said) $(cat code)"

# ---------------------------------------------------------------- people read of it in one line
rm out/x.db
"$RIPSTOP" run x.yaml >/dev/null 2>said || complain "run: $(cat said)"
grep -Eq '^24/24 runs, [0-9.e+]+/s, [0-9:]+ in all, precision reached by [1-9][0-9]* of 12$' said || complain "the line: $(cat said)"
finish
