#!/bin/bash
# Methods that claim to serve all connected pairs must do so on the papers' fabrics, as counted without ripstop
# (tools/check-served.py): random sets of failed links, a smallest cut, and that cut but for one link.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
command -v python3 >/dev/null || skip "python3 is missing: tools/install-deps.sh --test"

# served CUT SETS FABRIC METHOD...: as counted, and the smallest cut has so many links.
served() {
  local cut=$1 sets=$2 said
  shift 2
  said=$("$RIPSTOP_SOURCE/tools/check-served.py" --sets "$sets" "$RIPSTOP" "$@") || complain "$said"
  [ "$(grep -c ", cut $cut: as counted$" <<<"$said")" -eq $(($# - 1)) ] || complain "$1: $said"
}

served 4 3 kary-ntree:k=4,n=3 valleys ordered mend:adaptive mend:lanes=1
served 4 3 mport-ntree:m=8,n=3 valleys ordered mend:adaptive mend:lanes=1
served 4 3 torus:8x8 ordered mend:adaptive mend:lanes=1
served 3 3 kns:k=4,n=3 ordered mend:adaptive mend:lanes=1
served 2 5 kary-ntree:k=2,n=3 valleys ordered mend:adaptive mend:lanes=1
served 2 5 kns:k=4,n=2 ordered mend:adaptive mend:lanes=1

# A method that does not is told apart: up and down alone loses pairs that are joined.
"$RIPSTOP_SOURCE/tools/check-served.py" "$RIPSTOP" kary-ntree:k=4,n=3 updown >said && complain "updown serves all: $(cat said)"
grep -q '^kary-ntree:k=4,n=3, updown: .*: DIFFERS$' said || complain "$(cat said)"
finish
