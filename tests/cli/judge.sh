#!/bin/bash
# ripstop judge and what-if: what cannot be read is one clear line; exit codes; several files; gzip; bad tables.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ib
cp "$data/small-clean.ibnetdiscover" fabric
cp "$data/small-clean.minhop.lfts" lfts

refused "no forwarding table in it" judge fabric --tables /dev/null
refused "lfts:1: no table in it is for a switch of this fabric: 10 for others, the first for 0x00aa000000000" judge torus:4x4 --tables lfts
refused "either --tables FILE or --method METHOD" judge fabric
refused "either --tables FILE or --method METHOD" judge fabric --tables lfts --method dor
refused "did you mean 'cables'?" what-if fabric --tables lfts --of cabels
refused "what-if: --samples needs --of pairs" what-if fabric --tables lfts --samples 3
refused "packets may choose between ports" judge kary-ntree:k=2,n=2 --method updown
refused "is a folder" judge fabric --tables .
refused "missing: No such file" judge fabric --tables missing

sed 's/^0x0005 [0-9]*/0x0005 099/' lfts >far
refused "far:6: port 99 for LID 0x0005: the switch has ports up to 41" judge fabric --tables far
{ cat lfts; cat lfts; } >twice
refused "a second table for the switch" judge fabric --tables twice
sed 's/ guid 0x/ gud 0x/' lfts >anonymous
refused "the table does not say whose it is" judge fabric --tables anonymous
sed 's/^0x0005 /0xc005 /' lfts >multicast
refused "0xc005 is no unicast LID" judge fabric --tables multicast

# A line of no kind is refused, and so is what contradicts an entry or says no GUID; 2 is the line.
damaged() { sed "2s/.*/$2/" lfts >damaged; refused "damaged:2: $1" judge fabric --tables damaged; }
damaged "'0x0001 xyz' is neither an entry ('0x0001 005') nor any other line of tables, service levels, VLs or groups" "0x0001 xyz"
damaged "'0x0001 0x05' is neither an entry" "0x0001 0x05"
damaged "'005garbage' is neither an entry" "005garbage"
damaged "'Unicst lids [0-42] of switch Lid 1 guid ' is neither an entry" "Unicst lids [0-42] of switch Lid 1 guid 0x00aa000000000100"
damaged "the GUID behind 'portguid' is none" "0x0001 000 # Switch portguid 0x00zz000000000100: 'x'"
damaged "the table does not say whose it is" "Unicast lids [0-42] of switch Lid 1 guid 0x00aaz"
damaged "there are zero bytes in the line" '0x0001\x00\x00\x00'
sed '2s/.*/&\n0x0001 xyz/' lfts >damaged
refused "damaged:3: '0x0001 xyz' is neither an entry" route fabric --method mend --after damaged
sed '2s/.*/&\n0x0005 001\n0x0005 002/' lfts >damaged
refused "damaged:4: a second entry for LID 0x0005 in one table" judge fabric --tables damaged
head -c -1 lfts >damaged && printf '\0\0\0\n' >>damaged
refused "damaged:$(wc -l <lfts): there are zero bytes in the line" judge fabric --tables damaged

# Cut in the middle of a port, or right behind it; files whose lines all stop there have nothing else to say.
at=$(grep -abo '^0x0005 [0-9]*' lfts | tail -1)
offset=${at%%:*}
for digits in 1 2 3; do
  head -c $((offset + ${#at} - ${#offset} - 4 + digits)) lfts >cut
  refused "cut:$(($(wc -l <cut) + 1)): the file stops in the middle of a line" judge fabric --tables cut
done
sed -E '$!d; s/.*/0x0005 003 : (Switch portguid 0x00/' lfts | head -c -1 >rest
head -n 2 lfts | cat - rest >cut
refused "the file stops in the middle of a line" judge fabric --tables cut
for end in '0x00' '0x001' '0x001 0x'; do
  printf 'Switch 0x00aa000000000100\nLID    : Out Port(s)\n0xC000 : 0x002 %s' "$end" >cut
  refused "the file stops in the middle of a line" judge fabric --tables lfts cut
done
sed -E 's/^(0x[0-9a-f]+ [0-9]+) .*/\1/' lfts | head -c -1 >short
"$RIPSTOP" judge fabric --tables short >/dev/null 2>error || complain "short entries, no line's end: $(cat error)"

# Lines that shells and e-mails add are no damage.
{ echo '[root@head ~]# dump_lfts.sh'; cat lfts; echo 'root@head:~# '; } >shell
{ echo 'On Mon, 5 Jan 2026, Bob wrote:'; sed 's/^/> /' lfts; } >mail
for file in shell mail; do
  "$RIPSTOP" judge fabric --tables $file >out 2>&1 || complain "tables from a $file are refused: $(cat out)"
done

# Cut at the end of a line, in the last table: reported, unless no table says where it ends
head -n -3 lfts >ends
begins=$(grep -n ^Unicast lfts | tail -1 | cut -d: -f1)
"$RIPSTOP" judge fabric --tables ends 2>&1 >out | grep -qF "ripstop: ends:$begins: the table is cut off, it does not end with 'lids dumped' as others do; 1 such" ||
  complain "a cut table is not told"
grep -v 'lids dumped' ends >silent
"$RIPSTOP" judge fabric --tables silent 2>&1 >out | grep -q 'cut off' && complain "tables without counts are told to be cut off"
# the format of dump_lfts with -a
sed -e 's/lids dumped/valid lids dumped /' -e 's/# \(.*\)/: (\1)/' -e '/^Unicast/a\  Lid  Out   Destination\n       Port     Info \n0x0000 255 : (illegal port)' lfts >valid
printf '\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n' >>valid
"$RIPSTOP" judge fabric --tables valid 2>&1 >out | grep -q . && complain "what dump_lfts writes is read with complaints"

# The same by parts: a file for each switch, one of them packed; CR LF at line ends.
awk '/^Unicast/ { n++ } { print > ("part" n) }' lfts
sed -i 's/$/\r/' part2
gzip part3
whole=$("$RIPSTOP" judge fabric --tables lfts --json)
parts=()
for part in part*; do parts+=(--tables "$part"); done
[ "$("$RIPSTOP" judge fabric "${parts[@]}" --json)" = "$whole" ] || complain "tables in parts are others than in one file"

[ "$("$RIPSTOP" judge fabric --json --tables "part"*)" = "$whole" ] || complain "more files behind --tables are others than in one"
refused "one argument too many, 'lfts'" judge fabric lfts

# SLs and VLs beside the tables: two SLs on two VLs; a witness names the VL.
awk '/^Ca/ { guid = $3; gsub(/[^0-9a-f]/, "", guid) }
     /^\[/ && guid { for (lid = 11; lid < 43; lid++) print "0x" guid, lid, lid % 2; guid = "" }' fabric >levels
"$RIPSTOP" judge fabric --tables lfts levels | grep -q "^  VLs        2" || complain "two levels without SL2VL are not two lanes"
echo "0x0000000000000001 3 1" >>levels
"$RIPSTOP" judge fabric --tables lfts levels 2>&1 >out | grep -q "1 lines of service levels and VLs name ports" ||
  complain "a level of an unknown port is not told"

# Tables of `ripstop route` read back: two VLs without a credit loop, and a loop on one.
"$RIPSTOP" route torus:8x8 --method dor:dateline=on,halfway=parity -o written >out || complain "route writes nothing: $(cat out)"
"$RIPSTOP" judge torus:8x8 --tables written/* --json >out 2>error || complain "written tables are judged bad: $(cat out error)"
grep -q '"unreachable_pairs":0,.*"credit_loop":false,.*"lanes":2,' out || complain "written lanes are read otherwise: $(cat out)"
[ ! -s error ] || complain "written tables are read with complaints: $(cat error)"
"$RIPSTOP" judge torus:8x8 --tables written/lfts.dump --json | grep -q '"credit_loop":true' || complain "one lane has no credit loop"

# No source reaches an adapter whose LID is in no table; it counts all the same. Lines with other GUIDs aside: by LID.
sed 's/ # .*//' lfts | grep -v '^0x000b ' >without
"$RIPSTOP" judge fabric --tables without --json >out 2>error
[ $? -eq 1 ] || complain "an adapter is in no table, and yet exit code 0"
grep -q '^{"pairs":992,"unreachable_pairs":31,"disconnected_pairs":0,"dead_ends":31,' out || complain "an adapter in no table does not count: $(cat out)"
grep -q "without: 1 adapter ports have a LID that no table has, so no packet reaches them: H-" error || complain "adapters without entries are not reported: $(cat error)"

# A cable from a switch to itself is unused, and told apart.
awk '{ print } /^Switch.*"S-00aa000000000100"/ { print "[39] \"S-00aa000000000100\"[40]\n[40] \"S-00aa000000000100\"[39]" }' fabric >own
"$RIPSTOP" judge own --tables lfts --json >out
grep -q '"links":34,"unused_links":2,"unused_cables":1,"own_cables":1}' out || complain "a switch's own cable is not among the unused: $(cat out)"
"$RIPSTOP" judge own --tables lfts | grep -q "unused     2 directions, 1 links in both; 1 of these links go from a switch to itself" || complain "an own cable is not told"

# Without one switch's table: reported, and its pairs are not reached; exit code 1.
rm part4
parts=()
for part in part*; do parts+=(--tables "$part"); done
"$RIPSTOP" judge fabric "${parts[@]}" --json >out 2>error
[ $? -eq 1 ] || complain "lost pairs, and yet exit code 0"
grep -q "1 of 10 switches have no table" error || complain "a missing table is not told: $(cat error)"
grep -q '"unreachable_pairs":0,' out && complain "no pair is lost without a table"

# A folder is the set of tables in it; for one file of it the answer lists the files left out.
"$RIPSTOP" route torus:4x4 --method mend:lanes=2 -o folder >/dev/null
"$RIPSTOP" judge torus:4x4 --tables folder >whole 2>error || complain "a folder of tables: $(cat error)"
grep -q "VLs        2 on each link" whole || complain "the folder's lanes are not read: $(cat whole)"
[ -s error ] && complain "a folder is read with complaints: $(cat error)"
"$RIPSTOP" judge torus:4x4 --tables folder/lfts.dump 2>&1 >out | grep -qF "ripstop: folder/lfts.dump: the service levels beside it, in folder/sl.dump, are not read" ||
  complain "levels that are left behind are not told"
"$RIPSTOP" judge torus:4x4 --tables folder/lfts.dump folder/sl.dump folder/sl2vl.dump | cmp - whole || complain "a folder is not the files in it"
"$RIPSTOP" judge torus:4x4 --tables folder --before folder --json | grep -q '"looping_addresses":0,"credit_loop":false' || complain "tables mix badly with themselves"
"$RIPSTOP" route torus:4x4 --method mend:lanes=1 -o folder >/dev/null
"$RIPSTOP" judge torus:4x4 --tables folder/lfts.dump 2>&1 >out | grep -q . && complain "one level is told as if there were more"
for copy in {1..20}; do grep -v '#' folder/sl.dump; done >many # several blocks
for level in 0 10; do
  (cat many; echo "0x0002c90300000000 2 $level"; printf '0x0002c90300000000 3 0\r\n') >folder/sl.dump
  "$RIPSTOP" judge torus:4x4 --tables folder/lfts.dump 2>&1 >out | grep -c 'are not read'
done | tr '\n' ' ' | grep -qx '0 1 ' || complain "the level of the last of many lines is not seen, or one where there is none"
mkdir stock empty
mv folder/lfts.dump stock/opensm-lfts.dump
"$RIPSTOP" judge torus:4x4 --tables stock >out 2>error || complain "a folder of OpenSM's: $(cat error)"
refused "empty: is a folder with neither lfts.dump" judge torus:4x4 --tables empty

# A method's tables have the same cycle as its files, and no bare list of queues that wait.
"$RIPSTOP" judge torus:4x4 --method opensm-dor >out
grep -qE "deadlock   possible with credits or PFC: 32 links in credit loops, one of 4: [^,>]*( > [^,>]*){3}$" out ||
  complain "a ring of four is no credit loop of opensm-dor: $(cat out)"

# When an engine falls back on another, the answer says so, and names the switch that does not fit.
"$RIPSTOP" judge kary-ntree:k=4,n=3 --method opensm-ftree --set 0/0.0/4 --json | grep -q '"note":"these are the tables of minhop.*0/0.1 has 4 neighbours above' ||
  complain "tables of minhop are told as ftree's"
"$RIPSTOP" judge kary-ntree:k=4,n=3 --method opensm-ftree --json | grep -q '"note"' && complain "tables of ftree are told as minhop's"
printf '%s\n' 'a t' 'b t' 'a u' 'b u' 't u' '@end h1 a' '@end h2 b' >leaves
refused "opensm-ftree: the cable t--u joins two switches of one rank" judge graph:leaves --method opensm-ftree

# Every pair of cables at once; a sample says what it is. The count of pairs that disconnect an end node is exact: a
# leaf has two cables.
"$RIPSTOP" what-if fabric --tables lfts --of pairs --json >out || complain "what-if --of pairs fails"
[ "$(grep -c '"kind":"pair"' out)" -eq 120 ] || complain "there are 120 pairs of 16 cables, not $(wc -l <out)"
tail -1 out | grep -q '^{"safe_set":.*"pairs_of_cables":120,"parting_pairs":8,"parting_cables":0,"drawn":false}$' || complain "pairs: $(tail -1 out)"
"$RIPSTOP" what-if fabric --tables lfts --of pairs --samples 10 >out
grep -q "exactly 8 of all 120 pairs of cables part adapters that live on" out || complain "a sample of pairs does not know who parts: $(cat out)"
grep -q "10 of these are a random sample of all: a credit loop follows after at most" out || complain "a sample of pairs does not say its bound: $(cat out)"

# A file without tables is reported, and so are a dump's half links.
echo "something else" >other
"$RIPSTOP" judge fabric --tables lfts other 2>&1 >out | grep -qF "ripstop: other: no table, service level or virtual lane in it; 1 such file was left out" ||
  complain "a file without tables is left out silently"
"$RIPSTOP" judge fabric --tables lfts 2>&1 >out | grep -q . && complain "good tables are read with complaints"
"$RIPSTOP" judge "$RIPSTOP_SOURCE/tests/data/ib/small-truncated-clean-end.ibnetdiscover" --method mend 2>&1 >out |
  grep -qF "13 half links and 0 conflicting ends are no cables; 'ripstop fabric' lists them" || complain "half links are not told"
sed '11s/.*/damaged/' fabric >stray
"$RIPSTOP" judge stray --method mend 2>&1 >out | grep -qF "ripstop: stray:11: damaged, 1 such line; 'ripstop fabric' lists them" || complain "a damaged line is not told"
# 32 hops of 15 routes, in nine digits.
"$RIPSTOP" judge torus:4x4 --method mend --json | grep -qF '"mean_hops":2.13333333,' || complain "hops of a 4x4 torus are not 32 / 15 on average"
finish
