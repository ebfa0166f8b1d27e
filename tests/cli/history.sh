#!/bin/bash
# `ripstop history FOLDER`: flaps, moves, and parts that go down together, as text and JSON; files that are left out.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
monday=$RIPSTOP_SOURCE/examples/operators/monday.txt
mkdir dumps
for day in 1 3 5; do cp "$monday" dumps/2026-01-0${day}T0600.txt; done
gzip -c dumps/2026-01-05T0600.txt >dumps/20260105-0600.gz && rm dumps/2026-01-05T0600.txt
# Two cables of spine-3 go, then they come back; spine-1 and spine-2 go together (lines 4 to 33 list them).
sed 42,43d "$monday" >dumps/2026-01-02.txt
sed '42,43d; 6,33d' "$monday" >dumps/2026-01-04.txt
echo 'not a dump' >dumps/2026-01-06.txt
sed '/generated on/d' "$monday" >dumps/undated.txt
head -62 "$monday" >dumps/2026-01-07.txt # cut off

"$RIPSTOP" history dumps --json >history.json || complain "history --json fails"
python3 - <<'PY' || complain "history --json is wrong: $(cat history.json)"
import json
h = json.load(open('history.json'))
assert [d['date'] for d in h['dumps']] == ['2026-01-01 06:00:00', '2026-01-02 00:00:00', '2026-01-03 06:00:00',
    '2026-01-04 00:00:00', '2026-01-05 06:00:00'], h['dumps']
assert sorted(x['file'] for x in h['left_out']) == ['2026-01-06.txt', '2026-01-07.txt', 'undated.txt'], h['left_out']
assert [(c['name'][-26:], c['flaps'], len(c['down']), c['there']) for c in h['cables']] == [
    ('[5]-S-506b4b0300a20080[33]', 2, 2, True), ('[6]-S-506b4b0300a20080[34]', 2, 2, True)], h['cables']
assert h['cables'][0]['since'] == '2026-01-05 06:00:00'
assert [(n['description'], len(n['down']), n['there']) for n in h['nodes']] == [('spine-1', 1, True), ('spine-2', 1, True)]
assert [(g['what'], len(g['parts']), len(g['down'])) for g in h['together']] == [('cables', 2, 2), ('switches', 2, 1)]
PY
"$RIPSTOP" history dumps >text || complain "history fails"
grep -q 'together   2 switches: spine-1, spine-2  down 1 time (2026-01-04 00:00:00); perhaps one power feed' text ||
  complain "the text does not say who went together: $(cat text)"
grep -q 'left out   undated.txt: no date' text || complain "the text does not say what it left out"
# A fabric that shrank: two dumps in a row agree. 2, 4 and 5 have no such neighbour.
mkdir shrunk
for dump in 1:40 2:6 3:40 4:6 5:9 6:8 7:8; do
  "$RIPSTOP" fabric torus:${dump#*:} --net >shrunk/2026-02-0${dump%:*}.txt
done
printf 'Switch 1 "S-1"\n' | tee shrunk/2026-02-08.txt >shrunk/2026-02-09.txt
"$RIPSTOP" history shrunk --json >shrunk.json || complain "history --json fails for a fabric that shrank"
python3 - <<'PY' || complain "history is wrong for a fabric that shrank: $(cat shrunk.json)"
import json
h = json.load(open('shrunk.json'))
assert [(d['date'][8:10], d['cables']) for d in h['dumps']] == [('01', 80), ('03', 80), ('06', 16), ('07', 16)], h['dumps']
assert [x['file'][8:10] for x in h['left_out']] == ['02', '04', '05', '08', '09'], h['left_out']
PY
# A cut dump that still has most cables: its leaves name hosts that it does not list.
mkdir cut && cp "$monday" cut/2026-01-01.txt && cp "$monday" cut/2026-01-03.txt
head -c $(($(wc -c <"$monday") * 7 / 10)) "$monday" >cut/2026-01-02.txt
"$RIPSTOP" history cut --json | python3 -c "
import json, sys
h = json.load(sys.stdin)
assert [x['file'] for x in h['left_out']] == ['2026-01-02.txt'] and 'incomplete' in h['left_out'][0]['why'], h['left_out']
assert h['cables'] == h['nodes'] == [], h" || complain "a cut dump is taken as real"
mkdir empty one && cp "$monday" one/2026-01-01.txt
refused "no file in this folder" history empty
refused "two at least are needed" history one
refused "history: nowhere" history nowhere
finish
