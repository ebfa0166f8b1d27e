#!/bin/bash
# Has stock OpenSM route a simulated fabric (ibsim) and leaves what it dumps in a folder: opensm-lfts.dump,
# opensm-subnet.lst, opensm.fdbs, with -Q opensm-sl2vl.dump, and its log; and opensm-path-records.dump, the service level
# of each path, where OpenSM's headers are installed (tools/opensm-sls.c).
#
# usage: tools/opensm-tables.sh NET ENGINE FOLDER [OPENSM OPTIONS...]     NET: an ibnetdiscover or ibsim file, or its gzip
#
# OpenSM runs on the first adapter of the file, or on the node SIM_HOST (environment; its quoted id). The place is part of
# the measurement: LIDs are given out from there on, and nue goes by them.
#
# Exit code 0: OpenSM wrote tables; 1: the engine refuses the fabric, the reason is in FOLDER/osm.log; 3: it was stopped
# after LIMIT seconds (environment; 600); 4: the engine ended OpenSM by a signal; 77: a program is missing (Debian: opensm ibsim-utils; libopensm-dev for the
# levels). LEVELS=no in the environment: without opensm-path-records.dump, which has a line for each pair. PRELOAD in the
# environment: a shared object that OpenSM loads first.
set -eu -o pipefail
[ $# -ge 3 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
net=$1 engine=$2 folder=$3
shift 3
preload=$(find /usr/lib -name libumad2sim.so -path '*umad2sim*' 2>/dev/null | head -1)
command -v opensm >/dev/null && command -v ibsim >/dev/null && [ -n "$preload" ] ||
  { echo "opensm or ibsim is missing: apt-get install opensm ibsim-utils"; exit 77; }
mkdir -p "$folder"
folder=$(realpath "$folder")
case $net in *.gz) gzip -dc "$net" ;; *) cat "$net" ;; esac >"$folder/net"
read -r nodes switches ports < <(awk '
  /^(Switch|Ca|Hca|Rt)[ \t]/ { nodes++; ports += $2 + 1 }
  /^Switch[ \t]/ { switches++ }
  END { print nodes + 4, switches + 4, ports + 100 }' "$folder/net")
export SIM_HOST=${SIM_HOST:-$(awk -F'"' '/^(Ca|Hca)[ \t]/ { print $2; exit }' "$folder/net")}
export IBSIM_SOCKNAME="ripstop-$$-$engine" OSM_TMP_DIR=$folder OSM_CACHE_DIR=$folder
# End of input at its console would end ibsim, so it reads from a pipe without a writer.
mkfifo "$folder/console"
limit=${LIMIT:-600}
sleep $((limit + 3600)) >"$folder/console" &
holder=$!
ibsim -s -N "$nodes" -S "$switches" -P "$ports" "$folder/net" <"$folder/console" >"$folder/ibsim.log" 2>&1 &
simulator=$!
trap 'kill $simulator $holder 2>/dev/null || true; wait 2>/dev/null || true; rm -f "$folder/console"' EXIT
until grep -qs 'Network simulator ready' "$folder/ibsim.log"; do # minutes where there are ten thousand adapters
  kill -0 $simulator 2>/dev/null || { cat "$folder/ibsim.log"; exit 1; }
  sleep 0.1
done
echo "dump_files_dir $folder" >"$folder/conf"
headers=/usr/include/infiniband
if [ "${LEVELS:-yes}" = yes ] && [ -e $headers/opensm/osm_config.h ]; then
  cc -std=gnu11 -O1 -fPIC -shared -I$headers -o "$folder/libripstopsls.so" "$(dirname "$0")/opensm-sls.c"
  echo "event_plugin_name ripstopsls" >>"$folder/conf"
fi
LD_PRELOAD="$preload ${PRELOAD:-}" LD_LIBRARY_PATH=$folder timeout "$limit" opensm -F "$folder/conf" -o -e -f "$folder/osm.log" \
  -R "$engine,no_fallback" -D 0x43 -n 16 "$@" >"$folder/opensm.out" 2>&1 &
manager=$!
# OpenSM would call an engine that refuses the fabric again and again.
while kill -0 $manager 2>/dev/null; do
  ! grep -qs "No routing engine able" "$folder/osm.log" || kill $manager
  sleep 0.1
done
status=0
wait $manager || status=$?
[ $status -ne 124 ] || exit 3
case $status in 134 | 139) exit 4 ;; esac # SIGABRT, SIGSEGV
[ -s "$folder/opensm-lfts.dump" ] && grep -q "SUBNET UP" "$folder/osm.log" "$folder/opensm.out" || exit 1
