#!/bin/bash
# No output replaces what its command reads, nor a store: every output option of every command against each input, by
# every path that leads there.
# Slow: it runs every command.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# ---------------------------------------------------------------- inputs
"$RIPSTOP" fabric kary-ntree:k=2,n=2 --edges >net.edges || complain "no edge list"
"$RIPSTOP" fabric mport-ntree:m=4,n=3 --links >/dev/null || complain "no fabric"
echo '0/0/2' | tee sets.txt >sets.csv
echo '0/0/2@50 0/0/2+@200' >schedule.txt
echo '0/0.0/2@50' >messages.txt
"$RIPSTOP" route net.edges --method mend -o tables >/dev/null || complain "no tables"
"$RIPSTOP" route net.edges --method mend:seed=2 -o older >/dev/null || complain "no older tables"
cp tables/lfts.dump lfts.dump
echo 'graph g { l1:h -- a:e; l1:s -- s1:p1; l2:h -- b:e; l2:s -- s1:p2; }' >plan.dot
printf 'num_ranks 2\n\nrank 0 {\nl1: send 64b to 1 tag 1\n}\n\nrank 1 {\nl1: recv 64b from 0 tag 1\n}\n' >job.goal
cat >e.yaml <<'END'
fabric: net.edges
method: ["mend", "tables:lfts=lfts.dump"]
faults: {file: sets.txt}
traffic: {load: [0.1, 0.2], packet: 2}
measure: {warmup: 50, cycles: 200}
figures: [{id: latency, x: traffic.load, y: latency.mean, by: method}]
END
cat >j.yaml <<'END'
fabric: net.edges
method: mend
workload: {jobs: "goal:file=job.goal"}
END
sed 's/sets.txt/sets.csv/' e.yaml >c.yaml
"$RIPSTOP" run e.yaml --store x.db >/dev/null 2>said || { cat said; exit 1; }
"$RIPSTOP" run j.yaml --store j.db >/dev/null 2>said || { cat said; exit 1; }
"$RIPSTOP" run e.yaml --set traffic.load=0.1 --seed-offset 9 --store part.db >/dev/null 2>said || { cat said; exit 1; }
cp x.db other.db
"$RIPSTOP" prove torus:4 --method minimal-adaptive:escape=none --witness certificate >/dev/null
grep -q queue certificate || complain "no deadlock in the certificate: $(head -5 certificate)"
"$RIPSTOP" claims e.yaml --store x.db --record record.json >/dev/null 2>&1
mkdir kept
cp -r ./*.* certificate tables older kept

# intact COMMAND...: every input is as it was.
intact() {
  local name
  for name in $(cd kept && find . -type f); do
    cmp -s "$name" "kept/$name" && continue
    complain "$name is another after: ripstop $*"
    cp "kept/$name" "$name"
  done
}

# before_work COMMAND...: that was refused before it printed a result or a note on its work.
before_work() {
  [ ! -s out ] && [ "$(wc -l <error)" -eq 1 ] || complain "ripstop $*: refused only after the work: $(cat out error)"
}

# spares COMMAND... with OUT in it, and IN the file that OUT leads to: refused with exit code 2 and before the work,
# nothing lost. OUT is replaced by the plain path, another spelling, a symbolic link, one over a folder, and a hard link.
spares() {
  local input=$1 path code words
  shift
  rm -rf soft.csv hard.csv folder-link
  ln -s "$input" soft.csv
  ln "$input" hard.csv
  ln -s . folder-link
  for path in "$input" "$PWD/./folder-link/$input" soft.csv hard.csv; do
    words=("${@/OUT/$path}")
    "$RIPSTOP" "${words[@]}" >out 2>error </dev/null
    code=$?
    [ $code -eq 2 ] &&
      grep -qE 'is a file that this command reads|is a store or another SQLite database|no record of claims|a figure.s file ends' error ||
      complain "ripstop ${words[*]}: exit code $code: $(cat error)"
    before_work "${words[@]}"
    intact "${words[@]}"
  done
  rm -f soft.csv hard.csv folder-link
  [ -z "$(find . -name '*.new-*')" ] || complain "left: $(find . -name '*.new-*')"
}

# ---------------------------------------------------------------- files
while read -r command; do
  [ -n "$command" ] || continue
  inputs=${command%%|*}
  for input in $inputs other.db; do
    # shellcheck disable=SC2086
    spares "$input" ${command#*|}
  done
done <<'END'
x.db|store export x.db -o OUT
e.yaml net.edges sets.txt lfts.dump part.db|report e.yaml --seed-offset 9 --store part.db -o OUT
e.yaml net.edges sets.txt lfts.dump x.db|report e.yaml --store x.db -o OUT
j.yaml net.edges job.goal j.db|report j.yaml --store j.db -o OUT
sets.csv|report c.yaml --store x.db --figure latency -o OUT
net.edges|what-if net.edges -o OUT
net.edges lfts.dump|what-if net.edges --tables lfts.dump -o OUT
net.edges lfts.dump|what-if net.edges --method tables:lfts=lfts.dump -o OUT
net.edges lfts.dump|what-if net.edges --reroute tables:lfts=lfts.dump -o OUT
certificate|check-witness certificate --svg OUT
net.edges|prove net.edges --method mend --witness OUT
net.edges sets.txt|prove net.edges --method mend --faults sets.txt --witness OUT
net.edges lfts.dump|prove net.edges --method tables:lfts=lfts.dump --witness OUT
net.edges lfts.dump|prove net.edges --method tables:lfts=lfts.dump --subfunction all --graph OUT
messages.txt|protocol mport-ntree:m=4,n=3 --method link-fault-messages --schedule messages.txt --svg OUT
net.edges sets.txt|route net.edges --method mend --faults sets.txt --entries -o OUT
net.edges lfts.dump|route net.edges --method tables:lfts=lfts.dump --ports -o OUT
net.edges|simulate net.edges --method mend --load 0.1 --set measure.cycles=200 --losses OUT
e.yaml|claims e.yaml --store x.db --record OUT
END

# The page that lies beside the program: a copy of it, since no test writes beside the one that is built.
mkdir lab kept/lab
echo page | tee lab/lab.html >kept/lab/lab.html
cp "$RIPSTOP" ripstop
built=$RIPSTOP
RIPSTOP=$PWD/ripstop
for input in lab/lab.html other.db; do spares $input lab -o OUT; done
RIPSTOP=$built

# ---------------------------------------------------------------- before the work
# Work of hours, of which 20 s of processor time are allowed.
"$RIPSTOP" fabric kary-ntree:k=8,n=3 --edges >kept/big.edges || complain "no edge list"
cp kept/big.edges .
while read -r command; do
  # shellcheck disable=SC2086
  (ulimit -t 20 && exec "$RIPSTOP" $command >out 2>error)
  code=$?
  [ $code -eq 2 ] && grep -q 'big.edges is a file that this command reads' error ||
    complain "ripstop $command: exit code $code: $(cat error)"
  before_work "$command"
  intact "$command"
done <<'END'
what-if big.edges --of pairs --samples 4000000 -o big.edges
simulate big.edges --method updown --load 0.3 --set measure.cycles=1000000000 --losses big.edges
prove big.edges --method mend --paths --witness big.edges
route big.edges --method mend --entries -o big.edges
END
# The outputs are checked before the inputs are opened.
while read -r command; do
  # shellcheck disable=SC2086
  "$RIPSTOP" $command other.db >out 2>error && complain "ripstop $command other.db: exit code 0"
  grep -q 'other.db is a store or another SQLite database' error && before_work "$command" ||
    complain "ripstop $command other.db: $(cat error)"
done <<'END'
store export missing.db -o
report missing.yaml -o
report missing.yaml --figure latency -o
what-if missing.edges -o
check-witness missing --svg
protocol missing --method link-fault-messages --events 0/0/2@5 --svg
route missing.edges --method mend --entries -o
simulate missing.edges --method mend --load 0.1 --losses
claims missing.yaml --record
END

# ---------------------------------------------------------------- standard input
"$RIPSTOP" report - --store x.db -o e.yaml <e.yaml 2>error && complain "an experiment from standard input is replaced"
grep -q 'e.yaml is a file that this command reads' error || complain "standard input: $(cat error)"
intact "report - -o e.yaml"

# ---------------------------------------------------------------- folders
# folder INPUT NAME COMMAND...: NAME in the folder OUT leads to the input.
folder() {
  local input=$1 name=$2
  shift 2
  rm -rf OUT
  mkdir OUT
  ln -s "$PWD/$input" "OUT/$name"
  "$RIPSTOP" "$@" >out 2>error
  [ $? -eq 2 ] && grep -qE 'is a file that this command reads|is a store or another SQLite' error ||
    complain "ripstop $* over OUT/$name: $(cat error)"
  [ "$(find OUT -type f)" = "" ] || complain "ripstop $*: some files are written: $(ls OUT)"
  before_work "$@"
  intact "$@"
}

for name in lfts.dump sl.dump sl2vl.dump summary.json lfts.step1.dump; do
  for input in net.edges sets.txt tables/lfts.dump other.db; do
    folder $input $name route net.edges --method mend --faults sets.txt --after tables -o OUT
  done
done
for input in plan.dot other.db; do folder $input l2.json route plan.dot --bounces 1 --classes-out OUT; done
for name in runs.csv claims.csv latency.csv; do
  for input in e.yaml net.edges x.db; do folder $input $name report e.yaml --store x.db -o page.html --csv OUT; done
done
mkdir -p all/e
cp net.edges sets.txt lfts.dump e.yaml all/e
cp -r all kept
for name in index.html e.html; do
  for input in all/e/e.yaml other.db; do folder $input $name book all --store x.db -o OUT; done
done
folder sets.txt 000000 prove net.edges --method mend --faults sets.txt --witness OUT
folder other.db 000000 prove net.edges --method mend --faults sets.txt --witness OUT

# ---------------------------------------------------------------- outputs that are no files, inputs that are none
for out in tables . ./tables/; do
  "$RIPSTOP" store export x.db -o $out 2>error && complain "a folder is an output"
  grep -q 'is a folder' error || complain "a folder: $(cat error)"
done
cp x.db fresh.db
echo log >fresh.db-wal
for suffix in wal shm journal; do
  "$RIPSTOP" report e.yaml --store x.db -o fresh.db-$suffix 2>error && complain "fresh.db-$suffix is an output"
  grep -q 'belongs to the store' error || complain "fresh.db-$suffix: $(cat error)"
done
[ "$(cat fresh.db-wal)" = log ] || complain "the log is another"
rm -f fresh.db*
"$RIPSTOP" store export x.db -o table.csv && "$RIPSTOP" store export x.db -o table.csv || complain "no second export"
"$RIPSTOP" store export x.db | cmp - table.csv || complain "another table in the file"
"$RIPSTOP" store export x.db -o /dev/stdout | cmp - table.csv || complain "another table on /dev/stdout"
"$RIPSTOP" store export x.db -o /dev/null || complain "no export to /dev/null"
cp -r tables place
"$RIPSTOP" route net.edges --method mend --after place -o place >out 2>error || complain "in place: $(cat error)"
intact route in place

# ---------------------------------------------------------------- every output is among these
# A flag whose help says that it writes or draws a file, or brings one up to date. (--after and --figure only mention it.)
for command in $("$RIPSTOP" help --json | grep -oE '"name": ?"[a-z-]+"' | cut -d'"' -f4); do
  "$RIPSTOP" $command --help 2>/dev/null | grep -E '^  .*--[a-z-]+ [A-Z]' |
    grep -iE '(write|draw (how|a confirmed)|up to date)' | sed -E 's/ [A-Z].*//' | grep -oE -- '--[a-z-]+' | sed "s/^/$command /"
done | sort -u >flags
diff flags - <<'END' || complain "an output option that this test does not know"
book --output
check-witness --svg
claims --record
lab --output
protocol --svg
prove --graph
prove --witness
report --csv
report --figure
report --output
route --after
route --classes-out
route --output
simulate --losses
what-if --output
what-if --safe-tables
END

# One file of the program opens files for writing.
grep -rnE 'fopen\([^"]*"[wax+]|O_CREAT|O_WRONLY|mkdir\(|mkstemp' "$RIPSTOP_SOURCE/src" --include=*.c |
  sed "s|$RIPSTOP_SOURCE/||" | cut -d: -f1 | sort -u >writers
diff writers - <<'END' || complain "another file opens outputs"
src/base/output.c
src/draw/tool.c
src/store/location.c
src/store/open_file.c
END
finish
