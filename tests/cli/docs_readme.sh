#!/bin/bash
# README.md, docs/tour.md and docs/methods.md: their commands print what they show, and the last names every method. Links
# between pages lead somewhere. Every command of the program is shown somewhere in the manual.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
cp -r "$RIPSTOP_SOURCE/experiments" .

run_page README.md
[ "$blocks_run" -ge 1 ] || complain "README.md: only $blocks_run blocks with commands"
run_page docs/methods.md
[ "$blocks_run" -ge 1 ] || complain "docs/methods.md: only $blocks_run blocks with commands"
run_page docs/tour.md
[ "$blocks_run" -ge 7 ] || complain "docs/tour.md: only $blocks_run blocks with commands"
grep -q '<svg' out/quick.html || complain "the page has no picture"
[ -s out/csv/runs.csv ] || complain "no CSV"

ripstop methods | cut -d' ' -f1 >methods
sed -nE 's/^\| \[`([^`]*)`\]\(methods\/.*/\1/p' "$RIPSTOP_SOURCE/docs/methods.md" | sort | diff methods - ||
  complain "docs/methods.md: the table of methods is not the registry"

ripstop help | sed -nE 's/^  ([a-z-]+) .*/\1/p' >commands
while read -r command; do
  grep -qE "^ *ripstop $command( |\$)" "$RIPSTOP_SOURCE"/{README.md,docs/*.md,docs/methods/*.md} ||
    complain "'ripstop $command' is shown nowhere in the manual"
done <commands

# Links between pages, from every page of the manual.
for page in README.md CONTRIBUTING.md CHANGELOG.md $(cd "$RIPSTOP_SOURCE" && find docs experiments -name '*.md'); do
  grep -oE '\]\([^)]+\)' "$RIPSTOP_SOURCE/$page" | sed -E 's/^\]\(//; s/\)$//; s/#.*//' >links
  while read -r link; do
    case $link in '' | http*) continue ;; esac
    [ -e "$RIPSTOP_SOURCE/$(dirname "$page")/$link" ] || complain "$page: '$link' leads nowhere"
  done <links
done
finish
