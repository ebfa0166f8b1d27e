#!/bin/bash
# Routes a net with each engine of stock OpenSM, and prints the result of `ripstop judge` for each: one line per engine. The column
# `ibdmchk` shows whether ibdmchk agrees on pairs and credit loops; `-`: it was not run, since it is not installed, tables lose
# pairs, or the engine uses several VLs. The last column counts the entries in which the tables of the method opensm-ENGINE
# differ; `-`: there is no such method; `refuses`: it does not apply here.
#
# Unreached are pairs that a path connects. Instead of numbers: `refuses`, `crashes` (OpenSM ends by a signal) or `stopped` (after
# $LIMIT seconds).
#
# usage: tools/opensm-engines.sh NET ROOTS [ENGINE...]     NET: an ibnetdiscover or ibsim file, or its gzip; ROOTS: a file of
#        GUIDs for the engines whose name ends with -roots, or ''. The program is $RIPSTOP, or `ripstop`; torus-2QoS reads the
#        file $TORUS. nue-all: nue with as many VLs as there are; lash-mesh: lash with its analysis of meshes.
#
# Exit code 77: a program is missing (Debian: opensm ibsim-utils libopensm-dev).
set -eu -o pipefail
[ $# -ge 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
net=$1 roots=$2 ripstop=${RIPSTOP:-ripstop} scratch=$(mktemp -d)
shift 2
trap 'rm -rf "$scratch"' EXIT
[ $# -gt 0 ] || set -- minhop updn updn-roots dnup ftree ftree-roots dor sssp dfsssp lash nue
value() { grep -o "\"$1\":[a-z0-9.]*" "$scratch/verdict" | head -1 | cut -d: -f2; }

# options_of ENGINE: what stock OpenSM is given besides
options_of() {
  case $1 in
    *-roots) echo -a "$roots" ;;
    nue-all) echo --nue_max_num_vls 0 ;;
    lash-mesh) echo --do_mesh_analysis ;;
    torus-2QoS) echo --torus_config "$TORUS" ;;
  esac
}

printf '%-12s %10s %10s %10s %8s %6s  %-11s %-7s %s\n' engine unreached worst mean-hops max-hops lanes credit-loop ibdmchk others

# check_pairs TABLES: the result of ibdmchk on all pairs, compared with the verdict.
check_pairs() {
  local loop=true
  [ "$levels" = no ] && [ "$(value unreachable_pairs)" = 0 ] && command -v ibdmchk >/dev/null || { echo -; return; }
  (cd "$1" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs >ibdmchk.out 2>&1) || true # it may crash at its very end
  ! grep -q "no credit loops found" "$1/ibdmchk.out" || loop=false
  grep -q "Scanned:$(value pairs) CA to CA paths" "$1/ibdmchk.out" && [ "$loop" = "$(value credit_loop)" ] && echo agrees || echo differs
}

# other_entries ENGINE TABLES: of the method that makes the same tables
other_entries() {
  local method=opensm-${1%-roots} changed
  "$ripstop" methods "$method" >"$scratch/method" 2>&1 || { echo -; return; }
  [ "$1" = "${1%-roots}" ] || method+=":roots=$roots"
  changed=$("$ripstop" judge "$net" --method "$method" --before "$2" --json 2>/dev/null | grep -o '"changed_entries":[0-9]*' || true)
  changed=${changed##*:}
  echo "${changed:-refuses}"
}

for engine in "$@"; do
  read -ra options <<<"-Q $(options_of "$engine")"
  tables=$scratch/$engine status=0 name=${engine%-roots} levels=yes
  name=${name%-all} name=${name%-mesh}
  case $name in minhop | updn | dnup | ftree | dor | sssp) levels=no ;; esac # all paths have service level 0
  LEVELS=$levels "$(dirname "$0")/opensm-tables.sh" "$net" "$name" "$tables" "${options[@]}" >"$scratch/log" 2>&1 || status=$?
  [ $status -ne 77 ] || { cat "$scratch/log"; exit 77; }
  case $status in
    0) ;;
    3) printf '%-12s stopped\n' "$engine"; continue ;;
    4) printf '%-12s crashes\n' "$engine"; continue ;;
    *) printf '%-12s refuses\n' "$engine"; continue ;;
  esac
  files=("$tables"/opensm-lfts.dump "$tables"/opensm-sl2vl.dump)
  [ ! -e "$tables/opensm-path-records.dump" ] || files+=("$tables/opensm-path-records.dump")
  "$ripstop" judge "$net" --tables "${files[@]}" --json >"$scratch/verdict" || [ $? -eq 1 ]
  printf '%-12s %10s %10s %10.3f %8s %6s  %-11s %-7s %s\n' "$engine" $(($(value unreachable_pairs) - $(value disconnected_pairs))) "$(value worst_link_paths)" \
    "$(value mean_hops)" "$(value max_hops)" "$(value lanes)" "$(value credit_loop)" "$(check_pairs "$tables")" \
    "$(other_entries "$engine" "$tables/opensm-lfts.dump")"
  rm -rf "$tables"
done
