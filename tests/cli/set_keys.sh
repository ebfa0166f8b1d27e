#!/bin/bash
# Every key that 'ripstop help SECTION' offers for --set is one that --set takes, in an experiment that has the section,
# and elsewhere the message says which section it goes with. The faults of --set replace those of the file.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

base='fabric: kary-ntree:k=2,n=2
method: updown'
echo "$base
traffic: {load: 0.1, packet: 2}
measure: {cycles: 200}
reaction: {model: static}" >simulate.yaml
echo "$base
program: {kernel: lu}" >program.yaml
echo "$base
prove: {sets: 100}
faults: {count: [1, 2]}" >prove.yaml
echo "$base
workload: {jobs: \"allreduce:bytes=64\"}" >workload.yaml
(cat workload.yaml; echo "model: flow") >flow.yaml
"$RIPSTOP" run program.yaml --dry-run >/dev/null 2>said || complain "program: $(cat said)"
"$RIPSTOP" run workload.yaml --dry-run >/dev/null 2>said || complain "workload: $(cat said)"

# keys SECTION: each with its default, or nothing.
keys() { "$RIPSTOP" help "$1" | sed -nE 's/^  ([a-z0-9_-]+)=\(.*\)(, default (.*))?$/\1=\3/p'; }

# The default of faults.file names no file.
unnamed='faults.file: the name of the file to read is empty'

# try FILE KEY=VALUE: reads the experiment; nothing runs. `code` is the exit code, what was printed is in `said`.
try() {
  "$RIPSTOP" run "$1" --dry-run --store none.db --set "$2" >said 2>&1
  code=$?
}

# taken FILE KEY=VALUE: --set accepts the key there with its default.
taken() {
  try "$1" "$2"
  [ $code -eq 0 ] || { [ "$2" = faults.file= ] && [ $code -eq 2 ] && grep -qF "$unnamed" said; } ||
    complain "$1 --set $2: exit code $code: $(cat said)"
}

# placed FILE KEY=VALUE: it is accepted, or refused with the key that it goes with.
placed() {
  try "$1" "$2"
  [ $code -eq 0 ] || { [ $code -eq 2 ] && grep -qE "goes with|does not go with|says nothing without|$unnamed" said; } ||
    complain "$1 --set $2: exit code $code: $(cat said)"
}

checked=0
for section in $("$RIPSTOP" help | sed -n '/keys of an experiment/s/.*section: //p' | tr -d ',.'  | sed 's/measureprecision/measure.precision/'); do
  file=simulate.yaml
  [ -e "$section.yaml" ] && file=$section.yaml
  for key in $(keys "$section"); do
    taken $file "$section.$key"
    checked=$((checked + 1))
    for other in simulate program prove workload; do
      placed $other.yaml "$section.$key"
    done
  done
done
[ $checked -gt 60 ] || complain "only $checked keys: $("$RIPSTOP" help)"
refused "key 'workload.packet' goes with 'workload:', and this experiment has 'traffic:' instead" run simulate.yaml --set workload.packet=1
refused "key 'switch.in_queue' goes with 'traffic:', and this experiment has 'prove:' instead" run prove.yaml --set switch.in_queue=8
refused "key 'faults.fil' is unknown; did you mean 'faults." run simulate.yaml --set faults.fil=x

# ---------------------------------------------------------------- faults
printf '0/0/2\n\n0/0/3 0/1/2~0.5\n' >sets.txt
echo '0/0/3' >one.txt
echo "faults: {count: [0, 1, 2], samples: 2, scope: all-links, keep: connected}
quick: {faults.count: 0, faults.scope: switch-links}
figures: [{id: f, x: faults.count, y: accepted}]" | cat simulate.yaml - >count.yaml
echo "faults: {set: [0/0/2, 0/1/3]}
quick: {faults.set: 0/0/2}" | cat simulate.yaml - >set.yaml
echo "faults: {file: one.txt}" | cat simulate.yaml - >file.yaml

# rows SETS ARGUMENTS...: the fault sets of the runs, sorted, on one line.
rows() {
  local want=$1
  shift
  rm -f r.db
  "$RIPSTOP" run "$@" --store r.db >table 2>said || complain "run $*: $(cat said)"
  [ "$(sqlite3 r.db 'SELECT faults FROM runs ORDER BY faults' | tr '\n' '|')" = "$want" ] ||
    complain "run $*: $(sqlite3 r.db 'SELECT faults FROM runs ORDER BY faults' | tr '\n' '|'), not $want"
}
for file in simulate count set file; do
  [ $file = count ] && twice='|' || twice=
  for quick in '' --quick; do
    rows "${twice:+|}|0/0/2|${twice:+0/0/2|}0/0/3 0/1/2~0.5|${twice:+0/0/3 0/1/2~0.5|}" $file.yaml $quick --set faults.file=sets.txt
    rows "0/0/2|${twice:+0/0/2|}" $file.yaml $quick --set faults.set=0/0/2
    rows "|${twice:+|}" $file.yaml $quick --set faults.count=0
  done
  rows "${twice:+|}|0/0/2|${twice:+0/0/2|}0/0/3|${twice:+0/0/3|}0/0/3 0/1/2~0.5|${twice:+0/0/3 0/1/2~0.5|}" $file.yaml --set 'faults.file=[sets.txt, one.txt]'
  refused 'only one of count, set and file can name the failed parts' run $file.yaml --set faults.file=one.txt --set faults.count=1
done
refused "faults.keep goes with faults.count only" run simulate.yaml --set faults.file=one.txt --set faults.keep=connected
"$RIPSTOP" simulate kary-ntree:k=2,n=2 --method updown --load 0.1 --set measure.cycles=200 --set faults.file=one.txt >said 2>&1 || complain "simulate: $(cat said)"
grep -q 'without 0/0/3' said || complain "simulate: $(cat said)"

# ---------------------------------------------------------------- slow links count
rows '|0/0/2|0/0/3 0/1/2~0.5|' simulate.yaml --set faults.file=sets.txt
[ "$(sqlite3 r.db "SELECT faults || '|' || substr(canonical, instr(canonical, 'faults.count=') + 13, 1) FROM runs ORDER BY faults" | tr '\n' ' ')" = '|0 0/0/2|1 0/0/3 0/1/2~0.5|2 ' ] ||
  complain "counts: $(sqlite3 r.db 'SELECT canonical FROM runs' | grep faults.count)"
# titled TITLE SET...: what stands above the counts.
titled() {
  local title=$1
  shift
  rm -f r.db
  "$RIPSTOP" run count.yaml --store r.db --set "faults.set=$1" >table 2>said || complain "run: $(cat said)"
  grep -q "^  $title *\$" table || complain "faults.set=$1: not '$title': $(cat table)"
}
titled 'failed links' '["", 0/0/2]'
titled 'slow links' '["", 0/0/2~0.5]'
titled 'failed switches' '["", "switch:1/0"]'
titled 'failed parts' '[0/0/2, "switch:1/0"]'
titled 'failed or slow parts' '[0/0/2, 0/0/2~0.5]'
finish
