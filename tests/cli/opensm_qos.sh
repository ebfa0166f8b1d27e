#!/bin/bash
# The plug-in beside the operator's service levels, with stock OpenSM: a partition with sl=5, and its IPoIB group. With one VL
# paths and SL2VL tables are as configured. With two each class of traffic has two of its own. Where they do not fit, the
# plug-in refuses, and names the lines of both files. If it has made tables before, it repairs them nevertheless, and so it
# does where OpenSM may no longer configure VLs. Groups with other service levels need no VLs.
# Skipped (exit code 77) where opensm, ibsim, ibutils, infiniband-diags or the headers of OpenSM are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk dump_lfts saquery smpquery; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done
[ -e "$(dirname "$RIPSTOP")/libripstop-opensm.so" ] || skip "the plug-in was not built: tools/install-deps.sh --test"
live=$RIPSTOP_SOURCE/tools/opensm-live.sh

printf 'Default=0x7fff,ipoib:ALL=full;\nGpu=0x8005,ipoib,sl=5:ALL=full;\n' >partitions.conf
export PARTITIONS=$PWD/partitions.conf
# The SL of the path from LID 1 to LID 2 and back in each partition, all groups, and the VLs at port 1 of a switch.
export AT_END='for pkey in 0xffff 0x8005; do for path in "1 2" "2 1" "1 3"; do
    LD_PRELOAD=$preload saquery PR --slid ${path% *} --dlid ${path#* } --pkey $pkey | awk -v p=$pkey "\$1 ~ /^sl\\./ { sub(/.*0x/, \"\"); print p, \$0 }"
  done; done >paths
  LD_PRELOAD=$preload saquery -g >groups; LD_PRELOAD=$preload smpquery sl2vl $(sed -n "s/.*lid \([0-9]*\) .*/\1/p" lfts.read | head -1) 1 >sl2vl'

"$RIPSTOP" fabric kary-ntree:k=2,n=2 --net >tree.net
map='qos_sl2vl 0,1,2,3,4,2,6,7,0,0,0,0,0,0,0,0'
CONF=$map OPTIONS=lanes=1 "$live" tree.net ripstop tree 0 >tree.out 2>tree.err || complain "tree: $(cat tree.out tree.err)"
[ "$(sort -u tree/paths)" = $'0x8005 5\n0xffff 0' ] || complain "tree: paths: $(cat tree/paths)"
grep -q 'SL\.*0x5' tree/groups || complain "tree: groups: $(cat tree/groups)"
grep -q '| 0| 1| 2| 3| 4| 2| 6| 7|' tree/sl2vl || complain "tree: SL2VL: $(cat tree/sl2vl)"

"$RIPSTOP" fabric torus:3x3 --net >torus.net
OPTIONS=lanes=2 "$live" torus.net ripstop torus 0 >torus.out 2>torus.err || complain "torus: $(cat torus.out torus.err)"
[ "$(awk '{ print $1, int($2 / 2) }' torus/paths | sort -u)" = $'0x8005 1\n0xffff 0' ] || complain "torus: paths: $(cat torus/paths)"
awk '{ $3 += 2; print }' torus/psl >class1
{ ibdmchk -s torus/opensm-subnet.lst -f torus/opensm.fdbs -m torus/opensm.mcfdbs -c class1 -d torus/slvl || true; } >ibdmchk.out 2>&1
grep -q 'no credit loops found' ibdmchk.out || complain "torus: the second class has a loop: $(tail ibdmchk.out)"

# Two groups with service levels of their own, and then the second partition, beside 8 of 8 VLs: a failed cable is repaired.
printf 'Default=0x7fff,ipoib: mgid=ff12:401b::707,sl=9 mgid=ff12:401b::708,sl=10 ALL=full;\n' >groups.conf
later='cp later.conf partitions.conf; kill -HUP $manager; sleep 1; what="gone $(head -1 cables)"
  echo "Unlink $(command_of ${what#* })" >console; settle; sleep 2; cp osm.log later.log'
mkdir -p later
cp partitions.conf later/later.conf
PARTITIONS=$PWD/groups.conf AT_END=$later OPTIONS=lanes=8 "$live" torus.net ripstop later 0 >later.out 2>later.err
sed -n '/ERR R004/,$p' later/later.log >after
grep -q 'ripstop: ERR R004: partition 0x8005 has SL 5 .*; repairs go on with the classes and VLs of before' after &&
  grep -q 'ripstop: repaired, 72 pairs, 0 lost, .* 8 VLs' after && ! grep -q 'NO TABLES' later/later.log ||
  complain "later: $(cat later.out later.err) $(grep ripstop: later/later.log)"

# OpenSM may no longer configure VLs, by its own file, after the tables were made: a failed cable is repaired on their VLs.
printf 'Default=0x7fff,ipoib:ALL=full;\n' >plain.conf
off='sed -i "s/^qos TRUE/qos FALSE/" conf; kill -HUP $manager; sleep 1; what="gone $(head -1 cables)"
  echo "Unlink $(command_of ${what#* })" >console; settle; sleep 2; cp osm.log off.log'
PARTITIONS=$PWD/plain.conf AT_END=$off OPTIONS=lanes=2 "$live" torus.net ripstop off 0 >off.out 2>off.err
sed -n '/ERR R005/,$p' off/off.log >after
grep -q "ripstop: ERR R005: lanes=2 needs 'qos TRUE' in opensm.conf (or -Q); without it give lanes=1; repairs go on with the VLs of before" after &&
  grep -q 'ripstop: repaired, 72 pairs, 0 lost, .* 2 VLs' after && ! grep -q 'ERR R001' off/off.log ||
  complain "off: $(cat off.out off.err) $(grep ripstop: off/off.log)"

QUIET=0 OPTIONS=lanes=8 timeout 60 "$live" torus.net ripstop wrong 0 >wrong.out 2>&1 && complain "16 VLs are fine: $(cat wrong.out)"
grep -q 'ripstop: ERR R004: partition 0x8005 has SL 5 (partitions.conf:2); this fabric needs 8 of 8 VLs for each of 2 classes (conf:[0-9]*): set lanes=4 or fewer, or remove sl=; NO TABLES' wrong/osm.log ||
  complain "no refusal: $(grep ripstop: wrong/osm.log)"
CONF=$map QUIET=0 OPTIONS=lanes=2 timeout 60 "$live" torus.net ripstop map 0 >map.out 2>&1 && complain "a map is overridden: $(cat map.out)"
grep -q 'ERR R004: qos_sl2vl maps SL 5 to another VL (conf:[0-9]*); the tables need 2 VLs and set the map (conf:[0-9]*): set lanes=1, or remove qos_sl2vl' map/osm.log ||
  complain "no refusal: $(grep ripstop: map/osm.log)"
finish
