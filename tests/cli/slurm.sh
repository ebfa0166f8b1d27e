#!/bin/bash
# `ripstop fabric --slurm tree`: Slurm's own controller reads topology.conf, and has the same nodes under the same switches as the
# JSON says. (Slurm 22.05 does not know blocks.)
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
for program in slurmctld scontrol; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done

# Pods of two leaves under two spines, four cores above them; every second leaf lacks a host.
python3 - >three-levels.txt <<'PY'
nodes, cables, used = [], [], {}
def node(kind, text):
    nodes.append((kind, '%s-%016x' % ('H' if kind == 'Ca' else 'S', len(nodes) + 1), text))
    return nodes[-1][1]
def join(a, b):
    for x in (a, b): used[x] = used.get(x, 0) + 1
    cables.append((a, used[a], b, used[b]))
cores = [node('Switch', 'core-%d' % i) for i in range(4)]
for pod in range(11):
    spines = [node('Switch', 'spine-%d-%d' % (pod, i)) for i in range(2)]
    for i, core in enumerate(cores): join(core, spines[i // 2])
    for leaf in range(2):
        l = node('Switch', 'MF0;leaf%02d-%d:MQM8700/U1' % (pod, leaf))
        for s in spines: join(l, s)
        for host in range(9, 12):
            if not (leaf and host == 10): join(l, node('Ca', 'cn%d%02d%d mlx5_0' % (leaf, host, pod)))
for kind, name, text in nodes:
    print('%s 64 "%s" # "%s" base port 0 lid 0 lmc 0' % (kind, name, text))
    for a, p, b, q in cables:
        if a == name: print('[%d] "%s"[%d] # lid 0 4xHDR' % (p, b, q))
        if b == name: print('[%d] "%s"[%d] # lid 0 4xHDR' % (q, a, p))
PY

# compare FABRIC ADAPTERS: Slurm's answer against the JSON.
compare() {
  local port=$((20000 + RANDOM % 20000)) i
  rm -rf slurm && mkdir -p slurm/state && cd slurm || exit 1
  "$RIPSTOP" fabric "$1" --slurm tree --adapters "$2" >topology.conf || complain "--slurm fails on $1"
  "$RIPSTOP" fabric "$1" --slurm tree --adapters "$2" --json >topology.json || complain "--slurm --json fails on $1"
  python3 - "$PWD" "$port" >slurm.conf <<'PY'
import getpass, json, sys
print('''ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=%s
AuthType=auth/none
CredType=cred/none
StateSaveLocation=%s/state
SlurmctldPidFile=%s/pid
SlurmctldPort=%s
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
TopologyPlugin=topology/tree''' % (getpass.getuser(), sys.argv[1], sys.argv[1], sys.argv[2]))
for entry in json.load(open('topology.json'))['slurm']['switches']:
    for node in entry.get('nodes', []): print('NodeName=%s NodeAddr=127.0.0.1' % node)
print('PartitionName=all Nodes=ALL Default=YES')
PY
  export SLURM_CONF=$PWD/slurm.conf
  slurmctld -D -c -f "$SLURM_CONF" >log 2>&1 &
  local controller=$!
  for ((i = 0; i < 100; i++)); do
    scontrol show topology >answer 2>/dev/null && grep -q SwitchName answer && break
    kill -0 $controller 2>/dev/null || break
    sleep 0.2
  done
  kill $controller 2>/dev/null
  wait $controller
  grep -iE 'topology.*(error|warning)|(error|warning).*(topology|switch)' log && complain "Slurm is not content with $1"
  python3 - <<'PY' || complain "Slurm reads $1 otherwise: $(cat topology.conf answer log)"
import json, re, subprocess
def names(text):
    return sorted(subprocess.run(['scontrol', 'show', 'hostnames', text], capture_output=True, text=True, check=True).stdout.split())
entries = {e['name']: e for e in json.load(open('topology.json'))['slurm']['switches']}
def below(e): return sorted(e['nodes']) if 'nodes' in e else sorted(sum([below(entries[s]) for s in e['switches']], []))
seen = 0
for line in open('answer'):
    k = dict(re.findall(r'(\w+)=(\S+)', line))
    e = entries[k['SwitchName']]
    assert names(k['Nodes']) == below(e), (k, below(e))
    assert (k['Level'] == '0') == ('nodes' in e), k
    if 'Switches' in k: assert names(k['Switches']) == sorted(e['switches']), k
    seen += 1
assert seen == len(entries) > 1, (seen, len(entries))
PY
  cd ..
}
# Slurm 23.11 and later read blocks, and this machine may have an older one. So the file is read by the grammar of
# topology.conf(5): comments; BlockName= with Nodes=, a host list; BlockSizes=, at the end, with the smallest block.
blocks() {
  "$RIPSTOP" fabric "$1" --slurm block --adapters "$2" >block.conf || complain "no blocks of $1"
  "$RIPSTOP" fabric "$1" --slurm block --adapters "$2" --json >block.json || complain "no blocks of $1 as JSON"
  python3 - <<'PY' || complain "the blocks of $1 do not keep to the grammar: $(cat block.conf)"
import json, re
def names(text):
    """Host names of a list; the last bracket of each has numbers of one width, or plain ones."""
    out, rest = [], text
    while rest:
        m = re.match(r'([A-Za-z0-9._-]+)(?:\[([0-9,-]+)\])?(?:,(?=.)|$)', rest)
        assert m, rest
        rest = rest[m.end():]
        for part in (m.group(2) or '').split(','):
            first, _, last = part.partition('-')
            if not part: out.append(m.group(1)); continue
            assert first.isdigit() and (not last or (last.isdigit() and int(last) > int(first) and len(last) >= len(first))), part
            out += ['%s%0*d' % (m.group(1), len(first), i) for i in range(int(first), int(last or first) + 1)]
    return out
lines = [l for l in open('block.conf').read().splitlines() if not l.startswith('#')]
assert re.fullmatch(r'BlockSizes=[1-9][0-9]*', lines[-1]), lines[-1]
blocks = {}
for line in lines[:-1]:
    m = re.fullmatch(r'BlockName=([A-Za-z0-9._-]+) Nodes=(\S+)', line)
    assert m and m.group(1) not in blocks, line
    blocks[m.group(1)] = names(m.group(2))
every = [n for b in blocks.values() for n in b]
assert len(every) == len(set(every)) > 0, 'a node is in two blocks'
assert int(lines[-1].split('=')[1]) == min(map(len, blocks.values())), lines[-1]
said = {e['name']: sorted(e['nodes']) for e in json.load(open('block.json'))['slurm']['blocks']}
assert said == {k: sorted(v) for k, v in blocks.items()}, (said, blocks)
PY
}
blocks "$RIPSTOP_SOURCE/examples/operators/monday.txt" '^mlx5_0$'
blocks "$RIPSTOP_SOURCE/examples/operators/site.txt" .
blocks "$PWD/three-levels.txt" .
compare "$RIPSTOP_SOURCE/examples/operators/monday.txt" '^mlx5_0$'
compare "$RIPSTOP_SOURCE/examples/operators/monday.txt" mlx5
compare "$PWD/three-levels.txt" .
grep -c '^SwitchName=pod-' slurm/topology.conf | grep -qx 11 || complain "not 11 pods"
finish
