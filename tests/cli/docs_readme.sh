#!/bin/bash
# README.md: its commands print what it shows, its links lead somewhere, and it names every method. Every command of the
# program is shown somewhere in the manual.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
cp -r "$RIPSTOP_SOURCE/experiments" .

run_page README.md
[ "$blocks_run" -ge 3 ] || complain "README.md: only $blocks_run blocks with commands"
grep -q '<svg' out/quick.html || complain "the page has no picture"
[ -s out/csv/runs.csv ] || complain "no CSV"

ripstop methods | cut -d' ' -f1 >methods
sed -nE 's/^\| \[`([^`]*)`\]\(docs\/methods\/.*/\1/p' "$RIPSTOP_SOURCE/README.md" | sort | diff methods - ||
  complain "README.md: the table of methods is not the registry"

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
