#!/usr/bin/env python3
"""Does again what `ripstop what-if --tables LFTS --json` says of single cables, by the rule that docs/judge.md gives, with
walks of single pairs, and knows nothing of ripstop.

usage: tools/check-what-if.py NET LFTS ANSWER PROOF
  NET     the fabric, as ibnetdiscover prints it: adapters with one cable, LIDs in the order of their adapters
  LFTS    opensm-lfts.dump or lfts.dump: a port for each switch and LID; one lane
  ANSWER  the lines that what-if printed
  PROOF   lfts.dump of its --safe-tables

Compared of each cable: pairs on it, pairs that lose every path, paths on the worst link after repair, changed entries,
whether the repaired tables have a credit loop, and whether it is unsafe alone for pairs or capacity.

Of the safe set, with the tables of the proof walked pair by pair: as many pairs are connected and reached as before; no
path uses a cable of the set; each leaf and each pod keeps what its hosts need, or all that it has; the maximum flow
between any two leaves stays at what the hosts of either need, or at what it is now, where cables join leaves; no link
carries more paths for its rate than the bar of its role or than links of its part do now; the old and new tables
together have no cycle while all cables work; and the proof's numbers. Exit code 1: something is not so.
"""
import collections
import json
import re
import sys


speeds = {}  # width and speed at each end


def read_net(path):
    peer, owner = {}, None
    for line in open(path):
        head = re.match(r'(?:Switch|Ca)\s+\d+\s+"([SH]-[0-9a-f]+)"', line)
        cable = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH]-[0-9a-f]+)"\[(\d+)\]', line)
        if head:
            owner = head[1]
        elif cable and owner:
            peer[owner, int(cable[1])] = (cable[2], int(cable[3]))
            speed = re.search(r'(\d+)x([A-Z]+)\s*$', line)
            if speed:
                speeds[owner, int(cable[1])] = speed.groups()
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


# ---------------------------------------------------------------- parts, by sets of switches

def find_levels():
    level = {s: 0 for s in senders(peer)}
    queue = list(level)
    for s in queue:
        for p in ports[s]:
            other = peer[s, p][0]
            if other[0] == 'S' and other not in level:
                level[other] = level[s] + 1
                queue.append(other)
    return level


def find_parts(level):
    """Name, kind and switches of each part."""
    parts = [(s, 'leaf', {s}) for s in senders(peer)]
    for k in range(1, max(level.values())):
        seen = set()
        for s in level:
            if level[s] != k or s in seen:
                continue
            pod, queue = {s}, [s]
            for n in queue:
                for p in ports[n]:
                    other = peer[n, p][0]
                    if level.get(other, k + 1) <= k and other not in pod:
                        pod.add(other)
                        queue.append(other)
            seen |= pod
            parts.append((min(n for n in pod if level[n] == 0), 'pod', pod))
    return parts


def rate(end):
    width, speed = speeds.get(end, speeds.get(peer[end], ('4', 'SDR')))
    return int(width) * {'SDR': 2.5, 'DDR': 5, 'QDR': 10, 'FDR': 14, 'EDR': 25, 'HDR': 50, 'NDR': 100}[speed]


def between(left):
    return [(a, b) for a, b in left.items() if a[0][0] == b[0][0] == 'S' and a[0] != b[0]]


def capacity(left, pod):
    return sum(rate(a) for a, b in between(left) if a[0] in pod and b[0] not in pod)


def host_rates(pod):
    return sum(rate((host_peer[h], peer[h, ports[h][0]][1])) for h in up(peer) if host_peer[h] in pod)


def need(pod):
    return min(host_rates(pod), host_rates(set(switches) - pod))


def role(a, b):
    x, y = level[a[0]], level[b[0]]
    return f'{min(x, y)}-{max(x, y)}' + ('' if x == y else ' up' if x < y else ' down')


def without(names):
    gone = {end for name in names for end in ends_of(name)}
    return {a: b for a, b in peer.items() if a not in gone}


def check_alone(said):
    left = without([said['part']])
    lacks = any(capacity(left, pod) < min(capacity(peer, pod), need(pod)) - 1e-6 for _, _, pod in parts)
    why = 'pairs' if connected(left) < all_pairs else 'capacity' if lacks else None
    there = said['why_not'] if said['why_not'] in ('pairs', 'capacity') else None
    return [] if why == there else [f'{said["part"]}: here {why}, there {said["why_not"]}']


def check_parts(said, left):
    wrong, told = [], {(p['kind'], p['part']): p for p in said['proof']['parts']}
    for name, kind, pod in parts:
        before, after = capacity(peer, pod), capacity(left, pod)
        if after < min(before, need(pod)) - 1e-6:
            wrong.append(f'{kind} {name} keeps {after} of {before}, and needs {need(pod)}')
        row = told.get((kind, name))
        if (row is None) != (before == after):
            wrong.append(f'{kind} {name}: here {before} to {after}, there {row}')
    return wrong


def flow(left, one, other):
    """The maximum flow between two switches, by augmenting paths."""
    room = collections.Counter()
    for a, b in between(left):
        room[a[0], b[0]] += rate(a)
    next_to = collections.defaultdict(set)
    for a, b in room:
        next_to[a].add(b)
    total = 0
    while True:
        came, queue = {one: None}, [one]
        for s in queue:
            for t in sorted(next_to[s]):
                if t not in came and room[s, t] > 0:
                    came[t] = s
                    queue.append(t)
        if other not in came:
            return total
        path, t = [], other
        while came[t] is not None:
            path.append((came[t], t))
            t = came[t]
        least = min(room[c] for c in path)
        for a, b in path:
            room[a, b] -= least
            room[b, a] += least
        total += least


def check_flows(said, left):
    leaves = [(name, need(pod)) for name, kind, pod in parts if kind == 'leaf']
    names = {name for name, _ in leaves}
    applies = any(a[0] in names and b[0] in names for a, b in between(peer))
    wrong = [] if applies == said['proof']['flow'] else [f'flow: here {applies}, there {said["proof"]["flow"]}']
    for i, (one, need_one) in enumerate(leaves if applies else []):
        for other, need_other in leaves[:i]:
            then = flow(left, one, other)
            if then < min(need_one, need_other) and then < flow(peer, one, other):
                wrong.append(f'between {one} and {other} only {then} of {min(need_one, need_other)} fit')
    return wrong


def check_roles(said, load):
    """The worst of each role now and then; no link is above both its role's bar and what its part carries now."""
    wrong, now, then = [], collections.Counter(), collections.Counter()
    top = max(rate(a) for a, _ in between(peer))
    for a, b in between(peer):
        now[role(a, b)] = max(now[role(a, b)], load_before[a] * top / rate(a))
        then[role(a, b)] = max(then[role(a, b)], load[a] * top / rate(a))
    for row in said['proof']['roles']:
        here, there = (now[row['role']], then[row['role']]), (row['worst_before'], row['worst_after'])
        if max(abs(x - y) for x, y in zip(here, there)) > 1e-6:
            wrong.append(f'{row["role"]}: here {here}, there {there}')
        if row['worst_after'] > max(row['bar'], row['worst_before']) + 1e-6:
            wrong.append(f'{row["role"]} is above its bar: here {row["worst_after"]}, there {row["bar"]}')
    return wrong


def check_safe(said, proof):
    """What is wrong with the safe set, in words."""
    left, loops, said_proof = without(said['safe_set']), circle(peer, old), said['proof']
    wrong = check_parts(said, left) + check_flows(said, left)
    now, load = ways_of(left, proof), collections.Counter()
    reached = sum(home for (lid, s), (_, home) in now.items() for h in senders(left)[s] if h != owner[lid])
    flows(left, proof, load, 1, [(lid, s, owner[lid]) for (lid, s), (_, home) in now.items() if home], senders(left))
    wrong += check_roles(said, load)
    found = {'pairs': len(hosts) * (len(hosts) - 1), 'unreachable_pairs': len(hosts) * (len(hosts) - 1) - reached,
             'credit_loop': circle(left, proof), 'mixture_loop': mixed_circle(peer, old, proof),
             'reach': {'pairs_now': all_pairs, 'pairs_then': connected(left)},
             'maximum': len(said['safe_set']) == said_proof['at_most']}
    wrong += [f'{k}: here {v}, there {said_proof[k]}' for k, v in found.items() if v != said_proof[k]]
    if connected(left) != all_pairs:
        wrong.append(f'{all_pairs - connected(left)} pairs are disconnected: here, there none')
    if (found['mixture_loop'] or found['credit_loop']) and not loops:
        wrong.append('the tables of the proof can deadlock: here, there not')
    idle = sorted(name for name in cables if not any(load_before[end] for end in ends_of(name)))
    if idle != sorted(said['safe_without_rewrite']):
        wrong.append(f'cables without a path: here {idle}, there {said["safe_without_rewrite"]}')
    return wrong


if len(sys.argv) != 5:
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
proof, _ = read_tables(sys.argv[4], {(n[0], int(n[2:], 16)): n for n in ports})
level = find_levels()
parts = find_parts(level)
tried = differ = loops = worse = 0
cables = []  # between switches, in the order of the answer
for line in open(sys.argv[3]):
    said = json.loads(line)
    if 'safe_set' in said:
        wrong = check_safe(said, proof)
        differ += len(wrong)
        print('\n'.join(wrong + [f'{len(said["safe_set"])} cables in the safe set']))
    if said.get('kind') not in ('cable', 'host cable'):
        continue
    found = try_cable(*ends_of(said['part']))
    want = tuple(said[k] for k in ('pairs_on_it', 'pairs_disconnected', 'worst_link_after', 'changed_entries', 'credit_loop'))
    tried += 1
    if said['kind'] == 'cable':
        cables.append(said['part'])
        wrong = check_alone(said)
        differ += len(wrong)
        if wrong:
            print('\n'.join(wrong))
    loops += found[4]
    worse += found[2] > said['worst_link_before']
    if found != want:
        differ += 1
        print(f'{said["part"]}: here {found}, there {want}')
print(f'{tried} cables, {worse} make the worst link worse, after {loops} there is a credit loop; {differ} differ')
sys.exit(1 if differ else 0)
