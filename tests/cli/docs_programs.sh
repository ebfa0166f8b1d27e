#!/bin/bash
# docs/programs.md: its experiment, with the output that it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/programs.md
[ "$blocks_run" -ge 1 ] || complain "docs/programs.md: nothing was run"
finish
