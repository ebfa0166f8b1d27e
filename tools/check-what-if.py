#!/usr/bin/env python3
"""Does again what `ripstop what-if --tables LFTS --json` says of single cables, by the rule that docs/judge.md gives, with
walks of single pairs, and knows nothing of ripstop.

usage: tools/check-what-if.py NET LFTS ANSWER
  NET     the fabric, as ibnetdiscover prints it: adapters with one cable, LIDs in the order of their adapters
  LFTS    opensm-lfts.dump or lfts.dump: a port for each switch and LID; one lane
  ANSWER  the lines that what-if printed

Compared of each cable: pairs on it, pairs that lose every way, paths on the worst link after repair, changed entries, and
whether the repaired tables have a credit loop. Exit code 1: some number is another one.
"""
import collections
import json
import re
import sys


def read_net(path):
    peer, owner = {}, None
    for line in open(path):
        head = re.match(r'(?:Switch|Ca)\s+\d+\s+"([SH]-[0-9a-f]+)"', line)
        cable = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH]-[0-9a-f]+)"\[(\d+)\]', line)
        if head:
            owner = head[1]
        elif cable and owner:
            peer[owner, int(cable[1])] = (cable[2], int(cable[3]))
    return peer


def read_tables(path, node):
    table, owner, here = {}, {}, None
    for line in open(path):
        head = re.match(r'Unicast lids .*guid 0x([0-9a-f]+)', line)
        entry = re.match(r'0x([0-9a-f]+) (\d+) # Channel Adapter portguid 0x([0-9a-f]+)', line)
        if head:
            here = node['S', int(head[1], 16)]
        elif entry:
            table[here, int(entry[1], 16)] = int(entry[2])
            owner[int(entry[1], 16)] = node['H', int(entry[3], 16) - 1]
    return table, owner


def walk(peer, entry, s, target):
    """The channels to the target, and whether it is reached."""
    way = []
    while len(way) <= len(switches):
        out = entry(s)
        if out is None or (s, out) not in peer:
            return way, False
        other = peer[s, out][0]
        if other[0] == 'H':
            return way, other == target
        way.append((s, out))
        s = other
    return way, False


def connected(peer):
    part, count = {}, collections.Counter()
    for start in hosts:
        queue = [start] if start not in part else []
        for n in queue:
            if part.setdefault(n, start) == start:
                queue += [peer[n, p][0] for p in ports[n] if (n, p) in peer and peer[n, p][0] not in part]
        count[part[start]] += 1
    return sum(c * (c - 1) for c in count.values())


def circle(peer, table):
    waits, into = collections.defaultdict(set), collections.Counter()
    for lid, target in lids:
        for source in hosts:
            if source != target and source in up(peer):
                way, _ = walk(peer, lambda s: table.get((s, lid)), host_peer[source], target)
                for a, b in zip(way, way[1:]):
                    waits[a].add(b)
    for a in waits:
        into.update(waits[a])
    free = [a for a in waits if not into[a]]
    for a in free:
        for b in waits.get(a, ()):
            into[b] -= 1
            if not into[b]:
                free.append(b)
    return any(into.values())


def up(peer):
    return {h for h in hosts if (h, ports[h][0]) in peer}


def senders(peer):
    count = collections.defaultdict(list)
    for h in up(peer):
        count[host_peer[h]].append(h)
    return count


def flows(peer, table, load, sign, wanted, alive):
    for lid, s, target in wanted:
        way, _ = walk(peer, lambda n: table.get((n, lid)), s, target)
        for channel in way:
            load[channel] += sign * sum(h != target for h in alive[s])


def mend(peer, table, load, lid, target, bad, alive):
    """New entries for the switches that do not reach the target, by the shortest ways to some that do."""
    good, distance, best = {}, {}, {}
    for s in switches:
        way, home = walk(peer, lambda n: table.get((n, lid)), s, target)
        if home and s not in bad:
            good[s] = len(way)
    level, at, order = {}, 0, []
    reach = dict(good)
    while True:
        nearer = [reach[peer[s, p][0]] + 1 for s in bad if s not in reach for p in ports[s]
                  if (s, p) in peer and peer[s, p][0] in reach]
        if not nearer:
            break
        at = min(nearer)
        layer = {}
        for s in bad:
            offers = [(load[s, p], p) for p in ports[s]
                      if s not in reach and (s, p) in peer and reach.get(peer[s, p][0]) == at - 1]
            if offers:
                layer[s] = min(offers)[1]
        for s in layer:
            reach[s], best[s] = at, layer[s]
            order.append(s)
    flow, changed = collections.Counter(), 0
    for s in reversed(order):
        paths = flow[s] + sum(h != target for h in alive[s])
        if not paths:
            continue
        changed += table.get((s, lid)) != best[s]
        table[s, lid] = best[s]
        other = peer[s, best[s]][0]
        load[s, best[s]] += paths
        if other in bad:
            flow[other] += paths
        else:
            for channel in walk(peer, lambda n: table.get((n, lid)), other, target)[0]:
                load[channel] += paths
    return changed


def try_cable(one, other):
    """(on it, parted, worst, changed, loop)"""
    left = {p: q for p, q in peer.items() if p not in (one, other)}
    table, load, on_it, torn = dict(old), collections.Counter(load_before), 0, {}
    before, after = senders(peer), senders(left)
    dead = [n for n, _ in (one, other) if n[0] == 'H']
    for (lid, s), (way, home) in ways.items():
        target = owner[lid]
        if not home:
            torn.setdefault(lid, set())
            continue
        gone = [h for h in before[s] if h != target and (target in dead or h in dead)]
        hit = one in way or other in way
        lost = [h for h in before[s] if h != target] if hit else gone
        on_it += len(lost)
        for channel in way:
            load[channel] -= len(lost)
        if hit:
            torn.setdefault(lid, set()).add(s)
    changed = 0
    for lid, target in lids:
        if torn.get(lid) and target not in dead:
            bad = torn[lid] | {s for s in switches if not ways[lid, s][1]}
            changed += mend(left, table, load, lid, target, bad, after)
    return on_it, all_pairs - connected(left), max(load.values(), default=0), changed, circle(left, table)


if len(sys.argv) != 4:
    sys.exit(__doc__)
peer = read_net(sys.argv[1])
ports = collections.defaultdict(list)
for n, p in sorted(peer):
    ports[n].append(p)
switches, hosts = [n for n in ports if n[0] == 'S'], [n for n in ports if n[0] == 'H']
host_peer = {h: peer[h, ports[h][0]][0] for h in hosts}
old, owner = read_tables(sys.argv[2], {(n[0], int(n[2:], 16)): n for n in ports})
lids = sorted(owner.items())
all_pairs = connected(peer)
ways = {(lid, s): walk(peer, lambda n: old.get((n, lid)), s, target) for lid, target in lids for s in switches}
load_before = collections.Counter()
flows(peer, old, load_before, 1, [(lid, s, owner[lid]) for (lid, s), (_, home) in ways.items() if home], senders(peer))
tried = differ = loops = worse = 0
for line in open(sys.argv[3]):
    said = json.loads(line)
    if said.get('kind') not in ('cable', 'host cable'):
        continue
    ends = re.findall(r'([SH]-[0-9a-f]+)\[(\d+)\]', said['part'])
    found = try_cable(*((n, int(p)) for n, p in ends))
    want = tuple(said[k] for k in ('pairs_on_it', 'pairs_disconnected', 'worst_link_after', 'changed_entries', 'credit_loop'))
    tried += 1
    loops += found[4]
    worse += found[2] > said['worst_link_before']
    if found != want:
        differ += 1
        print(f'{said["part"]}: here {found}, there {want}')
print(f'{tried} cables, {worse} make the worst link worse, after {loops} there is a credit loop; {differ} differ')
sys.exit(1 if differ else 0)
