#!/usr/bin/env python3
"""Does again what `ripstop what-if --tables LFTS --json` says of single cables, by the rule that docs/judge.md gives, with
walks of single pairs, and knows nothing of ripstop.

usage: tools/check-what-if.py NET LFTS ANSWER
  NET     the fabric, as ibnetdiscover prints it: adapters with one cable, LIDs in the order of their adapters
  LFTS    opensm-lfts.dump or lfts.dump: a port for each switch and LID; one lane
  ANSWER  the lines that what-if printed

Compared of each cable: pairs on it, pairs that lose every way, paths on the worst link after repair, changed entries, and
whether the repaired tables have a credit loop. Of the safe set: everybody is reached without its cables, all of them taken
out together, one repair after the other in their order; the proof's numbers, counted anew by walks over the tables that come
of it; whether a transient state of old and repaired entries can deadlock; and the set itself: tried one after the other, those that
carry least first, the other cables would have parted somebody, loaded a link more than the worst one now, or made such a
transient state deadlock. Exit code 1: something is not so.
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
    waits = collections.defaultdict(set)
    for lid, target in lids:
        for source in hosts:
            if source != target and source in up(peer):
                way, _ = walk(peer, lambda s: table.get((s, lid)), host_peer[source], target)
                for a, b in zip(way, way[1:]):
                    waits[a].add(b)
    return goes_round(waits)


def mixed_circle(peer, one, other):
    """What packets can hold and wait for where each switch has either table's entry."""
    waits = collections.defaultdict(set)
    for lid, target in lids:
        queue = [(None, s) for s, there in senders(peer).items() if set(there) - {target}]
        seen = set(queue)
        for before, s in queue:
            for out in {one.get((s, lid)), other.get((s, lid))} - {None}:
                if (s, out) not in peer or peer[s, out][0][0] == 'H':
                    continue
                if before:
                    waits[before].add((s, out))
                step = ((s, out), peer[s, out][0])
                if step not in seen:
                    seen.add(step)
                    queue.append(step)
    return goes_round(waits)


def goes_round(waits):
    into = collections.Counter()
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


def ways_of(peer, table):
    return {(lid, s): walk(peer, lambda n: table.get((n, lid)), s, target) for lid, target in lids for s in switches}


def tear(peer, old, load_before, ways, one, other):
    """What is left, its tables after repair, their load; pairs on the cable, changed entries."""
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
    return left, table, load, on_it, changed


def try_cable(one, other):
    """(on it, parted, worst, changed, loop)"""
    left, table, load, on_it, changed = tear(peer, old, load_before, ways, one, other)
    return on_it, all_pairs - connected(left), max(load.values(), default=0), changed, circle(left, table)


def ends_of(name):
    return [(n, int(p)) for n, p in re.findall(r'([SH]-[0-9a-f]+)\[(\d+)\]', name)]


def check_safe(said):
    """What is wrong with the safe set, in words."""
    left, table, load, chosen = peer, old, load_before, []
    worst_now, loops = max(load_before.values(), default=0), circle(peer, old)
    for name in sorted(cables, key=lambda name: sum(load_before[end] for end in ends_of(name))):
        less, tables, loaded, _, _ = tear(left, table, load, ways_of(left, table), *ends_of(name))
        if connected(less) == all_pairs and max(loaded.values(), default=0) <= worst_now and \
                (loops or not mixed_circle(less, old, tables)):
            left, table, load = less, tables, loaded
            chosen.append(name)
    if chosen != said['safe_set']:
        return [f'safe set: here {chosen}, there {said["safe_set"]}']
    proof, now = said['proof'], ways_of(left, table)
    reached = sum(home for (lid, s), (_, home) in now.items() for h in senders(left)[s] if h != owner[lid])
    anew = collections.Counter()
    flows(left, table, anew, 1, [(lid, s, owner[lid]) for (lid, s), (_, home) in now.items() if home], senders(left))
    found = {'pairs': len(hosts) * (len(hosts) - 1), 'unreachable_pairs': len(hosts) * (len(hosts) - 1) - reached,
             'worst_link_before': worst_now, 'worst_link_after': max(anew.values(), default=0),
             'credit_loop': circle(left, table), 'mixture_loop': mixed_circle(left, old, table)}
    wrong = [f'{k}: here {v}, there {proof[k]}' for k, v in found.items() if v != proof[k]]
    if connected(left) != all_pairs:
        wrong.append(f'{all_pairs - connected(left)} pairs are parted')
    if +anew != +load:
        wrong.append('the load that was followed is another than that of the tables')
    if found['worst_link_after'] > worst_now or (found['mixture_loop'] and not loops):
        wrong.append('the proof does not hold')
    return wrong


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
ways = ways_of(peer, old)
load_before = collections.Counter()
flows(peer, old, load_before, 1, [(lid, s, owner[lid]) for (lid, s), (_, home) in ways.items() if home], senders(peer))
tried = differ = loops = worse = 0
cables = []  # between switches, in the order of the answer
for line in open(sys.argv[3]):
    said = json.loads(line)
    if 'safe_set' in said:
        wrong = check_safe(said)
        differ += len(wrong)
        print('\n'.join(wrong + [f'{len(said["safe_set"])} cables in the safe set']))
    if said.get('kind') not in ('cable', 'host cable'):
        continue
    found = try_cable(*ends_of(said['part']))
    want = tuple(said[k] for k in ('pairs_on_it', 'pairs_disconnected', 'worst_link_after', 'changed_entries', 'credit_loop'))
    tried += 1
    if said['kind'] == 'cable':
        cables.append(said['part'])
    loops += found[4]
    worse += found[2] > said['worst_link_before']
    if found != want:
        differ += 1
        print(f'{said["part"]}: here {found}, there {want}')
print(f'{tried} cables, {worse} make the worst link worse, after {loops} there is a credit loop; {differ} differ')
sys.exit(1 if differ else 0)
