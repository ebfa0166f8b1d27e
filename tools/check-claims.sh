#!/bin/bash
# The quick runs of all experiments, and a finding for each result figure and table of the papers.
#
# usage: tools/check-claims.sh [RIPSTOP]
set -eu -o pipefail
cd "$(dirname "$0")/.."
program=${1:-build/ripstop}
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
"$program" claims experiments --quick --store "$store/quick.db" 2>"$store/progress" | sed -n '/ claims: /,$p' >"$store/end" ||
  { cat "$store/progress"; exit 1; }
cat "$store/end"
grep -qE '^([0-9]+) of \1 result figures and tables' "$store/end"
