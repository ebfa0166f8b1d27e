#!/bin/bash
# docs/methods: a page for every method and a method for every page; its options and losses as the program prints them;
# its commands print what it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"

# options METHOD: "name|values|default" from the program, in its order.
options() {
  ripstop methods "$1" | sed -nE 's/^  ([a-z0-9_]+)=\(([^)]*)\)(, default (.*))?$/\1;\2;\4/p' |
    sed -E 's/\|/, /g; s/;/|/g'
}

# documented PAGE: the same from the page's table of options.
documented() {
  awk '/^\| option \|/ { on = 1; getline; next } !/^\|/ { on = 0 } on' "$1" |
    sed -E 's/^\| `([^`]*)` \| ([^|]*) \| ([^|]*) \|.*/\1|\2|\3/'
}

ripstop methods | cut -d' ' -f1 >methods
for page in "$RIPSTOP_SOURCE"/docs/methods/*.md; do basename "$page" .md; done | sort >pages
diff methods pages || complain "docs/methods has not one page for every method"

while read -r method; do
  page=$RIPSTOP_SOURCE/docs/methods/$method.md
  [ "$(head -c $((${#method} + 3)) "$page")" = "# $method:" ] || complain "$method.md does not start with its name"
  grep -q '^!\[.*\](\.\./images/' "$page" || complain "$method.md has no picture"
  grep -q '^```pseudo$' "$page" || complain "$method.md has no pseudo-code"
  diff <(options "$method") <(documented "$page") || complain "$method.md: its options are not those of the program"
  ripstop methods "$method" | sed -n '/^A packet is lost for:/,$s/^  //p' >losses
  awk '/^\| cause \|/ { on = 1; getline; next } !/^\|/ { on = 0 } on' "$page" | sed -E 's/^\| `([^`]*)`.*/\1/' |
    diff losses - || complain "$method.md: its losses are not those of the program"
  run_page "docs/methods/$method.md"
  [ "$blocks_run" -gt 0 ] || complain "$method.md: there is nothing to try"
done <methods

# A deadlock's witness is on the page that the manual sends the reader to.
grep -qE '0/[0-2] in-port [0-9] channel 0 holds .* waits for' out/deadlock.html || complain "the witness is not on the page"
finish
