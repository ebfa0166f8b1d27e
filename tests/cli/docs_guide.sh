#!/bin/bash
# docs/guide.md: every file and command in it, with the outputs that it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/guide.md
[ "$blocks_run" -ge 9 ] || complain "docs/guide.md: only $blocks_run blocks with commands"
grep -q '<svg' out/links.html || complain "the page has no picture"
finish
