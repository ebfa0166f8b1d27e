#!/bin/bash
# Runs stock OpenSM on a simulated fabric (ibsim) while links and switches fail and return. After every change other programs,
# never ripstop alone, check the state: ibdmchk, that all connected pairs are routed without a credit loop, with the SLs and VLs
# of the subnet manager; saquery, that the plug-in answers with these SLs; smpquery, that a switch has these VLs; dump_lfts,
# that the switches have the tables that OpenSM has computed.
#
# usage: tools/opensm-live.sh NET ENGINE FOLDER CHANGES [SEED]    NET: an ibnetdiscover or ibsim file, or its gzip
#   ENGINE   ripstop (with the plug-in beside the program $RIPSTOP), or one of OpenSM's own, which may fall back to minhop
#   CHANGES  how many changes, one after the other: of four three remove or restore a cable, one a switch; the same for
#            all engines
#   environment: OPTIONS for the plug-in (`lanes=4`), OPENSM_OPTIONS for opensm, LMC=N: 2^N LIDs per port (0; with ripstop,
#            or an engine on one VL), READ_BACK=N: dump_lfts after each Nth change (1),
#            LOOKS: the number of checks of a state until it is correct (6);
#            TAKE_OVER=own or shared: after every change this OpenSM is killed, and a standby becomes master (30 times at
#            most); two adapters take turns, each with a cache folder of its own, or with one for both;
#            CONF: more lines of opensm.conf; PARTITIONS=FILE: for opensm; AT_END: a command for the end, while OpenSM runs, with $preload for libumad2sim.so;
#            FLAP='"S-id"[port]': that cable fails and returns at the end;
#            KEEP=yes: keeps the tables of each state as lfts.STATE, and its removed parts in gone.STATE
#
# Prints a line for each state, then the sums:
#   state  what changed  pairs  lost  loop  changed-entries
# The loop is unknown if ibdmchk cannot decide it, or if saquery or smpquery shows other SLs or VLs.
# An OpenSM that exits is started again. FOLDER/sums has the sums as words: engine, changes, lost, states with lost pairs,
# loops, unknown, states with other tables, refusals, fall-backs, exits, changed entries, processor milliseconds. With
# TAKE_OVER also take-overs, those that changed entries, those whose log has another number than the switches, and those that
# the log calls unsafe.
# Exit code 0: every state was correct; 1: a number in the log was wrong, pairs were lost, there was a loop or ibdmchk could not decide, switches had other
# tables, the engine refused or fell back, or OpenSM exited; 2: arguments are missing, or ibsim does not read the net; 77: a
# program is missing (Debian: opensm ibsim-utils ibutils infiniband-diags; libopensm-dev for the SLs of ripstop, dfsssp, lash,
# nue and torus-2QoS).
set -eu -o pipefail
[ $# -ge 4 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
net=$1 engine=$2 folder=$3 changes=$4 seed=${5:-1}
preload=$(find /usr/lib -name libumad2sim.so -path '*umad2sim*' 2>/dev/null | head -1)
for program in opensm ibsim ibdmchk dump_lfts saquery smpquery; do
  command -v $program >/dev/null && [ -n "$preload" ] || { echo "$program or libumad2sim.so is missing"; exit 77; }
done
here=$(realpath "$(dirname "$0")")
mkdir -p "$folder"
folder=$(realpath "$folder")
case $engine in ripstop | dfsssp | lash | nue | torus-2QoS) lanes=yes ;; *) lanes=no ;; esac
headers=/usr/include/infiniband
[ $lanes = no ] || [ -e $headers/opensm/osm_config.h ] || { echo "OpenSM's headers are missing"; exit 77; }
case $net in *.gz) gzip -dc "$net" ;; *) cat "$net" ;; esac >"$folder/net"
[ -z "${PARTITIONS:-}" ] || cp "$PARTITIONS" "$folder/partitions.conf"
cd "$folder"
export IBSIM_SOCKNAME="ripstop-live-$$" OSM_TMP_DIR=$folder

# ---------------------------------------------------------------- the fabric and its subnet manager
start_fabric() {
  read -r nodes switches ports < <(awk '
    /^(Switch|Ca|Hca|Rt)[ \t]/ { nodes++; ports += $2 + 1 }
    /^Switch[ \t]/ { switches++ }
    END { print nodes + 4, switches + 4, ports + 100 }' net)
  mkfifo console
  sleep 86400 >console & # ibsim ends where its console does
  holder=$!
  ibsim -s -N "$nodes" -S "$switches" -P "$ports" net <console >ibsim.log 2>&1 &
  simulator=$!
  trap stop EXIT
  until grep -qs 'Network simulator ready' ibsim.log; do
    kill -0 $simulator 2>/dev/null || { echo "ibsim does not read the net: $(grep -m 1 '^ibwarn\|^fatal' ibsim.log)"; exit 2; }
    sleep 0.05
  done
}

# OpenSM does not always end at the first request.
stop() {
  kill -KILL ${manager:-} "$simulator" "$holder" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -f console
}

# A service level depends on both ends of a path, so a plug-in of a few lines has OpenSM write those of all paths.
write_conf() {
  local plugins=
  [ "$engine" != ripstop ] || plugins=ripstop-opensm
  echo "dump_files_dir $folder"
  echo "force_log_flush TRUE"
  [ -z "${TAKE_OVER:-}" ] || printf 'sminfo_polling_timeout 300\npolling_retry_number 2\n'
  if [ $lanes = yes ]; then
    cc -std=gnu11 -O1 -fPIC -shared -I$headers -o libripstopsls.so "$here/opensm-sls.c"
    echo "qos TRUE"
    echo "event_plugin_name $plugins ripstopsls"
  fi
  [ "$engine" != ripstop ] || echo "event_plugin_options ${OPTIONS:-lanes=4}"
  [ -z "${CONF:-}" ] || printf '%s\n' "$CONF"
}

# run_manager LOG [WORDS]: with the adapter and the cache folder whose turn it is.
run_manager() {
  local list=$engine cache=$folder host=
  [ "$engine" != ripstop ] || list=ripstop,no_fallback
  [ -z "${TAKE_OVER:-}" ] || host=${hosts[turn]}
  [ "${TAKE_OVER:-}" != own ] || cache=$folder/cache$turn
  mkdir -p "$cache"
  # shellcheck disable=SC2086 # options are words
  ${host:+env SIM_HOST="$host"} env OSM_CACHE_DIR="$cache" LD_LIBRARY_PATH=$(dirname "${RIPSTOP:-/usr/bin/ripstop}"):$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD=$preload \
    opensm -F conf -e -f "$1" -R "$list" -D 0x43 -n 16 -s 1 -l "$lmc" ${PARTITIONS:+-P partitions.conf} ${2:-} ${OPENSM_OPTIONS:-} >opensm.out 2>&1 &
  manager=$!
}

start_manager() {
  cat osm.log >>osm.log.all
  run_manager osm.log "${TAKE_OVER:+-p $priority}"
  spent=$((${spent:-0} + ${used:-0}))
  used=0
}

up() {
  local tries=0
  until grep -qs 'SUBNET UP' "$1"; do
    [ $((tries++)) -lt 300 ] || return 1
    sleep 0.05
  done
}

# Another OpenSM, a standby, becomes master because this one is killed. A standby has a lower priority, or the same and a
# greater GUID.
take_over() {
  local old=$manager tries=0
  look_at_clock
  spent=$((spent + used)) used=0
  turn=$((1 - turn)) priority=$((priority - 1 + turn))
  cp tables.read tables.before
  run_manager next.log "-p $priority"
  until grep -qs 'Entering STANDBY' next.log || [ $((tries++)) -ge 200 ]; do sleep 0.05; done
  kill -KILL "$old"
  wait "$old" 2>/dev/null || true
  up next.log || { # OpenSM waits forever for a message that ibsim lost: the next one reads the same switches
    stalls=$((stalls + 1))
    kill -KILL "$manager"
    run_manager next.log "-p $priority"
    up next.log || true
  }
  cat osm.log >>osm.log.all
  mv next.log osm.log
  settle_log
}

# The number of entries in the first line after a take-over is the number on the switches. Not where the new master sees
# another part of a disconnected fabric.
check_numbers() {
  local line said there
  cmp -s <(cut -d' ' -f1 tables.before | sort -u) <(cut -d' ' -f1 tables.read | sort -u) || return 0
  line=$(grep -m 1 'ripstop: became master; \(switches hold\|what\)' osm.log || true)
  said=$(grep -o '[0-9]* entries[^,;]*changed' <<<"$line" | grep -o '^[0-9]*' || echo none)
  there=$(comm -3 tables.before tables.read | awk '{ print $1, $2 }' | sort -u | wc -l) # changed, new and removed ones
  taken=$((taken + 1))
  [ "$said" = 0 ] || taken_changed=$((taken_changed + 1))
  [ "$said" = "$there" ] || { taken_wrong=$((taken_wrong + 1)); echo "the log says $said entries, the switches $there: $line"; }
  ! grep -q 'no order of writes' <<<"$line" || taken_unsafe=$((taken_unsafe + 1))
}

alive() { kill -0 "$manager" 2>/dev/null; }

# Processor time of the subnet manager up to now, in hundredths of a second.
look_at_clock() { used=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$manager/stat" 2>/dev/null || echo "$used"); }

# knows cable S-GUID [PORT], knows switch S-GUID: whether the subnet manager sees it.
knows() {
  local port=${3:-}
  port=${port//[\[\]]/}
  if [ "$1" = switch ]; then
    grep -q "NodeGUID:${2#S-}" opensm-subnet.lst
  else
    grep -q "^{ [^}]*NodeGUID:${2#S-}[^}]*{[^}]*} LID:[0-9A-F]* PN:$(printf %02X "$port") }" opensm-subnet.lst
  fi
}

# settle: until the subnet manager knows of the last change (not of a cable whose other switch is gone: then some seconds
# must do; a minute for the start), and writes nothing any more; or until there is no engine.
settle() {
  local waited=0 most=80
  [ "$what" != start ] || most=1200
  while alive && [ $((waited++)) -lt $most ]; do
    case $what in
      start | take-over | flap) ! grep -q 'SUBNET UP\|No routing engine able' osm.log || break ;;
      # shellcheck disable=SC2086 # words
      gone*) knows ${what#* } || break ;;
      # shellcheck disable=SC2086 # words
      *) ! knows ${what#* } || break ;;
    esac
    sleep 0.05
  done
  settle_log
}

settle_log() {
  local size=-1 now
  while now=$(stat -c '%s %Y' osm.log opensm-lfts.dump 2>/dev/null | tr '\n' ' ') && [ "$now" != "$size" ]; do
    size=$now
    sleep "${QUIET:-0.25}"
  done
}

# ---------------------------------------------------------------- checks by other programs
# Writes the VLs that OpenSM set up, and the SLs of all its paths, for ibdmchk.
ask_levels() {
  awk '/^Switch 0x/ { guid = substr($2, 1, 18) } /^Channel/ { guid = "" }
       guid && /^[0-9]+ +[0-9]+ +:/ {
         printf "%s %d %d", guid, $1, $2
         for (i = 4; i < 20; i += 2) printf " 0x%x%x", $i, $(i + 1)
         printf "\n" }' opensm-sl2vl.dump >slvl
  grep -o '{ CA[^}]*} LID:[0-9A-F]*' opensm-subnet.lst |
    sed 's/.*NodeGUID:\([0-9a-fA-F]*\) .*LID:\([0-9A-F]*\)$/\1 \2/' | sort -u >adapters
  read_levels >psl
}

# True if saquery returns the SLs of psl: for each LID of every adapter, each time from another one. A query that times out
# does not count.
check_levels() {
  mapfile -t guid < <(cut -d' ' -f1 adapters)
  mapfile -t lid < <(cut -d' ' -f2 adapters)
  local count=${#guid[@]} i from to level
  for ((i = 0; i < count; i++)); do
    from=$(((i * 7 + state * 31 + 1) % count))
    [ "$from" -ne "$i" ] || from=$(((i + 1) % count))
    for ((to = 16#${lid[i]}; to < 16#${lid[i]} + (1 << lmc); to++)); do
      level=$(LD_PRELOAD=$preload saquery PR --slid "$((16#${lid[from]}))" --dlid "$to" ${PARTITIONS:+--pkey 0xffff} 2>/dev/null |
        awk -F'\\.\\.+' '$1 ~ /[ \t]sl$/ { print $2; exit }' || true)
      echo "0x${guid[from]} $to ${level:+$((level))}"
    done
  done >levels
  [ -z "$(grep -vxFf psl levels)" ]
}

# True if a port of a switch, another one each time, has the VLs of slvl.
check_lanes() {
  local guid lid port
  read -r guid lid port < <(awk -v nth=$((state * 7)) '
    NR == FNR { if (/^Switch/) lid[$2] = $5; next }
    !seen[$1, $3]++ { row[rows++] = $1 " " lid[$1 ","] + 0 " " $3 }
    END { if (rows) print row[nth % rows] }' opensm-sl2vl.dump slvl)
  LD_PRELOAD=$preload smpquery sl2vl "$lid" "$port" 2>/dev/null | awk -v guid="$guid" '
    /^ports:/ {
      gsub(/[^0-9]+/, " ")
      printf "%s %d %d", guid, $1, $2
      for (i = 3; i < 19; i += 2) printf " 0x%x%x", $i, $(i + 1)
      printf "\n" }' >lanes || true
  [ -s lanes ] && [ -z "$(grep -vxFf slvl lanes)" ]
}

read_levels() {
  awk 'function hex(word,   i, sum) {
         for (i = 1; i <= length(word); i++) sum = 16 * sum + index("0123456789abcdef", tolower(substr(word, i, 1))) - 1
         return sum
       }
       NR == FNR { guid[hex($2)] = $1; next }
       /^Channel/ { match($0, /LID [0-9]+/); from = guid[substr($0, RSTART + 4, RLENGTH - 4) + 0] }
       /^0x/ && from { print "0x" from, hex(substr($1, 3)), $3 }' adapters opensm-path-records.dump
}

# To `pairs`, `lost` and `loop` what ibdmchk says of what the subnet manager has set up.
ask_ibdmchk() {
  local with=() nth
  if [ $lanes = yes ]; then
    ask_levels
    with+=(-c psl -d slvl)
  fi
  : >ibdmchk.out
  for ((nth = 0; nth < 1 << lmc; nth++)); do
    perl -pe "s/(\\{ CA [^{}]*\\{[^{}]*\\} LID:)([0-9A-F]+)/sprintf '%s%04X', \$1, hex(\$2) + $nth/ge" opensm-subnet.lst >nth.lst
    { ibdmchk -s nth.lst -f opensm.fdbs -m opensm.mcfdbs "${with[@]}" >>ibdmchk.out 2>&1 || true; } 2>/dev/null # it may crash at its end
  done
  pairs=$(sed -n 's/.*Scanned:\([0-9]*\) CA to CA paths.*/\1/p' ibdmchk.out | awk '{ sum += $1 } END { print sum + 0 }')
  lost=$(sed -n 's/.*Fail to traverse:\([0-9]*\) CA to CA paths.*/\1/p' ibdmchk.out | awk '{ sum += $1 } END { print sum + 0 }')
  loop=unknown
  [ "$(grep -c 'no credit loops found' ibdmchk.out)" -lt $((1 << lmc)) ] || loop=no
  grep -q 'Found credit loop' ibdmchk.out && loop=yes
  [ "$lmc" -eq 0 ] || [ "$loop" != no ] || check_all_lids
  [ "$engine" != ripstop ] || [ "$loop" != no ] || { check_levels && check_lanes; } || loop=unknown
}

# ibdmchk looks at one LID of each port at a time (its own -l finds no stock engine's tables either); all of them together
# are walked by tools/walk-lfts.py.
check_all_lids() {
  python3 "$here/walk-lfts.py" net opensm-lfts.dump psl slvl gone >walk.out || true # its code says what the line says
  grep -q ' lost .*loop' walk.out || { loop=unknown; return 0; }
  grep -q 'loop no' walk.out || loop=yes
  lost=$((lost + $(sed -n 's/.* lost \([0-9]*\).*/\1/p' walk.out)))
}

# The tables that switches hold are those that OpenSM means, by switch and LID. (dump_lfts leaves out the highest LID.)
tables_of() { awk '/^Unicast/ { match($0, /guid 0x[0-9a-f]*/); s = substr($0, RSTART + 5, RLENGTH - 5) } /^0x/ { print s, $1, $2 + 0 }' "$1" | sort; }
read_back() {
  ${TAKE_OVER:+env SIM_HOST="${hosts[turn]}"} env LD_PRELOAD="$preload" dump_lfts >lfts.read 2>dump_lfts.err || true
  tables_of lfts.read >tables.read
  tables_of opensm-lfts.dump | awk '$3 != 255' >tables.all
  awk -v most="$(cut -d' ' -f2 tables.all | sort | tail -1)" '$2 != most' tables.all >tables.meant
  awk -v most="$(cut -d' ' -f2 tables.all | sort | tail -1)" '$2 != most' tables.read >tables.seen
  cmp -s tables.seen tables.meant
}

# ---------------------------------------------------------------- changes
# Cables between switches, "S-...[port]" of one side, and switches. Never the one that the subnet manager sits on.
list_parts() {
  awk -v second="${second:-}" '
       /^Switch/ { me = $3; gsub(/"/, "", me); if (first == "") first = me; if (me != first && me != second) print "switch", me }
       /^(Ca|Hca|Rt)/ { me = "" }
       me != "" && match($0, /^\[[0-9]+\]/) && match($0, /"S-[0-9a-f]+"/) {
         peer = substr($0, RSTART + 1, RLENGTH - 2)
         if (me < peer) { port = $1; sub(/\].*/, "]", port); print "cable", me, port } }' net >parts
  grep '^cable' parts >cables
  grep '^switch' parts >switches
}

command_of() { [ "$1" = cable ] && echo "\"$2\"$3" || echo "\"$2\""; }

# pick_line FILE: a random line to `part`. (Not in a subshell, which would not advance RANDOM.)
pick_line() {
  local at=$((RANDOM % $(wc -l <"$1") + 1))
  part=$(sed -n "${at}p" "$1")
}

# One part goes or comes back; those that are gone are in `gone`.
change() {
  local list part
  if [ -s gone ] && [ $((RANDOM % 5)) -lt $((1 + $(wc -l <gone) / 2)) ]; then
    pick_line gone
    grep -vxF "$part" gone >left || true
    mv left gone
    # shellcheck disable=SC2086 # words
    echo "ReLink $(command_of $part)" >console
    what="back $part"
  else
    list=cables
    [ $((RANDOM % 4)) -gt 0 ] || list=switches
    pick_line $list
    grep -qxF "$part" gone || echo "$part" >>gone
    what="gone $part"
    # shellcheck disable=SC2086 # words
    echo "Unlink $(command_of $part)" >console
  fi
}

# The cable FLAP fails and returns; then, when the log has been quiet for two sweeps, the state is checked.
flap() {
  local lines=-1
  echo "Unlink $FLAP" >console
  sleep 1.5
  echo "ReLink $FLAP" >console
  sleep 1.5
  until [ "$(grep -c ripstop: osm.log)" = $lines ]; do
    lines=$(grep -c ripstop: osm.log)
    sleep 2.2
  done
  what=flap
  look
}

changed_entries() {
  tables_of opensm-lfts.dump >tables.now
  [ -f tables.last ] && diff tables.last tables.now | grep -c '^>' || true
  mv tables.now tables.last
}

# On a busy machine the subnet manager may not have finished, so a wrong state is checked again later.
look() {
  local changed try same
  for ((try = 1; try <= looks; try++)); do
    same=yes
    ask_ibdmchk
    [ $((state % ${READ_BACK:-1})) -ne 0 ] || read_back || same=no
    [ "$loop" != no ] || [ "$lost" -ne 0 ] || [ $same = no ] || break
    [ "$try" -eq "$looks" ] || { sleep 0.5; settle; }
  done
  [ $same = yes ] || { different=$((different + 1)); cp tables.seen "tables.seen.$state"; cp tables.meant "tables.meant.$state"; }
  [ -z "${KEEP:-}" ] || { cp opensm-lfts.dump "lfts.$state"; cp gone "gone.$state"; }
  changed=$(changed_entries)
  echo "$state	$what	$pairs	$lost	$loop	${changed:-0}"
  changed_sum=$((changed_sum + (state ? ${changed:-0} : 0)))
  lost_sum=$((lost_sum + lost))
  [ "$lost" -eq 0 ] || losing=$((losing + 1))
  [ "$loop" != yes ] || loops=$((loops + 1))
  [ "$loop" != unknown ] || unknown=$((unknown + 1))
}

# ---------------------------------------------------------------- from the first state to the last
turn=0 priority=15
mapfile -t hosts < <(awk -F'"' '/^(Ca|Hca)[ \t]/ { print $2 }' net)
hosts=("${hosts[0]}" "${hosts[$((${#hosts[@]} / 2))]}")
second=$(awk -v host="\"${hosts[1]}\"" '/^(Ca|Hca)/ { on = $3 == host } on && /^\[/ && match($0, /"S-[0-9a-f]+"/) { print substr($0, RSTART + 1, RLENGTH - 2); exit }' net)
[ -n "${TAKE_OVER:-}" ] || second=
RANDOM=$seed
looks=${LOOKS:-6} lmc=${LMC:-0}
start_fabric
list_parts
: >gone
: >osm.log
: >osm.log.all
write_conf >conf
start_manager
what=start
settle
taken=0 stalls=0 taken_changed=0 taken_wrong=0 taken_unsafe=0
state=0 lost_sum=0 losing=0 loops=0 unknown=0 different=0 ends=0 changed_sum=0
look
for ((state = 1; state <= changes; state++)); do
  change
  settle
  if ! alive; then
    echo "opensm has ended after $what"
    ends=$((ends + 1)) what=start
    start_manager
    settle
  fi
  look_at_clock
  look
  [ -n "${TAKE_OVER:-}" ] || continue
  take_over
  what=take-over
  look
  check_numbers
done
[ -z "${FLAP:-}" ] || flap
[ -z "${AT_END:-}" ] || eval "$AT_END"
cat osm.log >>osm.log.all
refused=$(grep -c 'ripstop: ERR\|routing failed\|Engine .* failed' osm.log.all || true)
fallen=0
[ "$engine" = minhop ] || fallen=$(grep -c 'minhop tables configured' osm.log.all || true)
echo "$engine $changes $lost_sum $losing $loops $unknown $different $refused $fallen $ends $changed_sum $(((spent + used) * 10))${TAKE_OVER:+ $taken $taken_changed $taken_wrong $taken_unsafe}" >sums
[ -z "${TAKE_OVER:-}" ] || echo "$taken take-overs, $taken_changed changed entries, $taken_wrong with a wrong number, $taken_unsafe without a safe order; $stalls standbys stalled"
echo "$engine on $(basename "$net"): $changes changes, $lost_sum pairs lost, $loops loops, $unknown not known, $different read back otherwise, $refused refusals, $fallen fall-backs, $ends times OpenSM ended"
[ $((taken_wrong + lost_sum + loops + unknown + different + refused + fallen + ends)) -eq 0 ]
