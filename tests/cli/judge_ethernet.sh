#!/bin/bash
# ripstop judge on Ethernet: known answers, on what is up and on the plan of cables; bad files are one clear line.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
data=$RIPSTOP_SOURCE/tests/data/ethernet

# answer CASE KIND CABLES: keeps the exit code and the answer on these cables.
mkdir answers
answer() {
  local code
  "$RIPSTOP" judge "$3" --tables "$data/$1/routes" --json >out 2>error
  code=$?
  [ $code -le 1 ] || { complain "$1 on $2: exit code $code: $(cat error)"; return; }
  { echo $code; cat out; } >"answers/$1.$2"
}

for folder in "$data"/*/; do
  case=$(basename "$folder")
  grep -q '"only"' "$folder/expected.json" || answer "$case" plan "$folder/topology.dot"
  [ ! -d "$folder/lldp" ] || answer "$case" lldp "$folder/lldp"
done
[ "$(ls answers | wc -l)" -ge 30 ] || complain "only $(ls answers | wc -l) answers"
bad=$(python3 "$data/agree.py" "$data" answers 2>&1)
[ -z "$bad" ] || complain "$bad"

# The names of hosts and ports are kept.
"$RIPSTOP" judge "$data/ls42-own-2-loop/lldp" --tables "$data/ls42-own-2-loop/routes" >out 2>notes
grep -q 'deadlock   possible with credits or PFC: 8 links in credit loops, one of 4: leaf3\[swp1\] > spine1\[swp4\]' out || complain "no cycle by names: $(cat out)"
grep -q 'note: the cables name no hosts: 4 connected prefixes stand for them' notes || complain "no note on hosts: $(cat notes)"

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
cp "$data/odd-weights/routes/leaf1.json" routes

neighbours() { printf '%s' "$2" >lldp/leaf1.json; refused "$1" judge lldp --tables routes; }
neighbours "lldp/leaf1.json: neither neighbours (lldpcli -f json show neighbors)" '{"neighbors": []}'
neighbours "lldp/leaf1.json: has routes, not cables: --tables reads them" "$(cat routes/leaf1.json)"
neighbours "leaf1[swp1] is in two cables, to spine1[swp1] and to spine1[swp2]: two nodes have one name, or there is a hub" \
  '{"lldp": {"interface": [{"swp1": {"chassis": {"spine1": {}}, "port": {"descr": "swp1"}}}, {"swp1": {"chassis": {"spine1": {}}, "port": {"descr": "swp2"}}}]}}'
neighbours "has a neighbour without a port" '{"lldp": {"interface": {"swp1": {"chassis": {"spine1": {}}}}}}'
neighbours "has a neighbour without a chassis" '{"lldp": {"interface": {"swp1": {"port": {"descr": "swp1"}}}}}'

plan() { printf '%s' "$2" >plan.dot; refused "$1" judge plan.dot --tables routes; }
plan "plan.dot:2: the file ends where a node, a cable or } is expected" $'graph g {\n a:b -- c:d'
plan "plan.dot:1: ';' where the name of a node is expected" 'graph g { a:b -- ; }'
plan "plan.dot:1: '-' where ':' and a port, since a cable joins ports is expected" 'graph g { a -- b }'
plan "plan.dot:2: a quote is not closed" $'graph g { a:b -- c:\n"d }'
mkdir empty && refused "empty: the folder has no files" judge topology.dot --tables empty
refused "has cables of Ethernet: add --tables FOLDER" judge topology.dot
refused "has cables of Ethernet, whose tables --tables reads" judge topology.dot --method updown
refused "leave the failed ones out of its files" judge topology.dot --tables routes --set x
mkdir two && cp routes/leaf1.json two/leaf1 && refused "another file has the routes of this switch" judge topology.dot --tables routes two
finish
