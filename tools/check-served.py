#!/usr/bin/env python3
"""Counts by hand what methods that claim to serve whatever is connected must serve, and asks the prover for the same.

usage: tools/check-served.py [--sets N] [--dead F] [--seed N] RIPSTOP FABRIC METHOD...
  --sets   fault sets that are drawn here (default 5), F links between switches each (20), or a fifth where there are fewer

For each set: ordered pairs of end nodes that links and switches still join (union-find), beside the pairs that the
prover says are lost; a method that serves what is connected loses the others alone, livelocks and deadlocks never. Then
the smallest cut between the switches of end nodes (max flow, unit capacities): it must part the fabric, and lose
exactly those pairs, while all of it but one link must lose none. Knows nothing of ripstop but its names of links.
Exit code 1: something differs.
"""
import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile


def read_links(program, fabric):
    """[(name, node, node)]; end nodes begin with `end:`."""
    text = subprocess.run([program, 'fabric', fabric, '--links'], capture_output=True, text=True, check=True).stdout
    rows = [line.split('\t') for line in text.splitlines() if not line.startswith('#')]
    return [(name, a, b) for name, a, _, b, _ in rows]


def is_end(node):
    return node.startswith('end:')


def parted(links, dead):
    """All ordered pairs of end nodes, and those that nothing joins."""
    above = {}

    def find(node):
        above.setdefault(node, node)
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for name, a, b in links:
        a, b = find(a), find(b)
        if name not in dead:
            above[a] = b
    parts = collections.Counter(find(node) for node in list(above) if is_end(node))
    ends = sum(parts.values())
    return ends * (ends - 1), ends * (ends - 1) - sum(n * (n - 1) for n in parts.values())


def flow_cut(near, source, sink):
    """Links of a smallest cut between two switches: augmenting paths, breadth first."""
    flow = collections.Counter()
    while True:
        came, queue = {source: None}, collections.deque([source])
        while queue and sink not in came:
            node = queue.popleft()
            for name, other in near[node]:
                if other not in came and flow[name, node] < 1:
                    came[other] = (name, node)
                    queue.append(other)
        if sink not in came:
            return {name for node in came for name, other in near[node] if other not in came}
        node = sink
        while came[node]:
            name, before = came[node]
            flow[name, before] += 1
            flow[name, node] -= 1
            node = before


def smallest_cut(links):
    near = collections.defaultdict(list)
    hosts = sorted({b if is_end(a) else a for _, a, b in links if is_end(a) or is_end(b)})
    for name, a, b in links:
        if not is_end(a) and not is_end(b):
            near[a].append((name, b))
            near[b].append((name, a))
    return min((flow_cut(near, hosts[0], other) for other in hosts[1:]), key=len)


def ask(program, fabric, method, sets):
    with tempfile.NamedTemporaryFile('w', suffix='.faults') as file:
        file.write(''.join(' '.join(sorted(dead)) + '\n' for dead in sets))
        file.flush()
        text = subprocess.run([program, 'prove', fabric, '--method', method, '--faults', file.name, '--json'],
                              capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    return [row for row in rows if 'summary' not in row]


def is_right(row, pairs, lost):
    return (row['pairs'] == pairs and row['disconnected_pairs'] == lost and row['lost_pairs_some_choice'] == lost and
            row['lost_pairs_every_choice'] == lost and row['tolerated'] == (lost == 0) and row['livelock_free'] and
            row['deadlock_free'])


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--sets', type=int, default=5)
    options.add_argument('--dead', type=int, default=20)
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('program')
    options.add_argument('fabric')
    options.add_argument('method', nargs='+')
    o = options.parse_args()
    links, draw, wrong = read_links(o.program, o.fabric), random.Random(o.seed), 0
    between = [name for name, a, b in links if not is_end(a) and not is_end(b)]
    dead = o.dead if o.dead < len(between) else len(between) // 5
    cut = smallest_cut(links)
    sets = [set(draw.sample(between, dead)) for _ in range(o.sets)] + [cut, cut - {min(cut)}]
    truth = [parted(links, each) for each in sets]
    if not truth[-2][1] or truth[-1][1]:
        wrong += 1
        print(f'{o.fabric}: the cut of {len(cut)} links is none')
    for method in o.method:
        rows = ask(o.program, o.fabric, method, sets)
        bad = [row for row, (pairs, lost) in zip(rows, truth, strict=True) if not is_right(row, pairs, lost)]
        wrong += len(bad)
        for row in bad[:3]:
            print(f'{o.fabric}, {method}: differs: {json.dumps(row)[:300]}')
        joined = sum(lost == 0 for _, lost in truth[:-2])
        print(f'{o.fabric}, {method}: {joined} of {o.sets} sets of {dead} failed links leave all joined, cut {len(cut)}: '
              f'{"as counted" if not bad else "DIFFERS"}')
    return 1 if wrong else 0


sys.exit(main())
