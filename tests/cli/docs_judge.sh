#!/bin/bash
# docs/judge.md: its commands print what it shows, and every name in the JSON of judge and what-if is explained there.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
data=$RIPSTOP_SOURCE/tests/data/ib
cp "$data/small-clean.ibnetdiscover" fabric.txt
cp "$data/small-clean.minhop.lfts" tables.txt
cp "$data/small-clean.updn.lfts" updn.txt
run_page docs/judge.md
[ "$blocks_run" -ge 4 ] || complain "docs/judge.md: only $blocks_run blocks with commands"
printf 'Switch 0x00aa000000000100\nLID    : Out Port(s)\n0xC000 : 0x001 0x002\n' >groups.mcfdbs
{
  ripstop judge fabric.txt --tables updn.txt --before tables.txt --json
  ripstop judge fabric.txt --tables tables.txt groups.mcfdbs --json
  ripstop what-if fabric.txt --tables tables.txt --json
} | grep -o '"[a-z_0-9]*":' | tr -d '":' | sort -u | while read -r name; do
  grep -q "\`$name\`" "$RIPSTOP_SOURCE/docs/judge.md" || echo "$name"
done >missing
grep -vE '^(levels|changed_levels|unreachable_pairs|pairs)$' missing && complain "docs/judge.md does not explain these names"
finish
