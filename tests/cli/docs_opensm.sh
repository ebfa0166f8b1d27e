#!/bin/bash
# docs/opensm.md: its commands print what it shows, and every name in the JSON of route is explained there.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/opensm.md
[ "$blocks_run" -ge 2 ] || complain "docs/opensm.md: only $blocks_run blocks with commands"
ripstop route torus:3x3 --method dor --json | grep -o '"[a-z_0-9]*":' | tr -d '":' | while read -r name; do
  grep -q "\`$name\`" "$RIPSTOP_SOURCE/docs/opensm.md" || echo "$name"
done >missing
[ ! -s missing ] || complain "docs/opensm.md does not explain $(cat missing)"
finish
