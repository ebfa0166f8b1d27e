#!/bin/bash
# The table of docs/opensm.md: how evenly `mend` and every engine of a stock OpenSM share the links of broken fabrics, beside
# a bound that no routing beats.
#
# usage: tools/bench-tables.sh [NET...]     a net file, its gzip, or SPEC%PERCENT[@SEED], such as torus:8x8x8%5
#   without one: the fabrics of the table
#   environment: RIPSTOP, the program; `LANES`, the numbers of VLs of mend (those with a bar for the net, else 4); ENGINES, of
#   OpenSM ('' for none); LIMIT, seconds that an engine has for a net (60); MINUTES, after which no other engine begins (30): their
#   rows show "not run"; FOLDER, where rows of engines are kept: an interrupted or stopped run continues with these
#
# `mend` is there with levels by destination and by pair. After the engines come rows of repairs of the last two nets below,
# then the bars of both (BARS in this script) and which were missed; exit code 1 if any was. Without arguments alone.
#
# Columns: net, engine, pairs lost, paths on the worst link, the bound, 99th percentile, mean hops, shortest, most, credit loop
# ("?": the engine uses several VLs, so its forwarding tables alone do not determine this), seconds of routing.
# Seconds of `mend` are processor time; those of OpenSM are from its log, valid only on one otherwise idle core.
# Engines: minhop, updn, dnup, ftree, dor, sssp, dfsssp, lash, nue, torus-2QoS; NET.roots beside a net file is updn's, a tree's
# highest level updn's and ftree's, else the first switch updn's. Without OpenSM and ibsim there are rows of mend alone.
set -eu -o pipefail
cd "$(dirname "$0")/.."
ripstop=${RIPSTOP:-build/ripstop}
[ -x "$ripstop" ] || { echo "build ripstop first (make), or name it by RIPSTOP" >&2; exit 2; }
folder=${FOLDER:-$(mktemp -d)}
mkdir -p "$folder/rows"
folder=$(realpath "$folder")
export LEVELS=no LIMIT=${LIMIT:-60}
engines=${ENGINES-minhop updn dnup ftree dor sssp dfsssp lash nue torus-2QoS}
all=no
[ $# -gt 0 ] || { all=yes; set -- kary-ntree:k=4,n=3%0 kary-ntree:k=4,n=3%5 kary-ntree:k=8,n=3%0 kary-ntree:k=8,n=3%1 \
  kary-ntree:k=8,n=3%5 mport-ntree:m=24,n=3%5 mport-ntree:m=36,n=3%0 mport-ntree:m=36,n=3%1 mport-ntree:m=36,n=3%5 \
  torus:8x8%5 torus:16x16%0 torus:16x16%5 torus:8x8x8%0 torus:8x8x8%5 kns:k=8,n=3%0 kns:k=8,n=3%5 \
  dragonfly:a=8,p=4,h=4%5 hyperx:8x8,p=4%5 jellyfish:n=128,r=8,p=4%5; }

# number FILE NAME: a value of a JSON object in one line.
number() { grep -o "\"$2\":[^,}]*" "$1" | cut -d: -f2; }

# dead_links SPEC%PERCENT[@SEED]: how many.
dead_links() {
  local links rest=${1##*%}
  links=$("$ripstop" fabric "${1%\%*}" | sed -n 's/.* \([0-9]*\) between switches.*/\1/p')
  echo $(((links * ${rest%@*} + 50) / 100))
}

# make_net WHAT FILE: SPEC%PERCENT[@SEED], that share of the links between switches left out; or a file.
make_net() {
  local spec=${1%\%*} rest=${1##*%} dead
  case $1 in
    *%*) ;;
    *.gz) gzip -dc "$1" >"$2"; return ;;
    *) cp "$1" "$2"; return ;;
  esac
  dead=$(dead_links "$1")
  [ "$dead" -eq 0 ] && { "$ripstop" fabric "$spec" --net >"$2"; return; }
  local seed=1
  case $rest in *@*) seed=${rest#*@} ;; esac
  "$ripstop" fabric "$spec" --net --set "$("$ripstop" faults "random:$dead" --fabric "$spec" --seed "$seed" |
    grep -v '^#' | sed 's/@.*//' | tr '\n' ' ')" >"$2"
}

# The highest level of a tree that the program made, whose switches are called LEVEL/...; else the first switch.
find_roots() {
  case $1 in
    *tree*%*) awk -F'"' '/^Switch/ { level = $4 + 0; if (level > most) most = level; of[$2] = level }
      END { for (id in of) if (of[id] == most) print "0x" substr(id, 3) }' "$folder/net" ;;
    *) awk -F'"' '/^Switch/ { print "0x" substr($2, 3); exit }' "$folder/net" ;;
  esac >"$folder/roots"
}

# write_torus SPEC: for torus-2QoS the size of a torus, and where its first switch's cables lead; its roots are that switch.
write_torus() {
  local sizes letters=xyz first i step=1
  IFS=x read -ra sizes <<<"${1#torus:}"
  first=$(cat "$folder/roots")
  echo "torus ${sizes[0]} ${sizes[1]:-1} ${sizes[2]:-1}"
  for ((i = ${#sizes[@]} - 1; i >= 0; i--)); do
    printf '%sp_link 0x%x 0x%x\n%sm_link 0x%x 0x%x\n' "${letters:i:1}" "$first" $((first + step)) \
      "${letters:i:1}" "$first" $((first + step * (sizes[i] - 1)))
    echo "${letters:i:1}_dateline 0"
    step=$((step * sizes[i]))
  done
}

row() { printf '%s\t' "$@" | sed 's/\t$//'; echo; }

of_mend() {
  local lanes sl
  for lanes in ${LANES:-$(lanes_of "$1")}; do for sl in destination pair; do
    [ "$lanes$sl" != 1pair ] || continue # the same
    "$ripstop" route "$folder/net" --method "mend:lanes=$lanes,sl=$sl" --json >"$folder/summary" ||
      { row "$1" "mend, $lanes lanes by $sl" refuses; verdict "$1, $lanes lanes by $sl: refused" 1 0; continue; }
    verdict "$1, $lanes lanes by $sl: pairs lost" "$(number "$folder/summary" lost_pairs)" 0
    bound=$(number "$folder/summary" bound)
    check "$1" "$lanes" "$(number "$folder/summary" worst_link_paths)" "$sl"
    row "$1" "mend, $lanes lanes by $sl" "$(number "$folder/summary" lost_pairs)" "$(number "$folder/summary" worst_link_paths)" \
      "$bound" "$(number "$folder/summary" p99_link_paths)" "$(number "$folder/summary" mean_hops)" \
      "$(number "$folder/summary" minimum_hops)" "$(number "$folder/summary" max_hops)" no \
      "$(number "$folder/summary" seconds)"
  done; done
}

# Targets: net, VLs, paths on the worst link; `1%`: at most this much above the bound; then seconds for all nets, and milliseconds
# and a mean share of the entries in percent for repairs.
BARS='mport-ntree 1 1%
kary-ntree 1 1%
torus:8x8x8%5 1 1500
torus:8x8x8%5 2 680
torus:8x8x8%5 4 615
torus:8x8x8%5 8 590
torus:16x16%5 4 900
kns:k=8,n=3%5 4 700
kns:k=8,n=3%5 8 580
dragonfly:a=8,p=4,h=4%5 4 1308
hyperx:8x8,p=4%5 4 164
jellyfish:n=128,r=8,p=4%5 4 736'

# lanes_of NET: those with a bar.
lanes_of() {
  local net lanes bar some=''
  while read -r net lanes bar; do case $1 in "$net"*) some="$some $lanes" ;; esac; done <<<"$BARS"
  echo "${some:-4}"
}

# check NET VLS WORST SL: adds the bar, if there is one, to the list of met or missed ones.
check() {
  local net lanes bar most
  while read -r net lanes bar; do
    case $1 in "$net"*) [ "$lanes" = "$2" ] || continue ;; *) continue ;; esac
    most=$bar
    [ "$bar" != 1% ] || most=$((bound + bound / 100))
    verdict "$1, $2 lanes by $4: worst link" "$3" "$most"
  done <<<"$BARS"
}

# verdict WHAT VALUE MOST
verdict() {
  awk -v value="$2" -v most="$3" 'BEGIN { exit !(value <= most) }' && word=met || word=missed
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" $word >>"$folder/bars"
}

# of_repairs NET MILLISECONDS PERCENT: five cables fail, each alone, where 5 % have already. Milliseconds are a bar for each
# of them; the share of the entries that changes is one for their mean, as in the study that it comes from (20 cables; there
# it was of entries for end nodes, here of all), and how much of it no repair could have kept, is printed beside it.
of_repairs() {
  local spec=${1%\%*} dead cable entries dead_ones seed=10 repaired=0 changed=0 least=0
  dead=$("$ripstop" faults "random:$(dead_links "$1")" --fabric "$spec" --seed 1 | grep -v '^#' | sed 's/@.*//' | tr '\n' ' ')
  "$ripstop" route "$spec" --set "$dead" --method mend:lanes=1 -o "$folder/old" --json >"$folder/summary"
  case $1 in mport*) verdict "$1: seconds of new tables" "$(number "$folder/summary" seconds)" .8 ;; esac
  while [ $repaired -lt 5 ]; do
    seed=$((seed + 1))
    cable=$("$ripstop" faults random:1 --fabric "$spec" --seed $seed | grep -v '^#' | sed 's/@.*//')
    case " $dead " in *" $cable "*) continue ;; esac # repeat the sample
    repaired=$((repaired + 1))
    "$ripstop" route "$spec" --set "$dead $cable" --method mend:lanes=1 --after "$folder/old" --json >"$folder/summary" ||
      { verdict "$1, repair of $cable: refused" 1 0; continue; }
    verdict "$1, repair of $cable: pairs lost" "$(number "$folder/summary" lost_pairs)" 0
    entries=$(number "$folder/summary" changed_entries)
    dead_ones=$(number "$folder/summary" changed_dead_entries)
    changed=$((changed + entries)) least=$((least + dead_ones))
    row "$1" "mend, repair of $cable: $entries entries, $dead_ones led into it" "$(number "$folder/summary" lost_pairs)" \
      "$(number "$folder/summary" worst_link_paths)" "$(number "$folder/summary" bound)" '' '' '' '' no "$(number "$folder/summary" seconds)"
    verdict "$1, repair of $cable: ms" "$(awk -v s="$(number "$folder/summary" seconds)" 'BEGIN { print 1000 * s }')" "$2"
  done
  verdict "$1, repairs, mean: % of entries ($(share $least "$spec") % led into the cable)" "$(share $changed "$spec")" "$3"
}

# share ENTRIES SPEC: of five repairs, in percent of the tables' entries.
share() { awk -v e="$1" -v all="$(entries_of "$2")" 'BEGIN { printf "%.3g", 100 * e / 5 / all }'; }

# The tables' entries: a switch's for every node.
entries_of() { "$ripstop" fabric "$1" | awk '/^  end nodes/ { ends = $3 } /^  switches/ { switches = $2 + 0 } END { print (ends + switches) * switches }'; }

# routing_seconds LOG: from the line that routing begins to the one that tables are there.
routing_seconds() {
  awk '/building routing with/ { begin = t($3) + $4 / 1e6 } /tables configured on all switches/ && begin {
         printf "%.3f", t($3) + $4 / 1e6 - begin; exit }
       function t(clock,   part) { split(clock, part, ":"); return part[1] * 3600 + part[2] * 60 + part[3] }' "$1"
}

# of_engine NET ENGINE ROOTS: its row, of an earlier run if there is one.
of_engine() {
  local kept=$folder/rows/${1//\//_}-$2
  [ -s "$kept" ] || [ "$SECONDS" -lt $((60 * ${MINUTES:-30})) ] || { row "$1" "$2" "not run"; return 0; }
  [ -s "$kept" ] || { ask_engine "$@" >"$kept.new" && mv "$kept.new" "$kept"; }
  sed "s/BOUND/${bound:-}/" "$kept"
}

ask_engine() {
  local out=$folder/tables options=() loop status=0
  rm -rf "$out"
  case $2 in
    updn) options=(-a "$3") ;;
    ftree) case $1 in *tree*) options=(-a "$3") ;; esac ;;
    lash | dfsssp | nue | torus-2QoS) options=(-Q) ;;
  esac
  case $1-$2 in torus:*-torus-2QoS) # nets that are files have none, and it refuses them
    write_torus "${1%\%*}" >"$folder/torus"
    options+=(--torus_config "$folder/torus") ;;
  esac
  tools/opensm-tables.sh "$folder/net" "$2" "$out" -D 0x47 "${options[@]}" >"$folder/log" 2>&1 || status=$?
  case $status in
    0) ;;
    3) row "$1" "$2" "over $LIMIT s"; return 0 ;;
    *) row "$1" "$2" refuses; return 0 ;;
  esac
  "$ripstop" judge "$folder/net" --tables "$out/opensm-lfts.dump" --json >"$folder/verdict" 2>/dev/null || true
  loop=$(number "$folder/verdict" credit_loop | sed 's/true/yes/; s/false/no/')
  case $2 in lash | dfsssp | nue | torus-2QoS) [ "$loop" = no ] || loop='?' ;; esac
  row "$1" "$2" "$(($(number "$folder/verdict" unreachable_pairs) - $(number "$folder/verdict" disconnected_pairs)))" \
    "$(number "$folder/verdict" worst_link_paths)" BOUND "$(number "$folder/verdict" p99_link_paths)" \
    "$(number "$folder/verdict" mean_hops)" "" "$(number "$folder/verdict" max_hops)" "$loop" "$(routing_seconds "$out/osm.log")"
  rm -rf "$out"
}

: >"$folder/bars"
row net engine lost worst bound p99 mean_hops minimum_hops max_hops loop seconds
command -v opensm >/dev/null && command -v ibsim >/dev/null || engines=''
for net in "$@"; do
  bound=''
  make_net "$net" "$folder/net"
  roots=${net%-[0-9]*.net.gz}.roots
  [ -f "$roots" ] || roots=$folder/roots
  find_roots "$net"
  of_mend "$(basename "$net" .net.gz)"
  for engine in $engines; do of_engine "$(basename "$net" .net.gz)" "$engine" "$(realpath "$roots")"; done
done
[ $all = no ] || { of_repairs mport-ntree:m=36,n=3%5 2 .008; of_repairs torus:8x8x8%5 20 .31; }
[ -s "$folder/bars" ] || exit 0
printf '\nbar\tvalue\tat most\t\n'
cat "$folder/bars"
! grep -q 'missed$' "$folder/bars"
