#!/bin/bash
# docs/clusters.md: its ten commands print what it shows, and the picture is the one it draws.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
mkdir examples
cp "$RIPSTOP_SOURCE"/examples/{racks.edges,ask.goal} examples/

run_page docs/clusters.md
[ "$blocks_run" -eq 11 ] || complain "docs/clusters.md: $blocks_run blocks were run"
cmp out/dragonfly.svg "$RIPSTOP_SOURCE/docs/images/dragonfly.svg" || complain "docs/images/dragonfly.svg is another picture"

commands=$(sed -n '/^```sh/,/^```/p' "$RIPSTOP_SOURCE/docs/clusters.md" | grep -cE '^(mkdir -p out && )?ripstop ')
[ "$commands" -eq 10 ] || complain "docs/clusters.md has $commands commands; the README says ten"
finish
