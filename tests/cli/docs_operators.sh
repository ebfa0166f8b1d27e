#!/bin/bash
# docs/operators.md: its commands print what it shows; and all words for oddities that the sources have are in
# docs/fabrics.md.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
run_page docs/operators.md
[ "$blocks_run" -ge 4 ] || complain "docs/operators.md: only $blocks_run blocks with commands"

words=0
while read -r word; do
  words=$((words + 1))
  grep -qF "\`$word\`" "$RIPSTOP_SOURCE/docs/fabrics.md" || complain "docs/fabrics.md does not explain the oddity '$word'"
  grep -qF "\"$word\"" "$RIPSTOP_SOURCE/src/recognise/odd_rows.c" || complain "odd_rows.c gives the oddity '$word' no place in its order"
done < <(grep -hzoE 'ripstop_odds_add\([^"]*"[^"]*"( *: *"[^"]*")?' "$RIPSTOP_SOURCE"/src/formats/infiniband/*.c "$RIPSTOP_SOURCE"/src/recognise/*.c |
  tr '\0' '\n' | grep -oE '"[^"]+"' | tr -d '"' | grep -xE '[A-Za-z ]+' | sort -u)
[ $words -ge 15 ] || complain "only $words words for oddities are found"
finish
