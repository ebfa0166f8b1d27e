#!/bin/bash
# mend_first of ripstop what-if, held against brute force: each missing cable is put back into the file, and the change of
# every number is taken from a second run. A switch for management hangs on a leaf by one cable: its failure disconnects
# pairs, but no uplink of that leaf changes this.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >mend.py <<'END'
import json, os, random, re, subprocess, sys

ripstop = sys.argv[1]


def study(lines):
    open('net', 'w').write('\n'.join(lines) + '\n')
    out = subprocess.run([ripstop, 'what-if', 'net', '--json'], capture_output=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    assert out.returncode == 0 and rows, out.stderr
    return {r['part']: r for r in rows[:-1] if r['kind'] == 'cable'}, rows[-1]['mend_first']


def ends(lines):
    """The line of each port, and the port at its other end."""
    found, node = {}, None
    for i, line in enumerate(lines):
        head = re.match(r'(?:Switch|Ca)\s+\d+\s+"([^"]+)"', line)
        node = head.group(1) if head else node
        port = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\]', line)
        if port:
            found[node, int(port.group(1))] = i, (port.group(2), int(port.group(3)))
    return found


def add_management(lines, leaf):
    """A switch with a host, on one more port of a leaf."""
    at = next(i for i, line in enumerate(lines) if re.match(r'Switch\s+\d+\s+"%s"' % leaf, line))
    wide = int(re.match(r'Switch\s+(\d+)', lines[at]).group(1)) + 1
    lines[at] = re.sub(r'^Switch\s+\d+', 'Switch\t%d' % wide, lines[at])
    lines.insert(at + 1, '[%d]\t"S-00000000000fff00"[1] \t\t# "mgmt-sw" lid 900 4xEDR' % wide)
    lines += ['', 'Switch\t4 "S-00000000000fff00"\t\t# "mgmt-sw" enhanced port 0 lid 900 lmc 0',
              '[1]\t"%s"[%d] \t\t# "leaf" lid 1 4xEDR' % (leaf, wide),
              '[2]\t"H-00000000000fff10"[1](fff11) \t\t# "admin" lid 901 4xEDR', '',
              'Ca\t1 "H-00000000000fff10"\t\t# "admin"',
              '[1](fff11) \t"S-00000000000fff00"[2]\t\t# lid 901 lmc 0 "mgmt-sw" lid 900 4xEDR']


def check(seed):
    rng = random.Random(seed)
    spec = 'xgft:m=%d.%d,w=1.%d' % (rng.randint(2, 4), rng.randint(4, 6), rng.randint(3, 5))
    lines = subprocess.run([ripstop, 'fabric', spec, '--net'], capture_output=True, text=True).stdout.splitlines()
    leaves = sorted({v[1][0] for k, v in ends(lines).items() if k[0][0] == 'H'})
    add_management(lines, rng.choice(leaves))
    up = sorted(k for k, v in ends(lines).items() if k[0] in leaves and v[1][0][0] == 'S' and 'fff00' not in v[1][0])
    gone = {}
    for k in rng.sample(up, rng.randint(2, 4)):
        i, far = ends(lines)[k]
        gone[frozenset((k, far))] = {i: lines[i], ends(lines)[far][0]: lines[ends(lines)[far][0]]}
    lost = {i for text in gone.values() for i in text}
    before, rows = study([line for i, line in enumerate(lines) if i not in lost])
    keys, unlike = [], 0
    for row in rows:
        cable = frozenset((n, int(p)) for n, p in re.findall(r'([SH]-[0-9a-f]+)\[(\d+)\]', row['cable']))
        if cable not in gone:
            continue  # one end has another free port
        after, mended = study([line for i, line in enumerate(lines) if i not in lost - set(gone[cable])])
        own = [p for p in before if row['leaf'] in p]
        saved = max(before[p]['pairs_disconnected'] - after[p]['pairs_disconnected'] for p in own)
        assert saved == row['saves_pairs'], (seed, row, saved)
        unlike += row['next_fault_disconnects'] > 0 and saved == 0
        helps = row['capacity_after_next'] < 1
        keys.append((-saved, not helps, row['capacity_after_next'], row['capacity'], row['cable']))
    assert keys == sorted(keys), (seed, spec, keys)
    return len(keys), unlike


counts = [check(seed) for seed in range(24)]
compared, unlike = (sum(c) for c in zip(*counts))
assert compared > 40 and unlike > 0, counts
print(compared, 'rows are as brute force has them;', unlike, 'change nothing of the pairs that the next fault disconnects')
END
python3 mend.py "$RIPSTOP" >checked 2>&1 || complain "$(tail -3 checked)"
grep -q 'rows are as brute force has them' checked || complain "nothing was compared: $(cat checked)"
finish
