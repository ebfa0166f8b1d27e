# model: flow against a slow model in exact fractions, on random fabrics, messages and faults. The slow model shares no code
# and no method with the program: it searches shortest paths itself, fills all flows from scratch at every event, and
# counts in rational numbers.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
python3 - "$RIPSTOP" <<'END' || complain "see above"
import json, random, subprocess, sys
from fractions import Fraction as F

ripstop = sys.argv[1]
CASES, NEAR = 60, 1e-6
MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


class Fabric:
    """Switches 0 .. n - 1 and end nodes, each on one; links in the order of the file, which is the order of ports."""

    def __init__(self, rng):
        self.n, self.links, self.rate, self.delay = rng.randint(2, 7), [], [], []
        self.ends = [rng.randrange(self.n) for _ in range(rng.randint(2, 9))]
        for v in range(1, self.n): self.add(rng, rng.randrange(v), v)
        for _ in range(rng.randint(0, 2 * self.n)):
            a, b = rng.sample(range(self.n), 2)
            self.add(rng, a, b)
        self.end_rate = [F(rng.choice([1000, 1000, 1000, 500]), 1000) for _ in self.ends]

    def add(self, rng, a, b):
        if any({a, b} == set(x) for x in self.links): return
        self.links.append((min(a, b), max(a, b)))
        self.rate.append(F(rng.choice([1000, 1000, 250, 100]), 1000))
        self.delay.append(rng.choice([1, 1, 5, 40]))

    def text(self):
        lines = []
        for (a, b), r, d in zip(self.links, self.rate, self.delay):
            lines.append(f's{a} s{b}' + (f' rate={float(r)}' if r != 1 else '') + (f' delay={d}' if d != 1 else ''))
        for i, (s, r) in enumerate(zip(self.ends, self.end_rate)):
            lines.append(f'@end e{i} s{s}' + (f' rate={float(r)}' if r != 1 else ''))
        return '\n'.join(lines) + '\n'


class Model:
    def __init__(self, fabric, rule, nic, reaction, seed, messages, changes, order):
        self.f, self.rule, self.nic, self.reaction, self.seed, self.order = fabric, rule, nic, reaction, seed, order
        self.rate, self.up = list(fabric.rate), [True] * len(fabric.links)
        self.messages, self.changes = messages, changes
        self.plan = (list(self.rate), list(self.up))

    def ports(self, v):
        """(link, neighbour) of a switch, as the program orders its ports."""
        return [(l, w) for l, w in self.order[v]]

    def path(self, s, d):
        """Share of each channel, and the latency; None: no path."""
        rate, up = self.plan
        a, b = self.f.ends[s], self.f.ends[d]
        dist, queue = {b: 0}, [b]
        for v in queue:
            for l, w in self.ports(v):
                if up[l] and w not in dist: dist[w] = dist[v] + 1; queue.append(w)
        if a not in dist: return None
        on = lambda v: [(l, w) for l, w in self.ports(v) if up[l] and dist.get(w, 99) == dist[v] - 1]
        behind, longest = {b: self.f.end_rate[d]}, {b: 1}
        for v in sorted(dist, key=dist.get):
            if v == b: continue
            behind[v] = sum(min(rate[l], behind[w]) for l, w in on(v))
            longest[v] = max(self.f.delay[l] + longest[w] for l, w in on(v))
        share, amount, delays, v = {('up', s): F(1), ('down', d): F(1)}, {a: F(1)}, 1 + longest[a], a
        if self.rule == 'hash':
            delays = 2
            while v != b:
                h = mix(mix(mix(mix(self.seed) ^ s) ^ d) ^ v)
                c = on(v)
                l, w = c[(h >> 32) * len(c) >> 32]
                share[l, w] = F(1); delays += self.f.delay[l]; v = w
        else:
            for v in sorted((v for v in dist if dist[v] <= dist[a]), key=lambda v: -dist[v]):
                for l, w in on(v) if v != b and v in amount else []:
                    part = F(1, len(on(v))) if self.rule == 'spray' else min(rate[l], behind[w]) / behind[v]
                    share[l, w] = amount[v] * part
                    amount[w] = amount.get(w, 0) + amount[v] * part
        return share, delays + dist[a]  # each of dist[a] + 1 switches takes a cycle, less 1

    def capacity(self, c):
        if c[0] == 'up' or c[0] == 'down': return self.f.end_rate[c[1]]
        return self.rate[c[0]]

    def fill(self, flows):
        open_, left = set(flows), {}
        for m in flows:
            for c in m['share']: left[c] = self.capacity(c)
        while open_:
            weight = {}
            for m in open_:
                for c, x in m['share'].items(): weight[c] = weight.get(c, 0) + x
            lowest = min(left[c] / w for c, w in weight.items())
            full = {c for c, w in weight.items() if left[c] / w == lowest}
            for m in [m for m in open_ if full & set(m['share'])]:
                m['rate'] = lowest
                open_.remove(m)
                for c, x in m['share'].items(): left[c] -= x * lowest

    def take_path(self, m):
        found = self.path(m['s'], m['d'])
        m['share'], m['latency'] = found if found else (None, None)

    def crosses_dead(self, m):
        return m['share'] is None or any(c[0] not in ('up', 'down') and not self.up[c[0]] for c in m['share'])

    def run(self):
        time, active, waiting = F(0), [], []
        todo = sorted(range(len(self.messages)), key=lambda i: (self.messages[i]['t'], i))
        changes, plans = list(self.changes), []
        while True:
            times = [F(self.messages[todo[0]]['t'])] if todo else []
            times += [F(changes[0][0])] if changes else []
            times += [plans[0]] if plans else []
            times += [time + m['left'] / m['rate'] for m in active if not m['still']]
            if not times: return not active and not waiting
            now = min(times)
            for m in active:
                if not m['still']: m['left'] -= m['rate'] * (now - time)
            time = now
            for m in [m for m in active if m['left'] == 0]:
                m['finish'] = time + m['latency']
                active.remove(m)
            while changes and changes[0][0] == time:
                _, link, what = changes.pop(0)
                plans.append(time + self.reaction)
                if what is None: self.up[link] = False
                else: self.up[link], self.rate[link] = True, what
                for m in active: m['still'] |= what is None and self.crosses_dead(m)
            if plans and plans[0] == time:
                plans = [p for p in plans if p > time]
                self.plan = (list(self.rate), list(self.up))
                for m in active:
                    self.take_path(m)
                    m['still'] = m['share'] is None
            while todo and self.messages[todo[0]]['t'] == time: waiting.append(self.messages[todo.pop(0)])
            busy = {self.key(m) for m in active}
            for m in list(waiting):
                if self.nic != 'share' and self.key(m) in busy: continue
                busy.add(self.key(m))
                waiting.remove(m)
                self.take_path(m)
                m['still'], m['left'] = self.crosses_dead(m), F(m['bytes'])
                active.append(m)
            self.fill([m for m in active if not m['still']])

    def key(self, m): return m['s'] if self.nic == 'serial' else (m['s'], m['d'])


class Message(dict):
    __hash__ = object.__hash__
    __eq__ = object.__eq__


def schedule(rng, fabric):
    """Failures, repairs and rates at different times, valid for each link."""
    out, dead, time, present = [], set(), 0, list(fabric.rate)
    for _ in range(rng.randint(0, 4) if fabric.links else 0):
        time += rng.randint(1, 4000)
        link = rng.randrange(len(fabric.links))
        rate = F(rng.choice([500, 333, 50]), 1000)
        if link in dead: what, text = fabric.rate[link], '+'; dead.remove(link)
        elif rng.random() < 0.6 or rate == present[link]: what, text = None, ''; dead.add(link)
        else: what, text = rate, f'~{float(rate)}'
        present[link] = what
        out.append((time, link, what, text))
    return out, not dead


wrong = faults = 0
for case in range(CASES):
    rng = random.Random(case)
    fabric = Fabric(rng)
    rule, nic = rng.choice(['spray', 'hash', 'adaptive']), rng.choice(['pairs', 'serial', 'share'])
    reaction, seed = rng.choice([0, 0, 700, 3000]), rng.randint(0, 9)
    messages = [Message(t=rng.choice([0, 0, rng.randint(0, 9000)]), s=s, d=d, bytes=rng.randint(1, 5000))
                for s, d in (rng.sample(range(len(fabric.ends)), 2) for _ in range(rng.randint(1, 25)))]
    messages.sort(key=lambda m: m['t'])
    changes, healed = schedule(rng, fabric)
    order = {v: [(l, a + b - v) for l, (a, b) in enumerate(fabric.links) if v in (a, b)] for v in range(fabric.n)}
    open(f'{case}.edges', 'w').write(fabric.text())
    open(f'{case}.messages', 'w').write(''.join(f'{m["t"]},{m["s"]},{m["d"]},{m["bytes"]}\n' for m in messages))
    command = [ripstop, 'simulate', f'graph:{case}.edges', '--method', 'minimal', '--model', 'flow', '--json',
               '--workload', f'messages:{case}.messages']
    for key, value in {'flow.paths': rule, 'flow.nic': nic, 'flow.reaction': reaction, 'flow.seed': seed,
                       'measure.messages': 'on'}.items(): command += ['--set', f'{key}={value}']
    text = ' '.join(f's{fabric.links[l][0]}--s{fabric.links[l][1]}{t}@{at}' for at, l, _, t in changes)
    if text: command += ['--faults', text]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode: print(case, done.stderr.strip()); wrong += 1; continue
    got = json.loads(done.stdout)
    complete = Model(fabric, rule, nic, reaction, seed, messages, [c[:3] for c in changes], order).run()
    faults += bool(changes)
    bad = [i for i, (m, g) in enumerate(zip(messages, got['messages']))
           if ('finish' in m) != (g['finish'] is not None) or
           ('finish' in m and abs(float(m['finish']) - g['finish']) > NEAR * max(1, float(m['finish'])))]
    if bad or complete != (got['workload.complete'] == 1):
        i = bad[0] if bad else 0
        print(f'case {case}: {rule}, {nic}, reaction {reaction}, {text}: message {i + 1} of {len(bad)}: '
              f'{got["messages"][i]["finish"]}, not {float(messages[i].get("finish", -1))}')
        wrong += 1
sys.exit(wrong > 0 or faults < CASES // 3)
END
finish
