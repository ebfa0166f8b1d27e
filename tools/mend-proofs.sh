#!/bin/bash
# Checks the claims of `mend` with the prover on small fabrics: every connected pair is delivered, and deadlock and livelock are
# impossible, for every set of up to 3 failed links between switches, and for random larger sets and sets of failed switches.
# The suite (tests/conformance) checks all sets up to 2 and smaller samples.
#
# usage: tools/mend-proofs.sh [SETS]     random SETS in all, by default 100,000
#   environment: RIPSTOP, the program
#
# Columns: fabric, method, failed parts, sets, connected pairs of end nodes in them, lost pairs among these, sets under which
# deadlock or livelock is possible. Exit code 1 if a claim does not hold.
set -eu -o pipefail
cd "$(dirname "$0")/.."
ripstop=${RIPSTOP:-build/ripstop}
sets=${1:-100000}
fabrics='kary-ntree:k=2,n=2 kary-ntree:k=2,n=3 kary-ntree:k=3,n=2 mport-ntree:m=4,n=2 torus:5 torus:3x3 torus:4x4 torus:2x3x2
  torus:3x2,p=2 kns:k=3,n=2 kns:k=2,n=3 dragonfly:a=2,p=1,h=1 hyperx:3x2,k=2 mesh:3x2 polarfly:2 jellyfish:n=6,r=3'
methods='mend:lanes=1 mend:lanes=2 mend:lanes=2,sl=pair mend:lanes=2,lmc=1 mend:adaptive'
drawn='4 6 9 switches'

wrong=0 total=0

# prove FABRIC METHOD WHAT FLAG...
prove() {
  local fabric=$1 method=$2 what=$3 row
  shift 3
  row=$("$ripstop" prove "$fabric" --method "$method" --workers 1 --json "$@" | awk -F'[:,]' '
    function number(name) { match($0, "\"" name "\":[0-9]+"); return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 }
    /^{"faults"/ { sets++; joined += number("pairs") - number("disconnected_pairs")
      lost += number("lost_pairs_some_choice") - number("disconnected_pairs"); bad += /"livelock_free":false/ || /"deadlock_free":false/ || !/"tolerated"/ }
    END { printf "%d\t%d\t%d\t%d", sets, joined, lost, bad }')
  printf '%s\t%s\t%s\t%s\n' "$fabric" "$method" "$what" "$row"
  total=$((total + $(cut -f 1 <<<"$row")))
  case $row in *$'\t0\t0') ;; *) wrong=1 ;; esac
}

printf 'fabric\tmethod\tdead\tsets\tjoined pairs\tlost\tdeadlocks or loops\n'
each=$((sets / ($(wc -w <<<"$fabrics") * $(wc -w <<<"$methods") * $(wc -w <<<"$drawn")) + 1))
for fabric in $fabrics; do
  links=$("$ripstop" fabric "$fabric" | sed -n 's/.* \([0-9]*\) between switches.*/\1/p')
  for method in $methods; do
    for count in 1 2 3; do [ "$count" -gt "$links" ] || prove "$fabric" "$method" "all $count" --count "$count" --all; done
    for count in $drawn; do
      case $count in
        switches) prove "$fabric" "$method" "2 switches" --count 2 --scope switches --samples $each ;;
        *) prove "$fabric" "$method" "$count" --count $((count < links ? count : links)) --samples $each ;;
      esac
    done
  done
done
echo "$total sets"
exit $wrong
