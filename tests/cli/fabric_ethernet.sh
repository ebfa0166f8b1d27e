#!/bin/bash
# ripstop fabric on cables of Ethernet: what is up against the plan, in each form of a plan; edge lists that other commands read.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ethernet

"$RIPSTOP" fabric "$data/ls42-own-2-loop/lldp" --plan "$data/ls42-own-2-loop/topology.dot" --json >dot.json 2>notes
[ $? -eq 1 ] || complain "missing cables do not end with exit code 1"
"$RIPSTOP" fabric "$data/ls42-own-2-loop/lldp" --plan "$data/ls42-own-2-loop/fabric.clab.yml" --json 2>notes | cmp - dot.json ||
  complain "a plan of containerlab differs from the same plan of PTM"
python3 - <<'PY' || complain "the differences are wrong: $(cat dot.json)"
import json
r = json.load(open('dot.json'))
assert (r['switches'], r['hosts'], r['cables']) == (6, 4, 6), r
assert r['missing_cables'] == ['leaf1[swp1]-spine1[swp1]', 'leaf2[swp2]-spine2[swp2]'] and r['extra_cables'] == [], r
assert r['swapped_ports'] == [] and r['silent_nodes'] == [] and r['self_loops'] == [], r
PY

# Two swapped cables, a switch without a file, and a plug that closes a loop.
cp -r "$data/ls42-own-2-loop" case && chmod -R u+w case && cd case || exit 1
sed -i 's/"leaf3":"swp1" -- "spine1":"swp3"/"leaf3":"swp1" -- "spine2":"swp3"/; s/"leaf3":"swp2" -- "spine2":"swp3"/"leaf3":"swp2" -- "spine1":"swp3"/' topology.dot
sed -i 's/^}/"leaf5":"swp1" -- "spine1":"swp5"\n"leaf5":"swp2" -- "spine2":"swp5"\n"leaf1":"swp49" -- "leaf1":"swp50"\n}/' topology.dot
"$RIPSTOP" fabric lldp --plan topology.dot >out 2>notes
for line in '  plan       topology.dot: 8 cables between these switches; 4 missing, 2 extra' \
  '  missing    leaf3[swp1]-spine2[swp3]' '  missing    leaf3[swp2]-spine1[swp3]' '  extra      leaf3[swp1]-spine1[swp3]' \
  '  swapped    leaf3[swp1] should lead to spine2[swp3] and leads to spine1[swp3]' '  silent     leaf5'; do
  grep -qxF -- "$line" out || complain "no line '$line' in: $(cat out)"
done
grep -q 'topology.dot: left out 1 cable from a node to itself: leaf1\[swp49\]-leaf1\[swp50\]' notes || complain "the loop: $(cat notes)"

# A plan of SONiC's neighbours is the plan of PTM.
for form in classes topology.dot; do
  "$RIPSTOP" fabric "$data/classes-ls42-bounce/lldp" --plan "$data/classes-ls42-bounce/$form" --json 2>notes >$form.json
done
cmp classes.json topology.dot.json || complain "the neighbours of SONiC differ from the plan"

# All commands read the edge list: without failed cables it is a fat tree of two levels.
"$RIPSTOP" fabric "$data/odd-weights/topology.dot" --edges >plan.edges 2>notes || complain "--edges fails: $(cat notes)"
grep -qx '@end h1 leaf1 port=swp17' plan.edges || complain "no host in: $(cat plan.edges)"
grep -qx 'leaf1 spine1 port=swp1,swp1' plan.edges || complain "no cable in: $(cat plan.edges)"
"$RIPSTOP" fabric plan.edges --json >read.json || complain "the edge list is not read back"
grep -q '"end_nodes":4' read.json || complain "the hosts of the edge list: $(head -c 300 read.json)"

# A plan of containerlab alone is a fabric, too, whatever its name ends in.
"$RIPSTOP" fabric fabric.clab.yml >out 2>notes || complain "a plan of containerlab is refused: $(cat notes)"
grep -qx '  switches   6, with 8 cables between them' out && grep -q 'recognised fat tree 2 levels: 4 (4 by 2) 2' out ||
  complain "the plan of containerlab: $(cat out)"

refused "fabric: --plan: torus:4x4 has no cables of Ethernet" fabric torus:4x4 --plan topology.dot
printf 'topology:\n  links:\n    - endpoints: ["a:1", "b:1", "c:1"]\n' >bad.clab.yml
refused "bad.clab.yml:4: a link has two endpoints, not 3" fabric bad.clab.yml
printf 'topology:\n  links:\n    - endpoints: ["a", "b:1"]\n' >bad.clab.yml
refused 'an endpoint is "NODE:INTERFACE"' fabric bad.clab.yml
links() { printf "topology:\n  links:\n    - &l\n      endpoints: &e [a:1, b:1]\n    - $2\n" >bad.clab.yml; refused "bad.clab.yml:5: $1" fabric bad.clab.yml; }
links "an alias among the links is not followed" '*l'
links "an alias among the links is not followed" 'endpoints: *e'
links "an alias among the links is not followed" '<<: *l'
links "a link is a map with the key 'endpoints'" '["a:2", "b:2"]'
links "a link is a map with the key 'endpoints'" 'a:2'
printf 'x: &x {kind: linux}\ntopology:\n  nodes: {a: *x, b: *x}\n  links:\n    - {endpoints: [a:1, b:1], vars: *x}\n    - endpoints: [a:2, b:2]\n    - endpoints: [a:3, c:1]\n    - endpoints: [b:3, c:2]\n' >good.clab.yml
"$RIPSTOP" fabric good.clab.yml >out 2>&1 || complain "aliases beside the links: $(cat out)"
printf 'topology:\n  links: [\n' >bad.clab.yml
refused "bad.clab.yml:3: this is not YAML" fabric bad.clab.yml
finish
