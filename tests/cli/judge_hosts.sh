#!/bin/bash
# `ripstop judge --hosts`: a job on some hosts, as text and JSON; mistakes in lists.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
monday=$RIPSTOP_SOURCE/examples/operators/monday.txt
tables=(--method opensm-minhop)

"$RIPSTOP" judge "$monday" "${tables[@]}" --hosts 'node[001-002],node[013-014]' --adapters '_0$' --speed --json >job.json ||
  complain "judge --hosts --json fails"
python3 - <<'PY' || complain "judge --hosts --json is wrong: $(cat job.json)"
import json
h = json.load(open('job.json'))['hosts']
assert (h['hosts'], h['adapters'], h['leaves']) == (4, 4, 2), h
assert [(b['from'], b['to']) for b in h['blocking']] == [(a, b) for a in ('node[001-002]', 'node[013-014]')
                                                         for b in ('node[001-002]', 'node[013-014]')]
assert h['blocking'][0]['factor'] == 1 and h['blocking'][0]['cable'] is None
assert h['ring']['order'] == ['node001', 'node002', 'node013', 'node014'] and h['ring']['between_leaves'] == 2
assert len(h['steps']) == 4 and all(s['gbps'] in (25, 100) and not s['lost'] for s in h['steps']), h['steps']
assert len(h['steps'][0]['cables']) == 2 and len(h['steps'][1]['cables']) == 4
slow = min(h['steps'], key=lambda s: s['gbps'])
assert h['ring']['slowest']['gbps'] == slow['gbps']
assert h['ring']['busiest']['cable'] in sum([s['cables'] for s in h['steps']], [])
PY
# One host on each line, as an argument and in a file, with CR LF too, is the same list.
"$RIPSTOP" judge "$monday" "${tables[@]}" --hosts node001,node002,node013 --json >listed.json || complain "a list of plain hosts fails"
printf 'node001\r\nnode002\r\n\r\nnode013\r\n' >hosts.txt
for list in @hosts.txt "$(printf 'node001\nnode002\nnode013')"; do
  "$RIPSTOP" judge "$monday" "${tables[@]}" --hosts "$list" --json | cmp - listed.json || complain "'$list' is another list"
done
refused "no-hosts.txt: No such file" judge "$monday" "${tables[@]}" --hosts @no-hosts.txt
printf 'node001\nnode[002\n' >open.txt
refused "open.txt: 'node[002" judge "$monday" "${tables[@]}" --hosts @open.txt
printf 'node001\0' >binary
refused "binary: is no text" judge "$monday" "${tables[@]}" --hosts @binary
# Without --hosts nothing is added.
"$RIPSTOP" judge "$monday" "${tables[@]}" --json | grep -q '"hosts"' && complain "hosts without --hosts"
refused "no adapter of 'node999'" judge "$monday" "${tables[@]}" --hosts node999
sed 's/node001 mlx5_0/MT25408 ConnectX Mellanox Technologies/' "$monday" >factory.txt
refused "no adapter of 'MT25408'" judge factory.txt "${tables[@]}" --hosts MT25408
refused "'node001' is listed twice" judge "$monday" "${tables[@]}" --hosts 'node[001-003],node001'
refused "no extended regular expression" judge "$monday" "${tables[@]}" --hosts 'node[001-003]' --adapters '('
refused "is no dump" judge torus:4x4 --method opensm-minhop --hosts a
refused "--speed needs --hosts" judge "$monday" "${tables[@]}" --speed
# Tables with groups of ports, made of the forwarding tables of the example: judged, but no case for a job or for what-if.
"$RIPSTOP" route "$monday" --method opensm-minhop -o plain >/dev/null || complain "route fails"
python3 - >groups.far <<'PY'
import re
print('File version: 1')
for line in open('plain/lfts.dump'):
    head = re.search(r'guid 0x([0-9a-f]+) \((.*)\)', line)
    entry = re.match(r'0x([0-9a-fA-F]{4}) (\d{3})', line)
    if head:
        print('Switch 0x%s %s\nGroups Definition:\nGroup Sub Group WHBF Ports\n---' % head.groups())
        print('1 0 0 1,2,\nLFT Definition:\nPLFT_NUM: 0, top:0xffff\nLID Static Port  Lid State  Group\n---')
    if entry: print('0x%s %s Free 1' % entry.groups())
PY
"$RIPSTOP" judge "$monday" --tables groups.far 2>errors | grep -q '^  adaptive   [1-9]' || complain "groups of ports are not judged: $(cat errors)"
refused "several next hops, as for adaptive routing (ibdiagnet2.far)" judge "$monday" --tables groups.far --hosts 'node[001-002]'
refused "several next hops, as for adaptive routing (ibdiagnet2.far)" what-if "$monday" --tables groups.far
refused "give tables with one port an entry (dump_lfts)" what-if "$monday" --tables groups.far --json
finish
