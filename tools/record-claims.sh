#!/bin/bash
# Brings the records of the claims, docs/papers.md and the counts in README.md up to date: with what the stores in out/ have, and with what the
# experiments' files say by now. What no store has stays as it was recorded, as long as it is about the same runs.
# With --check it changes nothing, looks into no store, and fails when it would change something.
#
# usage: tools/record-claims.sh [--check] [RIPSTOP]
#
# The record of another seed is begun by `ripstop claims experiments --seed-offset N --record FILE`, as below.
set -eu -o pipefail
cd "$(dirname "$0")/.."
root=$PWD
check=no
[ "${1:-}" != --check ] || { check=yes; shift; }
program=$(realpath "${1:-build/ripstop}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
files="experiments/claims.json docs/papers.md"
[ ! -e experiments/claims-second-seed.json ] || files="$files experiments/claims-second-seed.json"
counted='^<!-- counted by tools/record-claims.sh -->'
[ ! -e README.md ] || ! grep -qE "$counted" README.md || files="$files README.md"
mkdir "$scratch"/{experiments,docs,empty}
for file in $files; do [ ! -e "$file" ] || cp "$file" "$scratch/$file"; done
[ $check = no ] || cd "$scratch/empty"

# claims ARGUMENTS...: prints contradictions; they end the script when all files are written.
contradictions=no
claims() {
  local status=0
  "$program" claims "$root/experiments" "$@" || status=$?
  [ $status -ne 1 ] || contradictions=yes
  [ $status -le 1 ] || exit $status
}

record=$scratch/experiments/claims.json
second=$scratch/experiments/claims-second-seed.json
claims --record "$record" --markdown >"$scratch/part"
if [ -e "$second" ]; then
  "$program" claims "$root/experiments" --record "$second" >"$scratch/table" 2>"$scratch/other" || [ $? -eq 1 ] ||
    { cat "$scratch/other"; exit 2; }
  printf '\n### A second seed\nThe same experiments once more, with other random numbers: ' >>"$scratch/part"
  claims --record "$record" --compare "$second" 2>/dev/null >>"$scratch/part"
  echo >>"$scratch/part"
fi
[ "$(grep -cE '^<!-- (from here by tools/record-claims.sh|to here) -->' "$root/docs/papers.md")" -eq 2 ] ||
  { echo "docs/papers.md: the marks are missing that the table stands between"; exit 1; }
awk -v part="$scratch/part" '
  /^<!-- to here -->/ { skip = 0 }
  !skip { print }
  /^<!-- from here by tools\/record-claims.sh -->/ { skip = 1; while ((getline line < part) > 0) print line }
' "$root/docs/papers.md" >"$scratch/docs/papers.md"

# README.md: how many claims count as what, and how the second seed compares.
if [ -e "$scratch/README.md" ]; then
  claims --record "$record" 2>/dev/null | sed -nE "/^(papers' claims|own claims|causes of what differs): /s/.*/- &/p" >"$scratch/counts"
  sed -nE 's/^The same experiments .* numbers: ([^(]* \([0-9.]+ %\)).*/- with other seeds, \1 have the same finding/p' "$scratch/part" >>"$scratch/counts"
  awk -v part="$scratch/counts" -v mark="$counted" '
    /^<!-- to here -->/ { skip = 0 }
    !skip { print }
    $0 ~ mark { skip = 1; while ((getline line < part) > 0) print line }
  ' "$root/README.md" >"$scratch/README.md"
fi

changed=no
for file in $files; do
  cmp -s "$root/$file" "$scratch/$file" && continue
  changed=yes
  [ $check = yes ] || { cp "$scratch/$file" "$root/$file"; echo "$file: brought up to date"; continue; }
  echo "$file is not what the experiments say:"
  diff "$root/$file" "$scratch/$file" | head -40 || true
done
[ $check = no ] || [ $changed = no ] || { echo "tools/record-claims.sh brings it up to date"; exit 1; }
[ $contradictions = no ]
