#!/bin/bash
# Losses are marked: a dragonfly with 8 failed cables saturates later than a whole one, by a method that loses a fifth
# of the packets.
# Slow: many runs.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs gnuplot
# has TEXT FILE: the text stands in it.
has() { grep -qF -- "$1" "$2" || complain "no '$1' in $2: $(head -c 1500 "$2")"; }

mkdir book
cat >book/loss.yaml <<'END'
title: Losses
fabric: dragonfly:a=4,p=2,h=2
method: [dragonfly-minimal, mend]
faults: {count: [0, 8]}
traffic: {load: saturation}
switch: {preset: plain}
measure: {warmup: 1000, cycles: 4000, window: 1000}
figures:
  - {id: sat, x: faults.count, y: saturation.load, by: method}
  - {id: more, x: faults.count, y: saturation.load, by: method, relative: {method: mend}}
  - {id: field, kind: heatmap, x: faults.count, y: saturation.load, by: method}
  - {id: lost, x: faults.count, y: saturation.lost, by: method}
  - {id: series, x: cycle, y: delivered, by: [method, faults.count]}
claims:
  - {id: later, says: it saturates later, figure: sat, curve: {method: dragonfly-minimal}, measure: {ratio: [8, 0]}, compare: at-least, published: 1}
END
"$RIPSTOP" run book/loss.yaml --store book/s.db >text 2>error || complain "run: $(cat error)"
"$RIPSTOP" report book/loss.yaml --store book/s.db -o page.html --csv csv --json >json 2>error || complain "report: $(cat error)"

# The share in the CSV, which everything else says in percent.
share=$(awk -F, '$1 == 8 && $2 == "dragonfly-minimal" { print $NF }' csv/sat.csv)
awk -v s="$share" 'BEGIN { exit !(s > 0.15 && s < 0.25) }' || complain "dragonfly-minimal loses $share, not about a fifth: $(cat csv/sat.csv)"
percent=$(awk -v s="$share" 'BEGIN { printf "%.3g", 100 * s }')
awk -F, '$2 == "dragonfly-minimal" { load[$1] = $3 } END { exit !(load[8] > load[0]) }' csv/sat.csv || complain "it does not seem to saturate later: $(cat csv/sat.csv)"
[ "$(awk -F, 'NR > 1 && $NF > 0' csv/sat.csv | wc -l)" -eq 1 ] && head -1 csv/sat.csv | grep -q ',lost-share$' || complain "shares: $(cat csv/sat.csv)"
awk -F, -v s="$share" '$1 == "later" { exit !($NF == s) }' csv/claims.csv || complain "the claim's share: $(cat csv/claims.csv)"
[ "$(grep -c ',saturation.lost,1,0\.[12]' csv/runs.csv)" -eq 1 ] && [ "$(grep -c ',saturation.lost,1,0,,$' csv/runs.csv)" -eq 3 ] ||
  complain "saturation.lost: $(grep -o 'saturation.lost.*' csv/runs.csv)"

note="‡ with lost packets: at most $percent % of the packets that network interfaces took"
[ "$(grep -cF "  $note" text)" -eq 4 ] || complain "text has no legend '$note' below each figure: $(cat text)"
grep -qE "^  8  +0\.[0-9]+ ± 0\.[0-9]+ ‡ † \($percent % lost\)  +0\.[0-9]+ ± 0\.[0-9]+ †\$" text || complain "no mark beside the load: $(cat text)"
[ "$(sed '/^series/q' text | grep -cE '^  0 .*‡')" -eq 0 ] || complain "a mark without losses: $(cat text)"
grep -q "^  later .*‡, up to $percent % of packets lost  " text || complain "the claim has no mark: $(grep later text)"
[ "$(grep -cF "<p class=\"note\">$note</p>" page.html)" -eq 4 ] || complain "the page has no legend below each figure"
has " ‡ † ($percent % lost)</td>" page.html
has "<small>up to $percent % of packets lost</small>" page.html
has '"signs":"‡†"' page.html
[ "$(grep -o '"lost_share":[0-9.]*' json | wc -l)" -ge 4 ] || complain "JSON: $(cat json)"

figure() { "$RIPSTOP" report book/loss.yaml --store book/s.db --figure "$1" -o "$1.$2" >said 2>&1 || complain "$1 as $2: $(cat said)"; }
legend="with lost packets: at most $percent %"
for id in sat more lost field; do
  for ending in svg gp; do figure $id $ending; done
  has "$legend" $id.svg
done
for id in sat more lost; do
  has "title '$legend'" $id.gp
  figure $id tikz
  has "\\addlegendentry{${legend%\%}\\%}" $id.tikz
  [ "$(grep -c 'mark=diamond,' $id.tikz)" -eq 1 ] || complain "no diamonds in $id.tikz: $(cat $id.tikz)"
done
grep -q '^\$mark1 << END$' sat.gp && [ "$(sed -n '/^\$mark1 <</,/^END/p' sat.gp | wc -l)" -eq 3 ] || complain "marks of sat.gp: $(cat sat.gp)"
grep -q '"0\.[0-9]* ‡ †"$' field.gp || grep -q '" ‡ †"$' field.gp || complain "no mark in a field: $(cat field.gp)"
figure series svg
has 'with lost packets: at most' series.svg

# Claims of a folder, its record, and its book.
"$RIPSTOP" claims book --store book/s.db --record record.json >claims 2>error || complain "claims: $(cat error)"
grep -q "‡, up to $percent % of packets lost" claims || complain "claims: $(cat claims)"
"$RIPSTOP" book book --store book/s.db -o site >said 2>&1 || complain "book: $(cat said)"
grep -rqF "‡, up to $percent % of packets lost" site || complain "the book has no mark"

finish
