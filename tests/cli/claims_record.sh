#!/bin/bash
# ripstop claims --record, --markdown and --compare: what was measured outlives its store as long as the claim is about
# the same runs, and never otherwise.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# has TEXT FILE
has() { grep -qF -- "$1" "$2" || complain "$2 has no '$1': $(cat "$2")"; }

# entry ID KEY [FILE]: what the record has of a claim.
entry() {
  tr -d '\n' <"${3:-r.json}" | sed 's/} *, *{/}\n{/g' | grep -F "\"id\": \"$1\"" | sed -nE "s/.*\"$2\": (\"[^\"]*\"|[^,}]*).*/\1/p" |
    sed 's/ *$//' | tr -d '"'
}

# entry_is ID KEY VALUE [FILE]
entry_is() {
  [ "$(entry "$1" "$2" "${4:-r.json}")" = "$3" ] || complain "$1: $2 is $(entry "$1" "$2" "${4:-r.json}"), not $3"
}

# bare SED [FILE]: a record with other numbers, and without digests, as older versions wrote it.
bare() { sed -e "$1" -e '/"digest": /d' "${2:-second.json}"; }

mkdir e
cat >e/papers.yaml <<'END2'
papers:
  - {number: "007", key: nets, title: On Nets, source: "A. Author, 1999", places: [Figure 1, Table 1]}
END2
cat >e/a.yaml <<'END2'
fabric: kary-ntree:k=2,n=2
method: updown
faults: {count: [0, 1], samples: 3}
traffic: {load: 0.1, packet: 1}
measure: {warmup: 100, cycles: 2000}
papers: papers.yaml
paper: nets
reading: "\"Nothing is lost | ever\" (2)"
figures:
  - {id: lost, x: faults.count, y: lost.share}
claims:
  - {id: none, says: nothing is lost, place: Figure 1a, figure: lost, measure: {value: 0}, compare: at-most, published: 0}
  - {id: some, says: little is lost, place: Table 1, figure: lost, measure: {value: 1}, compare: at-most, published: 0.01,
     finding: differs, cause: unexplained, why: "updown knows one way | down"}
  - {id: both, says: it does not fall, paper: none, figure: lost, measure: {slope: [0, 1]}, compare: at-least, published: 0,
     chosen: after}
END2
cp e/a.yaml good.yaml

# ---------------------------------------------------------------- a record is begun, and stays without its store
"$RIPSTOP" claims e --record r.json >/dev/null 2>error || complain "begin: $(cat error)"
entry_is some finding 'no data'
entry_is some measured null
"$RIPSTOP" run e/a.yaml >/dev/null 2>error || complain "run: $(cat error)"
"$RIPSTOP" claims e --record r.json >table 2>error || complain "record: $(cat error)"
entry_is some finding differs
entry_is some runs 3
entry_is both runs 6
entry_is both asked 6
entry_is none published 0.0
measured=$(entry some measured)
mv out kept
cp r.json before.json
"$RIPSTOP" claims e --record r.json >again 2>error || complain "without a store: $(cat error)"
cmp -s r.json before.json || complain "without a store the record becomes another: $(diff before.json r.json)"
cmp -s table again || complain "without a store the table becomes another: $(diff table again)"
"$RIPSTOP" claims e | grep -cE "^(papers' claims: 0 of 2 .*; 2|own claims: 0 of 1 .*; 1) no data\$" | grep -qx 2 || complain "a record is used that nobody asked for"

# ---------------------------------------------------------------- texts and bounds may change, runs and measures not
sed -i 's/published: 0.01/published: 0.99/; s/little is lost/much is lost/; s/finding: differs/finding: reproduced/' e/a.yaml
"$RIPSTOP" claims e --record r.json >table 2>error || complain "other bounds: $(cat error)"
entry_is some finding reproduced
entry_is some says 'much is lost'
entry_is some measured "$measured"
sed -i 's/finding: reproduced/finding: differs/' e/a.yaml
"$RIPSTOP" claims e --record r.json >table 2>error
[ $? -eq 1 ] || complain "a recorded claim contradicts its author, and nobody says so"
has "e/a.yaml:13: claim 'some': finding: differs, but its runs say reproduced" error
entry_is some contradicts true

for change in 's/cycles: 2000/cycles: 2001/' 's/samples: 3/samples: 4/' 's/y: lost.share/y: accepted/' 's/load: 0.1/load: 0.2/' \
  's/measure: {value: 1}/measure: {value: 0}/' 's/y: lost.share/y: lost.share, relative: {faults.count: 0}/'; do
  sed "$change" good.yaml >e/a.yaml
  cp before.json r.json
  "$RIPSTOP" claims e --record r.json >table 2>error || complain "$change: $(cat error)"
  entry_is some finding 'no data'
  entry_is some runs 0
  has 'note: a.some: what was recorded goes, as the claim rests on other runs now, or measures them in another way' error
done
for change in 's/id: lost,/id: lost, title: T,/' 's/id: none/id: nothing/' 's/^traffic/title: T\n&/' 's/count: \[0, 1\]/count: [0, 1, 2]/'; do
  sed "$change" good.yaml >e/a.yaml
  cp before.json r.json
  "$RIPSTOP" claims e --record r.json >table 2>error || complain "$change: $(cat error)"
  entry_is some measured "$measured"
done
entry_is both finding reproduced # a point that it does not look at
[ ! -s error ] || complain "something goes that stays: $(cat error)"
sed 's/id: some/id: much/' good.yaml >e/a.yaml
cp before.json r.json
"$RIPSTOP" claims e --record r.json >table 2>error || complain "another id: $(cat error)"
[ "$(cat error)" = 'ripstop: note: a.some: what was recorded goes, as there is no such claim any more' ] ||
  complain "another id: $(cat error)"
cp good.yaml e/a.yaml

# ---------------------------------------------------------------- fewer runs do not replace more, but for those of an old model
"$RIPSTOP" run e/a.yaml --set faults.samples=2 >/dev/null 2>error || complain "run: $(cat error)"
cp before.json r.json
"$RIPSTOP" claims e --record r.json >table 2>error || complain "fewer runs: $(cat error)"
has "note: e/a.yaml:13: claim 'some': the record has 3 runs of it, the store 2" error
cmp -s r.json before.json || complain "fewer runs have replaced more: $(diff before.json r.json)"
bare 's/"model": [0-9]*/"model": 0/' before.json >r.json
rm -r out
"$RIPSTOP" claims e --record r.json >table 2>error || complain "an old model: $(cat error)"
entry_is some measured "$measured"
entry_is some model 0
has ', under model version 0: differs' table
"$RIPSTOP" run e/a.yaml --set faults.samples=2 >/dev/null 2>error || complain "run: $(cat error)"
"$RIPSTOP" claims e --record r.json >table 2>error || complain "an old model: $(cat error)"
entry_is some runs 2
entry_is some asked 3
has ' §, by 2 of 3 runs: cannot be told' table # two samples have no interval
rm -r out
mv kept out
"$RIPSTOP" claims e --record r.json >table 2>error || complain "more runs: $(cat error)"
cmp -s r.json before.json || complain "more runs do not replace fewer: $(diff before.json r.json)"

# ---------------------------------------------------------------- all runs of it are there, but not what they are compared with
sed -e 's/^method: .*/method: [updown, misroute]/' -e 's/y: lost.share}/y: accepted, relative: {method: misroute}}/' -e '/id: none/d; /id: some/,/updown knows/d' \
  -e '/id: both/,$d' good.yaml >pair.yaml
echo '  - {id: pair, says: as much, paper: none, figure: lost, curve: {method: updown}, measure: {value: 1}, compare: at-least, published: 0}' >>pair.yaml
cp e/papers.yaml .
"$RIPSTOP" run pair.yaml --store all.db >/dev/null 2>error && "$RIPSTOP" claims pair.yaml --store all.db --record pair.json >table 2>error || complain "a pair: $(cat error)"
"$RIPSTOP" run pair.yaml --store half.db --set method=updown >/dev/null 2>error || complain "half of a pair: $(cat error)"
"$RIPSTOP" claims pair.yaml --store half.db --record pair.json >again 2>error || complain "half of a pair: $(cat error)"
has "claim 'pair': the store has its 3 runs, but only 3 of the 9 others of its figure, with which it may be compared; the record's number stands" error
cmp -s table again || complain "half a pair replaces a pair: $(diff table again)"

# ---------------------------------------------------------------- a page
"$RIPSTOP" claims e --record r.json --markdown >page 2>error || complain "--markdown: $(cat error)"
has '| nets | 2 of 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |' page
has '| all papers | 2 of 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |' page
has '| 1 | 1 | 1 | 0 | 0 | 0 | 0 | 0 |' page
grep -qE '^\| Figure 1a \| nothing is lost \| `a.none` \| at most 0 \| 0 \[0, 0\.00[0-9]+\] \| reproduced \| 1 \|$' page || complain "a bound: $(cat page)"
grep -qE '^\| Table 1 \| little is lost \| `a.some` \| at most 0.01 \| 0\.[0-9]+ ± 0\.[0-9]+ \| \*\*differs\*\* \| 1, 2, unexplained \|$' page ||
  complain "the page: $(cat page)"
has '1. Reading: "Nothing is lost | ever" (2)' page
has '2. Why: updown knows one way | down' page
grep -qE '^\|  \| it does not fall \| `a.both` \| at least 0 \| 0\.[0-9 ±.]+ \| holds \| chosen after seeing results \|$' page ||
  complain "the page: $(cat page)"

# ---------------------------------------------------------------- a second seed
"$RIPSTOP" run e/a.yaml --seed-offset 1000 >/dev/null 2>error || complain "run: $(cat error)"
"$RIPSTOP" claims e --seed-offset 1000 --record second.json >table 2>error || complain "a second seed: $(cat error)"
entry_is some runs 3 second.json
[ "$(entry some measured second.json)" != "$measured" ] || complain "the second seed measures the same"
cp second.json before.json
"$RIPSTOP" claims e --record second.json >table 2>error || complain "a second seed again: $(cat error)"
cmp -s second.json before.json || complain "a record forgets its seeds"
"$RIPSTOP" claims e --record r.json --compare second.json >same 2>error || complain "--compare: $(cat error)"
[ "$(cat same)" = '3 of 3 claims (100.0 %) have the same finding with seeds moved by 1000 (of 3).' ] || complain "--compare: $(cat same)"
"$RIPSTOP" claims e --seed-offset 1000 --record second.json --compare r.json >same 2>error || complain "--compare: $(cat error)"
[ "$(cat same)" = '3 of 3 claims (100.0 %) have the same finding with seeds moved by -1000 (of 3).' ] || complain "--compare: $(cat same)"
bare 's/"measured": 0\.[0-9]*[1-9][0-9]*/"measured": 0.001/; s/"low": 0\.[1-9][0-9]*/"low": 0.0/; s/"high": 0\.[1-9][0-9]*/"high": 0.002/' >other.json
"$RIPSTOP" claims e --compare other.json >same 2>error || complain "--compare: $(cat error)"
has '2 of 3 claims (66.7 %) have the same finding' same
grep -qE '^- `a.some`: published at most 0.01; 0\.[0-9]+ ± 0\.[0-9]+, differs; there 0\.0010 ± 0\.0010, reproduced$' same ||
  complain "--compare: $(cat same)"
[ "$(grep -c '^-' same)" -eq 1 ] || complain "--compare: $(cat same)"

# ---------------------------------------------------------------- records that are no second run, or only a part of one
"$RIPSTOP" claims e --record r.json --compare r.json >same 2>error || complain "the same seeds: $(cat error)"
[ "$(cat same)" = '3 of 3 claims (100.0 %) have the same finding with the same seeds, which is no second result (of 3).' ] ||
  complain "the same seeds: $(cat same)"
bare 's/"drifts": false/"drifts": true/' >other.json
"$RIPSTOP" claims e --record r.json --compare other.json >same 2>error || complain "a mark: $(cat error)"
has '3 of 3 claims (100.0 %) have the same finding with seeds moved by 1000 (of 3), 3 of them with another mark; not alike:' same
grep -qE '^- `a.none`: published at most 0; 0 \[0, 0\.00[0-9]+\], reproduced; there 0 \[0, 0\.00[0-9]+\], in a transient, reproduced$' same || complain "a mark: $(cat same)"
bare '0,/"one_set": false/s//"one_set": true/' >other.json
"$RIPSTOP" claims e --record r.json --compare other.json >same 2>error || complain "one set: $(cat error)"
has '2 of 3 claims (66.7 %) have the same finding with seeds moved by 1000 (of 3); not alike:' same
grep -qE '; there 0 \[0, 0\.00[0-9]+\], cannot be told: one fault set$' same || complain "one set: $(cat same)"
bare '0,/"runs": 3/s//"runs": 2/' >other.json
"$RIPSTOP" claims e --record r.json --compare other.json >same 2>error || complain "a part: $(cat error)"
has '2 of 2 claims (100.0 %) have the same finding with seeds moved by 1000 (of 3; 1 by a part of their runs here or there).' same
bare '0,/"basis": "./s//"basis": "-/' >other.json
"$RIPSTOP" claims e --record r.json --compare other.json >same 2>error || complain "other runs: $(cat error)"
has '2 of 2 claims (100.0 %) have the same finding with seeds moved by 1000 (of 3; 1 of which the record has other runs).' same
bare 's/"measured": 0.0,/"measured": null,/' >other.json
"$RIPSTOP" claims e --record r.json --compare other.json >same 2>error || complain "no numbers: $(cat error)"
has '2 of 2 claims (100.0 %) have the same finding with seeds moved by 1000 (of 3; 1 without numbers of both).' same
# Three seeds moved by 10, and by 11, have two in common; the author's word counts, as it is what is shown.
sed 's/^faults: .*/faults: {count: [0, 1]}\nseed: [1, 2, 3]/; s/finding: differs/finding: cannot be told/' good.yaml >e/a.yaml
for by in 10 11 13; do
  "$RIPSTOP" run e/a.yaml --seed-offset $by >/dev/null 2>error || complain "run: $(cat error)"
  "$RIPSTOP" claims e --seed-offset $by --record by$by.json >table 2>error || complain "by $by: $(cat error)"
done
"$RIPSTOP" claims e --record by10.json --compare by11.json >same 2>error || complain "common seeds: $(cat error)"
has '0 of 0 claims have the same finding with seeds moved by 1 (of 3; 3 no second result, because seeds are the same or none has a part).' same
bare 's/"measured": 0\.[0-9]*[1-9][0-9]*/"measured": 0.001/; s/"low": 0\.[1-9][0-9]*/"low": 0.0/; s/"high": 0\.[1-9][0-9]*/"high": 0.002/' by13.json >other.json
"$RIPSTOP" claims e --record by10.json --compare other.json >same 2>error || complain "other seeds: $(cat error)"
has '3 of 3 claims (100.0 %) have the same finding with seeds moved by 3 (of 3).' same
cp good.yaml e/a.yaml

# ---------------------------------------------------------------- digests
bare '' >old.json
"$RIPSTOP" claims e --record old.json >/dev/null 2>error || complain "without digests: $(cat error)"
has 'note: old.json: its 3 claims have no digests' error
cmp -s old.json second.json || complain "a record without digests gets others: $(diff old.json second.json)"
"$RIPSTOP" claims e --record old.json >/dev/null 2>error || complain "with digests: $(cat error)"
[ ! -s error ] || complain "with digests: $(cat error)"
# Each value that is read again, in each of the ways in which a record is read.
for change in 's/"measured": 0\.[0-9]*[1-9][0-9]*/"measured": 0.001/' 's/"low": [0-9.]*/"low": -1.0/' 's/"high": [0-9.]*/"high": 2.0/' \
  's/"drifts": false/"drifts": true/' 's/"one_set": false/"one_set": true/' 's/"runs": 3/"runs": 2/' 's/"asked": 3/"asked": 4/' \
  's/"model": [0-9]*/"model": 7/' 's/"basis": "./"basis": "-/' 's/"experiment": "a"/"experiment": "b"/' 's/"id": "some"/"id": "other"/' \
  's/"seed_offset": 1000/"seed_offset": 1001/' 's/"digest": "./"digest": "-/' '/"id": "some"/,/"judged"/s/"drifts"/"lost_share": 0.5,\n   &/' \
  '0,/"drifts"/s//"unbounded": true,\n   &/' '0,/"drifts"/s//"too_short": true,\n   &/'; do
  sed "$change" second.json >bad.json
  cp bad.json before.bad
  cmp -s bad.json second.json && complain "$change changes nothing"
  refused 'of the record: the measured values do not match the digest' claims e --record bad.json
  refused 'of the record: the measured values do not match the digest' claims e --compare bad.json
  refused 'of the record: the measured values do not match the digest' book e --record bad.json --seed-offset 1000
  cmp -s bad.json before.bad || complain "a refusal has changed a record"
done
sed '0,/"digest"/{/"digest"/d}' second.json >bad.json
refused "bad.json: claim 1, a.none, of the record: 'digest' is missing or cannot be true" claims e --record bad.json
sed 's/"says": "/&x/; s/"judged": "/&x/' second.json >bad.json # texts that look like keys
"$RIPSTOP" claims e --record bad.json >/dev/null 2>error || complain "another text: $(cat error)"
cmp -s bad.json second.json || complain "another text: $(diff bad.json second.json)"

# ---------------------------------------------------------------- refusals
refused 'claims: --record and --quick exclude each other: a record is of full runs' claims e --record r.json --quick
refused 'claims: --record and --set exclude each other: a record is of full runs' claims e --record r.json --set seed=3
refused 'second.json is a record with --seed-offset 1000, not 7' claims e --record second.json --seed-offset 7
cp good.yaml e/b.yaml
refused "r.json has claims of 'a', which is not among the experiments given" claims e/b.yaml --record r.json
cmp -s second.json before.json || complain "a refusal has changed a record"
mkdir e/deep
sed 's/papers.yaml/..\/&/' good.yaml >e/deep/b.yaml
refused "e/deep/b.yaml: e/b.yaml has the name 'b' too" claims e --record new.json
[ ! -e new.json ] || complain "a refusal has begun a record"
echo '{"claims": [' >bad.json
refused 'bad.json:2: no record of claims: ' claims e/a.yaml --record bad.json
echo '{"claims": []}' >bad.json
refused 'bad.json:1: no record of claims' claims e/a.yaml --record bad.json
refused 'nowhere.json' claims e/a.yaml --compare nowhere.json
finish
