#!/bin/bash
# docs/clusters.md: its commands print what it shows, and the picture of a dragonfly is the one that its command draws. Its tables
# have the numbers of the record of experiments/jobs where the record has them.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
mkdir examples
cp "$RIPSTOP_SOURCE"/examples/{racks.edges,ask.goal} examples/

run_page docs/clusters.md
[ "$blocks_run" -eq 8 ] || complain "docs/clusters.md: $blocks_run blocks were run"
cmp out/dragonfly.svg "$RIPSTOP_SOURCE/docs/images/dragonfly.svg" || complain "docs/images/dragonfly.svg is another picture"

# recorded NAME: the measured value of a claim. Rows: | place | claim | `name` | published | measured | finding | notes |
recorded() { awk -F ' *[|] *' -v name="\`spine.$1\`" '$4 == name { print $6 }' "$RIPSTOP_SOURCE/docs/papers.md"; }
for name in failed-hash failed-spray failed-adaptive two-hash two-spray two-adaptive slow-hash slow-spray slow-adaptive slow-packed-spray; do
  [ -n "$(recorded $name)" ] || complain "the record lacks spine.$name"
  grep -qF "($(recorded $name) %)" "$RIPSTOP_SOURCE/docs/clusters.md" || complain "spine.$name is $(recorded $name) in the record"
done
finish
