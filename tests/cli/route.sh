#!/bin/bash
# ripstop route: tables of small fabrics as a summary, as files, entry by entry, as plain ports; and one-line errors.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

prints route kary-ntree:k=2,n=2 --method updown --entries --set '0/0/2 0/0/3 0/1/3' <<'END'
# updown on kary-ntree:k=2,n=2: 22 entries; candidates depend on the destination alone
# node	destination	candidates
end:0.0	0.1	0
end:0.0	1.0	0
end:0.0	1.1	0
end:0.1	0.0	0
end:0.1	1.0	0
end:0.1	1.1	0
end:1.0	0.0	0
end:1.0	0.1	0
end:1.0	1.1	0
end:1.1	0.0	0
end:1.1	0.1	0
end:1.1	1.0	0
switch:0/0	0.0	0
switch:0/0	0.1	1
switch:0/0	1.0	lost: no healthy up link
switch:0/0	1.1	lost: no healthy up link
switch:0/1	0.0	2
switch:0/1	0.1	2
switch:0/1	1.0	0
switch:0/1	1.1	1
switch:1/0	0.0	lost: the one down link is dead
switch:1/0	0.1	lost: the one down link is dead
END

prints route kary-ntree:k=2,n=2 --method=uturn --ports <<'END'
# uturn on kary-ntree:k=2,n=2: ports for the destinations
# switch	0.0	0.1	1.0	1.1
0/0	0	1	2	3
0/1	2	3	0	1
1/0	0	-	1	-
1/1	-	0	-	1
END

# ranks, rooms, headers, and everything by name
"$RIPSTOP" route torus:3x3 --method minimal-adaptive --entries >ranks
grep -qx $'switch:0.0\t1.0\t2.2 | 2.1' ranks || complain "no ranks: $(grep 'switch:0.0' ranks)"
"$RIPSTOP" route torus:3x3 --method immunet --entries >rooms
grep -qx $'switch:0.0\t1.1\t4\t0.1+ 2.1+ | 0.0+' rooms || complain "no rooms: $(grep 'switch:0.0' rooms)"
echo '# the one set
0/0/2' >faults.txt
"$RIPSTOP" route kary-ntree:k=2,n=2 --method uturn --faults faults.txt --entries --json -o out.json || complain "no JSON"
head -1 out.json | grep -qxF '{"fabric":"kary-ntree:k=2,n=2","method":"uturn","channels":2,"depend_on":["port"],"ports_depend_on":["port"],"one_port":true,"entries":[' ||
  complain "another head: $(head -1 out.json)"
grep -qF '{"kind":"switch","node":"0/1","destination":"0.0","port":2,"ways":[{"port":3,"channel":1,"header":"0x1","rank":0,"space":1}]}' out.json ||
  complain "another entry: $(grep '"node":"0/1","destination":"0.0"' out.json)"
[ "$(grep -c '"destination"' out.json)" -eq 34 ] || complain "not 34 entries"
[ "$(grep -c '"kind":"end".*"port":null,"ways"' out.json)" -eq 12 ] || complain "end nodes have ports to come in on"
"$RIPSTOP" route kary-ntree:k=2,n=2 --method uturn --set 0/0/2 --entries --json | cmp - out.json || complain "--set is not --faults"

refused "route: --method is missing" route torus:3x3
refused "did you mean 'updown'" route torus:3x3 --method updwn
refused "no plain forwarding table, ports depend on the input port" route kary-ntree:k=2,n=2 --method uturn --set 0/0/2 --ports
refused "no plain forwarding table, packets may choose between ports" route kary-ntree:k=2,n=2 --method updown --ports
refused "more than 10 entries" route kary-ntree:k=2,n=2 --method updown --entries --limit 10
refused "--limit: 'x' is not a whole number" route torus:3x3 --method dor --ports --limit x
refused "--ports and --json exclude each other" route torus:3x3 --method dor --ports --json
refused "--faults and --set exclude each other" route torus:3x3 --method dor --faults faults.txt --set ''
refused "--set: no link '9/9'" route torus:3x3 --method dor --set 9/9
printf '0/0/2\n0/0/3\n' >two.txt
refused "two.txt has 2 fault sets" route kary-ntree:k=2,n=2 --method updown --faults two.txt
refused "no/such/folder: " route torus:3x3 --method dor --ports -o no/such/folder
refused "ports depend on the input port" route kary-ntree:k=2,n=2 --method uturn --set 0/0/2
refused "packets may choose between ports" route kary-ntree:k=2,n=2 --method updown
refused "--dry-run and --ports exclude each other: --dry-run makes whole tables" route torus:3x3 --method dor --ports --dry-run
refused "route: --limit needs --entries or --ports" route torus:3x3 --method dor --limit 3
refused "none: No such file" route torus:3x3 --method dor --after none

# the tables: a summary, the same as JSON, and files that are read back; two channels by SLs and VLs
dor=dor:dateline=on,halfway=parity
prints route torus:8x8 --method $dor <<'END'
torus:8x8
  pairs      4032, of which 0 are lost
  paths      64 on the worst link, 64 whatever the routing; 99 % of the links carry at most 64
  hops       4.063 between switches on average, 4.063 on shortest paths; 8 at most
  VLs        2
  deadlock   impossible with credits or PFC: no queues can wait for each other alone
END
"$RIPSTOP" route torus:8x8 --method $dor -o tables --json >summary || complain "no tables"
sed 's/"seconds":[^,]*/"seconds":0/' summary | grep -qxF '{"pairs":4032,"lost_pairs":0,"disconnected_pairs":0,"worst_link_paths":64,"bound":64,"p99_link_paths":64,"mean_hops":4.06349206,"minimum_hops":4.06349206,"max_hops":8,"credit_loop":false,"credit_loop_without_bubble":false,"deadlock":"impossible with credits or PFC: no queues can wait for each other alone","lanes":2,"seconds":0,"changed_entries":null,"changed_dead_entries":null,"changed_sls":null,"changed_sl2vls":null,"steps":null,"new_plan_worst_link_paths":null,"old_levels_known":null,"why_anew":null}' ||
  complain "another summary: $(cat summary)"
[ "$(echo $(ls tables))" = "lfts.dump sl.dump sl2vl.dump summary.json" ] || complain "other files: $(ls tables)"
[ "$(grep -vc '^#' tables/sl.dump)" -eq 4032 ] || complain "not a level for each pair"
[ "$(grep -cE '^0x[0-9a-f]{16} [0-9]+ [0-9]+( 0x[0-9a-f]{2}){8}$' tables/sl2vl.dump)" -eq $((64 * 5 * 5 + 64)) ] ||
  complain "not all ports have lanes"

# read back, also on the net file, they do the same
"$RIPSTOP" fabric torus:8x8 --net >torus.net
"$RIPSTOP" judge torus:8x8 --tables tables/lfts.dump --json >judged
"$RIPSTOP" judge torus.net --tables tables/lfts.dump --json >net
grep -q '"worst_link_paths":64,' judged || complain "read back they are other tables: $(cat judged)"
sed 's/"witness":"[^"]*","name":"[^"]*"//' judged >a
sed 's/"witness":"[^"]*","name":"[^"]*"//' net | cmp - a || complain "on the net file they are other tables: $(cat net)"

# a net file without the failed parts
"$RIPSTOP" fabric torus:8x8 --net --set 'switch:0.0 1.1/0' >dead.net
[ "$(grep -c '^Switch' dead.net)" -eq 63 ] || complain "a dead switch is in the net file"
[ "$(grep -c '^\[' dead.net)" -eq $((2 * (192 - 6))) ] || complain "not all that is dead is missing: $(grep -c '^\[' dead.net)"

# nothing is written that can deadlock
"$RIPSTOP" route torus:8x8 --method dor:halfway=parity -o cyclic >out 2>error && complain "tables that can deadlock are fine"
grep -q "route: deadlock possible with credits or PFC: the switches that load these tables have credits alone, so nothing is written" error && [ ! -e cyclic ] ||
  complain "tables that can deadlock were written: $(cat error)"
"$RIPSTOP" route torus:8x8 --method dor:halfway=parity --anyway -o cyclic >out 2>error
[ $? -eq 1 ] && [ -s cyclic/lfts.dump ] && grep -q "deadlock   possible" out || complain "--anyway does not write tables that can deadlock: $(cat error)"
refused "route: --anyway needs --output" route torus:8x8 --method dor --anyway

# old tables and new ones
"$RIPSTOP" route torus:8x8 --method $dor --after tables --json | grep -q '"changed_entries":0,' || complain "something changed"
mkdir mended
echo stale >mended/lfts.step1.dump
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 -o mended >/dev/null || complain "no tables by mend"
[ ! -e mended/lfts.step1.dump ] || complain "the first step of another update stays"
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after mended --json | grep -qE '"changed_entries":0,"changed_dead_entries":0,"changed_sls":0,"changed_sl2vls":0,"steps":0,"new_plan_worst_link_paths":[0-9]+,"old_levels_known":true,"why_anew":null}' ||
  complain "read back they are others"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 -o one >/dev/null || complain "no tables by mend on one lane"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 --set 1.1/0 --after one >change
grep -qxE ' +made +from the old tables' change && grep -qE 'change +[1-9][0-9]? of 512 entries .* 0 service levels' change ||
  complain "a failed link changes more than it must: $(cat change)"

# tables of another fabric: counted GUIDs fit, names do not; of a dump some switches; none of all that are in a folder
"$RIPSTOP" fabric torus:4x4 --net >small.net
refused "tables/lfts.dump:265: tables of another fabric: 0x0002c90200000004 is the switch '0.4' here, and '1.0' in torus:4x4" \
  route torus:4x4 --method mend --after tables
"$RIPSTOP" route small.net --method mend --after tables --dry-run >change 2>error || complain "some switches in common: exit code $?"
grep -q ':1057: 48 of 64 tables belong to switches that the fabric does not have' error || complain "strange switches are not counted: $(cat error)"
grep -q ' now, and [1-9][0-9]* pairs are lost$' change || complain "what the old tables lose is not told: $(cat change)"
sed 's/0002c90/0002c91/g' small.net >other.net
refused "tables/lfts.dump:1: no table in it is for a switch of this fabric: 64 for others, the first for 0x0002c90200000000" \
  route other.net --method mend --after tables

# tables for a fabric, a file for a folder, and LIDs that a dump does not list
refused "tables/lfts.dump:1: this looks like forwarding tables (opensm-lfts.dump, dump_lfts), which is no fabric" route tables/lfts.dump --method mend
refused "-o small.net: is no folder, and tables are several files" route small.net --method mend -o small.net
"$RIPSTOP" route small.net --method mend -o told 2>error >change || complain "not routed: $(cat error)"
[ ! -s error ] || complain "the net's own LIDs are not used: $(cat error)"
sed 's/# lid 7 lmc 0/# lid 6 lmc 0/' small.net >same.net
"$RIPSTOP" route same.net --method mend -o told 2>error >change || complain "not routed: $(cat error)"
grep -qxF "ripstop: route: the files have LIDs of their own, since H-0002c90300000060[1] has none, too few or another node's" error ||
  complain "it is not told that LIDs are others: $(cat error)"

# disconnected pairs are pairs: of a node that is down, and of one whose switch is
for dead in end:0.0 switch:0.0; do
  "$RIPSTOP" route torus:4x4 --method mend:lanes=2 --set $dead --json | grep -q '^{"pairs":240,"lost_pairs":0,"disconnected_pairs":30,' ||
    complain "$dead: other pairs"
done

# which tables may stay: on no more VLs than are allowed, fewer stay fewer; --anew keeps none
"$RIPSTOP" route torus:4x4 --method mend:lanes=4 --after mended >change
grep -qxE ' +made +from the old tables' change && grep -qx '  VLs        2' change &&
  grep -qxE ' +scratch +the worst link of new tables would carry [0-9]+, on 4 virtual lanes' change || complain "two lanes do not stay two: $(cat change)"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 --after mended >change
grep -qxE ' +made +from scratch: mend: the old tables use 2 virtual lanes, more than lanes=1 allows' change &&
  ! grep -q '^  VLs        [^1]' change || complain "two lanes stay where one is allowed: $(cat change)"
"$RIPSTOP" route torus:4x4 --method mend:lanes=4 --after mended --anew --json >change
grep -q '"lanes":4,.*"changed_entries":[1-9].*"new_plan_worst_link_paths":null,"old_levels_known":true,"why_anew":null}' change || complain "--anew: $(cat change)"
"$RIPSTOP" route torus:4x4 --method mend:lanes=2,sl=pair -o pairs >/dev/null
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after pairs --json | grep -q '"why_anew":"mend: service levels of the old tables depend on the source' ||
  complain "levels by pair stay"
"$RIPSTOP" route torus:4x4 --method mend:lanes=2,sl=pair --after pairs --json | grep -q '"changed_entries":0,.*"changed_sls":0,.*"why_anew":null' || complain "levels by pair do not stay"
refused "--anew needs --after" route torus:4x4 --method mend --anew

# VLs of SLs (SL2VL) are written like entries: all on one VL can deadlock alone, turned about only together with the
# new
for bytes in 0x00 0x10; do
  rm -rf turned
  cp -r mended turned
  awk -v to=$bytes '{ for (i = NF - 7; i <= NF; i++) $i = to } { print }' mended/sl2vl.dump >turned/sl2vl.dump
  "$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after turned --json >change
  grep -q '"changed_entries":0,.*"changed_sls":0,"changed_sl2vls":[1-9][0-9]*,"steps":null,.*"why_anew":"m' change ||
    complain "lanes $bytes: $(cat change)"
done
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after turned >change
grep -qE '^  sl2vl      [1-9][0-9]* tables of virtual lanes change$' change &&
  grep -qF 'no order is safe with credits or PFC: packets on old service levels, or old virtual lanes of these (SL2VL), can deadlock under the new tables' change ||
  complain "lanes are turned about: $(cat change)"
"$RIPSTOP" judge torus:4x4 --tables turned --json | grep -q '"lanes": *2' || complain "turned about they are two lanes"

# the count has the VLs that packets take, not all that are allowed
"$RIPSTOP" route torus:2x9 --method mend:lanes=8,lmc=2 -o few --json >change
lanes=$(grep '^0x' few/sl.dump | cut -d' ' -f3 | sort -u | wc -l)
[ "$lanes" -lt 8 ] && grep -q "\"lanes\":$lanes," change || complain "lanes, of which packets take $lanes: $(cat change)"

# forwarding tables alone have no levels: nothing is said of theirs, and of writes only what holds for any
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after mended/lfts.dump >change 2>error
grep -qF 'service levels, if all are 0 now; the' change && grep -qF 'taken for all; then they can deadlock, which others may prevent' change &&
  grep -qF 'no order is known to be safe: with level 0 for all, the old tables can' change || complain "unknown levels: $(cat change)"
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 --after mended/lfts.dump --json 2>error | grep -q '"steps":null,.*"old_levels_known":false,"why_anew":"mend: packets to end nodes or switches can wait' ||
  complain "unknown levels in JSON"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 --set 1.1/0 --after one/lfts.dump >change
grep -qxE ' +made +from the old tables' change && grep -qxE ' +levels +those of the old tables are not given, so 0 is taken for all' change &&
  grep -qE '^ +writes +[12]' change || complain "tables that need no levels: $(cat change)"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 --set 1.1/0 --after one | grep -q '^  levels' && complain "levels that are given are not taken"
"$RIPSTOP" route torus:4x4 --method $dor --after one/lfts.dump 2>error | grep -qE '^ +writes +[12] with level 0 for all' || complain "lanes that change on the way are safe for any level"

"$RIPSTOP" route torus:4x4 --method mend --set 'switch:*' >out || complain "nothing is left: exit code $?"
grep -qE 'nan|hops' out && complain "hops where no pair has a path: $(cat out)"

# a budget, again and again, until nothing is to be won
dead='1.1/0 2.2/0 0.3/1 3.0/1 3.2/0' old=one sweeps=0
worst() { grep -o '"worst_link_paths":[0-9]*' change | head -1 | cut -d: -f2; }
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 --set "$dead" --after one -o repaired --json >change
first=$(worst) old=repaired
while [ $sweeps -lt 40 ]; do
  "$RIPSTOP" route torus:4x4 --method mend:lanes=1,budget=8 --set "$dead" --after $old -o better --json >change
  grep -qE '"changed_entries":[0-8],"changed_dead_entries":[0-8],"changed_sls":0,"changed_sl2vls":0,"steps":[01],' change || complain "a budget of 8 is not kept: $(cat change)"
  grep -q '"changed_entries":0,' change && break
  old=better sweeps=$((sweeps + 1))
done
[ $sweeps -gt 0 ] && [ $sweeps -lt 40 ] && [ "$(worst)" -lt "$first" ] || complain "$sweeps writes lead from $first to $(worst)"
refused "budget goes with sl=destination" route torus:4x4 --method mend:sl=pair,budget=8
"$RIPSTOP" route kary-ntree:k=3,n=2 --method uturn -o tree --dry-run >dry || complain "no dry run"
[ ! -e tree ] || complain "a dry run wrote files"
"$RIPSTOP" route kary-ntree:k=3,n=2 --method uturn -o tree >dry
sed -E 's/^(0x0009 )00[456]/\1005/' tree/lfts.dump >other
"$RIPSTOP" route kary-ntree:k=3,n=2 --method uturn --after other >change
grep -qE 'change +[1-9][0-9]* of 54 entries .* 0 service levels, if all are 0 now; the worst link carries [0-9]+ now' change &&
  grep -qxE ' +writes +1' change || complain "another change: $(cat change)"

# Entries with several ports: a link carries parts of paths.
"$RIPSTOP" route jellyfish:n=10,r=4 --method bgp >out
grep -q 'paths      6.25 on the worst link, 5 whatever the routing; 99 % of the links carry at most 6.25$' out || complain "parts of paths: $(cat out)"
"$RIPSTOP" route jellyfish:n=10,r=4 --method bgp --json >out
grep -q '"worst_link_paths":6.25,"bound":5,"p99_link_paths":6.25,' out || complain "parts of paths in JSON: $(cat out)"

finish
