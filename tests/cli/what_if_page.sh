#!/bin/bash
# The page of ripstop what-if: each section is there if its input is given, with the numbers that the commands print as
# JSON; the contents say what to give for the others.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
examples=$RIPSTOP_SOURCE/examples/operators
for method in opensm-minhop opensm-updn; do "$RIPSTOP" route "$examples/monday.txt" --method $method -o $method >/dev/null || complain "route by $method"; done

cat >check.py <<'END_PYTHON'
import html, json, re, sys
name, counters, changed = sys.argv[1:]
text = open(name + '.html').read()
sections = {s: b for s, b in re.findall(r'<h2 id="(\w+)">(.*?)(?=<h2 |</main>)', text, re.S)}
fabric = json.load(open(name + '.fabric'))
*parts, last = map(json.loads, open(name + '.json'))

def rows(section):
    return [[html.unescape(re.sub('<[^>]*>', ' ', cell)).strip() for cell in re.findall('<td[^>]*>(.*?)</td>', row, re.S)]
            for row in re.findall('<tr><td>.*?</tr>', sections[section], re.S)]

odd = rows('odd')
assert f'What is odd: {len(fabric["odd"])}<' in '<h2>' + text, 'count of odd'
assert list(dict.fromkeys(r[0] for r in odd)) == list(dict.fromkeys(o['what'] for o in fabric['odd'])), 'order of kinds'
for part in fabric['small_parts'] + fabric['absent']:
    assert html.escape(part['text']) in html.unescape(sections['odd']) or part['text'] in html.unescape(sections['odd']), part

def effect(part):
    return [part['pairs_disconnected'], part['pairs_on_it'], part['worst_link_after'], part['changed_entries']]
cables = {p['part']: effect(p) for p in parts if p['kind'] == 'cable'}
shown = {r[0]: [int(x) for x in r[2:6]] for r in rows('parts')}
assert shown == cables and len(cables) > 10, 'parts'

proof = last['proof']
assert f'{len(last["safe_set"])} of {len(cables)} cables' in sections['safe'], 'safe set'
tables = [r for r in rows('safe')]
assert len(tables) == (len(proof['parts']) + len(proof['roles']) if last['safe_set'] else 0), 'rows of the proof'
for part, row in zip(proof['parts'], tables):
    assert [float(x) for x in row[1:4]] == [part[k] for k in ('need', 'capacity_before', 'capacity_after')], (part, row)
    assert part['capacity_after'] >= part['floor']
for role, row in zip(proof['roles'], tables[len(proof['parts']):]):
    assert row[0] == role['role'] and abs(float(row[2]) - role['worst_after']) < 0.001 * role['worst_after'] + 1e-9, (role, row)
for why, count in proof['unsafe'].items():
    assert not count or f'{count} cables: ' in sections['safe'], why
for cable in last['safe_set']:
    assert cable in sections['safe'], cable

assert [r[0] for r in rows('mend')] == [m['cable'] for m in last['mend_first']] if last['mend_first'] else 'mend' not in sections
for mend, row in zip(last['mend_first'], rows('mend') if last['mend_first'] else []):
    assert int(row[3]) == mend['next_fault_disconnects'], (mend, row)
    for cell, key in zip(row[4:7], ('capacity', 'capacity_like', 'capacity_after_next')):
        assert cell == 'no hosts' and mend[key] is None or abs(float(cell) - mend[key]) < 0.006 * mend[key], (mend, row)

assert ('errors' in sections) == (counters == 'counters') and ('changed' in sections) == (changed == 'changed')
assert ('give <code>--counters FILE' in text) == ('errors' not in sections)
assert ('give <code>--before TABLES' in text) == ('changed' not in sections)
if counters == 'counters':
    first, table = fabric['replace_first'], rows('errors')
    assert f'Cables with errors: {len(first)}<' in '<' + sections['errors'] and len(table) == len(first) > 0
    for cable, row in zip(first, table):
        assert [int(x) for x in row[1:4]] == [cable['link_downed'], cable['link_recovered'], cable['bit_errors']], (cable, row)
        assert 'leaf' not in cable or f'{cable["leaf"]} keeps {cable["uplinks_left"]} of {cable["uplinks"]} uplinks' in row[-1]
    loads = dict(zip((c['cable'] for c in first), (r[4] for r in table)))
    for cable, load in loads.items():
        assert cable not in cables or int(load) == cables[cable][1], (cable, load)
if changed == 'changed':
    step = json.load(open(name + '.judge'))['mixture']
    assert f'What changed: {step["changed_entries"]} of {step["entries"]} entries' in sections['changed']
    assert f'{step["changed_levels"]} of {step["levels"]} service levels' in sections['changed']
    assert f'Packets for {step["looping_addresses"]} addresses' in sections['changed']
    assert ('deadlock is possible' in sections['changed']) == step['credit_loop']
for target in re.findall('href="#([^"]*)"', text):
    assert f'id="{target}"' in text, target
END_PYTHON

# page NAME FABRIC COUNTERS CHANGED OPTION...
page() {
  local name=$1 fabric=$2 counters=$3 changed=$4
  shift 4
  "$RIPSTOP" what-if "$fabric" -o "$name.html" --json "$@" >"$name.json" || complain "$name: what-if fails"
  python3 check.py "$name" "$counters" "$changed" || complain "$name: the page differs from the JSON"
}
"$RIPSTOP" fabric "$examples/monday.txt" --counters "$examples/errors.txt" --json >all.fabric || complain "fabric --counters"
cp all.fabric bare.fabric
"$RIPSTOP" fabric "$examples/night.txt" --json >spare.fabric || complain "fabric "$examples/night.txt""
"$RIPSTOP" judge "$examples/monday.txt" --tables opensm-minhop --before opensm-updn --json >all.judge || complain "judge --before"
page bare "$examples/monday.txt" - -
grep -qF 'give <code>' bare.html && grep -qF '<code>--tables FILE</code>' bare.html || complain "a page without tables does not ask for them"
page all "$examples/monday.txt" counters changed --tables opensm-minhop --before opensm-updn --counters "$examples/errors.txt"
page spare "$examples/night.txt" - -
grep -q '^{"safe_set":\["' spare.json || complain "no cable is safe where leaves have more than they need"
"$RIPSTOP" what-if torus:3x3 --of switches -o switches.html || complain "--of switches -o"
grep -qF 'give <code>--of cables</code>' switches.html || complain "a page about switches does not say what may be pulled"
# counters of two days: only what was added, and errors an hour
cp "$examples/errors.txt" errors-2026-01-05T0600.txt
sed 's/SymbolErrorCounter == 412/SymbolErrorCounter == 512/' "$examples/errors.txt" >errors-2026-01-05T1600.txt
"$RIPSTOP" what-if "$examples/monday.txt" -o hours.html --counters errors-2026-01-05T1600.txt --counters-before errors-2026-01-05T0600.txt || complain "--counters-before"
grep -qF '<td>100</td><td>10</td>' hours.html || complain "100 errors in 10 hours are not 10 an hour"

refused "needs --output" what-if torus:3x3 --before x
refused "needs --output" what-if "$examples/monday.txt" --counters "$examples/errors.txt"
refused "give --tables FILE or --method" what-if torus:3x3 -o x.html --before x
refused "needs a dump" what-if torus:3x3 -o x.html --counters "$examples/errors.txt"
finish
