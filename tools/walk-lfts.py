#!/usr/bin/env python3
"""Walks forwarding tables by hand, all LIDs of all ports, and knows nothing of ripstop.

usage: tools/walk-lfts.py NET LFTS [LEVELS LANES] [GONE]
  NET     the fabric, as ibnetdiscover prints it
  LFTS    opensm-lfts.dump: a port for each switch and LID; who has a LID stands behind it
  LEVELS  lines "GUID LID level" of adapters (sl.dump); LANES: "GUID in out" and 16 lanes, two a word (sl2vl.dump)
  GONE    lines "cable ID [PORT]" and "switch ID" of what is not there any more (tools/opensm-live.sh)

Prints: pairs of adapters and LIDs of others, how many are lost though a path exists, paths on the worst link between
switches, whether what packets hold and wait for closes a circle, and over how many different ways the LIDs of one port
are reached on average. Exit code 1: some are lost, or there is a circle.
"""
import collections
import re
import sys


def read_net(path, gone):
    peer, guid, owner = {}, {}, None
    for line in open(path):
        head = re.match(r'(Switch|Ca)\s+\d+\s+"([SH]-([0-9a-f]+))"', line)
        cable = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH]-[0-9a-f]+)"\[(\d+)\]', line)
        if head:
            owner = head[2]
            guid[int(head[3], 16)] = owner
        elif cable and owner:
            peer[owner, int(cable[1])] = (cable[2], int(cable[3]))
    for line in open(gone) if gone else []:
        word = line.replace('[', ' ').replace(']', ' ').split()
        dead = [p for p in peer if p[0] == word[1] and (word[0] == 'switch' or p[1] == int(word[2]))]
        for port in dead:
            peer.pop(peer.pop(port, None), None)
    return peer, guid


def read_tables(path, guid):
    table, owner, entries = {}, {}, None
    for line in open(path):
        head = re.match(r'Unicast lids .*guid 0x([0-9a-f]+)', line)
        entry = re.match(r'0x([0-9a-f]+) (\d+) # (Channel Adapter|Switch) portguid 0x([0-9a-f]+)', line)
        if head:
            entries = table.setdefault(guid[int(head[1], 16)], {})
        elif entry:
            entries[int(entry[1], 16)] = int(entry[2])
            if entry[3] != 'Switch':
                owner[int(entry[1], 16)] = guid[int(entry[4], 16) - 1]  # ports of simulated adapters count on from it
    return table, owner


def read_levels(path, guid):
    rows = (line.split() for line in open(path) if not line.startswith('#'))
    return {(guid[int(g, 16)], int(lid)): int(level) for g, lid, level in rows if int(g, 16) in guid}


def read_lanes(path, guid):
    lanes = {}
    for line in open(path):
        word = line.split()
        if not line.startswith('#') and int(word[0], 16) in guid:
            lanes[guid[int(word[0], 16)], int(word[1]), int(word[2])] = [int(d, 16) for w in word[3:] for d in w[2:]]
    return lanes


def components(peer):
    part = {}
    for start in {p[0] for p in peer}:
        queue = [start] if start not in part else []
        for node in queue:
            if part.setdefault(node, start) == start:
                queue += [other for (n, _), (other, _) in ports_of[node] if other not in part]
    return part


def circle(waits):
    into = collections.Counter(b for a in waits for b in waits[a])
    free = [a for a in waits if not into[a]]
    for a in free:
        for b in waits.get(a, ()):
            into[b] -= 1
            if not into[b]:
                free.append(b)
    return any(into.values())


args = sys.argv[1:]
if not 2 <= len(args) <= 5:
    sys.exit(__doc__)
gone = args.pop() if len(args) in (3, 5) else None
peer, guid = read_net(args[0], gone)
table, owner = read_tables(args[1], guid)
levels = read_levels(args[2], guid) if len(args) > 2 else {}
lanes = read_lanes(args[3], guid) if len(args) > 2 else {}
ports_of = collections.defaultdict(list)
for port, other in peer.items():
    ports_of[port[0]].append((port, other))
part = components(peer)
adapters = sorted(n for n in ports_of if n.startswith('H-'))

load, waits, ways = collections.Counter(), collections.defaultdict(set), collections.defaultdict(set)
pairs = lost = 0
for lid, target in sorted(owner.items()):
    for source in adapters:
        if source == target or part.get(source) != part.get(target):
            continue
        pairs += 1
        level = levels.get((source, lid), 0)
        node, number, before, way = *peer[ports_of[source][0][0]], None, []
        while node.startswith('S-') and len(way) <= len(table):
            out = table.get(node, {}).get(lid, 255)
            if (node, out) not in peer:
                break
            lane = lanes[node, number, out][level] if lanes else 0
            if before:
                waits[before].add((node, out, lane))
            before = (node, out, lane)
            way.append((node, out))
            node, number = peer[node, out]
        if node != target:
            lost += 1
            continue
        for channel in way[:-1]:
            load[channel] += 1
        ways[source, target].add(tuple(way))
loop = circle(waits)
print(f'pairs {pairs} lost {lost} worst {max(load.values(), default=0)} loop {"yes" if loop else "no"} '
      f'ways {sum(map(len, ways.values())) / max(1, len(ways)):.3f}')
sys.exit(1 if lost or loop else 0)
