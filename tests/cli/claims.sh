#!/bin/bash
# ripstop claims: papers, places, readings and findings over many experiments; refusals; contradictions; coverage.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# has TEXT FILE
has() { grep -qF -- "$1" "$2" || complain "$2 has no '$1': $(cat "$2")"; }

mkdir -p e/deep
cat >e/papers.yaml <<'END'
papers:
  - {number: "007", key: nets, title: On Nets, source: "A. Author, 1999", places: [Figure 1, Figure 12, Table 1]}
  - {number: "008", key: more, title: More Nets, source: "A. Author, 2000", places: [Figure 2]}
END

# experiment FILE CLAIM-LINES...: updown without failed links carries its load; with all three of a switch failed it
# cannot.
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
  '{id: all, says: nothing is lost with a failed link, place: Table 1, figure: lost, measure: {value: 1}, compare: at-most,
     published: 0, finding: differs, cause: unexplained, why: "updown knows one way down", chosen: after}' \
  '{id: theorem, says: nothing is lost, place: Theorem 3, reading: "(5)", paper: "008", figure: lost, measure: {value: 0},
     published: 0, finding: cannot be told, why: the text is silent}' \
  '{id: own, says: ours, paper: none, figure: lost, measure: {value: 0}, published: 0}'

# ---------------------------------------------------------------- nothing stored: no finding, and no store is made
"$RIPSTOP" claims e >table 2>error || complain "nothing stored: $(cat error)"
has "papers' claims: 0 of 3 reproduced; 0 agree, chosen after seeing results; 0 agree in order of magnitude; 0 differ; 0 cannot be told; 3 no data" table
has 'own claims: 0 of 1 hold, 0 of them chosen after seeing results; 0 do not hold; 0 cannot be told; 1 no data' table
grep -q '^causes' table && complain "nothing differs, and yet: $(cat table)"
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
has '    chosen AFTER seeing results, e/deep/a.yaml:15' table
grep -qE '^  Theorem 3: theorem; published 0, measured 0 \[0, 0\.00[0-9]+\]: cannot be told$' table || complain "theorem: $(cat table)"
has 'of no paper' table
has "papers' claims: 1 of 3 reproduced; 0 agree, chosen after seeing results; 0 agree in order of magnitude; 1 differ; 1 cannot be told; 0 no data" table
has 'own claims: 1 of 1 hold, 0 of them chosen after seeing results; 0 do not hold; 0 cannot be told; 0 no data' table
has 'causes of what differs: 0 tested by an experiment, 1 unexplained, 0 not said' table
has '    cause: unexplained' table
grep -qE '^  no paper: own; published 0, measured 0 \[0, 0\.00[0-9]+\]: holds$' table || complain "own: $(cat table)"
has '2 of 4 result figures and tables have a claim with a finding' table
has 'without: nets Figure 1, more Figure 2' table

"$RIPSTOP" claims e --json | sed -E 's/^ +//; s/": /":/' | tr -d '\n' >json || complain "--json failed"
has '"seed_offset":0,"found":2,"places":4' json
[ "$(grep -oE '"finding":"[a-z ]*"' json | tr '\n' ' ')" = \
  '"finding":"reproduced" "finding":"differs" "finding":"cannot be told" "finding":"reproduced" ' ] || complain "$(cat json)"
has '"experiment":"a","id":"none","paper":"nets","place":"Figure 12b","says":"nothing is lost","reading":"\"Nothing is lost\"' json
has '"chosen":"before","author":"reproduced","why":null,"cause":null,"compare":"at-most","published":0.0,"tolerance":0.0,"measured":0.0,' json
grep -qE '"low":0.0,"high":0\.00[0-9]+,"drifts":false,"one_set":false,"runs":3,"asked":3,"model":' json || complain "$(cat json)"
has '"judged":"reproduced","finding":"cannot be told","counts_as":"cannot be told","contradicts":false' json
[ "$(grep -oE '"counts_as":"[a-z ,]*"' json | tr '\n' ' ')" = \
  '"counts_as":"reproduced" "counts_as":"differs" "counts_as":"cannot be told" "counts_as":"holds" ' ] || complain "$(cat json)"
[ "$(grep -oE '"cause":[a-z"]*' json | tr '\n' ' ')" = '"cause":null "cause":"unexplained" "cause":null "cause":null ' ] || complain "$(cat json)"
has '"paper":null,"place":null' json
has '"key":"nets","title":"On Nets","found":["Figure 12","Table 1"],"missing":["Figure 1"]' json

# ---------------------------------------------------------------- an author whom the runs contradict
experiment e/deep/b.yaml \
  '{id: wrong, says: s, place: Figure 1, figure: lost, measure: {value: 1}, compare: at-most, published: 0}' \
  '{id: gloomy, says: s, place: Figure 1, figure: lost, measure: {value: 0}, published: 0, finding: differs, why: so}'
"$RIPSTOP" claims e/deep/b.yaml --quick >table 2>error || complain "quick runs contradict nobody: $(cat error)"
has '6 runs, 0 of them' error
has "papers' claims: 1 of 2 reproduced; 0 agree, chosen after seeing results; 0 agree in order of magnitude; 1 differ" table
"$RIPSTOP" claims e/deep/b.yaml --quick >table 2>error || complain "quick again: $(cat error)"
has '6 runs, 6 of them' error
"$RIPSTOP" claims e/deep/b.yaml --store out/a.db >table 2>error
[ $? -eq 1 ] || complain "contradictions end with another code than 1"
has "ripstop: e/deep/b.yaml:14: claim 'wrong': finding: reproduced, but its runs say differs" error
has "ripstop: e/deep/b.yaml:15: claim 'gloomy': finding: differs, but its runs say reproduced" error

# ---------------------------------------------------------------- a difference needs a cause
experiment e/deep/b.yaml \
  '{id: bare, says: s, place: Figure 1, figure: lost, measure: {value: 1}, compare: at-most, published: 0, finding: differs, why: so}'
"$RIPSTOP" claims e/deep/b.yaml --quick >table 2>error || complain "quick runs need no cause: $(cat error)"
has 'causes of what differs: 0 tested by an experiment, 0 unexplained, 1 not said' table
# cause TEXT: with this cause; the status is left in $status.
cause() {
  sed -i "s/finding: differs,.* why/finding: differs, $1 why/" e/deep/b.yaml
  "$RIPSTOP" claims e/deep/b.yaml --store out/a.db >table 2>error
  status=$?
}
cause ''
[ $status -eq 1 ] || complain "a difference without a cause ends with $status"
has "ripstop: e/deep/b.yaml:14: claim 'bare': its runs differ, and it names no cause; add 'cause: unexplained' or 'cause: tested-by FILE.yaml'" error
cause 'cause: unexplained,'
[ $status -eq 0 ] && [ ! -s error ] || complain "unexplained: $(cat error)"
cause 'cause: tested-by c.yaml,'
[ $status -eq 1 ] || complain "a cause tested by no file ends with $status"
has "ripstop: e/deep/b.yaml:14: claim 'bare': cause: tested-by c.yaml: there is no such file" error
cause 'cause: tested-by a.yaml,'
[ $status -eq 0 ] && [ ! -s error ] || complain "tested-by: $(cat error)"
has '    cause: tested-by a.yaml' table
has 'causes of what differs: 1 tested by an experiment, 0 unexplained, 0 not said' table

# ---------------------------------------------------------------- agreements that are no reproduction
# A tenth of the packets is lost with a failed link; each claim has another tolerance around a number near to it.
lost=$(grep -oE 'measured 0\.[0-9]+' table | head -1 | grep -oE '0\.[0-9]+')
like="says: s, place: Figure 1, figure: lost, measure: {value: 1}, published: $lost"
half=$(awk "BEGIN { print $lost / 2 }")
less=$(awk "BEGIN { print 0.499 * $lost }")
experiment e/deep/b.yaml "{id: below, $like, tolerance: $less}" "{id: half, $like, tolerance: $half}" \
  "{id: after, $like, tolerance: $less, chosen: after}" "{id: both, $like, tolerance: $half, chosen: after}" \
  "{id: own, $like, tolerance: $half, chosen: after, paper: none}"
sed -i '/id: own/s/place: Figure 1, //' e/deep/b.yaml
sed -i 's/samples: 3/samples: 100/' e/deep/b.yaml
"$RIPSTOP" run e/deep/b.yaml >/dev/null 2>error || complain "run: $(cat error)"
"$RIPSTOP" claims e/deep/b.yaml >table 2>error || complain "claims: $(cat error)"
[ "$(sed -nE 's/^  [A-Za-z0-9 ]+: ([a-z]+); .*: ([a-z, ]+)$/\1=\2/p' table | tr '\n' ';')" = \
  'below=reproduced;half=agrees in order of magnitude;after=agrees, chosen after seeing results;both=agrees, chosen after seeing results;own=holds;' ] ||
  complain "what counts: $(cat table)"
has "papers' claims: 1 of 4 reproduced; 2 agree, chosen after seeing results; 1 agree in order of magnitude; 0 differ" table
has 'own claims: 1 of 1 hold, 1 of them chosen after seeing results; 0 do not hold' table

# ---------------------------------------------------------------- refusals, with their place
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
wrong "cause: 'supposed' is unknown; write unexplained or tested-by FILE.yaml" 'place: Figure 1, cause: supposed'
wrong "cause: 'tested-by' is unknown; write unexplained or tested-by FILE.yaml" 'place: Figure 1, cause: tested-by'
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
# Refusals of `run`: with a store, and a folder that has it, too.
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
