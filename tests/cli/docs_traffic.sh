#!/bin/bash
# docs/traffic.md: its commands, with the output that it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/traffic.md
[ "$blocks_run" -ge 2 ] || complain "docs/traffic.md: only $blocks_run blocks were run"
finish
