#!/bin/bash
# What OpenSM's engines and the plug-in do while the same cables and switches go and come back: tools/opensm-live.sh for
# one engine after the other on one net, as the rows of a table.
#
# usage: tools/bench-live.sh NET FOLDER CHANGES [ENGINE...]    NET: an ibnetdiscover or ibsim file
#   NET.torus beside it is the configuration of torus-2QoS. The program $RIPSTOP has its plug-in beside it; OPTIONS for it.
#
# Columns: engine; pairs that are lost, summed over all states, and states that lose any; states with a credit loop; with
# answers that ibdmchk did not understand, or levels or lanes other than saquery's and smpquery's; with tables in
# switches other than OpenSM's (each tenth is looked at); refusals; fall-backs to minhop, of which only OpenSM's log
# tells; how often OpenSM ended; entries that changed a change; processor milliseconds of OpenSM a change.
# Exit code 77: a program is missing.
set -eu -o pipefail
[ $# -ge 3 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
net=$1 folder=$2 changes=$3
shift 3
[ $# -gt 0 ] || set -- ripstop minhop updn dnup ftree dor sssp dfsssp lash nue torus-2QoS
mkdir -p "$folder"
echo "| engine | pairs lost | states with lost pairs | with a credit loop | not known | other tables | refusals | fall-backs | ends | entries a change | ms a change |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for engine in "$@"; do
  options='' status=0
  [ "$engine" != torus-2QoS ] || [ ! -e "$net.torus" ] || options="--torus_config $(realpath "$net.torus")"
  OPENSM_OPTIONS=$options LOOKS=${LOOKS:-3} READ_BACK=${READ_BACK:-10} \
    "$(dirname "$0")/opensm-live.sh" "$net" "$engine" "$folder/$engine" "$changes" >"$folder/$engine.log" 2>&1 || status=$?
  [ "$status" -ne 77 ] || { cat "$folder/$engine.log"; exit 77; }
  [ -e "$folder/$engine/sums" ] || { echo "| $engine | see $folder/$engine.log |"; continue; }
  awk '{ printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %.1f | %.1f |\n", $1, $3, $4, $5, $6, $7, $8, $9, $10,
         $11 / ($2 ? $2 : 1), $12 / ($2 ? $2 : 1) }' "$folder/$engine/sums"
done
