#!/bin/bash
# Stock OpenSM on simulated fabrics: what `ripstop judge` says of its tables is what ibdmchk says of them. Two findings are
# kept: min-hop has credit loops on a torus, and up/down with hand-given roots has one on a random graph. And OpenSM
# loads what `ripstop route` writes.
# Skipped (exit code 77) where opensm, ibsim and ibutils are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done
nets=$RIPSTOP_SOURCE/tests/data/nets

# engine NET ENGINE LOOP [OPTIONS...]: all pairs are reached, and there is a credit loop or not, by both.
engine() {
  local net=$1 name=$2 loop=$3 folder=$1-$2
  shift 3
  "$RIPSTOP_SOURCE/tools/opensm-tables.sh" "$nets/$net.net.gz" "$name" "$folder" "$@" >"$net-$name.log" 2>&1 ||
    { complain "opensm has no tables for $net by $name: $(cat "$net-$name.log")"; return; }
  "$RIPSTOP" judge "$nets/$net.net.gz" --tables "$folder/opensm-lfts.dump" --json >verdict
  grep -q '"unreachable_pairs":0,' verdict || complain "$net, $name: pairs are lost: $(cat verdict)"
  grep -q "\"credit_loop\":$loop," verdict || complain "$net, $name: credit loop is not $loop: $(cat verdict)"
  (cd "$folder" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs >ibdmchk.out 2>&1) # it may crash at its very end
  local pairs
  pairs=$(grep -o '"pairs":[0-9]*' verdict | cut -d: -f2)
  grep -qE "Scanned:$pairs CA to CA paths" "$folder/ibdmchk.out" ||
    complain "$net, $name: ibdmchk did not scan $pairs paths: $(grep -i scanned "$folder/ibdmchk.out")"
  local clean=no
  grep -q "no credit loops found" "$folder/ibdmchk.out" && clean=yes
  [ "$loop-$clean" = true-no ] || [ "$loop-$clean" = false-yes ] ||
    complain "$net, $name: ibdmchk on credit loops says otherwise: $(grep -i 'credit' "$folder/ibdmchk.out" | head -3)"
}

engine ktree-4-3-5 minhop false
engine torus-8x8-5 minhop true

engine rand-128-8-4-0 updn true -a "$nets/rand-128-8-4.roots"

# loads SPEC METHOD: OpenSM takes the tables that ripstop writes as they are, and ibdmchk, which is given their SLs
# and VLs, finds every path and no credit loop.
loads() {
  local spec=$1 method=$2 pairs
  rm -rf written loaded # OpenSM keeps the LIDs of an earlier fabric
  "$RIPSTOP" route "$spec" --method "$method" -o written --json >summary || complain "$spec: no tables by $method"
  "$RIPSTOP" fabric "$spec" --net >net
  "$RIPSTOP" fabric net >/dev/null || complain "$spec: its net file is no fabric"
  "$RIPSTOP_SOURCE/tools/opensm-tables.sh" net file loaded -U "$PWD/written/lfts.dump" >loaded.log 2>&1 ||
    { complain "opensm does not load the tables for $spec: $(cat loaded.log)"; return; }
  sed 's/lids \[[^]]*\]//' written/lfts.dump | grep -E '^Unicast|Channel Adapter' >ours
  sed 's/lids \[[^]]*\]//' loaded/opensm-lfts.dump | grep -E '^Unicast|Channel Adapter' >theirs
  cmp -s ours theirs || complain "$spec: opensm has other tables: $(diff ours theirs | head -5)"
  (cd loaded && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs -c ../written/sl.dump -d ../written/sl2vl.dump) \
    >ibdmchk.out 2>&1 # it may crash at its very end
  pairs=$(grep -o '"pairs":[0-9]*' summary | cut -d: -f2)
  grep -qE "Scanned:$pairs CA to CA paths" ibdmchk.out && grep -q "no credit loops found" ibdmchk.out ||
    complain "$spec: ibdmchk says otherwise: $(grep -iE 'scanned|credit|-E-' ibdmchk.out | head -3)"
}
loads torus:6x6 dor:dateline=on,halfway=parity
loads kary-ntree:k=3,n=3 uturn
loads torus:6x6 mend:lanes=4,sl=pair

# lash FOLDER [FAULT]: LASH's tables with their levels for the torus net without a failed cable.
lash() {
  "$RIPSTOP" fabric torus:8x8 --net ${2:+--set $2} >net
  "$RIPSTOP_SOURCE/tools/opensm-tables.sh" net lash "$1" -Q >"$1.log" 2>&1 || complain "no tables by LASH: $(cat "$1.log")"
  awk 'function number(hex,  i, n) { # "0x0041"
         for (i = 3; i <= length(hex); i++) n = 16 * n + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
         return n
       }
       /^Channel/ { guid = $3; sub(/.,$/, "0", guid) }
       /^0x/ { print guid, number($1), $3 }' "$1/opensm-path-records.dump" >"$1/psl"
}
# loops FOLDER PSL: what ibdmchk says of a folder's tables with these levels.
loops() {
  (cd "$1" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs -c "../$2" >ibdmchk.out 2>&1)
  grep -q "Scanned:4032 CA to CA paths" "$1/ibdmchk.out" || complain "ibdmchk did not scan LASH's tables"
  grep -q "no credit loops found" "$1/ibdmchk.out" && echo no || echo yes
}
lash old
lash new 3.3/0
tables=(new/opensm-lfts.dump new/opensm-path-records.dump new/opensm-sl2vl.dump)
"$RIPSTOP" judge net --tables "${tables[@]}" --before old/opensm-lfts.dump --before old/opensm-path-records.dump \
  --before old/opensm-sl2vl.dump --json >verdict
grep -q '^{"pairs":4032,"unreachable_pairs":0,.*"credit_loop":false,.*"witness":null' verdict ||
  complain "LASH by itself: $(cat verdict)"
grep -qE '"credit_loop":true,"witness":"S[^"]* VL [^"]*","old_levels_credit_loop":true,"old_levels_witness":"S-[^"]* VL ' verdict ||
  complain "LASH's new tables are safe with the old levels: $(cat verdict)"
[ "$(loops new new/psl)" = no ] || complain "ibdmchk finds a credit loop with LASH's own levels"
[ "$(loops new old/psl)" = yes ] || complain "ibdmchk finds no credit loop with the old levels"
finish
