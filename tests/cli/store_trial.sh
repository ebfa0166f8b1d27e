#!/bin/bash
# A short tools/trial-store.sh: kill -9, copies, a full disk, read-only, a closed pipe, an ignored interrupt.
# Slow: it kills processes.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs sqlite3
"$RIPSTOP_SOURCE/tools/trial-store.sh" 2 3 >said 2>&1 || complain "$(cat said)"
grep -q '^trial-store: 2 kills, 2 copies .*: the same rows$' said || complain "$(cat said)"
finish
