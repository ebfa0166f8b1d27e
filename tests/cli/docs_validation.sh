#!/bin/bash
# docs/validation.md: what it says was measured is what the record of the claims says (docs/papers.md is made from it), its
# ratios are of the two numbers beside them (none over 0), its findings the record's, and no claim of experiments/validation is missing.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
page=$RIPSTOP_SOURCE/docs/validation.md

# The page has rows: | quantity | `name` | expected | measured | ratio | [finding] |
grep -E '^\| .* \| `[a-z0-9.-]+` \| ' "$page" | awk -F ' *[|] *' '{ print $3 "|" $4 "|" $5 "|" $6 "|" $7 }' | tr -d '`' >rows
# | place | claim | `name` | published | measured | finding | notes |
awk -F ' *[|] *' '/^\|/ { gsub(/`/, "", $4); print $4 "|" $5 "|" $6 "|" $7 }' "$RIPSTOP_SOURCE/docs/papers.md" >known

while IFS='|' read -r name expected measured ratio finding; do
  of_record=$(grep -F "$name|" known | grep -E "^$name\|")
  [ -n "$of_record" ] || { complain "$name is no claim of the record"; continue; }
  IFS='|' read -r _ published was found <<<"$of_record"
  [ "$expected" = "$published" ] || complain "$name: expected '$expected', the claim says '$published'"
  [ "$measured" = "$was" ] || complain "$name: measured '$measured', the record says '$was'"
  [ -z "$finding" ] || [ "$finding" = "$found" ] || complain "$name: '$finding', the record says '$found'"
  awk -v e="${expected#at }" -v m="$measured" -v r="$ratio" 'BEGIN {
    sub(/^(most|least) /, "", e); if (e + 0 == 0) exit r != ""; difference = (m + 0) / (e + 0) - r; exit !(difference < 0.0006 && difference > -0.0006) }' ||
    complain "$name: $measured over $expected is not $ratio"
done <rows

for file in "$RIPSTOP_SOURCE"/experiments/validation/*.yaml; do
  for id in $(sed -nE 's/^ *- \{id: ([a-z0-9-]+), says: .*/\1/p' "$file"); do
    name=$(basename "$file" .yaml).$id
    grep -qE "^$name\|" rows || complain "$page lacks $name"
  done
done
# The separate router program that the page describes prints the page's numbers.
sed -n 's/^    \(cc .*flit-router.*\|out\/flit-router .*\)/\1/p' "$page" >commands
grep -A1 '^    out/flit-router ' "$page" | sed -n 's/^    accepted/accepted/p' >said
(cd "$RIPSTOP_SOURCE" && sed "s|out/flit-router|$OLDPWD/flit-router|" "$OLDPWD/commands" | bash -e) >printed 2>&1
[ -s said ] && diff said printed || complain "tools/flit-router.c prints another number"
[ "$(wc -l <rows)" -gt 60 ] || complain "only $(wc -l <rows) rows: the page is written in another way"
finish
