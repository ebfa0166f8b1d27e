#!/bin/bash
# docs/clusters.md: its commands print what it shows, they are those of the README, and the picture is the one it draws.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
mkdir examples
cp "$RIPSTOP_SOURCE"/examples/{racks.edges,ask.goal} examples/

run_page docs/clusters.md
[ "$blocks_run" -eq 11 ] || complain "docs/clusters.md: $blocks_run blocks were run"
cmp out/dragonfly.svg "$RIPSTOP_SOURCE/docs/images/dragonfly.svg" || complain "docs/images/dragonfly.svg is another picture"

sed -n '/^```sh/,/^```/p' "$RIPSTOP_SOURCE/docs/clusters.md" | grep -E '^(mkdir -p out && )?ripstop ' >page
sed -n "/^## Today's clusters/,/^## What/p" "$RIPSTOP_SOURCE/README.md" | grep -E '^    (mkdir -p out && )?ripstop ' | cut -c5- >readme
[ "$(wc -l <readme)" -eq 10 ] || complain "README.md: $(wc -l <readme) commands for today's clusters"
diff readme page || complain "README.md and docs/clusters.md have other commands"
finish
