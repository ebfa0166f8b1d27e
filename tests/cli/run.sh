#!/bin/bash
# ripstop run and report: only missing runs are done, the same rows whatever interrupts them, pages, tables, refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# rows STORE: every run, key and value of the experiment, sorted.
rows() {
  "$RIPSTOP" report x.yaml --store "$1" -o page.html --csv csv >/dev/null 2>note || complain "report: $(cat note)"
  sort csv/runs.csv
}

cat >x.yaml <<'END'
title: Small
fabric: kary-ntree:k=4,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 5}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 500, cycles: 4000, window: 1000}
quick: {faults.samples: 1, measure.cycles: 400}
END

# ---------------------------------------------------------------- finished runs stay finished
"$RIPSTOP" run x.yaml >table 2>progress || complain "run: $(cat progress)"
grep -qF '30 runs, 0 of them in out/x.db already' progress || complain "progress: $(cat progress)"
grep -qF '30 of 30 runs:' table || complain "table: $(cat table)"
"$RIPSTOP" run x.yaml >again 2>progress || complain "run again: $(cat progress)"
grep -qF '30 runs, 30 of them in out/x.db already' progress || complain "again: $(cat progress)"
cmp -s table again || complain "another table: $(diff table again)"
"$RIPSTOP" run x.yaml --quick >/dev/null 2>progress || complain "quick: $(cat progress)"
grep -qF '6 runs, 0 of them in out/x.db already' progress || complain "quick: $(cat progress)"
rows out/x.db >whole
[ "$(cut -d, -f1 whole | sort -u | wc -l)" -eq 31 ] || complain "not 30 runs in runs.csv"

# ---------------------------------------------------------------- kill -9 and Ctrl-C in the midst of it
# The same experiment with so many samples that it cannot come to its end; its first runs are those with few.
sed 's/samples: 5/samples: 400/' x.yaml >long.yaml

# kept STORE: how many of its runs are there.
kept() {
  "$RIPSTOP" report long.yaml --store "$1" -o page.html >/dev/null 2>note || { echo 0; return; }
  echo $((2400 - $(sed -n 's/^.*note: \([0-9]*\) of 2400 .*/\1/p' note)))
}

# midway STORE: starts the experiment as $victim, and returns when there are more runs in the store than before.
midway() {
  local before
  before=$(kept "$1")
  env --default-signal=INT "$RIPSTOP" run long.yaml --workers 1 --store "$1" >/dev/null 2>progress &
  victim=$!
  until [ "$(kept "$1")" -gt "$before" ]; do
    kill -0 $victim || { complain "it ended by itself: $(cat progress)"; return; }
  done
}

for _ in 1 2; do
  midway killed.db
  kill -9 $victim
  wait $victim 2>/dev/null
done
"$RIPSTOP" run x.yaml --store killed.db >table 2>progress || complain "after kill -9: $(cat progress)"
grep -qF ' 0 of them' progress && complain "kill -9 lost what was stored: $(cat progress)"
cmp -s table again || complain "another table after kill -9: $(diff table again)"
rows killed.db >resumed
cmp -s whole resumed || complain "other rows after kill -9: $(diff whole resumed | head -5)"

midway interrupted.db
kill -INT $victim
wait $victim
code=$?
[ $code -eq 130 ] || complain "Ctrl-C: exit code $code"
grep -q 'interrupted; [1-9][0-9]* of 2400 runs are kept in interrupted.db, and the same command goes on' progress ||
  complain "Ctrl-C: $(cat progress)"

# ---------------------------------------------------------------- other values than the file's
"$RIPSTOP" run x.yaml --quick --set seed=7 --set 'faults.count=[0, 3]' --store set.db >/dev/null 2>progress ||
  complain "--set: $(cat progress)"
grep -qF '4 runs, 0 of them in set.db already' progress || complain "--set: $(cat progress)"
"$RIPSTOP" report x.yaml --quick --set seed=7 --set 'faults.count=[0, 3]' --store set.db -o page.html --csv csv >/dev/null ||
  complain "report --set failed"
grep -qF "ripstop run x.yaml --quick --set seed=7 --set &#39;faults.count=[0, 3]&#39; --store set.db" page.html ||
  complain "the page hides what was set"
refused "has no run of x.yaml; 'ripstop run x.yaml --set seed=8 --seed-offset 5' does them" \
  report x.yaml --set seed=8 --seed-offset 5 --store set.db
"$RIPSTOP" run x.yaml --quick --seed-offset 1000 --store set.db >/dev/null 2>progress || complain "offset: $(cat progress)"
"$RIPSTOP" run x.yaml --quick --set seed=1001 --store set.db >/dev/null 2>progress || complain "offset: $(cat progress)"
grep -qF '6 runs, 6 of them in set.db already' progress || complain "a seed and an offset differ: $(cat progress)"
refused "x.yaml: --set sead=7: key 'sead' is unknown; did you mean 'seed'?" run x.yaml --set sead=7
refused "run: --set needs a value, KEY=VALUE" run x.yaml --set
# a text that looks like a flag is no value, known or not; a number, or a text behind '=', is
refused "what-if: --output needs a value, PAGE.html, before '-h'" what-if torus:3x3 -o -h
refused "what-if: --output needs a value, PAGE.html, before '-x'; if it is the value, --output=-x" what-if torus:3x3 -o -x
refused "run: --store needs a value, DB, before '--nosuch'; if it is the value, --store=--nosuch" run x.yaml --store --nosuch
refused "what-if: --seed: '-1' is not a whole number" what-if torus:3x3 --of pairs --seed -1
"$RIPSTOP" what-if torus:3x3 --output=-h && [ -s ./-h ] && rm ./-h || complain "--output=-h writes no file of that name"
refused "run: --seed-offset: 'x'" run x.yaml --seed-offset x

# ---------------------------------------------------------------- places of stores and pages
mkdir -p experiments/nets
cp x.yaml experiments/x.yaml
cp x.yaml experiments/nets/a.b.yaml
sed 's/^quick:.*/store: a.b\n&/' x.yaml >experiments/nets/c.yaml
for file in experiments/x.yaml experiments/nets/a.b.yaml "$PWD/experiments/nets/c.yaml"; do
  "$RIPSTOP" run "$file" --quick >/dev/null 2>progress || complain "$file: $(cat progress)"
  "$RIPSTOP" report "$file" --quick >>pages || complain "$file: no page"
done
grep -qF 'runs, 6 of them in out/nets/a.b.db already' progress || complain "another's store: $(cat progress)"
printf 'out/%s.html\n' x nets/a.b nets/c | diff - pages || complain "pages lie elsewhere"
(cd out && find . -name '*.db' | sort | tr '\n' ' ') >stores
[ "$(cat stores)" = './nets/a.b.db ./x.db ' ] || complain "stores lie elsewhere: $(cat stores)"
[ -s out/nets/c.html ] || complain "there is no page out/nets/c.html"
sed -i 's/^store:.*/store: ..\/x/' experiments/nets/c.yaml
refused "experiments/nets/c.yaml:7: store must be the name of an experiment beside this one, as 'fig-3', not '../x'" \
  run experiments/nets/c.yaml
rm -r experiments out/nets

# ---------------------------------------------------------------- refusals
refused "x.yml: No such file" run x.yml
sed 's/traffic/trafic/' x.yaml >bad.yaml
refused "bad.yaml:5: key 'trafic' is unknown; did you mean 'traffic'?" run bad.yaml
[ -e out/bad.db ] && complain "a refused experiment left a store"
refused "there is no store nowhere.db" report x.yaml --store nowhere.db
refused "run: --workers" run x.yaml --workers many
refused "run: --workers must be at least 1" run x.yaml --workers 0
refused "unknown flag '--quik'; did you mean '--quick'?" run --quik x.yaml
echo "my thesis" >thesis.db
refused "thesis.db is not a ripstop store" run x.yaml --store thesis.db
[ "$(cat thesis.db)" = "my thesis" ] || complain "a foreign file was changed"
head -c 20000 out/x.db >cut.db
cp cut.db before.db
refused "cut.db is damaged or cut off" run x.yaml --store cut.db
cmp -s cut.db before.db || complain "a damaged store was changed"
sed 's/load: 0.4/load: 0.3/' x.yaml >other.yaml
refused "has no run of other.yaml; 'ripstop run other.yaml' does them" report other.yaml --store out/x.db
# nor does it of one that it refuses: then the reason is printed, all rows being missing or some
for patterns in nosuch '[uniform, nosuch]'; do
  sed "s/load: 0.4/load: 0.4, pattern: $patterns/" x.yaml >other.yaml
  refused "other.yaml:5: traffic: pattern 'nosuch' is unknown" report other.yaml --store out/x.db
done

# ---------------------------------------------------------------- figures
cat >>x.yaml <<'END'
figures:
  - {id: a, x: faults.count, y: lost.drained}
  - {id: b, title: Accepted, x: faults.count, y: accepted}
END
"$RIPSTOP" run x.yaml --store figures.db >table 2>progress || complain "figures: $(cat progress)"
grep -qF "x.yaml:9: figure 'a': a run has no value 'lost.drained'" progress ||
  complain "a value that no run has was not told: $(cat progress)"
sed 's/y: accepted/y: acepted/' x.yaml >misspelt.yaml
refused "misspelt.yaml:10: y: no run has a value 'acepted'; did you mean 'accepted'?" run misspelt.yaml
cat >stall.yaml <<'END'
fabric: torus:4x4
method: ordered
traffic: {load: 0.1}
measure: {warmup: 0, cycles: 1000}
faults:
  schedule: ["", "0.0/0@500"]
figures:
  - {id: s, x: faults.schedule, y: fault.stall}
END
"$RIPSTOP" run stall.yaml >/dev/null 2>said || complain "$(cat said)"
grep -q 'has no value' said && complain "a run without a schedule has nothing to stall, others have: $(cat said)"
sed -i '/^faults/d; /schedule: \[/d; s/x: faults.schedule/x: traffic.load/' stall.yaml
refused "stall.yaml:6: y: no run has a value 'fault.stall' without faults.schedule" run stall.yaml
[ ! -e out/misspelt.db ] || complain "a misspelt experiment has a store"
[ "$(grep -c '±' table)" -eq 3 ] || complain "table: $(cat table)"
"$RIPSTOP" report x.yaml --store figures.db -o page.html >said || complain "report failed"
[ "$(cat said)" = page.html ] || complain "report said $(cat said)"
grep -q '<svg' page.html || complain "no picture on the page"
grep -qF 'ripstop report x.yaml --store figures.db -o page.html' page.html || complain "the page hides its command"

# ---------------------------------------------------------------- a method that is not for the fabric
sed 's/^method:.*/method: intermediate-nodes/' x.yaml >other.yaml
"$RIPSTOP" run other.yaml --store other.db >/dev/null 2>said
[ $? -eq 1 ] || complain "no run applies, and that is no failure: $(cat said)"
grep -q 'runs were not possible; the first says: intermediate-nodes is for kns, not for ' said ||
  complain "a run that does not apply: $(cat said)"

sed 's/^method:.*/method: [intermediate-nodes, misroute]/' x.yaml >some.yaml
"$RIPSTOP" run some.yaml --store other.db >/dev/null 2>said || complain "some runs do not apply: $(cat said)"

# ---------------------------------------------------------------- a table too wide for a screen is turned
cat >wide.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: ["misroute:uturn=any,choose=late", "misroute:uturn=any,choose=early", "misroute:uturn=cyclic,choose=late", "misroute:uturn=cyclic,choose=early"]
faults: {count: [0, 1], samples: 1}
traffic: {load: 0.1}
measure: {warmup: 0, cycles: 100}
figures: [{id: lost, title: Lost, x: faults.count, y: lost, by: method}]
END
"$RIPSTOP" run wide.yaml --store wide.db 2>/dev/null | tail -n +5 >table
[ "$(head -1 table | tr -s ' ')" = ' failed links 0 1' ] || complain "a wide table: $(head -1 table)"
[ "$(grep -c '^  misroute:uturn=.* 0 * 0 †$' table)" -eq 4 ] || complain "a wide table: $(cat table)"

# ---------------------------------------------------------------- the manual's example, as printed
sed -n '/^```yaml$/,/^```$/p' "$RIPSTOP_SOURCE"/docs/{experiments,claims}.md | sed '/^```/d' >manual.yaml
"$RIPSTOP" run manual.yaml --quick >table 2>progress || complain "docs/experiments.md: $(cat progress)"
grep -q 'guarantee .*holds' table || complain "docs/experiments.md: $(cat table)"
grep -q 'What three failed links leave' table || complain "docs/claims.md: $(cat table)"
sed -n '/^```yaml cdf.yaml$/,/^```$/p' "$RIPSTOP_SOURCE/docs/experiment-keys.md" | sed '/^```/d' >spread.yaml
"$RIPSTOP" run spread.yaml --set faults.samples=1 >table 2>progress || complain "docs/experiment-keys.md: $(cat progress)"
grep -q 'The least served end node' table || complain "docs/experiment-keys.md: $(cat table)"
sed -n '/^```yaml units.yaml$/,/^```$/p' "$RIPSTOP_SOURCE/docs/experiment-keys.md" | sed '/^```/d' >units.yaml
"$RIPSTOP" run units.yaml >table 2>progress || complain "docs/experiment-keys.md: $(cat progress)"
grep -q '1 of 1 runs: 1 steady' table || complain "docs/experiment-keys.md: $(cat table)"
"$RIPSTOP" run "$RIPSTOP_SOURCE/experiments/quick.yaml" --quick >table 2>progress || complain "quick.yaml: $(cat progress)"
[ "$(grep -c ' reproduced' table)" -eq 5 ] || complain "quick.yaml: $(cat table)"
finish
