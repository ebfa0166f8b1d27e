#!/bin/bash
# ripstop faults: the processes, one process with its options, one process's sample on a fabric, one-line refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# Every process's file is listed, once, and nothing else is. Each explains itself.
"$RIPSTOP" faults >list || complain "faults failed"
for file in "$RIPSTOP_SOURCE"/src/faults/processes/*.c; do basename "$file" .c | tr _ -; done | sort >files
cut -d' ' -f1 list | diff files - || complain "the list is not the folder's"
while read -r process _; do
  "$RIPSTOP" faults "$process" >one || complain "faults $process failed"
  for line in "$process" "  summary  " "Options:"; do
    grep -qF -- "$line" one || complain "faults $process lacks '$line'"
  done
  example=$(sed -n 's/^  example  //p' one)
  [ -z "$example" ] || "$RIPSTOP" faults "$example" --fabric torus:4x4 >/dev/null || complain "$example is refused"
done <list
"$RIPSTOP" faults flap | grep -qF -- '  up=(number 1 to 1000000000), required' || complain "faults flap: $("$RIPSTOP" faults flap)"

# Options are checked without a fabric too, and reported with the others.
"$RIPSTOP" faults random:3,every=50 >one || complain "faults random:3,every=50 failed"
[ "$(head -1 one)" = random:3,scope=switch-links,from=0,every=50 ] || complain "faults random:3,every=50: $(cat one)"
refused "process random: unknown option 'evry'; did you mean 'every'?" faults random:3,evry=50
refused "process flap: option 'up' must be given" faults flap:2
refused "process flap: option 'count' must be given" faults flap:

# The random schedule is a file that an experiment can name, and equals the one of the experiment's run.
"$RIPSTOP" faults flap:2,up=300,down=40,until=900 --fabric torus:4x4 --seed 5 --sample 1 >drawn || complain "faults flap"
head -1 drawn | grep -qx '# flap:2,up=300,down=40,from=0,until=900,scope=switch-links,cut=off on torus:4x4: [0-9]* changes' ||
  complain "flap: $(head -1 drawn)"
cat >x.yaml <<'END'
fabric: torus:4x4
method: immunet
traffic: {load: 0.1}
measure: {warmup: 100, cycles: 900}
seed: 5
faults: {samples: 2, schedule: ["flap:2,up=300,down=40,until=900", drawn]}
END
"$RIPSTOP" run x.yaml --store x.db >/dev/null 2>&1 || complain "run"
"$RIPSTOP" report x.yaml --store x.db -o x.html --csv csv >/dev/null || complain "report"
words=$(sed 1d drawn | tr '\n' ' ' | sed 's/ $//')
[ -n "$words" ] || complain "nothing is drawn"
grep ',torus:4x4,0,all,1,"flap:2' csv/runs.csv | sed 's/^[^,]*,//; s/"flap:2[^"]*"/WORDS/' >by_rule
grep -F ",torus:4x4,0,all,1,$words," csv/runs.csv | sed "s|^[^,]*,||; s|$words|WORDS|" >by_file
[ -s by_rule ] && cmp -s by_rule by_file || complain "the run had another schedule than '$words'"
cmp -s <("$RIPSTOP" faults flap:2,up=300,down=40,until=900 --fabric torus:4x4 --seed 5) drawn && complain "samples are alike"

# The first failures decide how many parts can fail: a sample that ends early refuses no experiment.
cat >many.yaml <<'END'
title: Switches fail one after another
fabric: torus:5x5
method: minimal-adaptive:escape=bubble
traffic: {load: 0.1}
measure: {warmup: 100, cycles: 300}
seed: 3
faults: {schedule: "random:18,scope=switches,from=10,every=10"}
END
"$RIPSTOP" run many.yaml --store many.db >out 2>note || complain "random:18: $(cat note)"
grep -qF '1 of 1 runs: 1 lossy' out || complain "random:18: $(cat out)"
sed -i 's/random:18/random:24/' many.yaml
"$RIPSTOP" run many.yaml --store many.db >out 2>note && complain "random:24 is not refused"
grep -qF '24 switches cannot fail in torus:5x5 without cutting it' note || complain "random:24: $(cat note)"

# Parts that are down from the start are not sampled again.
"$RIPSTOP" faults random:1 --fabric torus:2x2 --set '0.0/0 0.0/1 0.1/1 1.0/1' >one || complain "--set: $(cat one)"
refused "2 links cannot fail in torus:2x2 without cutting it" faults random:2 --fabric torus:2x2 --set '0.0/0 0.0/1 0.1/1 1.0/1'

refused "process 'flop' is unknown; did you mean 'flap'?" faults flop
refused "process flap: option 'up' must be given" faults flap:3 --fabric torus:4x4
refused "--fabric goes with a process" faults --fabric torus:4x4
refused "faults: --seed needs --fabric" faults flap --seed 3
refused "--seed: 'x' is not a whole number" faults random:1 --fabric torus:4x4 --seed x
refused "--set: no link '9/9'" faults random:1 --fabric torus:4x4 --set 9/9
finish
