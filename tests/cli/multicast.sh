#!/bin/bash
# Multicast in `ripstop judge`, against ibdmchk -M: OpenSM's unicast tables on a ring and on fat trees, with random trees
# for one, two or three groups.
# Skipped (exit code 77) where opensm, ibsim and ibutils are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
for program in opensm ibsim ibdmchk python3; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done
export LEVELS=no

# Writes opensm.mcfdbs of SEED to standard output: spanning trees of the switches in a net file, pruned to random members.
cat >trees.py <<'PYTHON'
import random, re, sys
net, seed = sys.argv[1], int(sys.argv[2])
r = random.Random(seed)
switch, ends, guid = {}, {}, None
for line in open(net):
    head = re.match(r'(Switch|Ca|Hca)\s+\d+\s+"([^"]*)"', line)
    port = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s*"([^"]*)"\s*\[(\d+)\]', line)
    if head:
        guid = head.group(2) if head.group(1) == 'Switch' else None
        if guid: switch[guid], ends[guid] = {}, []
    elif port and guid:
        number, peer = int(port.group(1)), port.group(2)
        if peer[0] == 'S': switch[guid][number] = (peer, int(port.group(3)))
        else: ends[guid].append(number)
mask = {s: {} for s in switch}
for mlid in range(0xC000, 0xC000 + r.randint(1, 3)):
    members = {s: [p for p in ends[s] if r.random() < 0.7] for s in sorted(switch)}
    root = r.choice(sorted(switch))
    tree, reached = {s: set() for s in switch}, [root]
    edges = [(root, p) for p in switch[root]]
    while edges:
        s, p = edges.pop(r.randrange(len(edges)))
        other, back = switch[s][p]
        if other in reached: continue
        reached.append(other)
        tree[s].add(p), tree[other].add(back)
        edges += [(other, q) for q in switch[other]]
    leaf = True
    while leaf:                                     # prune what leads to no member
        leaf = [s for s in switch if len(tree[s]) == 1 and not members[s]]
        for s in leaf[:1]:
            p = tree[s].pop()
            tree[switch[s][p][0]].discard(switch[s][p][1])
    for s in switch: mask[s][mlid] = sorted(tree[s] | set(members[s]))
for s in sorted(switch):
    print('\nSwitch 0x%s\nLID    : Out Port(s)' % s[2:])
    for mlid, ports in sorted(mask[s].items()):
        if ports: print('0x%04X : %s' % (mlid, ' '.join('0x%03X ' % p for p in ports)))
PYTHON

loops=0 clean=0

# compare FOLDER MCFDBS: the verdict with these groups is ibdmchk's.
compare() {
  local folder=$1 mcfdbs=$2 ours=no theirs
  "$RIPSTOP" judge "$folder/net" --tables "$folder/opensm-lfts.dump" "$mcfdbs" --json >verdict
  grep -q '"credit_loop":true' verdict && ours=yes
  grep -q '"forwarding_loop":true' verdict && complain "$mcfdbs: a tree has a forwarding loop"
  grep -q '"credit_loop_unicast":false' verdict || complain "$folder: unicast alone has a loop"
  { (cd "$folder" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m "../$mcfdbs" -M >../ibdmchk.out 2>&1); } 2>/dev/null # may crash at its end
  theirs=yes
  grep -q "no credit loops found" ibdmchk.out && theirs=no
  grep -qi "credit loops" ibdmchk.out || complain "$mcfdbs: ibdmchk says nothing: $(tail -3 ibdmchk.out)"
  [ $ours = $theirs ] || complain "$folder, $mcfdbs: a credit loop: $ours, ibdmchk: $theirs"
  [ $ours = yes ] && loops=$((loops + 1)) || clean=$((clean + 1))
}

# random SPEC ENGINE SEEDS
random() {
  local spec=$1 engine=$2 seeds=$3 folder=$2-${1%%:*}
  "$RIPSTOP" fabric "$spec" --net >net
  sed -n 's/^Switch[^"]*"S-\([0-9a-f]*\)".*/0x\1/p' net | head -1 >roots
  "$RIPSTOP_SOURCE/tools/opensm-tables.sh" net "$engine" "$folder" -a "$PWD/roots" >"$folder.log" 2>&1 ||
    { complain "opensm has no tables for $spec by $engine: $(cat "$folder.log")"; return; }
  for seed in $(seq 1 "$seeds"); do
    python3 trees.py net "$seed" >groups.mcfdbs
    compare "$folder" groups.mcfdbs
  done
}
random torus:6,p=2 updn 20
random kary-ntree:k=2,n=3 minhop 20
random torus:3x3 updn 20
[ $loops -ge 10 ] && [ $clean -ge 10 ] || complain "$loops with a loop, $clean without: not both kinds were tried"

finish
