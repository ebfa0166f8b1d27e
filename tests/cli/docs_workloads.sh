#!/bin/bash
# docs/workloads.md: its commands, with the output that it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/workloads.md
[ "$blocks_run" -ge 2 ] || complain "docs/workloads.md: only $blocks_run blocks were run"
finish
