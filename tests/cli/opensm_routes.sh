#!/bin/bash
# The methods that route as OpenSM's engines do, against stock OpenSM: every entry of every switch is the same, on fabrics
# whole and damaged, and after cables and switches have gone while OpenSM was running.
# Without OpenSM (and then skipped, exit code 77) only tables that it wrote once are compared.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data

# same NET METHOD TABLES [DEAD]: the method makes these tables, addresses of switches and all.
same() {
  "$RIPSTOP" judge "$1" --method "$2" --before "$3" ${4:+--set "$4"} --json >verdict 2>error
  grep -q '"changed_entries":0,' verdict && ! grep -q '"entries":0,' verdict ||
    complain "$1 by $2: $(grep -o '"entries":[0-9]*,"changed_entries":[0-9]*' verdict) $(cat error)"
}
for engine in minhop updn; do same "$data/ib/small-clean.ibnetdiscover" opensm-$engine "$data/ib/small-clean.$engine.lfts"; done

[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk dump_lfts saquery cc python3; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done

# engine NET ENGINE [ROOTS]: the same as stock OpenSM's, or both refuse. Entries alone: all of these have one level. OpenSM waits
# more than it works, so all run side by side, and compared at the end.
asked=()
engine() {
  local folder=$1.$2.${3:-}
  rm -rf "$folder" "$folder.made"
  asked+=("$1 $2 ${3:-}")
  { LEVELS=no "$RIPSTOP_SOURCE/tools/opensm-tables.sh" "$1" "$2" "$folder" ${3:+-a "$3"} >"$folder.log" 2>&1 && : >"$folder.made"; } &
}
compare() {
  local net=$1 name=$2 roots=${3:-} folder=$1.$2.${3:-}
  if [ -e "$folder.made" ]; then
    same "$net" "opensm-$name${roots:+:roots=$roots}" "$folder/opensm-lfts.dump"
  else
    "$RIPSTOP" judge "$net" --method "opensm-$name" >/dev/null 2>&1 && complain "$net: opensm refuses by $name"
  fi
}
# GUIDs that differ in two bytes: the last one counts most in OpenSM's order, but not between switches of one rank.
"$RIPSTOP" fabric torus:4x4 --net --set '0.0/0 1.2/1' >torus.net
for digit in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
  sed -i "s/2c9020000000$digit/2c90210${digit}0000$(tr 0123456789abcdef fedcba9876543210 <<<$digit)/g" torus.net
done
grep -q '"S-0002c90210a00005"' torus.net || complain "GUIDs are not what they should be"
echo 0x0002c90210a00005 >torus.roots
engine torus.net minhop
engine torus.net updn
engine torus.net updn torus.roots
engine torus.net dor
engine torus.net sssp
"$RIPSTOP" fabric kary-ntree:k=3,n=3 --net --set '0/0.1/4 1/2.0/3' >tree.net
engine tree.net updn
printf '0x2c90200000013 # a root\n\n0x2c90200000014\n' >tree.roots
engine tree.net updn tree.roots
# ftree refuses a damaged tree, but not with all its roots; leaves with fewer adapters, and several cables to a neighbour
engine tree.net ftree
for root in 12 13 14 15 16 17 18 19 1a; do echo "0x2c902000000$root"; done >tree.all
engine tree.net ftree tree.all
"$RIPSTOP" fabric kary-ntree:k=3,n=3 --net --set 'end:0.0.1 end:1.2.0 end:1.2.2' >fewer.net
engine fewer.net ftree
for leaf in a b c; do
  for spine in x y x y y; do echo "$leaf $spine"; done
  for host in 1 2 3; do echo "@end $leaf$host $leaf"; done
done >twins
"$RIPSTOP" fabric graph:twins --net >twins.net
engine twins.net ftree
engine torus.net ftree
"$RIPSTOP" fabric dragonfly:a=4,p=2,h=2 --net >dragonfly.net
engine dragonfly.net minhop
# two cables between the same switches, one leaf with more adapters than others, one switch without any
printf '%s\n' 'a b' 'a b' 'b c' 'b c' 'c a' 'c d' 'd a' 'd a' 'a h1' 'b h2' 'c h3' 'c h4' '@router h1' >edges
"$RIPSTOP" fabric graph:edges --net >graph.net || complain "the edge list is no net"
engine graph.net minhop
engine graph.net dor

# vls NET ENGINE METHOD: entries and service levels are stock OpenSM's, or both refuse. dfsssp draws a VL where a pair may use
# several; with a rand that returns 0 it takes the first, as seed=0 does.
echo 'int rand(void); int rand(void) { return 0; }' >rand.c
cc -shared -fPIC -o rand.so rand.c
with_vls=()
vls() {
  local folder=$1.$2
  with_vls+=("$1 $2 $3")
  { PRELOAD=$([ "$2" != dfsssp ] || echo "$PWD/rand.so") "$RIPSTOP_SOURCE/tools/opensm-tables.sh" "$1" "$2" "$folder" -Q >"$folder.log" 2>&1 && : >"$folder.made"; } &
}
compare_vls() {
  local net=$1 folder=$1.$2 method=$3 differ
  if [ ! -e "$folder.made" ]; then
    "$RIPSTOP" judge "$net" --method "$method" >/dev/null 2>&1 && complain "$net: opensm refuses by $2"
    return 0
  fi
  same "$net" "$method" "$folder/opensm-lfts.dump"
  "$RIPSTOP" route "$net" --method "$method" -o "$folder/own" >out 2>error || complain "$net by $method: $(cat error)"
  differ=$("$RIPSTOP_SOURCE/tools/compare-levels.py" "$folder" "$folder/own") && [ "$differ" = 0 ] || complain "$net by $method: $differ other service levels"
}
"$RIPSTOP" fabric torus:6x6 --net --set '0.0/0 1.2/1 3.3/0 5.1/1' >torus6.net
"$RIPSTOP" fabric jellyfish:n=24,r=4,p=2 --net >random.net
for one in dfsssp:opensm-dfsssp:seed=0 lash:opensm-lash; do
  for net in torus6.net random.net tree.net graph.net; do vls $net "${one%%:*}" "${one#*:}"; done
done
# a torus that needs more than eight VLs
"$RIPSTOP_SOURCE/tools/opensm-nets.py" . torus-8x8
vls torus-8x8-0.net.gz dfsssp opensm-dfsssp:seed=0

# live NET ENGINE ROOTS SEED: after a failure OpenSM keeps entries, and so does --after; after a repair it recomputes
# all.
live() {
  local net=$1 name=$2 roots=$3 folder=$1-$2 state gone before=0 now
  KEEP=yes READ_BACK=99 OPENSM_OPTIONS=${roots:+-a $PWD/$roots} "$RIPSTOP_SOURCE/tools/opensm-live.sh" "$net" "$name" "$folder" 4 "$4" >"$folder.out" 2>&1
  [ -e "$folder/lfts.4" ] || complain "opensm went away: $(cat "$folder.out")"
  for state in 1 2 3 4; do
    gone=$(sed -E 's/^cable (S-[0-9a-f]+) \[([0-9]+)\]/\1\/P\2/; s/^switch (.*)/switch:\1/' "$folder/gone.$state" | tr '\n' ' ')
    now=$(wc -l <"$folder/gone.$state")
    if [ "$now" -gt "$before" ]; then
      rm -rf rerouted
      "$RIPSTOP" route "$net" --method "opensm-$name${roots:+:roots=$roots}" --set "$gone" --after "$folder/lfts.$((state - 1))" -o rerouted >out 2>error
      "$RIPSTOP" judge "$net" --tables rerouted/lfts.dump --before "$folder/lfts.$state" --set "$gone" --json >verdict 2>error
      grep -q '"changed_entries":0,' verdict || complain "$net by $name, gone $gone: $(cat verdict error)"
    else
      same "$net" "opensm-$name${roots:+:roots=$roots}" "$folder/lfts.$state" "$gone"
    fi
    before=$now
  done
}
"$RIPSTOP" fabric kary-ntree:k=3,n=2 --net >small.net
live small.net minhop '' 3
live small.net dfsssp '' 5
wait
# shellcheck disable=SC2086 # words
for one in "${asked[@]}"; do compare $one; done
# shellcheck disable=SC2086 # words
for one in "${with_vls[@]}"; do compare_vls $one; done
[ -e torus6.net.lash.made ] && [ -e torus6.net.dfsssp.made ] && [ ! -e torus-8x8-0.net.gz.dfsssp.made ] || complain "other refusals of opensm"
finish
