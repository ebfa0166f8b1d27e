#!/bin/bash
# ripstop what-if: the page of a fabric with 1,600 adapters and twelve odd cables shows all twelve, in its list and in its
# drawing; groups of parts; which cables to mend first; leaves; tables where none are given.
# Slow: large fabrics.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ib

# Two levels: 80 leaves with 20 hosts and a cable to each of 20 spines: leaf L's port 20+S, spine S's port L.
# With an argument, a quarter of the leaves have 15 hosts, and no cable is a half link.
make() {
awk -v few="$1" '
function leaf(l) { return sprintf("S-00aa0000000001%02x", l) }
function spine(s) { return sprintf("S-00aa0000000002%02x", s) }
function host(h) { return sprintf("H-00bb00000000%04x", h) }
function cable(a, p, b, q, speed) { end(a, p, b, q, speed); end(b, q, a, p, speed) }
function end(a, p, b, q, speed) { to[a, p] = b; at[a, p] = q; runs[a, p] = speed ? speed : "4xHDR"; if (p > most[a]) most[a] = p }
function cut(a, p,   b, q) { b = to[a, p]; q = at[a, p]; delete to[a, p]; delete to[b, q] }
function add(id, text, lid) { name[id] = text; lids[id] = lid; list[++count] = id }
BEGIN {
  for (l = 1; l <= 80; l++) add(leaf(l), sprintf("leaf-%02d", l), l)
  for (s = 1; s <= 20; s++) add(spine(s), sprintf("spine-%02d", s), 100 + s)
  for (h = 1; h <= 1600; h++) if (!few || h <= 1200 || (h - 1) % 20 < 15) { add(host(h), sprintf("node%04d hca", h), 200 + h); cable(leaf(int((h - 1) / 20) + 1), (h - 1) % 20 + 1, host(h), 1) }
  for (l = 1; l <= 80; l++) for (s = 1; s <= 20; s++) cable(leaf(l), 20 + s, spine(s), l)
  cut(leaf(7), 23)                                                                         # 1, 2: missing cables
  cut(leaf(8), 29)
  cut(leaf(10), 24); cut(leaf(11), 25)                                                     # 3: two crossed
  cable(leaf(10), 24, spine(5), 11); cable(leaf(11), 25, spine(4), 10)
  add(host(2000), "ufm hca", 2000); cable(spine(2), 81, host(2000), 1)                     # 4: a host on a spine
  cut(leaf(20), 26); cable(leaf(20), 26, spine(6), 20, "4xEDR")                            # 5: slow
  cut(leaf(21), 27); cable(leaf(21), 27, spine(7), 21, "1xHDR")                            # 6: narrow
  cable(leaf(30), 41, leaf(30), 42)                                                        # 7: to itself
  cable(leaf(31), 41, leaf(32), 41)                                                        # 8: between leaves
  if (!few) end(leaf(33), 43, spine(8), 90)                                                          # 9: one end only
  cut(leaf(40), 30); cable(leaf(40), 30, spine(10), 85)                                    # 10: in the wrong port
  cut(leaf(50), 5); cable(leaf(50), 5, host(985), 1, "4xFDR")                              # 11: a slow adapter
  runs[leaf(51), 31] = "2xHDR"                                                             # 12: ends disagree
  for (i = 1; i <= count; i++) {
    id = list[i]; s = substr(id, 1, 1) == "S"
    printf "\n%s\t%d \"%s\"\t# \"%s\"", s ? "Switch" : "Ca", s ? 90 : 1, id, name[id]
    print s ? " base port 0 lid " lids[id] " lmc 0" : ""
    for (p = 1; p <= most[id]; p++)
      if ((id, p) in to) printf s ? "[%d]\t\"%s\"[%d]\t# \"%s\" lid %d %s\n" : "[%d]\t\"%s\"[%d]\t# lid " lids[id] " lmc 0 \"%s\" lid %d %s\n", p, to[id, p], at[id, p], name[to[id, p]], lids[to[id, p]], runs[id, p]
  }
}'
}
make "" >fabric

"$RIPSTOP" what-if fabric -o page.html --json >all || complain "what-if writes no page"
leaf=S-00aa0000000001 spine=S-00aa0000000002
odd=$(sed -n '/<h2 id="odd">/,/<h2 id="parts">/p' page.html)
# shows WHAT PLACE: a row of the list, and a mark in the drawing.
shows() {
  grep -F "<td>$1</td>" <<<"$odd" | grep -qF "$2" || complain "the page does not list '$1' at $2"
  sed -n '/<svg/,/<\/svg>/p' page.html | grep -qF "<title>$1 $2" || complain "the drawing does not show '$1' at $2"
}
shows "missing uplink" "${leaf}07[23]-${spine}03[7]"
shows "missing uplink" "${leaf}08[29]-${spine}09[8]"
shows "swapped switch cables" "${leaf}0a[24]-${spine}05[11]"
shows "host on a spine" "H-00bb0000000007d0[1]"
shows "slow cable" "${leaf}14[26]-${spine}06[20]"
shows "narrow cable" "${leaf}15[27]-${spine}07[21]"
shows "cable from a switch to itself" "${leaf}1e[41]"
shows "cable between leaves" "${leaf}1f[41]-${leaf}20[41]"
shows "half link" "${leaf}21[43]"
shows "cable in the wrong port" "${leaf}28[30]-${spine}0a[85]"
shows "slow cable" "H-00bb0000000003d9[1]"
shows "ends disagree on width" "${leaf}33[31]"
[ "$(grep -c "<tr><td>" <<<"$odd")" -eq 12 ] || complain "not twelve are odd: $odd"
# 80 leaves and 20 spines share 40 boxes, so a line may stand for several cables; what matters stands out with numbers, which are listed.
sed -n '/<svg/,/<\/svg>/p' page.html >drawn
[ "$(grep -c '<rect' drawn)" -eq 40 ] && [ "$(grep -c '>×4</text>' drawn)" -eq 20 ] || complain "100 switches are not 40 boxes"
grep -qF '4 switches, from leaf-05; can send on less than others: leaf-07, leaf-08</title>' drawn || complain "the weak leaves of a box are not named"
make few >surplus
"$RIPSTOP" what-if surplus -o surplus.html >/dev/null 2>&1 || complain "what-if surplus"
grep -qE '<title>[1-9][0-9]* of [0-9]+ cables are in the safe set' surplus.html || complain "the drawing does not show the safe set"
sed -n '/<ol id="marks"/,/<\/ol>/p' page.html >marks
[ "$(grep -c '<li>' marks)" -eq 15 ] && [ "$(grep -c "font-size='11' fill='#[0-9a-f]*' text-anchor='middle'>1*[0-9]</text>" drawn)" -eq 15 ] || complain "not twelve oddities and the three worst cables have numbers: $(cat marks)"
grep -qF '<li>missing uplink: the cable between &#39;leaf-07&#39; and &#39;spine-03&#39; is not there</li>' marks || complain "the list does not name a missing cable"
grep -qE "^<li>S-00aa000000000107.22.*: 3300 paths on it; without it 4682 on the worst link, and a credit loop" marks || complain "the worst cable is not named: $(cat marks)"
grep -qF '<th class="words">between' page.html || complain "the page does not say what a cable is between"
grep -q '<h2 id="safe">May be taken out now, together' page.html || complain "no safe set on the page"
grep -q '<script src\|href="[^#]' page.html && complain "the page has something from outside"
"$RIPSTOP" fabric fabric --svg | grep -qF "<title>missing uplink ${leaf}07[23]-${spine}03[7]</title>" || complain "fabric --svg does not show a missing cable"
[ "$("$RIPSTOP" fabric torus:4x4 --svg | grep -c '<rect')" -eq 16 ] || complain "a torus of 16 is not drawn"

# Missing and slow cables are to be mended, the weakest leaves first; each leaf has 20 hosts, and one of 7 and 8 lost a cable.
tail -1 all >last
grep -qF "\"mend_first\":[{\"cable\":\"" last || complain "nothing to mend: $(cut -c1-300 last)"
grep -qF "\"switch\":\"${leaf}07\",\"hosts\":20,\"uplinks\":19,\"capacity\":0.95" last || complain "leaf 7 has not 19 cables for 20 hosts"
[ "$(grep -o '"next_fault_disconnects"' last | wc -l)" -eq 4 ] || complain "there are 4 cables to mend: $(grep -o '"mend_first".*' last)"

# An edge list's cables, too, are drawn and to be mended: one that is missing, with unknown ports, and a slow one.
for l in 1 2 3 4; do
  for h in 1 2 3 4; do echo "@end h$l-$h leaf-$l"; done
  echo "leaf-$l spine-1 $([ $l = 3 ] && echo 'rate=0.5')"
  [ $l = 2 ] || echo "leaf-$l spine-2"
done >list
# The next fault of leaf 2 cuts it off, 4 hosts with 12 pairs in each direction; leaf 3 keeps its cable to spine 2.
"$RIPSTOP" what-if list -o list.html --json | tail -1 | grep -o '"mend_first":.*' |
  grep -oE '"(cable|what|leaf|next_fault_[a-z_]*|capacity[a-z_]*)":("[^"]*"|[a-z0-9.]*)' >mends
printf '"cable":"%s"\n"what":"%s"\n"leaf":"%s"\n"next_fault_disconnects":%s\n"next_fault_credit_loop":%s\n"capacity":%s\n"capacity_like":0.5\n"capacity_after_next":%s\n' \
  leaf-2-spine-2 'missing uplink' leaf-2 96 false 0.25 0.0 spine-1--leaf-3 'slow cable' leaf-3 0 true 0.375 0.125 | diff - mends || complain "other cables are to be mended"
for title in "missing uplink leaf-2-spine-2" "slow cable spine-1--leaf-3"; do grep -qF "<title>$title" list.html || complain "'$title' of an edge list is not drawn"; done
sed -n '/<h2 id="safe">/,/<\/pre>/p' list.html | grep -q -- ' - $' && complain "cables without descriptions have blanks behind them"

# Groups: chips of a line card or of a chassis, cables side by side, or what patterns say.
sed -e 's|"spine-01"|"director/L01/U1"|; s|"spine-02"|"director/L01/U2"|' \
  -e "s|^Switch.*\"${spine}03\"|sysimgguid=0xabc\n&|; s|^Switch.*\"${spine}04\"|sysimgguid=0xabc\n&|" fabric >cards
"$RIPSTOP" what-if cards --of groups --json >groups || complain "what-if --of groups fails"
grep -qF "\"part\":\"director/L01\",\"kind\":\"line card\",\"pairs_disconnected\":3200,\"pairs_of_dead_adapters\":3200," groups || complain "the line card is not there: $(cat groups)"
grep -qF "\"part\":\"system GUID 0x0000000000000abc\",\"kind\":\"chassis\",\"pairs_disconnected\":0," groups || complain "the chassis is not there: $(cat groups)"
grep -qF "\"members\":\"switch:${spine}03 switch:${spine}04\"" groups || complain "the chassis has other switches: $(cat groups)"
[ "$(grep -c "cables side by side" groups)" -eq 2 ] || complain "two crossed cables make two twice, and there are: $(cat groups)"
"$RIPSTOP" what-if fabric --group 'leaf-01/P3?' --json | grep -qF '"part":"leaf-01/P3?","kind":"group","pairs_disconnected":0,' || complain "a group by a pattern fails"
"$RIPSTOP" what-if "$RIPSTOP_SOURCE/examples/operators/monday.txt" --of groups | grep -q "2 cables$" || complain "cables side by side are no group"
"$RIPSTOP" what-if torus:4x4 --of groups --json >none 2>error || complain "no groups are an error"
[ "$(wc -l <none)" -eq 1 ] && grep -q '^{"safe_set":\[.*"proof":{.*"pairs":240,' none || complain "without groups there is no safe set: $(cut -c1-200 none)"
grep -q "what-if: there are no groups" error || complain "it is not said that there are no groups"
for of in switches pairs; do "$RIPSTOP" what-if torus:3x3 --of $of --json | tail -1 | grep -q '^{"safe_set":' || complain "--of $of does not end with the safe set"; done
refused "what-if: --group and --of cables exclude each other" what-if fabric --of cables --group leaf-01
"$RIPSTOP" what-if fabric --group leef-01/P23 2>&1 | grep -qF "no link 'leef-01/P23'" || complain "a wrong name in a group is not told"
refused "page.html" what-if "$data/small-clean.ibnetdiscover" -o missing/page.html
"$RIPSTOP" what-if torus:3x3 -o - | tail -1 | grep -q '</html>' || complain "-o - writes no page to standard output"
[ ! -e ./- ] || complain "-o - writes a file of that name"
refused "give the page a file" what-if torus:3x3 --json -o -
# a page goes where links lead; a pipe is written to, not replaced
mkfifo pipe
ln -s pipe link
timeout 60 cat pipe >piped & # and no longer, without a writer
"$RIPSTOP" what-if "$data/small-clean.ibnetdiscover" -o link >/dev/null || complain "what-if does not write to a pipe"
{ [ -p pipe ] && [ -L link ]; } || complain "what-if replaces a pipe or a link"
wait
grep -q '</html>' piped || complain "no page came out of the pipe"

# A method's new tables in place of repaired ones; a method without tables is reported.
"$RIPSTOP" what-if torus:4x4 --method mend --reroute mend >out || complain "what-if --reroute fails"
grep -q "rerouted by mend: after 0 of 48 it leaves pairs with a path without a route, for 0 it has no tables" out || complain "--reroute mend: $(cat out)"
grep -q "0 of 32 cables between switches part adapters that live on; after 0 of them" out || complain "mend has credit loops: $(cat out)"
"$RIPSTOP" what-if torus:4x4 --method mend --reroute mend --json | head -1 | grep -q '"rerouted":true,"unrouted_pairs":0}' || complain "--reroute is not in the JSON"
"$RIPSTOP" what-if torus:4x4 --method opensm-minhop | grep -q "after 32 of them the repaired tables have a credit loop, as the tables have now" || complain "credit loops that are there already are not told"
# a method that has tables for what is whole, and for some parts none: why not
why="method uturn: no plain forwarding table, ports depend on the input port"
"$RIPSTOP" what-if kary-ntree:k=2,n=3 --reroute uturn -o uturn.html || complain "what-if --reroute uturn -o"
grep -qF '<th class="words">between' uturn.html && complain "a column that nobody has anything in"
"$RIPSTOP" what-if kary-ntree:k=2,n=3 --reroute uturn | grep -A1 "for 16 it has no tables and they are repaired" | grep -qF "  after 0/0.0/2: $why" || complain "why a method has no tables is not told"
[ "$("$RIPSTOP" what-if kary-ntree:k=2,n=3 --reroute uturn --json | grep -cF "\"rerouted\":false,\"unrouted_pairs\":0,\"why_not_rerouted\":\"$why\"}")" -eq 16 ] || complain "the JSON does not say why"
[ "$(grep -cF "<td class=\"words\">$why: so repaired</td>" uturn.html)" -eq 16 ] || complain "the page does not say why"
# unchanged tables can be written; so can tables that change in two writes
"$RIPSTOP" what-if kary-ntree:k=4,n=2 --reroute mend >out
grep -q "^mixed, after [0-9]* of 32: neither old nor new" out || complain "mixed is not explained: $(cat out)"
grep -q "two writes are safe: .*'ripstop route --method mend --after' makes both" out || complain "the two writes are not told"
"$RIPSTOP" what-if kary-ntree:k=4,n=2 --reroute mend --json | grep '"changed_entries":0,' | grep -q '"mixture_loop":true' && complain "the same tables mix badly"
"$RIPSTOP" what-if torus:4x4 --method mend --reroute mend:lanes=2 | grep -q "^  except after 48 of these: packets on old service levels" || complain "two writes are called safe for other service levels"
[ "$("$RIPSTOP" what-if torus:4x4 --method mend --reroute mend:lanes=2 --json | grep -c '"mixture_loop":true.*"no_order":true')" -eq 48 ] || complain "the JSON does not say that no order is safe"
"$RIPSTOP" what-if torus:4x4 --method opensm-minhop | grep -q "^mixed" && complain "two writes are called safe for tables with a credit loop"
"$RIPSTOP" what-if fabric | grep -qF "from a switch to itself, and carry nothing: ${leaf}1e[41]-" || complain "a cable from a switch to itself is not told"
# OpenSM's own rerouting: on a ring each cable's tables have cycles, which repaired ones have too; with roots none has
echo 0x2c90200000005 >roots
[ "$("$RIPSTOP" what-if torus:4x4 --method opensm-updn:roots=roots --reroute opensm-updn:roots=roots --json | grep -c '"credit_loop":false.*"rerouted":true,"unrouted_pairs":0}')" -eq 48 ] || complain "--reroute opensm-updn has credit loops"
# a line of the file that is no GUID is reported by itself, without the next
printf '0x2c90200000005\r\nroot 7\r\n0x2c90200000006\r\n' >wrong
refused "wrong:2: 'root 7' is no GUID" what-if torus:4x4 --method opensm-updn:roots=wrong
for line in -1 '0x1 0x2' 0x2c90200000001g; do
  echo "$line" >wrong
  refused "wrong:1: '$line' is no GUID" what-if torus:4x4 --method opensm-updn:roots=wrong
done
# with two roots it loses pairs already, and no set is proved for it
printf '0x2c90200000001\n0x2c90200000006\n' >two
"$RIPSTOP" what-if torus:4x4 --reroute opensm-updn:roots=two >out || complain "--reroute of tables that lose pairs fails"
grep -q "Safe to take out together: 0 of 32 cables" out || complain "a set is safe for tables that lose pairs: $(cat out)"
grep -q "none can be: the tables that opensm-updn:roots=two makes leave 32 pairs" out || complain "lost pairs are not told: $(cat out)"
"$RIPSTOP" what-if torus:4x4 --reroute opensm-updn:roots=two --json | grep -q rerouted_proof && complain "what does not hold is proved"
"$RIPSTOP" what-if torus:4x4 --method opensm-minhop --reroute opensm-minhop --json | grep -q '"kind":"cable".*"credit_loop":true.*"rerouted":true' || complain "--reroute opensm-minhop has no credit loop"
sed 's/"leaf-02"/"leaf-01"/' "$RIPSTOP_SOURCE/examples/operators/monday.txt" >twins
refused "no link 'Rack' in ib:$data/small-clean.ibnetdiscover,hash=0019d34dd1620190, whose links are named like 'S-00aa000000000100[17]-S-00aa000000000200[1]' and switches like 'switch:S-" what-if "$data/small-clean.ibnetdiscover" --set 'Rack 1 leaf/P9'
refused "several nodes have this description: S-506b4b0300a20000, S-506b4b0300a20040; use an id" what-if twins --set leaf-01/P29
printf 'a b\n\000\001\n' >binary
refused "binary: is no text" what-if ./binary
refused "diff: M: No such file or directory" diff M nothere
# By description; a set that takes all cables of a switch says who is out of reach then; every pair once; both proofs.
"$RIPSTOP" what-if "$data/small-clean.ibnetdiscover" | grep -q "S-00aa000000000100\[17\]-S-00aa000000000200\[1\]  'MF0;lf0:MQM8700/U1' - 'MF0;sp0:MQM8700/U1'" || complain "cables are not described"
"$RIPSTOP" what-if "$data/small-clean.ibnetdiscover" --of switches --json | grep '"part":"S-00aa000000000100"' | grep -q '"adapters_cut_off":4,"switches_cut_off":0,' || complain "who drops out with a leaf is not told"
printf '%s\n' 'a b' 'b c' 'c a' 'a d' 'd e' 'a h1' 'b h2' 'c h3' '@router h1' >spur
"$RIPSTOP" what-if graph:spur | grep -q "out of the subnet manager's reach after a--d: 2 switches, 2 adapters" || complain "switches that drop out are not told: $("$RIPSTOP" what-if graph:spur)"
"$RIPSTOP" what-if graph:spur -o spur.html || complain "no page of a spur"
grep -qF "<li>a--d: 24 pairs of working adapters are disconnected</li>" spur.html && grep -qF "stroke='#1c2530' stroke-width='1.8'><title>a--d: 24 pairs" spur.html ||
  complain "the page does not draw and name the cable that parts others: $(grep '<li>' spur.html)"
"$RIPSTOP" what-if torus:8x8 --of pairs --samples 1500 --json | grep -o '"part":"[^"]*"' | sort | uniq -d | grep -q . && complain "a pair is drawn twice"
"$RIPSTOP" what-if torus:6x6 --reroute opensm-minhop --json | tail -1 | grep -q '"rerouted_proof":{"tables":"opensm-minhop",.*"pairs":1260,"unreachable_pairs":0,' || complain "the set is not proved for the method's tables"
# A set is proved for a method's tables only if these have no credit loop that the present ones lack, and if some order of
# writes is safe; the folder has both writes.
safe_to_write() { "$RIPSTOP" judge "$1" --tables "$3" --before "$2" | grep -q '^  transient *deadlock impossible' || complain "$1: writing $3 over $2 can deadlock"; }
why="the tables that opensm-minhop makes now have a credit loop, and the present ones have none"
"$RIPSTOP" what-if torus:4x3 --method mend --reroute opensm-minhop --safe-tables waits >out || complain "what-if of a method with credit loops"
grep -q "Safe to take out together: 0 of 24 cables" out && grep -qxF "  none can be: $why" out || complain "a set is safe for tables that can deadlock: $(cat out)"
"$RIPSTOP" judge torus:4x3 --tables waits | grep -q '^  deadlock *impossible' || complain "--safe-tables writes tables that can deadlock"
"$RIPSTOP" what-if torus:4x3 --method mend --reroute opensm-minhop -o waits.html --json | tail -1 >last
grep -qF "\"why_not_rerouted\":\"$why\"" last && ! grep -q rerouted_proof last || complain "the JSON does not say that the method's tables have a loop: $(cat last)"
grep -qF "None can be: $why." waits.html || complain "the page does not say that the method's tables have a loop"
"$RIPSTOP" route torus:3x3 --method opensm-minhop -o present >out 2>&1 || complain "route torus:3x3: $(cat out)"
"$RIPSTOP" what-if torus:3x3 --tables present --reroute mend --safe-tables twice >out || complain "what-if with two writes"
grep -q "Safe to take out together: [1-9]" out && grep -q "^  write its tables in two steps" out || complain "two writes are not reported: $(cat out)"
safe_to_write torus:3x3 present twice/lfts.step1.dump
safe_to_write torus:3x3 twice/lfts.step1.dump twice
"$RIPSTOP" what-if torus:3x3 --tables present --reroute mend --json | tail -1 | grep -q '"rerouted_proof":{.*"steps":2,"mixture_loop":true}' || complain "the JSON has not two steps"
# Trees of multicast groups stay when tables are written, so no cable of a tree may go.
echo 0x2c90200000000 >root
"$RIPSTOP" route torus:5 --method opensm-updn:roots=root -o ring >/dev/null || complain "route torus:5"
"$RIPSTOP" what-if torus:5 --tables ring "$RIPSTOP_SOURCE/examples/operators/ring.mcfdbs" -o ring.html --json >out || complain "what-if of groups"
[ "$(grep -c '"safe_alone":false,"why_not":"groups","hurts":null,.*"groups_cut":1,' out)" -eq 4 ] || complain "cables of a tree are safe: $(cat out)"
tail -1 out | grep -qF '"unsafe":{"pairs":0,"capacity":0,"flow":0,"groups":4,"load":1,"order":0,' || complain "the proof does not count cables of trees: $(tail -1 out)"
grep -q 'May not go, each alone: 4 cables: the trees of multicast groups use them' ring.html || complain "the page does not name trees of groups"
"$RIPSTOP" what-if torus:5 --tables ring "$RIPSTOP_SOURCE/examples/operators/ring.mcfdbs" >out || complain "what-if of groups"
grep -qF "  groups     no: 4 cables, such as 1/0: the trees of multicast groups use it" out || complain "the text has no reason: $(cat out)"
refused "what-if: --reroute: " what-if "$data/small-clean.ibnetdiscover" --reroute dor

"$RIPSTOP" what-if torus:4x4 --reroute minimal-adaptive 2>&1 | grep -q "what-if.*what-if" && complain "the command is named twice"
# A size that no machine has is refused before memory is requested.
refused "what-if: needs " what-if mesh:700x700
# Files of one VL state at length a fact that a method's tables leave out.
"$RIPSTOP" route kary-ntree:k=2,n=3 --method opensm-minhop -o one >/dev/null
"$RIPSTOP" what-if kary-ntree:k=2,n=3 --tables one --reroute opensm-updn --json | sed '$d' >folder-said
"$RIPSTOP" what-if kary-ntree:k=2,n=3 --method opensm-minhop --reroute opensm-updn --json | sed '$d' | cmp - folder-said || complain "tables of one lane from files are others"

# Without tables: shortest routes, which reach every end node.
"$RIPSTOP" what-if "$data/small-clean.ibnetdiscover" | grep -q "all 992 pairs that had a route are reached" || complain "shortest ways leave somebody out"
# ---------------------------------------------------------------- against a second program that follows the rule by hand
for fabric in "torus:3x3,p=2 opensm-dor" "torus:3x3 opensm-minhop" "hyperx:3x3,p=1 opensm-minhop" "xgft:m=2.3.2,w=1.2.2 opensm-updn" "xgft:m=4.3,w=1.6 opensm-minhop"; do
  read -r spec method <<<"$fabric"
  rm -rf lfts
  "$RIPSTOP" fabric "$spec" --net >net
  "$RIPSTOP" route net --method "$method" --anyway -o lfts >/dev/null 2>&1 || [ -s lfts/lfts.dump ] || complain "$spec: no tables"
  rm -rf proof
  "$RIPSTOP" what-if net --tables lfts/lfts.dump --safe-tables proof --json >said || complain "$spec: what-if"
  "$RIPSTOP_SOURCE/tools/check-what-if.py" net lfts/lfts.dump said proof/lfts.dump >checked || complain "$spec: $(cat checked)"
  grep -qE '^[1-9][0-9]* cables, ' checked || complain "$spec: no cable was compared: $(cat checked)"
done
# for the last one it finds a worst link that is another, and a cable that is left out of the set
grep -qx '6 cables in the safe set' checked || complain "not six cables in a set: $(cat checked)"
for slip in 's/"unreachable_pairs":0/"unreachable_pairs":2/' 's/"mixture_loop":false}/"mixture_loop":true}/' \
  's/"safe_set":\["[^"]*",/"safe_set":[/'; do
  sed "$slip" said >slipped
  cmp -s said slipped && complain "there is nothing to slip: $slip"
  "$RIPSTOP_SOURCE/tools/check-what-if.py" net lfts/lfts.dump slipped proof/lfts.dump >checked && complain "not found: $slip"
  grep -q ': here .*, there ' checked || complain "something else is wrong than $slip: $(cat checked)"
done

touch file
refused "what-if: --safe-tables file: is no folder, and tables are several files" what-if torus:3x3 --safe-tables file
# The size of the safe set, the largest possible, and how many cables each condition refuses.
counts() {
  "$RIPSTOP" what-if "$1" --json 2>/dev/null | python3 -c '
import json, sys
*rows, last = map(json.loads, sys.stdin)
print(len(last["safe_set"]), last["proof"]["at_most"], last["proof"]["unsafe"])'
}

# With one uplink for each host no cable is safe, whether the tree is whole, lacks one, or has a switch for management on one
# cable, which carries most; nor is it where hosts outnumber uplinks. A leaf with fewer hosts can spare its surplus.
tree() {
  for l in 1 2 3 4 5 6; do
    for h in $(seq "$1"); do echo "@end h$l-$h leaf-$l"; done
    for s in 1 2 3 4 5 6; do echo "leaf-$l spine-$s"; done
  done
}
tree 6 >whole
grep -v '^leaf-2 spine-3$' whole >lacking
{ cat whole; echo "mgmt spine-2"; for h in 1 2 3 4; do echo "@end m$h mgmt"; done; } >managed
tree 9 >crowded
grep -vE '^@end h(3-[56]|5-6) ' whole >spare
for list in whole lacking managed crowded; do
  [ "$(counts $list | cut -d' ' -f1,2)" = "0 0" ] || complain "$list: other cables are safe: $(counts $list)"
done
[ "$(counts spare | cut -d' ' -f1,2)" = "3 3" ] || complain "not three cables to spare: $(counts spare)"
"$RIPSTOP" what-if lacking | grep -q "capacity *no: 35 cables, such as leaf-1--spine-1: leaf-1 would keep 5 of the 6 uplinks that its 6 hosts need" ||
  complain "the reason is another: $("$RIPSTOP" what-if lacking | grep capacity)"

# A dump that lacks hosts or cables has no safe set: 'surplus' without the lines of two hosts, with a time-out, or cut in a
# line. Each cable has a reason.
awk '/^Ca.*H-00bb00000000000[12]"/ { skip = 1 } !NF { skip = 0 } !skip' surplus >half
{ cat surplus; echo 'ibwarn: [1] mad_rpc: _do_madrpc failed; dport (Lid 9): Connection timed out'; } >timed
{ cat surplus; printf '[41]\t"H-00bb0000'; } >cut
cat >lacks.py <<'END'
import json, sys
name, half, hosts, timeouts, truncated = sys.argv[1], *map(int, sys.argv[2:])
*rows, last = [json.loads(line) for line in open(name)]
said = last['incomplete']
assert said and [said[k] for k in ('half_links', 'hosts_not_listed', 'timeouts', 'truncated')] == [half, hosts, timeouts, bool(truncated)], said
assert last['safe_set'] == last['safe_without_rewrite'] == [] and not last['proof']['maximum'] and last['proof']['incomplete'], last['proof']
cables = [r for r in rows if r['kind'] == 'cable']
assert cables and all(r['why_not'] and not r['safe_alone'] and not r['in_safe_set'] and r['why_not_in_set'] for r in cables), 'reasons'
assert any(r['why_not'] == 'incomplete' for r in cables)
END
lacks() {
  "$RIPSTOP" what-if $1 -o $1.html --json >$1.json 2>/dev/null || complain "$1: what-if fails"
  python3 lacks.py $1.json $2 $3 $4 $5 || complain "$1: an incomplete dump has a safe set, or says nothing"
  "$RIPSTOP" what-if $1 2>/dev/null >out
  grep -q "^  INCOMPLETE DUMP: $6\. No cable is known to be safe" out || complain "$1: the text does not say what is missing: $(grep INCOMPLETE out)"
  grep -q "The dump is incomplete: $6\. No cable" $1.html || complain "$1: the page does not say what is missing"
}
lacks half 2 2 0 0 "2 half links (2 to hosts that are not listed)"
lacks timed 0 0 1 0 "1 time-out"
lacks cut 0 0 0 1 "the file stops in the middle of a line"
"$RIPSTOP" what-if surplus --json | tail -1 | grep -q '"incomplete":null' || complain "a complete dump is said to be incomplete"

# Hosts that a switch names count for what it needs: without the lines of half of the hosts of a leaf its uplinks stay needed.
for missing in no yes; do
  python3 - $missing >named-$missing <<'END'
import sys
missing = sys.argv[1] == 'yes'
switch = lambda s: f'S-00aa00000000{s:04x}'
host = lambda h: f'H-00bb00000000{h:04x}'
def node(kind, id, ports): print(f'{kind}\t{len(ports)} "{id}"\t# "{id[-4:]}"\n' + '\n'.join(f'[{p}]\t"{to}"[{at}]\t# "{to[-4:]}" lid 1 4xHDR' for p, to, at in ports) + '\n')
for leaf in range(2): node('Switch', switch(leaf), [(h + 1, host(16 * leaf + h), 1) for h in range(4)] + [(5 + s, switch(16 + s), leaf + 1) for s in range(4)])
for s in range(4): node('Switch', switch(16 + s), [(leaf + 1, switch(leaf), 5 + s) for leaf in range(2)])
for leaf in range(2):
    for h in range(4):
        if h < 2 or not missing: node('Ca', host(16 * leaf + h), [(1, switch(leaf), h + 1)])
END
  grep -q "^0 0 {'pairs': 0, 'capacity': 8, .* 'incomplete': 0}" <<<"$(counts named-$missing)" ||
    complain "hosts that are named do not count: $(counts named-$missing)"
done

# A cable that is safe alone but not in the set has the reason that it is refused beside the others.
tree 6 | grep -v '^@end h3-[56] ' >two-spare
"$RIPSTOP" what-if two-spare --json >out
python3 - <<'END' || complain "a cable beside the set has no reason"
import json
*rows, last = [json.loads(line) for line in open('out')]
beside = [r for r in rows if r['kind'] == 'cable' and r['safe_alone'] and r['part'] not in last['safe_set']]
assert len(last['safe_set']) == 2 and beside
for r in beside: assert r['why_not'] is None and not r['in_safe_set'] and r['why_not_in_set'] == 'capacity', r
for r in rows: assert r['kind'] != 'cable' or r['in_safe_set'] == (r['why_not_in_set'] is None) == (r['part'] in last['safe_set']), r
END
"$RIPSTOP" what-if two-spare --all -o beside.html && "$RIPSTOP" what-if two-spare --all >out
grep -qE '^ .* loop +alone +with the set +cable$' out && grep -qE ' yes +no: capacity +spine-.--leaf-3' out && grep -qE ' yes +yes +spine-.--leaf-3' out || complain "the rows do not say both answers: $(cat out)"
grep -q 'alone yes, with the set no: [0-9]* cables, such as spine-.--leaf-3: without the set leaf-3 would have less than its hosts need' out || complain "no example beside the set: $(cat out)"
grep -q 'yes; with the set no: without the set leaf-3 would have' beside.html || complain "the page has no reason beside the set"

# Names decide nothing: with other ids, descriptions and LIDs, and with the nodes in another order, as many cables are
# safe, at most as many can be, and each condition refuses as many.
permute() {
  python3 - "$1" <<'END'
import random, re, sys
random.seed(int(sys.argv[1]))
text = open('surplus').read()
for kind in 'SH':
    ids = sorted(set(re.findall('"(%s-[0-9a-f]+)"' % kind, text)))
    other = dict(zip(ids, random.sample(ids, len(ids))))
    text = re.sub('%s-[0-9a-f]+' % kind, lambda m: other[m[0]], text)
blocks = [b for b in text.split('\n\n') if b.strip()]
random.shuffle(blocks)
print('\n\n'.join(b.strip('\n') for b in blocks))
END
}
permute 1 >permuted
counts surplus >plain
counts permuted | diff plain - || complain "with other names other cables are safe"
grep -q '^[1-9]' plain || complain "no cable of leaves with few hosts is safe: $(cat plain)"

# The first part, too: a leaf with two of four adapters takes ten of twelve pairs with it.
"$RIPSTOP" what-if kary-ntree:k=2,n=2 --of switches --json >out
head -1 out | grep -qF '{"part":"0/0","kind":"switch","pairs_disconnected":10,"pairs_of_dead_adapters":10,' &&
  head -1 out | grep -qF '"adapters_cut_off":2,"switches_cut_off":0,"cut_off":["0.0","0.1"]}' || complain "the first leaf of a tree: $(head -1 out)"

finish
