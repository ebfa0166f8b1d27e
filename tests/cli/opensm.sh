#!/bin/bash
# Stock OpenSM on simulated fabrics: what `ripstop judge` says of its tables is what ibdmchk says of them. Two findings are
# kept: min-hop has credit loops on a torus, and up/down with hand-given roots has one on a random graph. And OpenSM
# loads what `ripstop route` writes.
# Skipped (exit code 77) where opensm, ibsim and ibutils are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
for program in opensm ibsim ibdmchk; do
  command -v $program >/dev/null || { echo "$program is missing: tools/install-deps.sh --ci"; ended=yes; exit 77; }
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

# loads SPEC METHOD: OpenSM takes the tables that ripstop writes as they are, and ibdmchk, which is given their service
# levels and lanes, finds every path and no credit loop.
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
finish
