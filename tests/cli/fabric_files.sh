#!/bin/bash
# `ripstop fabric` with other files about the fabric: counters.
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
refused "needs a dump" fabric torus:4x4 --counters "$errors"
refused "no counters of ports" fabric "$monday" --counters "$monday"
refused "give the flag again" fabric "$monday" --counters "$errors" --counters-before "$errors" more.txt
refused "one argument too many" fabric "$monday" more.txt
finish
