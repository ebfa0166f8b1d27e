#!/bin/bash
# Makes the net and the tables beside it again: stock OpenSM (3.3.23) on ibsim, whole and without one cable. The tables are
# the same lines as long as OpenSM is the same.
set -eu
cd "$(dirname "$0")"
ripstop=${RIPSTOP:-ripstop} scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$ripstop" fabric kary-ntree:k=4,n=3 --net >"$scratch/tree.net"
"$ripstop" fabric kary-ntree:k=4,n=3 --net --set 0/0.0/4 >"$scratch/dead.net"
awk '/^Switch/ && /# "2\// { gsub(/"S-|"/, "", $3); print "0x" $3 }' "$scratch/tree.net" >"$scratch/roots"
SIM_HOST=$(awk -F'"' '/^Switch/ { print $2; exit }' "$scratch/tree.net") # OpenSM ran on the first leaf, so that LIDs begin there
export SIM_HOST
for engine in ftree minhop; do
  roots=()
  [ $engine != ftree ] || roots=(-a "$scratch/roots")
  ../../tools/opensm-tables.sh "$scratch/tree.net" $engine "$scratch/$engine" "${roots[@]}"
  ../../tools/opensm-tables.sh "$scratch/dead.net" $engine "$scratch/$engine-new" "${roots[@]}"
  gzip -9nc "$scratch/$engine/opensm-lfts.dump" >$engine.lfts.gz
  gzip -9nc "$scratch/$engine-new/opensm-lfts.dump" >$engine-new.lfts.gz
done
gzip -9nc "$scratch/tree.net" >tree.net.gz
