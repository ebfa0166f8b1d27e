#!/bin/bash
# Manual pages are read by groff without a complaint, and say what a command's --help says.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
command -v groff >/dev/null || skip "groff is missing: tools/install-deps.sh --test"
"$RIPSTOP_SOURCE/tools/make-manual.sh" "$RIPSTOP" made || complain "make-manual.sh fails"
for page in made/*.1; do
  groff -man -ww -z -Tutf8 "$page" 2>complaints || complain "groff fails on $page"
  [ ! -s complaints ] || complain "$page: $(head -2 complaints)"
done
groff -man -Tascii -P-c made/ripstop-prove.1 2>/dev/null | sed 's/.\x08//g' >prove.txt
grep -q '^ *--count F' prove.txt || complain "the page of prove has no --count: $(grep -n count prove.txt)"
grep -q "Sets of F failed parts: random ones or, with --all, every one" prove.txt || complain "--count has not its sentence"
finish
