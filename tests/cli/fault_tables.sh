#!/bin/bash
# Today's fabrics with each set of one to three failed cables: the number of sets that leave every pair a path, and
# the largest distance between the switches of two end nodes then, as another program counted
# (tests/data/topologies/faults.txt).
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# table FABRIC COUNT: sets, connected ones, and the number of these for each largest distance between switches.
table() {
  local spare
  for spare in 15 14 13 12; do # the most virtual channels that detours around faults may need
    "$RIPSTOP" prove "$1" --method "minimal:spare=$spare" --count "$2" --all --no-symmetry --paths --json >proofs 2>why && break
    grep -q 'at most 16 are possible' why || break
  done
  awk '/^[{]"faults"/ {
         sets++
         if (!/"disconnected_pairs":0,/) next
         if (!/"lost_pairs_some_choice":0,/) print "a pair is lost: " $0
         connected++
         match($0, /"shortest_max":[0-9]+/)
         far = substr($0, RSTART + 15, RLENGTH - 15) - 2 # without the links to the end nodes
         count[far]++
         if (far > most) most = far
       }
       END {
         for (far = 0; far <= most; far++) if (count[far]) list = list (list ? "," : "") far ":" count[far]
         print sets + 0, connected + 0, list ? list : "-"
       }' proofs
}

while read -r fabric dead counted; do
  is=$(table "$fabric" "$dead")
  [ "$is" = "$counted" ] || complain "$fabric, $dead dead: $is, not $counted $(cat why)"
done <"$RIPSTOP_SOURCE/tests/data/topologies/faults.txt"
finish
