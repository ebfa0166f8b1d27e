#!/bin/bash
# docs/prove.md: its commands print what it shows; every flag of `ripstop prove` is explained there, and no other; so is
# every name in its JSON.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
page=$RIPSTOP_SOURCE/docs/prove.md
run_page docs/prove.md
[ "$blocks_run" -ge 7 ] || complain "docs/prove.md: only $blocks_run blocks with commands"

ripstop prove --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+( [A-Z/=]+)?) .*/\2/p' | sort >flags
sed -nE 's/^\| `(--[a-z-]+( [A-Z/=]+)?)` \|.*/\1/p' "$page" | sort >documented
diff flags documented || complain "docs/prove.md does not have the flags of ripstop prove --help"

for question in "kary-ntree:k=3,n=2 --method misroute --count 3 --all --paths" \
  "kary-ntree:k=2,n=3 --method updown --count 1 --samples 3 --seed 2" "torus:4x4 --method dor --destinations 3" \
  "torus:4x4 --method ordered --set 0.0/0 --transients"; do
  # shellcheck disable=SC2086 # words are meant
  ripstop prove $question --json 2>/dev/null | grep -o '"[a-z_]*":' | tr -d '":' | sort -u | while read -r name; do
    grep -q "\`$name\`" "$page" || echo "$name"
  done
done | sort -u >missing
# How paths are split into means and maxima needs no line for each.
grep -vE '^((minimum|shortest|longest|extra_shortest|extra_longest)_(mean|max)|summary|queues)$' missing &&
  complain "docs/prove.md does not explain these names of its JSON"
finish
