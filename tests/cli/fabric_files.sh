#!/bin/bash
# `ripstop fabric` with other files about the fabric: counters, designs, and what Slurm needs.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
examples=$RIPSTOP_SOURCE/examples/operators
monday=$examples/monday.txt errors=$examples/errors.txt

# --counters: one JSON object, whose rows are in order.
"$RIPSTOP" fabric "$monday" --counters "$errors" --json >counters.json || complain "--counters --json fails"
python3 - <<'PY' || complain "--counters --json is wrong"
import json
r = json.load(open('counters.json'))
rows = r['replace_first']
assert [(x['link_downed'], x['link_recovered'], x['bit_errors'], x['at_least']) for x in rows] == [
    (3, 0, 412, False), (0, 2, 9, False), (0, 0, 65547, True)], rows
assert rows[0]['cable'] == 'S-506b4b0300a10080[5]-S-506b4b0300a20080[33]' and rows[0]['leaf'] == 'leaf-03'
assert (rows[0]['uplinks'], rows[0]['uplinks_left']) == (8, 7) and 'paths' not in rows[1]
assert r['counters'] == {'ports': 5, 'without_cable': 0, 'unknown': 0, 'differences': False}, r['counters']
PY
# The same files twice change nothing; packed files and several files are read; nothing was added since.
gzip -c "$errors" >errors.gz
"$RIPSTOP" fabric "$monday" --counters "$errors" errors.gz --json | cmp - counters.json || complain "two files differ from one"
"$RIPSTOP" fabric "$monday" --counters "$errors" --counters-before errors.gz | grep -q '0 cables with errors' ||
  complain "counters that did not change"
# Two dated files in the same log: errors per hour.
cp "$errors" 2026-01-05T0600.txt
sed 's/== 412/== 1612/; s/^/Jan  6 18:00:00 host ibqueryerrors: /' "$errors" >2026-01-06T1800.log
"$RIPSTOP" fabric "$monday" --counters 2026-01-06T1800.log --counters-before 2026-01-05T0600.txt |
  grep -q 'spine-3/P5 - leaf-03/P33  down 0, recovered 0, bit errors 1200 (33.3/h); carries' || complain "errors per hour"
refused "needs a dump" fabric torus:4x4 --counters "$errors"
refused "no counters of ports" fabric "$monday" --counters "$monday"
refused "give the flag again" fabric "$monday" --counters "$errors" --counters-before "$errors" more.txt
refused "one argument too many" fabric "$monday" more.txt

# --design: a table, whose swapped cables name each other; a dump; and a regular fabric.
"$RIPSTOP" fabric "$monday" --design "$examples/design.csv" --counters "$errors" --json >design.json || complain "--design fails"
python3 - <<'PY' || complain "--design --json is wrong"
import json
r = json.load(open('design.json'))
d = r['design']
assert (d['cables'], d['as_designed'], len(r['replace_first'])) == (80, 76, 3), d
assert [(x['line'], x['what'], x.get('swapped_with')) for x in d['rows']] == [
    (12, 'missing', None), (33, 'wrong port', None), (35, 'wrong port', 36), (36, 'wrong port', 35)], d['rows']
assert d['rows'][1]['found'] == 'S-506b4b0300a100c0[8]-S-506b4b0300a200c0[36]'
assert d['extra'] == ['H-506b4b0300cf0000[1]-S-506b4b0300a100c0[36]'], d['extra']
PY
"$RIPSTOP" fabric "$examples/tuesday.txt" --design "$monday" | grep -q '78 cables: 76 as designed; 4 rows differ' ||
  complain "a dump as design"
"$RIPSTOP" fabric kary-ntree:k=4,n=2 --net --set 0/1/4 >cut.txt
"$RIPSTOP" fabric cut.txt --design kary-ntree:k=4,n=2 | grep -A1 '16 cables between switches: 15 as designed' |
  grep -q 'missing *S-' || complain "a regular fabric as design"
"$RIPSTOP" fabric cut.txt --design kary-ntree:k=4,n=2 --json | python3 -c "
import json, sys
d = json.load(sys.stdin)['design']
assert (d['cables'], d['as_designed'], [r['what'] for r in d['rows']]) == (16, 15, ['missing']), d" || complain "its JSON"
"$RIPSTOP" fabric kary-ntree:k=6,n=2 --net --set '0/0/7 0/1/7 0/2/7' >plane.txt
"$RIPSTOP" fabric plane.txt --design kary-ntree:k=6,n=2 --json | python3 -c "
import json, sys
d = json.load(sys.stdin)['design']
assert (d['cables'], d['as_designed'], [r['what'] for r in d['rows']]) == (36, 33, ['missing'] * 3), d
assert len({r['design'] for r in d['rows']}) == 3, d" || complain "a spine that lacks cables to most leaves"
refused "the fabric looks like a fat tree" fabric cut.txt --design kary-ntree:k=3,n=2
refused "fabric: --design" fabric cut.txt --design no-such-file.csv

# Pipes are read once; `-` is standard input.
"$RIPSTOP" fabric "$monday" | tail -n +2 >from_file
for way in '<(cat "$monday")' '<(gzip -c "$monday")' '/dev/stdin' '-' 'ib:/dev/stdin'; do
  eval "\"\$RIPSTOP\" fabric $way" <"$monday" 2>&1 | tail -n +2 | sed 1,3d | cmp - <(sed 1,3d from_file) || complain "fabric $way"
done
cat "$monday" | "$RIPSTOP" fabric - --design <(cat "$monday") >piped 2>&1 || complain "a fabric and a design from pipes: $(cat piped)"
grep -q '80 cables: 80 as designed\|79 cables: 79 as designed' piped || complain "a design from a pipe: $(grep designed piped)"
mkdir folder
printf '\3757zXZ\0 and more' >packed.txt.xz
refused "packed.txt.xz: packed by xz; unpack it first (xz -d)" fabric packed.txt.xz
printf 'BZh91AY&SY and more' >packed.txt.bz2
refused "packed by bzip2; unpack it first (bzip2 -d)" fabric packed.txt.bz2
# Every file that is read is refused alike.
refused "packed.txt.xz: packed by xz; unpack it first (xz -d)" judge torus:3x3 --tables packed.txt.xz
refused "packed.txt.bz2: packed by bzip2; unpack it first (bzip2 -d)" what-if torus:3x3 --tables packed.txt.bz2
refused "packed.txt.xz: packed by xz; unpack it first (xz -d)" run packed.txt.xz
refused "packed.txt.xz: packed by xz; unpack it first (xz -d)" fabric "$RIPSTOP_SOURCE/examples/operators/monday.txt" --counters packed.txt.xz
refused "packed.txt.bz2: packed by bzip2; unpack it first (bzip2 -d)" fabric "$RIPSTOP_SOURCE/examples/operators/monday.txt" --design packed.txt.bz2
refused "the folder has no files" fabric folder
refused "no file 'mondy': fabric 'mondy' is unknown; known: " fabric mondy
tr , ';' <"$examples/design.csv" >semicolons.csv
refused "with commas between them" fabric "$monday" --design semicolons.csv

# --slurm: the file alone; as JSON with the nodes by name; tests/cli/slurm.sh has Slurm read it.
"$RIPSTOP" fabric "$monday" --slurm block --json | python3 -c "
import json, sys
s = json.load(sys.stdin)['slurm']
assert s['kind'] == 'block' and s['block_sizes'] == [1] and len(s['notes']) == 2, s
assert [(b['name'], len(b['nodes'])) for b in s['blocks']] == [('leaf-01', 12), ('leaf-03', 12), ('spine-4', 1)], s" ||
  complain "--slurm --json is wrong"
refused "is no dump" fabric torus:4x4 --slurm tree
refused "no extended regular expression" fabric "$monday" --slurm tree --adapters '['
refused "no adapter whose second word" fabric "$monday" --slurm tree --adapters nothing
finish
