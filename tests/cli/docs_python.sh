#!/bin/bash
# docs/python.md: every file and command in it, with the outputs that it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"

# A python3 that has what Debian's packages give to Debian's: the first on the path may be another.
has_both() { "$1" -c 'import pandas, matplotlib' 2>/dev/null; }
if ! has_both python3; then
  has_both /usr/bin/python3 || skip "python3-pandas or python3-matplotlib is missing: tools/install-deps.sh --test"
  mkdir -p bin && ln -sf /usr/bin/python3 bin/python3
  PATH=$PWD/bin:$PATH
fi
export MPLCONFIGDIR=$PWD/matplotlib
run_page docs/python.md
[ "$blocks_run" -ge 5 ] || complain "docs/python.md: only $blocks_run blocks with commands"
finish
