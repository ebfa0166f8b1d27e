#!/bin/bash
# ripstop judge on Ethernet: known answers, on what is up and on the plan of cables; bad files are one clear line.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ethernet

# answer CASE KIND CABLES: keeps the exit code and the answer on these cables.
mkdir answers
answer() {
  local code more=()
  [ ! -d "$data/$1/before" ] || more+=(--before "$data/$1/before")
  [ ! -d "$data/$1/classes" ] || more+=(--classes "$data/$1/classes")
  "$RIPSTOP" judge "$3" --tables "$data/$1/routes" "${more[@]}" --json >out 2>error
  code=$?
  [ $code -le 1 ] || { complain "$1 on $2: exit code $code: $(cat error)"; return; }
  { echo $code; cat out; } >"answers/$1.$2"
}

for folder in "$data"/*/; do
  case=$(basename "$folder")
  grep -q '"only"' "$folder/expected.json" || answer "$case" plan "$folder/topology.dot"
  [ ! -d "$folder/lldp" ] || answer "$case" lldp "$folder/lldp"
  [ ! -d "$folder/classes" ] || answer "$case" sonic "$folder/classes"
  [ ! -f "$folder/fabric.clab.yml" ] || answer "$case" clab "$folder/fabric.clab.yml"
done
[ "$(ls answers | wc -l)" -ge 30 ] || complain "only $(ls answers | wc -l) answers"
bad=$(python3 "$data/agree.py" "$data" answers 2>&1)
[ -z "$bad" ] || complain "$bad"

# The names of hosts and ports are kept.
"$RIPSTOP" judge "$data/ls42-own-2-loop/lldp" --tables "$data/ls42-own-2-loop/routes" >out 2>notes
grep -q 'deadlock   possible with credits or PFC: 8 links in credit loops, one of 4: leaf3\[swp1\] > spine1\[swp4\]' out || complain "no cycle by names: $(cat out)"
grep -q 'note: the cables name no hosts: 4 connected prefixes stand for them' notes || complain "no note on hosts: $(cat notes)"

# Transient states and lossless classes, in words.
judge() { "$RIPSTOP" judge "$data/$1/lldp" --tables "$data/$1/routes" "${@:2}" 2>notes; }
judge eight-mixed --before "$data/eight-mixed/before" >out
grep -q 'transient  deadlock possible with credits or PFC, while switches change: 6 links in credit loops, one of 6: a\[swp2\] > g\[swp2\]' out ||
  complain "no transient cycle: $(cat out)"
grep -q 'no single choice of old or new entries has a credit loop' out || complain "the fixed choices: $(cat out)"
judge classes-ls42-shared-queue --classes "$data/classes-ls42-shared-queue/classes" >out
grep -q 'lossless   classes 3 4: deadlock possible with credits or PFC: 16 classes of links in credit loops, one of 4: leaf3\[Ethernet0\].3 > ' out ||
  complain "no cycle of classes: $(cat out)"
judge classes-ls42-bounce-early --classes "$data/classes-ls42-bounce-early/classes" >out
grep -q 'packets leave the lossless classes: spine1\[Ethernet12\] spine1\[Ethernet4\]' out || complain "no port that leaves: $(cat out)"
# Maps of all ports by `global`, also of ports of hosts that LLDP does not report, are the same maps.
cp -r "$data/classes-ls42-shared-queue/classes" global && chmod -R u+w global
python3 - <<'PY' || complain "the ports of a switch differ in classes-ls42-shared-queue"
import glob, json
for name in glob.glob('global/*.json'):
    config = json.load(open(name))
    maps = list(config['PORT_QOS_MAP'].values())
    assert all(m == maps[0] for m in maps), name
    dscp = {'dscp_to_tc_map': maps[0].pop('dscp_to_tc_map')}
    config['PORT_QOS_MAP'] = {'global': {**dscp, **maps[0]}} if 'leaf' in name else {'global': dscp, **{p: maps[0] for p in config['PORT_QOS_MAP']}}
    json.dump(config, open(name, 'w'))
PY
judge classes-ls42-shared-queue --classes "$data/classes-ls42-shared-queue/classes" --json >ports.json
judge classes-ls42-shared-queue --classes global --json | cmp - ports.json || complain "global maps differ from maps of ports"

# Weights with ten primes as sums: the exact load of the link to the last switch does not fit, the approximate one is given.
mkdir primes && echo 'graph g { m:d -- d:m; n:d -- d:n; hd:e -- d:h' >primes.dot
route() { printf '"10.0.%s.0/24":[{"selected":true,"protocol":"%s","nexthops":[%s]}]' "$1" "$2" "$3"; }
hop() { printf '{"fib":true,"interfaceName":"%s","weight":%s}' "$1" "$2"; }
i=1
for prime in 65521 65519 65497 65479 65449 65447 65437 65423 65419 65413; do
  echo "l$i:m -- m:l$i; l$i:n -- n:l$i; h$i:e -- l$i:h" >>primes.dot
  echo "{$(route 0 bgp "$(hop m 1),$(hop n $((prime - 1)))"),$(route $i connected "$(hop h 1)")}" >primes/l$i.json
  i=$((i + 1))
done
echo '}' >>primes.dot
for switch in m n; do echo "{$(route 0 bgp "$(hop d 1)")}" >primes/$switch.json; done
echo "{$(route 0 connected "$(hop h 1)")}" >primes/d.json
"$RIPSTOP" judge primes.dot --tables primes --json >out 2>notes
python3 -c 'import json
j = json.load(open("out"))
primes = [65521, 65519, 65497, 65479, 65449, 65447, 65437, 65423, 65419, 65413]
assert not j["worst_link_paths_exact"] and abs(j["worst_link_paths"] - sum(1 - 1 / p for p in primes)) < 1e-6, j["worst_link_paths"]
assert j["worst_link_any_hash"] == 10 and j["worst_links"] == []' || complain "loads that do not fit: $(cat out notes)"

# Lengths in parts that do not fit; a host whose addresses are all connected elsewhere; link aggregates of many sizes.
python3 - <<'PY'
import json, os
primes = [65521, 65519, 65497, 65479, 65449, 65447, 65437, 65423, 65419, 65413]
def route(kind, *hops): return [{'selected': True, 'protocol': kind, 'nexthops': [{'fib': True, 'interfaceName': i, 'weight': w} for i, w in hops]}]
def write(case, cables, tables):
    os.makedirs(case)
    open(case + '.dot', 'w').write('graph g {' + ' '.join('%s:%s -- %s:%s;' % c for c in cables) + '}')
    for name, table in tables.items(): json.dump(table, open(f'{case}/{name}.json', 'w'))
A, B = '10.0.1.0/24', '10.0.2.0/24'
cables, tables = [('ha', 'e', 's0', 'h'), ('hb', 'e', 's10', 'h')], {'s0': {A: route('connected', ('h', 1))}, 's10': {B: route('connected', ('h', 1))}}
for i, p in enumerate(primes):
    cables += [(f's{i}', 'd', f's{i+1}', 'D'), (f's{i}', 'u', f'x{i}', 'a'), (f'x{i}', 'b', f's{i+1}', 'v')]
    tables.setdefault(f's{i}', {})[B] = route('bgp', ('d', 1), ('u', p - 1))
    tables.setdefault(f's{i+1}', {})[A] = route('bgp', ('D', 1))
    tables[f'x{i}'] = {B: route('bgp', ('b', 1))}
write('chain', cables, tables)
write('halves', [('ha', 'e', 'a', 'h'), ('hb', 'e', 'b', 'h'), ('hc', 'e', 'b', 'c'), ('a', 'x', 'b', 'x')],
      {'a': {A: route('connected', ('h', 1)), B: route('bgp', ('x', 1))},
       'b': {B: route('connected', ('h', 1)), '10.0.1.0/25': route('connected', ('p', 1)), '10.0.1.128/25': route('connected', ('q', 1)), '10.0.3.0/24': route('connected', ('c', 1))}})
def lags(case, sizes):
    names = [f'Ethernet{i}' for i in range(sum(sizes))]
    members = {f'PortChannel{k}|{names[sum(sizes[:k]) + i]}': {} for k, size in enumerate(sizes) for i in range(size)}
    os.makedirs(case + '.sonic')
    write(case, [], {s: {own: route('connected', ('Ethernet900', 1)), far: route('bgp', *[(f'PortChannel{k}', 1) for k in range(len(sizes))])} for s, own, far in (('a', A, B), ('b', B, A))})
    for s, other in ('ab', 'ba'):
        json.dump({'DEVICE_NEIGHBOR': {n: {'name': other, 'port': n} for n in names}, 'PORTCHANNEL_MEMBER': members}, open(f'{case}.sonic/{s}.json', 'w'))
lags('lag', [16, 15, 14, 13])
lags('primelag', [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47])
PY
for case in chain halves lag primelag; do
  cables=$case.dot && [ ! -d $case.sonic ] || cables=$case.sonic
  "$RIPSTOP" judge $cables --tables $case --json >$case.json 2>$case.notes
done
python3 - <<'PY' || complain "lengths, hosts or link aggregates: $(tail -n 3 chain.json halves.json lag.json primelag.json)"
import json
primes = [65521, 65519, 65497, 65479, 65449, 65447, 65437, 65423, 65419, 65413]
chain, halves, lag, primelag = (json.load(open(c + '.json')) for c in ('chain', 'halves', 'lag', 'primelag'))
assert None in chain['hops'] and abs(chain['mean_hops'] - (30 - sum(1 / p for p in primes)) / 2) < 1e-6, chain['mean_hops']
assert halves['pairs'] == 2 and halves['hosts_without_prefix'] == ['ha'], halves
assert lag['worst_link_paths'] == '1/52' and lag['worst_link_paths_exact'], lag['worst_link_paths']
assert not primelag['worst_link_paths_exact'] and abs(primelag['worst_link_paths'] - 1 / 30) < 1e-9, primelag['worst_link_paths']
PY

# A switch without older routes is as it is now, also where the gateways of others lead to it.
mkdir older && cp "$data/ls42-own-2-loop/routes/leaf1.json" older && cp older/leaf1.json older/leaf77.json
judge ls42-own-2-loop --before older --json >out
grep -q '"changed_entries":0' out || complain "older routes of one switch, which are the present ones: $(cat out)"
grep -qx 'ripstop: note: older/leaf77.json: no such switch has routes' notes || complain "no note on older routes: $(cat notes)"
mkdir others && cp "$data/classes-ls42-bounce/classes/leaf1.json" others/leaf77.json
judge classes-ls42-bounce --classes others >out
grep -qx 'ripstop: note: others/leaf77.json: no such switch has routes' notes || complain "no note on classes: $(cat notes)"

refused "judge: --classes: torus:4x4 has no cables of Ethernet" judge torus:4x4 --method dor --classes "$data"

# Files that cannot be right. The routes of a switch are refused by the name of the file and the line.
cp -r "$data/odd-weights" case && chmod -R u+w case && cd case || exit 1
routes() { printf '%s' "$2" >routes/leaf1.json; refused "$1" judge lldp --tables routes; }
routes "routes/leaf1.json:1: this is no JSON: '% Unknown command: show ip route jason'" '% Unknown command: show ip route jason'
routes "routes/leaf1.json:2: the file ends inside a JSON value: it was cut off" $'{"10.1.1.0/24": [\n{"selected": true'
routes "routes/leaf1.json:1: '10.1.1.0/40' is no prefix of IP addresses, such as 10.1.0.0/24" '{"10.1.1.0/40": [{"selected": true}]}'
routes "routes/leaf1.json: is empty, and JSON is expected" ''
routes "routes/leaf1.json:1: neither a list of routes nor a VRF" '{"10.1.1.0/24": 7}'
routes "routes/leaf1.json: has neighbours of LLDP, not routes" '{"lldp": {}}'
routes "routes/leaf1.json: the prefix 10.1.1.0/24 is there twice" '{"10.1.1.0/24": [{"selected": true}], "10.1.1.0/24": [{"selected": true}]}'
routes "is no IP address" '{"10.1.1.0/24": [{"selected": true, "nexthops": [{"fib": true, "ip": "ten", "interfaceName": "swp1"}]}]}'
routes "routes/leaf1.json:2: interface 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has a name of more than 255 bytes" \
  $'{"10.1.1.0/24": [{"selected": true, "nexthops":\n[{"fib": true, "interfaceName": "'"$(printf '%0300d' 0 | tr 0 x)\"}]}]}"
for weight in 0 -5 3000000; do
  routes "routes/leaf1.json:2: the weight of a next hop is a number from 1 to 1048575" \
    $'{"10.1.1.0/24": [{"selected": true, "nexthops":\n[{"fib": true, "interfaceName": "swp1", "weight": '$weight'}]}]}'
done
cp "$data/odd-weights/routes/leaf1.json" routes

neighbours() { printf '%s' "$2" >lldp/leaf1.json; refused "$1" judge lldp --tables routes; }
neighbours "lldp/leaf1.json: neither neighbours (lldpcli -f json show neighbors)" '{"neighbors": []}'
neighbours "lldp/leaf1.json: has routes, not cables: --tables reads them" "$(cat routes/leaf1.json)"
neighbours "leaf1[swp1] is in two cables, to spine1[swp1] and to spine1[swp2]: two nodes have one name, or there is a hub" \
  '{"lldp": {"interface": [{"swp1": {"chassis": {"spine1": {}}, "port": {"descr": "swp1"}}}, {"swp1": {"chassis": {"spine1": {}}, "port": {"descr": "swp2"}}}]}}'
neighbours "has a neighbour without a port" '{"lldp": {"interface": {"swp1": {"chassis": {"spine1": {}}}}}}'
neighbours "lldp/leaf1.json:2: a second JSON value stands behind the first" $'{"lldp": {}}\n{"lldp": {}}'
neighbours "lldp/leaf1.json:2: values are nested in more than 256 others" "$(printf '{"lldp":"]}[\\"",\n"x":%0256d' 0 | tr 0 '[')"
neighbours "has a neighbour without a chassis" '{"lldp": {"interface": {"swp1": {"port": {"descr": "swp1"}}}}}'

cp -r "$data/classes-ls42-bounce/classes" . && chmod -R u+w classes
config() { sed "s/$2/$3/" "$data/classes-ls42-bounce/classes/leaf1.json" >classes/leaf1.json; refused "$1" judge lldp --tables routes --classes classes; }
cp "$data/odd-weights/lldp/leaf1.json" lldp
config "pfc_to_queue_map: there is no map 'AZUR' in MAP_PFC_PRIORITY_TO_QUEUE" '"pfc_to_queue_map":"AZURE"' '"pfc_to_queue_map":"AZUR"'
config "pfc_enable: priorities are numbers from 0 to 7, separated by commas" '"pfc_enable":"3,4"' '"pfc_enable":"3,9"'
config "DSCP_TO_TC_MAP: '3' to '16' is not from 0 .. 63 to 0 .. 15" '"3":"5"' '"3":"16"'
{ cat "$data/classes-ls42-bounce/classes/leaf1.json"; echo '{}'; } >classes/leaf1.json
refused "a second JSON value stands behind the first: a file has one" judge lldp --tables routes --classes classes
printf '{"10.1.1.0/24": []}' >classes/leaf1.json
refused "classes/leaf1.json: is no config_db.json" judge lldp --tables routes --classes classes

plan() { printf '%s' "$2" >plan.dot; refused "$1" judge plan.dot --tables routes; }
plan "plan.dot:2: the file ends where a node, a cable or } is expected" $'graph g {\n a:b -- c:d'
plan "plan.dot:1: ';' where the name of a node is expected" 'graph g { a:b -- ; }'
plan "plan.dot:1: '-' where ':' and a port, since a cable joins ports is expected" 'graph g { a -- b }'
plan "plan.dot:2: a quote is not closed" $'graph g { a:b -- c:\n"d }'
plan "plan.dot:2: 'graph' where the end of the file is expected" $'graph g { a:b -- c:d }\ngraph h { a:e -- c:f }'
mkdir empty && refused "empty: the folder has no files" judge topology.dot --tables empty
refused "has cables of Ethernet: add --tables FOLDER" judge topology.dot
refused "lldp is a folder of cables, whose tables --tables reads" judge lldp --method bgp
refused "judge: --hosts: topology.dot has cables of Ethernet" judge topology.dot --tables routes --hosts nonsense
refused "leave the failed ones out of its files" judge topology.dot --tables routes --set x
mkdir two && cp routes/leaf1.json two/leaf1 && refused "another file has the routes of this switch" judge topology.dot --tables routes two

# A plan is a fabric for methods: bgp gives the numbers of the routes that FRR wrote.
cd .. || exit 1
for plan in topology.dot fabric.clab.yml; do
  "$RIPSTOP" judge "$data/ls42-own-2-loop/$plan" --method bgp --set 'leaf1/swp1 leaf2/swp2' --json >method
  python3 - method answers/ls42-own-2-loop.plan <<'PY' || complain "bgp on $plan: $(cat method)"
import json, sys
method, routes = json.load(open(sys.argv[1])), json.loads(open(sys.argv[2]).read().split("\n", 1)[1])
for key in 'pairs unreachable_pairs worst_link_paths max_hops credit_loop links_in_credit_loops'.split():
    assert method[key] == routes[key], (key, method[key], routes[key])
PY
  "$RIPSTOP" prove "$data/ls42-own-2-loop/$plan" --method bgp --count 2 --all --json | tail -n 1 >proofs
  grep -q '"sets":28,"tolerated":24,.*"deadlocked":12,' proofs || complain "all pairs of cables of $plan: $(cat proofs)"
done
printf 'graph g { a:b -- c:d }\ngraph h { }' >plan.dot
refused "plan.dot:2: 'graph' where the end of the file is expected" prove plan.dot --method bgp
finish
