#!/bin/bash
# docs/papers.md and the records of the claims are what the experiments' files say, and a change of these is noticed.
# Slow: it reads all experiments.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/record-claims.sh" --check "$RIPSTOP" >said 2>&1 || complain "$(cat said)"

# The same for one experiment, to change it.
mkdir -p tools docs experiments/misroute
cp "$RIPSTOP_SOURCE/experiments/papers.yaml" experiments/
cp "$RIPSTOP_SOURCE/experiments/misroute/deadlocks.yaml" experiments/misroute/
cp "$RIPSTOP_SOURCE/tools/record-claims.sh" tools/
cp "$RIPSTOP_SOURCE/docs/papers.md" docs/
printf '%s\n' '<!-- counted by tools/record-claims.sh -->' '<!-- to here -->' >README.md

# differs FILE TEXT COMMAND...: after a change the check fails, and names the file and what the file should have.
differs() {
  local file=$1 text=$2
  cp -r experiments docs kept/
  "${@:3}"
  tools/record-claims.sh --check "$RIPSTOP" >said 2>&1 && complain "not noticed: ${*:3}"
  grep -qF "$file is not what the experiments say" said && grep -qF -- "$text" said || complain "${*:3}: $(cat said)"
  tools/record-claims.sh "$RIPSTOP" >/dev/null 2>&1
  tools/record-claims.sh --check "$RIPSTOP" >said 2>&1 || complain "not brought up to date after ${*:3}: $(cat said)"
  rm -r experiments docs
  mv kept/* .
}

tools/record-claims.sh "$RIPSTOP" >said 2>&1 || complain "a record is not begun: $(cat said)"
grep -q '"experiment": "misroute/deadlocks"' experiments/claims.json || complain "a record is not begun: $(cat said)"

# No runs are stored here, so of the paper's claims nothing is known.
count=$(grep -c '"id": ' experiments/claims.json)
grep -qx -- "- papers' claims: 0 of $count reproduced; .*; $count no data" README.md || complain "README.md does not count: $(cat README.md)"

mkdir kept
claims=experiments/misroute/deadlocks.yaml
id=$(sed -nE 's/^ *-? *\{?id: ([a-z0-9-]*), says.*/\1/p; s/^  - id: (.*)/\1/p' $claims | tail -1)
[ -n "$id" ] || complain "there is no claim in $claims"
differs experiments/claims.json '"id": "another"' sed -i "s/id: $id\$/id: another/; s/id: $id,/id: another,/" $claims
differs experiments/claims.json '"chosen": "after"' sed -i "s/\(.*\)id: $id\$/&\n    chosen: after/" $claims
differs README.md "- papers' claims: 0 of $count reproduced" sed -i 's/ reproduced/s reproduced/' README.md
differs docs/papers.md '| misroute |' sed -i 's/^| misroute |/& 1 /' docs/papers.md
differs experiments/claims.json '"says"' sed -i '0,/"says": "/s//&x/' experiments/claims.json

# A second seed: its record is kept up to date too, and the page says how it compares.
"$RIPSTOP" claims experiments --seed-offset 5 --record experiments/claims-second-seed.json >said 2>&1 || complain "$(cat said)"
tools/record-claims.sh --check "$RIPSTOP" >said 2>&1 && complain "a second record is not noticed"
tools/record-claims.sh "$RIPSTOP" >said 2>&1 || complain "a second record: $(cat said)"
grep -qE '^The same .* numbers: 0 of 0 claims have the same finding with seeds moved by 5 ' docs/papers.md ||
  complain "the page says nothing of the second record: $(tail -5 docs/papers.md)"
differs experiments/claims-second-seed.json '"chosen": "after"' sed -i "s/\(.*\)id: $id\$/&\n    chosen: after/" $claims
sed -i '/^<!-- to here/d' docs/papers.md
tools/record-claims.sh --check "$RIPSTOP" >said 2>&1 && complain "a page without marks is not noticed"
finish
