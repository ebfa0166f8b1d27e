#!/bin/bash
# Stock OpenSM with the plug-in, while cables and switches of a simulated fabric go and come back: ibdmchk finds all pairs
# and no credit loop after each change, with service levels by destination and by pair, and the switches have the tables
# that OpenSM means. A restart changes nothing, and wrong options are refused in its log. Two LIDs a port have routes of
# their own. tools/opensm-live.sh does more of them.
# Skipped (exit code 77) where opensm, ibsim, ibutils, infiniband-diags or the headers of OpenSM are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk dump_lfts saquery smpquery; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done
[ -e "$(dirname "$RIPSTOP")/libripstop-opensm.so" ] || skip "the plug-in was not built: tools/install-deps.sh --test"
live=$RIPSTOP_SOURCE/tools/opensm-live.sh

"$RIPSTOP" fabric torus:3x3 --net >torus.net
"$live" torus.net ripstop torus 3 5 >torus.out 2>torus.err || complain "torus: $(cat torus.out torus.err)"
[ "$(grep -c 'ripstop: became master; .*; planned, 72 pairs, 0 lost' torus/osm.log)" -ge 1 ] || complain "no plan: $(grep ripstop torus/osm.log)"
[ "$(cut -f 3-5 torus.out | head -1)" = $'72\t0\tno' ] || complain "ibdmchk saw something else: $(cat torus.out)"

"$RIPSTOP" fabric kary-ntree:k=2,n=2 --net >tree.net
OPTIONS=lanes=1 "$live" tree.net ripstop tree 0 >tree.out 2>&1 || complain "tree: $(cat tree.out)"
mv tree/osm.log first.log
OPTIONS=lanes=1 "$live" tree.net ripstop tree 0 >tree.out 2>&1 || complain "tree again: $(cat tree.out)"
grep -q 'ripstop: became master; switches hold no entries; ripstop.tables (generation 1 by .*); restored, 12 pairs, 0 lost, .* 32 entries and 0 service levels changed' tree/osm.log ||
  complain "a restart with empty switches does not restore the file: $(grep ripstop: tree/osm.log)"
# the plug-in's file, as others read it: the restart, on paper
"$RIPSTOP" route tree.net --method mend:lanes=1 --after tree/ripstop.tables --json >paper || complain "the file is not read: $(cat paper)"
grep -q '"changed_entries":0,.*"changed_sls":0,"changed_sl2vls":0,"steps":0,"new_plan_worst_link_paths":[0-9]*,"old_levels_known":true' paper || complain "a restart changes something on paper: $(cat paper)"
head -c 100 tree/ripstop.tables >cut
refused "cut: damaged, or of another version" judge tree.net --tables cut
refused "no table in it is for a node of this fabric" judge "$RIPSTOP_SOURCE/tests/data/ib/small-clean.ibnetdiscover" --tables tree/ripstop.tables

LMC=1 OPTIONS=lanes=2 "$live" torus.net ripstop several 1 5 >several.out 2>several.err || complain "two LIDs a port: $(cat several.out several.err)"
[ "$(cut -f 3-5 several.out | head -1)" = $'144\t0\tno' ] || complain "two LIDs a port: ibdmchk saw something else: $(cat several.out)"
grep -q '^pairs 144 lost 0 .* loop no ways 1' several/walk.out || complain "walked: $(cat several/walk.out)"

# levels by pair: those of one source are not another's (taken for them, ibdmchk would find a loop that is none after the second change)
"$RIPSTOP" fabric hyperx:3x3 --net >hyperx.net
OPTIONS='lanes=2 sl=pair' "$live" hyperx.net ripstop pairs 2 78 >pairs.out 2>pairs.err || complain "levels by pair: $(cat pairs.out pairs.err)"
[ "$(cut -f 3-5 pairs.out | head -3 | sort -u)" = $'72\t0\tno' ] || complain "levels by pair: ibdmchk saw something else: $(cat pairs.out)"
awk '{ if ($2 in level && level[$2] != $3) both = 1; level[$2] = $3 } END { exit !both }' pairs/psl || complain "levels by pair are not by pair"
mkdir seen # OpenSM's dump and answers, against the plug-in's file
cp pairs/opensm-lfts.dump seen/lfts.dump
cp pairs/psl seen/sl.dump
for tables in seen pairs/ripstop.tables; do "$RIPSTOP" judge hyperx.net --tables $tables --json >"verdict.${tables%%/*}"; done
grep -q '"pairs":72,"unreachable_pairs":0,.*"lanes":2' verdict.seen && cmp -s verdict.seen verdict.pairs ||
  complain "the file has other tables than OpenSM: $(cat verdict.seen verdict.pairs)"

printf 'Ca 1 "H-01"\n\nCa 1 "H-01"\n' >twice.net
"$live" twice.net ripstop twice 0 >twice.out 2>&1 && complain "an adapter twice is fine: $(cat twice.out)"
grep -q '^ibsim does not read the net: ibwarn: .* already exists' twice.out || complain "not told: $(cat twice.out)"

QUIET=0 OPTIONS=lanes=99 timeout 60 "$live" tree.net ripstop wrong 0 >wrong.out 2>&1 && complain "lanes=99 is fine: $(cat wrong.out)"
grep -q "ripstop: ERR R002: event_plugin_options: .*lanes" wrong/osm.log || complain "no refusal: $(cat wrong/osm.log)"
finish
