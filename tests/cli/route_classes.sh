#!/bin/bash
# ripstop route --classes-out: class maps that keep turns lossless, judged under the routes that FRR wrote; numbers of
# classes of leaf-spine fabrics, which are known; what is refused.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ethernet

# verdict CASE K: "credit loop, mismatches, lossless packets that become lossy" under maps for K turns.
verdict() {
  "$RIPSTOP" route "$data/$1/topology.dot" --bounces "$2" --classes-out "maps-$1-$2" >"out-$1-$2" || complain "$1 $2: $(cat "out-$1-$2")"
  "$RIPSTOP" judge "$data/$1/lldp" --tables "$data/$1/routes" --classes "maps-$1-$2" --json 2>notes |
    python3 -c 'import json, sys; c = json.load(sys.stdin)["classes"]; print(c["credit_loop"], len(c["pause_mismatch"]), len(c["leaves_lossless"]), *c["lossless_classes"])'
}

# The routes of all these cases have a credit loop in one class.
for case in ls42-own-2-loop ft4-own-3; do
  for k in 1 2; do
    classes="3 4" && [ $case$k != ft4-own-32 ] || classes="3 4 5"
    got=$(verdict $case $k)
    [ "$got" = "False 0 0 $classes" ] || complain "$case, $k turns: $got"
  done
done
# Without turns packets of such paths become lossy where they turn.
[ "$(verdict ls42-own-2-loop 0)" = "False 0 4 3" ] || complain "no turns: $(verdict ls42-own-2-loop 0)"
# The same ports as the maps of the case, which were written by hand; hosts cannot send the second class.
verdict classes-ls42-bounce 1 >/dev/null
python3 - "$data/classes-ls42-bounce/classes" maps-classes-ls42-bounce-1 <<'PY' || complain "maps of classes-ls42-bounce"
import json, os, sys
for name in os.listdir(sys.argv[1]):
    known, made = (json.load(open(f'{folder}/{name}')) for folder in sys.argv[1:])
    assert set(known['PORT_QOS_MAP']) == set(made['PORT_QOS_MAP']), name
    for port, maps in made['PORT_QOS_MAP'].items():
        neighbour = known['DEVICE_NEIGHBOR'][port]['name']
        side = 'FROM_HOST' if neighbour[0] == 'h' else 'FROM_ABOVE' if neighbour[0] == 's' else 'FROM_BELOW'
        assert maps['dscp_to_tc_map'] == side and maps['pfc_enable'] == '3,4', (name, port)
    lossless = {dscp for dscp, tc in made['DSCP_TO_TC_MAP']['FROM_HOST'].items() if tc != '0'}
    assert lossless == {'3'} and len(made['DSCP_TO_TC_MAP']['FROM_HOST']) == 64, lossless
    assert all(int(tc) < 8 for table in made['DSCP_TO_TC_MAP'].values() for tc in table.values())
PY
grep -qx '  turns      1 from down to up stay lossless: no path has more' out-ls42-own-2-loop-2 || complain "$(cat out-ls42-own-2-loop-2)"
grep -qx '  classes    2: priorities and DSCPs 3, 4; fewer are not enough' out-ls42-own-2-loop-2 || complain "$(cat out-ls42-own-2-loop-2)"
grep -qx '  classes    3: priorities and DSCPs 3, 4, 5; 2 at least' out-ft4-own-3-2 || complain "$(cat out-ft4-own-3-2)"

# A path over L leaves and S spines turns at each leaf between its ends, and needs another spine each time.
for fabric in "2 3 0" "3 1 0" "3 2 1" "3 4 1" "4 2 1" "4 3 2" "5 4 2" "32 16 2"; do
  read -r leaves spines turns <<<"$fabric"
  { echo 'graph g {'
    for l in $(seq "$leaves"); do
      echo "l$l:h -- h$l:e; l$l:g -- g$l:e;"
      for s in $(seq "$spines"); do echo "l$l:p$s -- s$s:p$l;"; done
    done
    echo '}'; } >plan.dot
  rm -rf maps && "$RIPSTOP" route plan.dot --bounces 2 --classes-out maps --json >out || complain "leaf-spine $fabric: $(cat out)"
  python3 -c 'import json, sys
j = json.load(open("out")); turns = int(sys.argv[1])
assert (j["turns"], j["classes"], j["classes_at_least"]) == (turns, turns + 1, min(turns, 1) + 1), j' "$turns" || complain "leaf-spine $fabric: $(cat out)"
done

# A row of switches: its path is longer than any that is listed.
{ echo 'graph g {' && echo 'r0:h -- h0:e;'
  for r in $(seq 2001); do echo "r$((r - 1)):u -- r$r:d;"; done
  echo '}'; } >row.dot
"$RIPSTOP" route row.dot --bounces 1 --classes-out row --json >out || complain "row: $(cat out)"
grep -q '"all_paths": *false' out || complain "row: $(cat out)"

topology=$data/ls42-own-2-loop/topology.dot
refused "route: --method is missing; 'ripstop methods' lists the methods" route "$topology"
refused "route: --classes-out: torus:4x4 has no cables of Ethernet" route torus:4x4 --classes-out new
refused "route: $data/ls42-own-2-loop/lldp: the cables name no hosts" route "$data/ls42-own-2-loop/lldp" --classes-out new
refused "r1[swp1]-r2[swp2] joins two switches of one tier" route "$data/ring4-0/topology.dot" --classes-out new
refused "--bounces" route "$topology" --classes-out new --bounces 3
refused "--bounces" route "$topology" --method bgp --bounces 1
refused "--classes-out writes class maps, which hold for any routes" route "$topology" --classes-out new --method bgp
touch file && refused "route: --classes-out file: is no folder" route "$topology" --classes-out file
[ ! -e new ] || complain "a refused command made a folder"
finish
