#!/bin/bash
# docs/papers.md and the records of the claims are what the experiments' files say, and a change of these is noticed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/record-claims.sh" --check "$RIPSTOP" >said 2>&1 || complain "$(cat said)"

# The same for a few experiments, to change them.
mkdir tools docs experiments
cp -r "$RIPSTOP_SOURCE"/experiments/{misroute,papers.yaml} experiments/
cp "$RIPSTOP_SOURCE/tools/record-claims.sh" tools/
cp "$RIPSTOP_SOURCE/docs/papers.md" docs/

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
grep -q '"experiment": "misroute/fig-3"' experiments/claims.json || complain "a record is not begun: $(cat said)"

mkdir kept
claims=experiments/misroute/fig-3.yaml
id=$(sed -nE 's/^ *-? *\{?id: ([a-z0-9-]*), says.*/\1/p; s/^  - id: (.*)/\1/p' $claims | tail -1)
[ -n "$id" ] || complain "there is no claim in $claims"
differs experiments/claims.json '"id": "another"' sed -i "s/id: $id\$/id: another/; s/id: $id,/id: another,/" $claims
differs experiments/claims.json '"chosen": "after"' sed -i "s/\(.*\)id: $id\$/&\n    chosen: after/" $claims
differs docs/papers.md '| misroute |' sed -i 's/^| misroute |/& 1 /' docs/papers.md
differs experiments/claims.json '"says"' sed -i '0,/"says": "/s//&x/' experiments/claims.json
sed -i '/^<!-- to here/d' docs/papers.md
tools/record-claims.sh --check "$RIPSTOP" >said 2>&1 && complain "a page without marks is not noticed"
finish
