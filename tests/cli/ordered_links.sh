#!/bin/bash
# How long the tables of `ordered` take to be final after one link died: for every link of the 8x8 torus, and every one
# between the routers of the first row of 16x16, which has the root and the longest path of updates, less than Immunet's
# mean.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# settles FABRIC LINKS PATTERN BOUND: so many links match; after each of them the last new candidates come before the
# bound.
settles() {
  local links late
  links=$("$RIPSTOP" fabric "$1" --links | cut -f1 | grep -E "$3")
  [ "$(wc -l <<<"$links")" -eq "$2" ] || complain "$1: $(wc -l <<<"$links") links match $3, not $2"
  late=$(for link in $links; do
    "$RIPSTOP" protocol "$1" --method ordered --events "$link@0" | head -1
  done | sed -nE 's/^([^ ]+) fails.* new candidates, the last after ([0-9]+) cycles$/\2 \1/p' | sort -n)
  [ "$(wc -l <<<"$late")" -eq "$2" ] || complain "$1: $(wc -l <<<"$late") of $2 links tell when the last new candidates came"
  [ "$(tail -1 <<<"$late" | cut -d' ' -f1)" -lt "$4" ] || complain "$1: after $(tail -1 <<<"$late") cycles, not before $4"
}

settles torus:8x8 128 '^[0-9]' 10003
settles torus:16x16 32 '^0\.[0-9]+/[01]$' 18803
finish
