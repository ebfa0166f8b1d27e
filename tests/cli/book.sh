#!/bin/bash
# ripstop book: a page for each experiment that has runs, an index with what papers claim; records; refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
has() { grep -qF -- "$1" "$2" || complain "$2 has no '$1'"; }
hasnt() { grep -qF -- "$1" "$2" && complain "$2 has '$1'"; }

mkdir -p experiments/deep
cat >experiments/papers.yaml <<'END'
papers:
  - {number: "007", key: nets, title: On <Nets>, source: "A. Author, 1999", places: [Figure 1, Figure 12, Table 1]}
  - {number: "008", key: others, title: On what no experiment here is about, source: "A. Author, 2000", places: [Figure 1]}
END
# experiment FILE PLACE PUBLISHED FINDING: the packets that updown loses with one failed link.
experiment() {
  cat >"$1" <<END
title: Small & plain
fabric: kary-ntree:k=2,n=2
method: updown
faults: {count: [0, 1], samples: 2}
traffic: {load: 0.1, packet: 1}
measure: {warmup: 100, cycles: 2000}
quick: {measure.cycles: 400}
papers: $4
paper: nets
reading: "\"Nothing is lost\" (2)."
figures: [{id: lost, x: faults.count, y: lost.share}]
claims: [{id: one, says: nothing is lost, place: $2, figure: lost, measure: {value: 0}, compare: at-most, published: $3}]
END
}
experiment experiments/first.yaml 'Figure 12b' 0 papers.yaml
experiment 'experiments/deep/a #1.yaml' 'Table 1' -1 ../papers.yaml

# ---------------------------------------------------------------- nothing done: an index without pages
"$RIPSTOP" book experiments -o book >out.txt 2>error || complain "book: $(cat error)"
[ "$(cat out.txt)" = book/index.html ] || complain "the index is not told: $(cat out.txt)"
[ "$(find book -type f)" = book/index.html ] || complain "pages without runs: $(find book -type f)"
has '2 no data' book/index.html
has 'On &lt;Nets&gt;' book/index.html
has '0 of 8 runs done' book/index.html
has 'Of the 3 figures and tables by which 1 paper shows results, 0 have' book/index.html
hasnt 'On what no experiment here is about' book/index.html
[ ! -e out ] || complain "book made a store"

[ "$("$RIPSTOP" book experiments -o book --json)" = '{"folder":"book","index":"index.html","contradictions":false,"experiments":[{"file":"experiments/deep/a #1.yaml","page":null,"runs":4,"done":0,"seconds":0.0},{"file":"experiments/first.yaml","page":null,"runs":4,"done":0,"seconds":0.0}]}' ] || complain "--json: $("$RIPSTOP" book experiments -o book --json)"

# ---------------------------------------------------------------- quick: runs are done, pages are there and linked
"$RIPSTOP" book experiments --quick -o book >out.txt 2>error || complain "book --quick: $(cat error)"
has 'href="first.html"' book/index.html
has 'href="deep/a%20%231.html#lost"' book/index.html
has '<h2 id="lost">' 'book/deep/a #1.html'
has 'href="../index.html"' 'book/deep/a #1.html'
has 'href="index.html"' book/first.html
has 'Small &amp; plain' book/index.html
has '8 of 8 runs done' book/index.html
has '1 reproduced</span>' book/index.html
has '1 differs</span>' book/index.html
has '<th scope="row">Figure 1</th><td class="words"><span class="badge">no claim</span>' book/index.html
has '<td>2 of 3</td><td>2</td><td>1</td><td>0</td><td>0</td><td>1</td><td>0</td><td>0</td><td>0</td>' book/index.html
has '&quot;Nothing is lost&quot; (2).' book/index.html
hasnt '<Nets>' book/index.html
grep -hoE '(src|href)="[^"#]*' book/index.html book/first.html | sed 's/.*="//' | grep -vE '^(index|first|deep/a%20%231)\.html$' |
  sed '/^$/d' | grep . && complain "links lead elsewhere"

# The book has a title, headings, a table for each list, each claim once with its words, and each experiment's row.
has '<title>The book of experiments' book/index.html
has '<h2>How to make this book</h2>' book/index.html
has '<th>results with a finding</th><th>claims</th><th>reproduced</th>' book/index.html
grep -qF '<th>no data</th><th>read after seeing results</th></tr>' book/index.html || complain "findings: $(grep -F 'results with a finding' book/index.html)"
[ "$(grep -cF '<td>4 of 4</td>' book/index.html)" -eq 2 ] || complain "experiments' rows: $(grep -F ' of 4</td>' book/index.html)"
[ "$(grep -oF 'nothing is lost' book/index.html | wc -l)" -eq 2 ] || complain "claims: $(grep -oF 'nothing is lost' book/index.html | wc -l)"
[ "$(grep -o '<table' book/index.html | wc -l)" -eq "$(grep -o '</table>' book/index.html | wc -l)" ] || complain "tables are left open"
for name in 'The papers, and how their claims fare' 'Figures and tables that show results' 'What the paper claims, and what was measured'; do
  has "$name" book/index.html
done
grep -qF '<th scope="row">Figure 12</th>' book/index.html && grep -F '<th scope="row">Figure 12</th>' book/index.html | grep -qF 'first.html' ||
  complain "Figure 12 has no experiment"
grep -F '<th scope="row">Figure 1</th>' book/index.html | grep -q 'html' && complain "Figure 1 has an experiment"
hasnt '<h2>Claims of no paper</h2>' book/index.html
# row PLACE TEXT: what stands in the line of a place of the paper.
row() { grep -F "<th scope=\"row\">$1</th>" book/index.html | grep -qF -- "$2" || complain "$1 has no '$2'"; }
row 'Figure 12' '1 reproduced</span>'
row 'Table 1' '1 differs</span>'
row 'Table 1' '<a href="deep/a%20%231.html">'
row 'Figure 12b' '<td>at most 0</td><td>0 [0, '
row 'Figure 12b' '<td><span class="badge good">reproduced</span></td>'

# ---------------------------------------------------------------- two papers, each with a claim
mkdir -p two/deep
cp experiments/papers.yaml experiments/first.yaml two
sed 's/Table 1/Figure 1/; s/paper: nets/paper: others/' 'experiments/deep/a #1.yaml' >two/deep/second.yaml
"$RIPSTOP" book two -o both >out.txt 2>error || complain "two papers: $(cat error)"
has 'On &lt;Nets&gt;' both/index.html
has 'On what no experiment here is about' both/index.html
rm -r both

# ---------------------------------------------------------------- a record stands in for stores, and is found
for file in experiments/first.yaml 'experiments/deep/a #1.yaml'; do "$RIPSTOP" run "$file" >/dev/null 2>error || complain "run: $(cat error)"; done
"$RIPSTOP" claims experiments --record experiments/claims.json >/dev/null 2>error
[ $? -eq 1 ] || complain "a contradicted claim is not told"
rm -r out book
"$RIPSTOP" book experiments -o book >out.txt 2>error
[ $? -eq 1 ] || complain "a contradicted claim is not told by the book"
has "finding: reproduced, but its runs say differs" error
has '1 reproduced</span>' book/index.html
[ "$(find book -type f)" = book/index.html ] || complain "pages from a record alone: $(find book -type f)"

# ---------------------------------------------------------------- refusals
cp experiments/first.yaml other.yaml
mkdir again && cp -r experiments again
refused "has the name 'first' too, and a book could not tell them apart" book experiments/first.yaml again/experiments/first.yaml
refused "has the name 'first' too" book --quick experiments/first.yaml again/experiments/first.yaml
[ ! -e out ] || complain "runs were done before the names were looked at"
echo 'title: [' >broken.yaml
refused "broken.yaml" book --quick experiments/first.yaml broken.yaml
[ ! -e out ] || complain "runs were done before the last file was read"
cp experiments/first.yaml experiments/index.yaml
refused "experiments/index.yaml: a book has a page 'index' of its own" book experiments
rm experiments/index.yaml
refused "none.json" book experiments --record none.json
refused "book: --output: the name is empty" book experiments -o ''
refused "nowhere" book nowhere
: >file
refused "file is not a folder" book experiments -o file --seed-offset 1
finish
