#!/bin/bash
# The rows of the READMEs report claims as the record has them, and tools/check-rows.sh notices those that do not.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/check-rows.sh" >said || complain "$(cat said)"
[ "$(sed -nE 's/^([0-9]+) claims in rows.*/\1/p' said)" -gt 100 ] || complain "few rows name a claim: $(tail -1 said)"

mkdir -p tools experiments/nets docs
cp "$RIPSTOP_SOURCE/tools/check-rows.sh" tools/

# entry ID MEASURED LOW HIGH FINDING
entry() {
  printf '  {\n   "experiment": "nets/fig-1",\n   "id": "%s",\n   "says": "\\"measured\\": 1",\n' "$1"
  printf '   "measured": %s,\n   "low": %s,\n   "high": %s,\n   "finding": "%s"\n  },\n' "${@:2}"
}
{
  entry even 0.78712 0.73400 0.84024 reproduced
  entry large 12239.4 12229.2 12249.6 reproduced
  entry odd 0.00668 0.00618 0.0072 differs
  entry exact 64.0 64.0 64.0 reproduced
  entry lone 1.2345 null null differs
  entry zero 0.0 0.0 0.0 reproduced
  entry minus -0.001 -0.0059 0.0039 'cannot be told'
  entry waiting null null null 'no data'
} >experiments/claims.json

# row GOOD-OR-BAD TEXT: whether a page with this row is taken.
row() {
  printf '| claim | published | measured | |\n|---|---|---|---|\n| %s |\n' "$2" >experiments/nets/README.md
  tools/check-rows.sh experiments/nets/README.md >said
  [ $? -eq $([ "$1" = good ] && echo 0 || echo 1) ] || complain "$1: $2: $(cat said)"
  [ "$1" = good ] || grep -qE '^experiments/nets/README.md:3: (nets/fig-1\.|\?)' said || complain "$2: $(cat said)"
}

row good 'a | 1 | 0.787 ± 0.053 | reproduced <!-- fig-1.even -->'
row good 'a | 1 | 0.79 ± 0.1 of it, 3 ± 2 before | it is reproduced <!-- fig-1.even -->'
row good 'a | 1 | 78.71 ± 5.31 % | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 78.71 ± 5.31 | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.787 ± 0.054 | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.786 ± 0.053 | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.787, ± 0.053 | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.787 | reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.787 ± 0.053 | differs <!-- fig-1.even -->'
row bad 'a | 1 | 0.787 ± 0.053 | not reproduced <!-- fig-1.even -->'
row bad 'a | 1 | 0.787 ± 0.053 | reproduced <!-- fig-1.eve -->'
row good 'a | 1 | 12,239 ± 10 | reproduced <!-- fig-1.large -->'
row bad 'a | 1 | 12,240 ± 10 | reproduced <!-- fig-1.large -->'
row good 'a | 1 | 0.00668 [0.00618, 0.00720] | differs <!-- fig-1.odd -->'
row good 'a | 1 | 0.668 [0.618, 0.720] % | differs <!-- fig-1.odd -->'
row bad 'a | 1 | 0.00668 [0.00617, 0.00720] | differs <!-- fig-1.odd -->'
row bad 'a | 1 | 0.00668 ± 0.00051 | differs <!-- fig-1.odd -->'
row good 'a | 1 | 64 | reproduced <!-- fig-1.exact -->'
row bad 'a | 1 | 63 | reproduced <!-- fig-1.exact -->'
row good 'a | 1 | 1.23 | differs <!-- fig-1.lone -->'
row bad 'a | 1 | 1.24 | differs <!-- fig-1.lone -->'
row bad 'a | 1 | 3 | differs <!-- fig-1.lone -->'
row good 'a | 3 | 0 of 1000 | reproduced <!-- fig-1.zero -->'
row bad 'a | 3 | 0.1 | reproduced <!-- fig-1.zero -->'
row good 'a | 1 | -0.0010 ± 0.0049 | cannot be told <!-- fig-1.minus -->'
row bad 'a | 1 | 0.0010 ± 0.0049 | cannot be told <!-- fig-1.minus -->'
row good 'a | 1 | 64, 12,239.4 ± 10.2 | reproduced <!-- fig-1.exact fig-1.large -->'
row bad 'a | 1 | 64, 12,239.5 ± 10.2 | reproduced <!-- fig-1.exact fig-1.large -->'
row good 'a | 1 | 4 reproduced | 2 differs, 1 cannot be told <!-- fig-1.* -->'
row bad 'a | 1 | 3 reproduced | 1 differs, 1 cannot be told <!-- fig-1.* -->'
row bad 'a | 1 | 3 reproduced | 1 differs <!-- fig-1.x* -->'
row bad 'a | 1 | unknown |'
row good 'a | 1 | known | <!-- by ripstop prove -->'
row good 'a | 1 | old | no such <!-- fig-1.waiting -->'
grep -qF '1 claims in rows, 1 of them without data' said || complain "a row without data is not told: $(cat said)"

echo '| a | 64 | reproduced <!-- nets/fig-1.exact --> |' >docs/page.md
tools/check-rows.sh docs/page.md >said || complain "a page of docs: $(cat said)"
echo '| a | 64 | reproduced <!-- fig-1.exact --> |' >docs/page.md
tools/check-rows.sh docs/page.md >said && complain "a page of docs needs no folder"
# The README marks what was chosen after results were seen.
sed -i '/"id": "exact"/a\   "chosen": "after",' experiments/claims.json
echo '| a | 64 | reproduced, *after* <!-- nets/fig-1.exact --> |' >README.md
tools/check-rows.sh README.md >said || complain "a marked row: $(cat said)"
echo '| a | 64 | reproduced <!-- nets/fig-1.exact --> |' >README.md
tools/check-rows.sh README.md >said && complain "a row without its mark is taken"
grep -q '^README.md:1: nets/fig-1.exact: it was chosen after' said || complain "a row without its mark: $(cat said)"
# paragraph GOOD-OR-BAD TEXT: whether a page with this text between others is taken.
paragraph() {
  printf 'Before.\n\n%s\n\nAfter.\n' "$2" >experiments/nets/README.md
  tools/check-rows.sh experiments/nets/README.md >said
  [ $? -eq $([ "$1" = good ] && echo 0 || echo 1) ] || complain "$1: $2: $(cat said)"
  [ "$1" = good ] || grep -qE '^experiments/nets/README.md:3: (nets/fig-1\.|\?)' said || complain "$2: $(cat said)"
}
paragraph good $'It is 0.787 ± 0.053\nof it. <!-- claims fig-1.even -->'
paragraph good '78.71 ± 5.31 %, 12,239 ± 10 <!-- claims fig-1.even fig-1.large -->'
paragraph good '0.0010 ± 0.0049 less <!-- claims fig-1.minus -->'
paragraph good '0.787 ± 0.053, and 3 ± 1 <!-- claims fig-1.even, 3 ± 1 by fig-2.yaml -->'
paragraph good '3 ± 1 <!-- intervals by fig-2.yaml -->'
paragraph bad '0.787 ± 0.053, and 3 ± 2 <!-- claims fig-1.even, 3 ± 1 by fig-2.yaml -->'
paragraph bad '0.787 ± 0.054 <!-- claims fig-1.even -->'
paragraph bad '0.786 ± 0.053 <!-- claims fig-1.even -->'
paragraph bad '12,240 ± 10 <!-- claims fig-1.large -->'
paragraph bad '0.787 ± 0.053'
paragraph bad 'Nothing. <!-- claims fig-1.even -->'
paragraph bad '0.787 ± 0.053 <!-- claims fig-1.eve -->'

# why GOOD-OR-BAD TEXT: whether a claim with 0.787 [0.734, 0.840] and the bound 0.8, in an experiment of 60 samples, may
# say so.
echo 'faults: {count: 1, samples: 60}' >experiments/nets/fig-1.yaml
cp experiments/claims.json all.json
echo 'Nothing.' >experiments/nets/README.md
why() {
  { cat all.json; entry last 0.7871 0.7340 "${3:-0.8402}" differs; printf '   "why": "%s",\n   "published": 0.8\n' "$2"; } >experiments/claims.json
  sed -i '/"id": "last"/,$ { /^  },$/d }' experiments/claims.json
  tools/check-rows.sh experiments/nets/README.md >said
  [ $? -eq $([ "$1" = good ] && echo 0 || echo 1) ] || complain "$1: $2: $(cat said)"
  [ "$1" = good ] || grep -q 'nets/fig-1.last: why: ' said || complain "$2: $(cat said)"
}
why good 'the bound lies inside the interval over 60 draws; and so on'
why bad 'the bound lies inside the interval over 180 draws; and so on'
why bad 'the bound lies inside the interval over 60 draws' 0.795
why good '21 % is lost: so it is'
why good '21.3 % is lost, 121 % where all are full (fig-1), 22 % elsewhere'
why bad '22 % is lost: so it is'
why good 'Less is lost: 79 % with the first (even), and 2 % more'
why bad 'Less is lost: 78 % with the first (even), and 2 % more'
why good 'as before; mean place 0.79'
why bad 'as before; mean place 0.78; and so on'
finish
