#!/bin/bash
# Multicast groups of all adapters under stock OpenSM on a simulated fabric: with the plug-in no packets of groups and
# unicast can wait for each other, by ibdmchk -M and by ripstop; with OpenSM's own trees they can. When a cable of the
# tree fails the groups are whole again after the next sweep.
# Skipped (exit code 77) where opensm, ibsim, ibutils or the headers of OpenSM are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
headers=/usr/include/infiniband
preload=$(find /usr/lib -name libumad2sim.so -path '*umad2sim*' 2>/dev/null | head -1)
[ -e $headers/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk saquery; do
  command -v $program >/dev/null && [ -n "$preload" ] || skip "$program is missing: tools/install-deps.sh --test"
done
beside=$(dirname "$RIPSTOP")
[ -e "$beside/libripstop-opensm.so" ] || skip "the plug-in was not built: tools/install-deps.sh --test"
cc -std=gnu11 -O1 -fPIC -shared -I$headers -o libripstopjoin.so "$RIPSTOP_SOURCE/tools/opensm-join.c" || complain "opensm-join.c"
cc -std=gnu11 -O1 -fPIC -shared -I$headers -o libripstopsls.so "$RIPSTOP_SOURCE/tools/opensm-sls.c" || complain "opensm-sls.c"
libraries=$beside:$PWD

# begin SPEC ENGINE [OPTIONS]: a folder with OpenSM in it, when the subnet is up.
begin() {
  local engine=$2 plugin=
  rm -rf now && mkdir now && cd now || return
  "$RIPSTOP" fabric "$1" --net >net
  export IBSIM_SOCKNAME="ripstop-groups-$$" OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD
  mkfifo console
  sleep 600 >console &
  holder=$!
  ibsim -s -N 200 -S 100 -P 2000 net <console >ibsim.log 2>&1 &
  simulator=$!
  until grep -qs 'Network simulator ready' ibsim.log || ! kill -0 $simulator; do sleep 0.05; done
  [ "$engine" != ripstop ] || plugin=ripstop-opensm engine=ripstop,no_fallback
  echo 'Default=0x7fff,ipoib:ALL=full;' >partitions.conf
  echo 'Storage=0x8005,ipoib:ALL=full;' >>partitions.conf
  printf '%s\n' "dump_files_dir $PWD" 'force_log_flush TRUE' 'qos TRUE' "event_plugin_name $plugin ripstopjoin ripstopsls" >conf
  [ -z "${3:-}" ] || echo "event_plugin_options $3" >>conf
  sed -n 's/^Switch[^"]*"S-\([0-9a-f]*\)".*/0x\1/p' net | sed -n 6p >roots # in the middle of a 4x4 torus
  SIM_HOST=$(awk -F'"' '/^(Ca|Hca)[ \t]/ { print $2; exit }' net)
  export SIM_HOST
  LD_LIBRARY_PATH=$libraries LD_PRELOAD=$preload opensm -F conf -e -f osm.log -R "$engine" -a roots -P partitions.conf \
    -D 0x43 -n 16 -s 1 >opensm.out 2>&1 &
  manager=$!
  await 'SUBNET UP' 1
}

# await TEXT COUNT: until the log has the text so often.
await() {
  local tries=0
  touch osm.log
  until [ "$(grep -c "$1" osm.log)" -ge "$2" ] || [ $((tries++)) -ge 300 ]; do sleep 0.1; done
  [ "$(grep -c "$1" osm.log)" -ge "$2" ] || complain "'$1' does not come $2 times: $(tail -3 osm.log)"
  sleep 0.5 # for the dumps, which follow
}

end() {
  kill -KILL $manager $simulator $holder 2>/dev/null
  wait $manager $simulator $holder 2>/dev/null
  cd ..
}

judge() {
  LD_PRELOAD=$preload saquery -g >groups.txt 2>/dev/null || true
  "$RIPSTOP" judge net --tables opensm-lfts.dump opensm-path-records.dump opensm-sl2vl.dump opensm.mcfdbs groups.txt \
    ${1:+--set "$1"} --json >verdict 2>judge.err || true
}

# safe SPEC OPTIONS: both groups are whole and close no cycle.
safe() {
  begin "$1" ripstop "$2"
  judge
  grep -q '"credit_loop":false' verdict || complain "$1, $2: $(cat verdict judge.err)"
  [ "$(grep -o '"components":1' verdict | wc -l)" -eq 2 ] || complain "$1, $2: not two whole groups: $(cat verdict)"
  grep -q 'ripstop: 2 groups, ' osm.log || complain "$1, $2: no line about groups: $(grep ripstop: osm.log)"
  grep -q 'NOT SAFE' osm.log && complain "$1, $2: $(grep 'NOT SAFE' osm.log)"
  [ "$2" = lanes=1 ] && { ibdmchk_says no "$1, $2"; }
}

# ibdmchk_says yes|no WHERE: it puts all packets on one VL.
ibdmchk_says() {
  { (ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs -M >ibdmchk.out 2>&1); } 2>/dev/null # may crash at its end
  local loop=yes
  grep -q 'no credit loops found' ibdmchk.out && loop=no
  [ $loop = "$1" ] || complain "$2: ibdmchk -M finds a loop: $loop"
}

safe torus:6 lanes=1
end
safe torus:4x4 lanes=1
# the first cable between switches in the tree
cable=$(awk 'NR == FNR && /^Switch/ { me = $2 }
  NR == FNR && /^0xC000/ { for (i = 3; i <= NF; i++) in_tree[me, $i] = 1 }
  NR == FNR { next }
  /^(Ca|Hca)/ { exit }
  /^Switch/ { me = $3; gsub(/"/, "", me) }
  match($0, /^\[[0-9]+\]/) && /"S-/ {
    port = substr($0, 2, RLENGTH - 2)
    split($2, peer, /["[]+|\]/)
    if (in_tree["0x" substr(me, 3), sprintf("0x%03X", port)]) { print me "[" port "]-" peer[2] "[" peer[3] "]"; exit }
  }' opensm.mcfdbs net)
[ -n "$cable" ] || complain "no cable of the tree is found"
before=$(grep -c 'ripstop: 2 groups, ' osm.log)
echo "Unlink \"${cable%%-S-*}" | sed 's/\[/"[/' >console
await 'ripstop: 2 groups, ' $((before + 1))
judge "$cable"
[ "$(grep -o '"components":1' verdict | wc -l)" -eq 2 ] || complain "without $cable groups are not whole: $(cat verdict judge.err)"
grep -q '"credit_loop":false' verdict || grep -q 'NOT SAFE' osm.log || complain "without $cable there is a loop, and no word of it: $(cat verdict)"
end
safe torus:4x4 lanes=2
end
safe kary-ntree:k=2,n=3 lanes=1
end

begin torus:4x4 updn
ibdmchk_says yes "OpenSM's own trees"
judge
grep -q '"credit_loop":true' verdict && grep -q '"credit_loop_unicast":false' verdict || complain "OpenSM's own trees: $(cat verdict)"
end
finish
