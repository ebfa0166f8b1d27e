#!/bin/bash
# Compares OpenSM's engines and the plug-in under the same failures and repairs of cables and switches: runs
# tools/opensm-live.sh for one engine after the other on one net, and prints a row for each.
#
# usage: tools/bench-live.sh NET FOLDER CHANGES [ENGINE...]    NET: an ibnetdiscover or ibsim file
#   NET.torus beside it is the configuration of torus-2QoS. The program $RIPSTOP has its plug-in beside it; OPTIONS for it.
#
# Columns: engine; lost pairs, summed over all states, and states that lose any; states with a credit loop; states with
# answers that ibdmchk did not understand, or with SLs or VLs other than those of saquery and smpquery; states with tables in
# switches other than OpenSM's (every tenth state is compared); refusals; fall-backs to minhop, which only OpenSM's log
# reports; exits of OpenSM; changed entries per change; processor milliseconds of OpenSM per change.
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
