# The programs of docs/api.md, compiled against the installed library, print what the page shows.
set -eu
. "$RIPSTOP_SOURCE/tests/install/lib.sh"
install_here
export LD_LIBRARY_PATH=$libraries
mkdir bin
# The compiler's name on the page. A compiler that is ccache looks for the true one in PATH, where this one must not be.
printf '#!/bin/sh\nPATH="%s" exec "%s" %s "$@"\n' "$PATH" "$RIPSTOP_CC" "$RIPSTOP_CFLAGS" >bin/cc
chmod +x bin/cc
PATH=$PWD/bin:$PATH
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/api.md
diff first.c "$RIPSTOP_SOURCE/examples/first.c" || complain "the first program of docs/api.md is not examples/first.c"
[ "$blocks_run" -ge 1 ] || complain "docs/api.md has no commands"
finish
