#!/bin/bash
# ripstop claims: papers, places, readings and findings over many experiments; refusals; contradictions; coverage.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# has TEXT FILE
has() { grep -qF -- "$1" "$2" || complain "$2 has no '$1': $(cat "$2")"; }

mkdir -p e/deep
cat >e/papers.yaml <<'END'
papers:
  - {number: "007", key: nets, title: On Nets, source: "A. Nobody, 1999", places: [Figure 1, Figure 12, Table 1]}
  - {number: "008", key: more, title: More Nets, source: "A. Nobody, 2000", places: [Figure 2]}
END

# experiment FILE CLAIM-LINES...: updown without dead links carries its load; with all three dead of a switch it cannot.
experiment() {
  cat >"$1" <<'END'
title: Small
fabric: kary-ntree:k=2,n=2
method: updown
faults: {count: [0, 1], samples: 3}
traffic: {load: 0.1, packet: 1}
measure: {warmup: 100, cycles: 2000}
quick: {measure.cycles: 400}
papers: ../papers.yaml
paper: nets
reading: "\"Nothing is lost\" (2): share of packets."
figures:
  - {id: lost, x: faults.count, y: lost.share}
claims:
END
  printf '  - %s\n' "${@:2}" >>"$1"
}

experiment e/deep/a.yaml \
  '{id: none, says: nothing is lost, place: Figure 12b, figure: lost, measure: {value: 0}, compare: at-most, published: 0}' \
  '{id: all, says: nothing is lost with a dead link, place: Table 1, figure: lost, measure: {value: 1}, compare: at-most,
     published: 0, finding: differs, why: "updown knows one way down", chosen: after}' \
  '{id: theorem, says: nothing is lost, place: Theorem 3, reading: "(5)", paper: "008", figure: lost, measure: {value: 0},
     published: 0, finding: cannot be told, why: the text is silent}' \
  '{id: own, says: ours, paper: none, figure: lost, measure: {value: 0}, published: 0}'

# ---------------------------------------------------------------- nothing stored: no finding, and no store is made
"$RIPSTOP" claims e >table 2>error || complain "nothing stored: $(cat error)"
has '4 claims: 0 reproduced, 0 differs, 0 cannot be told, 4 no data; 1 with a reading chosen after a look' table
has '0 of 4 result figures and tables have a claim with a finding' table
has 'without: nets Figure 1, nets Figure 12, nets Table 1, more Figure 2' table
[ ! -e out ] || complain "claims made a store"

# ---------------------------------------------------------------- from a store
"$RIPSTOP" run e/deep/a.yaml >/dev/null 2>error || complain "run: $(cat error)"
"$RIPSTOP" claims e/deep >table 2>error || complain "claims: $(cat error)"
[ ! -s error ] || complain "claims: $(cat error)"
cat >expected <<'END'
nets (007): On Nets
  Figure 12b: none; published at most 0, measured 0 [0, LITTLE]: reproduced
    nothing is lost
    reading: "Nothing is lost" (2): share of packets.
    chosen before the runs, e/deep/a.yaml:14
END
head -5 table | sed 's/ \[0, 0\.00[0-9]*\]/ [0, LITTLE]/' | diff expected - || complain "the table's beginning"
grep -q '^  Table 1: all; published at most 0, measured 0\.[0-9].*: differs$' table || complain "differs: $(cat table)"
has '    reading: as above' table
has '    why: updown knows one way down' table
has '    chosen AFTER a look at results, e/deep/a.yaml:15' table
grep -qE '^  Theorem 3: theorem; published 0, measured 0 \[0, 0\.00[0-9]+\]: cannot be told$' table || complain "theorem: $(cat table)"
has 'of no paper' table
has '4 claims: 2 reproduced, 1 differs, 1 cannot be told, 0 no data' table
has '2 of 4 result figures and tables have a claim with a finding' table
has 'without: nets Figure 1, more Figure 2' table

"$RIPSTOP" claims e --json | sed -E 's/^ +//; s/": /":/' | tr -d '\n' >json || complain "--json failed"
has '"seed_offset":0,"found":2,"places":4' json
[ "$(grep -oE '"finding":"[a-z ]*"' json | tr '\n' ' ')" = \
  '"finding":"reproduced" "finding":"differs" "finding":"cannot be told" "finding":"reproduced" ' ] || complain "$(cat json)"
has '"experiment":"a","id":"none","paper":"nets","place":"Figure 12b","says":"nothing is lost","reading":"\"Nothing is lost\"' json
has '"chosen":"before","author":"reproduced","why":null,"compare":"at-most","published":0.0,"tolerance":0.0,"measured":0.0,' json
grep -qE '"low":0.0,"high":0\.00[0-9]+,"drifts":false,"one_set":false,"runs":3,"asked":3,"model":' json || complain "$(cat json)"
has '"judged":"reproduced","finding":"cannot be told","contradicts":false' json
has '"paper":null,"place":null' json
has '"key":"nets","title":"On Nets","found":["Figure 12","Table 1"],"missing":["Figure 1"]' json

# ---------------------------------------------------------------- an author whom the runs contradict
experiment e/deep/b.yaml \
  '{id: wrong, says: s, place: Figure 1, figure: lost, measure: {value: 1}, compare: at-most, published: 0}' \
  '{id: gloomy, says: s, place: Figure 1, figure: lost, measure: {value: 0}, published: 0, finding: differs, why: so}'
"$RIPSTOP" claims e/deep/b.yaml --quick >table 2>error || complain "quick runs contradict nobody: $(cat error)"
has '6 runs, 0 of them' error
has '2 claims: 1 reproduced, 1 differs' table
"$RIPSTOP" claims e/deep/b.yaml --quick >table 2>error || complain "quick again: $(cat error)"
has '6 runs, 6 of them' error
"$RIPSTOP" claims e/deep/b.yaml --store out/a.db >table 2>error
[ $? -eq 1 ] || complain "contradictions end with another code than 1"
has "ripstop: e/deep/b.yaml:14: claim 'wrong': finding: reproduced, but its runs say differs" error
has "ripstop: e/deep/b.yaml:15: claim 'gloomy': finding: differs, but its runs say reproduced" error

# ---------------------------------------------------------------- what is refused, and where
good='id: c, says: s, figure: lost, measure: {value: 0}, published: 0'
wrong() { # MESSAGE CLAIM
  experiment e/deep/bad.yaml "{$good, $2}"
  refused "e/deep/bad.yaml:14: $1" claims e/deep/bad.yaml
}
wrong "a claim of paper 007 needs the key 'place'" 'chosen: before'
wrong "place 'Figur 12' is unknown; did you mean 'Figure 12'?" 'place: Figur 12'
wrong "place 'Fig 1' is unknown" 'place: Fig 1'
wrong "paper 'net' is unknown; did you mean 'nets'?" 'paper: net, place: Figure 1'
wrong "chosen 'befor' is unknown; did you mean 'before'?" 'place: Figure 1, chosen: befor'
wrong "finding 'no data' is unknown; known here: reproduced, differs, cannot be told" 'place: Figure 1, finding: no data'
wrong "finding 'difers' is unknown; did you mean 'differs'?" 'place: Figure 1, finding: difers'
wrong "finding 'differs' needs the key 'why'" 'place: Figure 1, finding: differs'
wrong "key 'plase' is unknown; did you mean 'place'?" 'plase: Figure 1'
wrong "place needs the key 'paper'" 'paper: none, place: Figure 1'
wrong "reading is empty" 'place: Figure 1, reading: ""'
experiment e/deep/bad.yaml "{$good, place: Figure 1}"
sed -i '/^reading/d' e/deep/bad.yaml
refused "e/deep/bad.yaml:13: a claim of paper 007 needs the key 'reading'" claims e/deep/bad.yaml
sed -i '/^papers/d' e/deep/bad.yaml
refused "e/deep/bad.yaml:8: paper 'nets' needs a file of papers: papers: PATH" claims e/deep/bad.yaml
sed -i 's/^paper:/papers: none.yaml\n&/' e/deep/bad.yaml
refused "e/deep/bad.yaml:8: papers: e/deep/none.yaml: No such file or directory" claims e/deep/bad.yaml
echo 'papers: [{number: "1", key: k, title: t, source: s}]' >e/deep/none.yaml
refused "e/deep/bad.yaml:8: papers: e/deep/none.yaml:1: a paper needs places: [Figure 1, Table 1, ...]" \
  claims e/deep/bad.yaml
echo 'papers: [{number: "1", kei: k, title: t, source: s, places: [a]}]' >e/deep/none.yaml
refused "e/deep/bad.yaml:8: papers: e/deep/none.yaml:1: key 'kei' is unknown; did you mean 'key'?" claims e/deep/bad.yaml
rm e/deep/none.yaml
# What `run` refuses: with a store, and a folder that has it, too.
experiment e/deep/bad.yaml "{$good, place: Figure 1}"
sed -i 's/^fabric: .*/fabric: torus:4x4/; s/^method: .*/method: "dor:bubble=on"/; s/^quick: .*/switch: {in_queue: 1}/' e/deep/bad.yaml
room='e/deep/bad.yaml:7: switch.in_queue = 1: method dor has bubble flow control, which needs room for two packets'
refused "$room" run e/deep/bad.yaml
refused "$room" claims e/deep/bad.yaml
refused "$room" claims e/deep/bad.yaml --store out/a.db
refused "$room" book e/deep/bad.yaml -o refused
sed -i '/^claims:/,$d' e/deep/bad.yaml # without a claim of its own
refused "$room" claims e/deep/bad.yaml
"$RIPSTOP" claims e >table 2>error || complain "a folder with a file that is refused: $(cat error)"
rm e/deep/bad.yaml

refused 'claims: an argument is missing; usage: ripstop claims [flags] FILE-OR-FOLDER...' claims
refused 'nowhere: No such file or directory' claims nowhere
refused 'there is no store nowhere.db' claims e --store nowhere.db
refused 'claims: --workers must be at least 1' claims e --workers 0
mkdir empty
refused 'empty: no experiment (.yaml) in this folder or below' claims empty

# ---------------------------------------------------------------- the project's own
"$RIPSTOP" claims "$RIPSTOP_SOURCE/experiments" >table 2>error || complain "experiments: $(cat error)"
has 'of 26 result figures and tables' table
finish
