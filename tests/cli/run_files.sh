#!/bin/bash
# ripstop run with ranges, several files, standard input, and figures that need more than a key and a value.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
title: Small
fabric: kary-ntree:k=2,n=3
method: [updown, misroute]
faults: {count: 0..1, samples: 3}
traffic: {load: [0.1..0.5/0.2, 0.9], packet: 4}
measure: {warmup: 100, cycles: 400, window: 100}
seed: 3..3
figures:
  - {id: curve, title: "Latency, against throughput", x: accepted, y: latency.mean, log: y, ymax: 1000, where: {faults.count: 0}}
  - {id: time, x: cycle, y: accepted, by: method, where: {faults.count: 0, traffic.load: 0.1..0.1/0.1}}
  - {id: calm, x: traffic.load, y: latency.mean, by: method, where: {verdict: steady, faults.count: 1}}
  - {id: none, x: traffic.load, y: latency.mean, by: method, where: {verdict: deadlocked, faults.count: 1}}
  - {id: loads, x: faults.count, y: accepted}
tables:
  - {id: both, rows: [faults.count, traffic.load], value: accepted, columns: method}
END
# dry TEXT...: how many runs the experiment has with these --set, or what is wrong with it.
dry() { "$RIPSTOP" run x.yaml --dry-run "$@" 2>&1 | head -1; }
# has TEXT FILE: the text stands in it.
has() { grep -qF -- "$1" "$2" || complain "no '$1' in: $(cat "$2")"; }

# ---------------------------------------------------------------- ranges
[[ $(dry) == 'x.yaml: 48 runs,'* ]] || complain "ranges: $(dry)"
[[ $(dry --set traffic.load=0.05..0.5/0.05) == 'x.yaml: 120 runs,'* ]] || complain "--set with a range"
# refuses VALUE MESSAGE: as the loads.
refuses() { refused "traffic.load: $2" run x.yaml --set "traffic.load=$1"; }
refuses 0.1..0.9 "'0.1..0.9' needs the step of its range, as in 0.1..0.9/0.1"
refuses 0.1..0.9/0.3 "'0.1..0.9/0.3' does not come to its end in such steps; the last value would be 0.7"
refuses 0.9..0.1/0.1 "'0.9..0.1/0.1' goes down"
refuses 0.1..0.9/0 "'0.1..0.9/0': the step of a range must be above 0"
refuses 0.1..x "'0.1..x' is no range FROM..TO/STEP"
refuses 0.1..0.9/0.00001 'the list has more than 10000 values'
refuses '[0.1..0.3/0.1, 0.2]' "'0.2' stands in the list twice"

# ---------------------------------------------------------------- values that only some runs have
# without Y MESSAGE: such a figure is refused.
without() {
  sed "s/y: latency.mean, log/y: $1, log/" x.yaml >y.yaml
  refused "y.yaml:9: y: no run has a value '$1'$2" run y.yaml
}
without latency.p97 "; did you mean 'latency.p99'?"
without latency.p98 ' without measure.spread: on'
without affected.latency.mean ' without measure.affected: on'
without saturation.load ' without traffic.load: saturation'
without faults.refused ' without faults.keep'
sed 's/x: accepted/x: acepted/' x.yaml >y.yaml
refused "y.yaml:9: x 'acepted' is unknown; did you mean 'accepted'?" run y.yaml
sed 's/rows: \[faults.count,/rows: [faults.cuont,/' x.yaml >y.yaml
refused "y.yaml:15: rows 'faults.cuont' is unknown; did you mean 'faults.count'?" run y.yaml
sed 's/log: y, ymax: 1000/log: y, ymin: 0/' x.yaml >y.yaml
refused 'y.yaml:9: ymin must be above 0 on a logarithmic axis' run y.yaml
sed 's/^seed.*/seed: 1..2/; s/, by: method, where: {verdict: steady.*/, along: method}/' x.yaml >y.yaml
refused 'y.yaml:11: along goes with an x that is a value of runs' run y.yaml

# ---------------------------------------------------------------- figures and rows
"$RIPSTOP" run x.yaml >table 2>said || complain "run: $(cat said)"
"$RIPSTOP" report x.yaml --csv csv >/dev/null || complain "report failed"
rows=$(sed -n '/^both$/,$p' table | grep -oE '^  [01], 0\.[0-9]' | tr -s '\n' ';')
[ "$rows" = '  0, 0.1;  0, 0.3;  0, 0.5;  0, 0.9;  1, 0.1;  1, 0.3;  1, 0.5;  1, 0.9;' ] || complain "rows of two keys: $rows"
[ "$(head -1 csv/both.csv | cut -d, -f1-4)" = faults.count,traffic.load,method,accepted ] || complain "$(head -1 csv/both.csv)"
has ' at 0.09' table
has '(3 left out)' table
has 'no data: 24 runs are left out for their verdict' table
# The steady runs and those left out add up to all runs.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
         NR > 1 && $at["runs"] + $at["left-out"] != 3 { print; bad = 1 } END { exit bad }' <(sed 's/"[^"]*"/M/' csv/calm.csv) || complain "left out"
# A point stands at the mean of its runs.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
         NR == 2 && ($at["accepted"] < 0.08 || $at["accepted"] > 0.12) { print; bad = 1 } END { exit bad }' csv/curve.csv ||
  complain "not at its throughput"

# ---------------------------------------------------------------- pictures described in words
has '<title>Latency, against throughput</title>' out/x.html
has '<title>updown, interval</title>' out/x.html
has '<text>updown, load 0.9</text>' out/x.html
grep -qE 'gnuplot_plot_1<|<title>Gnuplot|id="gnuplot' out/x.html && complain "names of gnuplot's: $(grep -oE '<title>[^<]*' out/x.html)"
[ "$(grep -c '<svg role="img"' out/x.html)" -eq 4 ] || complain "pictures without a role"

# ---------------------------------------------------------------- several files, and none
sed 's/title: Small/title: Other/' x.yaml >other.yaml
"$RIPSTOP" run x.yaml other.yaml >table 2>said || complain "two files: $(cat said)"
[ "$(grep -cxE 'Small|Other' table)" -eq 2 ] && [ -f out/other.db ] || complain "two files: $(cat table)"
"$RIPSTOP" report x.yaml other.yaml >said || complain "two pages: $(cat said)"
[ "$(cat said)" = $'out/x.html\nout/other.html' ] || complain "two pages: $(cat said)"
refused 'report: --output takes one experiment' report x.yaml other.yaml -o page.html
sed 's/method:/metod:/' x.yaml >bad.yaml
refused "bad.yaml:3: key 'metod' is unknown" run other.yaml bad.yaml --store new.db
[ ! -e new.db ] || complain "runs were done before the second file was read"
# --set holds for the check of every file too.
printf '%s\n' 'fabric: torus:4x4' 'method: dor' 'traffic: {load: 0.1}' >torus.yaml
refused "torus.yaml: --set faults.scope=level-0: faults.scope: no scope 'level-0' in torus:4x4" \
  run other.yaml torus.yaml --set faults.scope=level-0 --store new.db
[ ! -e new.db ] || complain "runs were done before --set was checked with the second file"
refused 'run: standard input goes alone' run x.yaml -
"$RIPSTOP" run - <x.yaml >again 2>said || complain "standard input: $(cat said)"
"$RIPSTOP" run x.yaml >table 2>said
cmp -s table again && [ -f out/stdin.db ] || complain "standard input: $(diff table again)"
echo nonsense | "$RIPSTOP" run - 2>said && complain "nonsense on standard input"
has 'ripstop: stdin:1: ' said
finish
