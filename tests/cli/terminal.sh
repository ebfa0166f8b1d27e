#!/bin/bash
# At a terminal: help on any word, JSON of every command, a run that is watched, and names that cannot command a terminal.
# Slow: it waits for screens.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs python3
# has TEXT FILE: the text stands in it.
has() { grep -qF -- "$1" "$2" || complain "no '$1' in: $(cat "$2")"; }

# ---------------------------------------------------------------- words
# means WORD TEXT: `ripstop help WORD` says so.
means() { "$RIPSTOP" help "$1" >said 2>&1 || complain "help $1: $(cat said)"; has "$2" said; }
means run 'usage: ripstop run'
means switch "Keys of 'switch:'"
means in_queue 'section switch, option:'
means switch.in_queue 'in_queue=(whole number 1 to 1000000000, or unlimited), default 4'
means --transients "flag of 'ripstop prove':"
means --reroute "flag of 'ripstop what-if':"
means --figure "flag of 'ripstop report':"
means --after "flag of 'ripstop route':"
means method "flag of 'ripstop simulate':"
means --output "flag of 'ripstop store export':"
means vector 'method misroute, option:'
means misroute 'method misroute: '
means torus 'fabric torus: '
means uniform 'pattern uniform: '
means allreduce 'workload allreduce: '
means fft 'program fft: '
means weibull 'process of faults weibull: '
means deadlocked 'verdict deadlocked: '
means ymax 'key ymax: '
means class2.affected.latency.p99 'value of a run class2.affected.latency.p99: '
means class "key class: a job's class of traffic"
means global 'group of links global of the fabric dragonfly, for scopes and fault sets: '
means settling 'value of a run control.settling: '
means control.settling.safe-table 'of the method immunet'
means sent.least 'of the end nodes none has less'
means sent.p90 'of the end nodes 90 % have at most so much'
refused "unknown word 'acepted'; did you mean 'accepted'?" help acepted
refused "unknown word 'transeints'; did you mean 'transients'?" help --transeints
# Every flag of every command is a word.
"$RIPSTOP" help | sed -nE 's/^  ([a-z-]+)  +.*/\1/p' | grep -vx help | while read -r command; do
  verbs=
  [ "$command" != store ] || verbs="check merge export"
  for verb in ${verbs:-""}; do "$RIPSTOP" "$command" ${verb:+"$verb"} --help | sed -nE 's/^  (    |-., )(--[a-z-]+).*/\2/p'; done
done | grep -vx -e --help | sort -u >flags
[ "$(wc -l <flags)" -gt 60 ] || complain "flags: $(cat flags)"
while read -r flag; do [ "$flag" = --json ] && flag=json; means "$flag" "  --${flag#--}"; done <flags
refused "unknown word 'unifrom'; did you mean 'uniform'?" help unifrom
refused "unknown word 'xyzzyxyzzy'; 'ripstop help' lists" help xyzzyxyzzy
refused "unknown command 'methds'; did you mean 'methods'?" methds
refused 'help: one argument too many' help run extra
prints -V <<<"$("$RIPSTOP" --version)"
# Every name in the registries is a word, and so is every verdict of the manual.
for command in methods workloads patterns faults programs; do
  for name in $("$RIPSTOP" $command | cut -d' ' -f1); do
    "$RIPSTOP" help "$name" >/dev/null || complain "help $name"
  done
done

# ---------------------------------------------------------------- JSON
cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: updown
traffic: {load: 0.2, packet: 4}
measure: {warmup: 10, cycles: 100}
figures: [{id: f, x: seed, y: accepted}]
END
"$RIPSTOP" prove torus:4 --method dor:dateline=off --witness w >/dev/null 2>&1 || "$RIPSTOP" prove torus:4 --method dor --witness w >/dev/null
# json EXPRESSION ARGUMENTS...: what is printed is lines of JSON, and Python finds the expression true of the last one, j.
json() {
  local expression=$1
  shift
  "$RIPSTOP" "$@" >said 2>error || complain "ripstop $*: $(cat error)"
  python3 -c "
import json, sys
lines = [json.loads(line) for line in open('said')]
j = lines[-1]
sys.exit(not ($expression))" || complain "ripstop $*: not so: $expression: $(head -c 300 said)"
}
json 'any(m["name"] == "dor" and m["options"] is not None for m in j)' methods --json
json 'j["name"] == "misroute" and j["options"][0]["default"] == "on"' methods misroute --json
json 'j["applies"] and j["tolerates"] == 3' methods misroute --json --fabric kary-ntree:k=4,n=2
json 'not j["applies"] and "fat trees" in j["why"]' methods misroute --json --fabric torus:4x4
json 'any(p["name"] == "hotspot" for p in j)' patterns --json
json 'j["name"] == "hotspot" and j["options"]' patterns hotspot --json
json 'any(w["name"] == "allreduce" for w in j)' workloads --json
json 'j["name"] == "fft" and j["small"]' programs fft --json
json 'len(j) >= 3' programs --json
json 'any(p["name"] == "random" for p in j)' faults --json
json 'len(j["changes"]) == 2 and "@" in j["changes"][0]' faults random:2,from=5 --fabric torus:4x4 --json
json 'j["confirmed"] is True and j["method"].startswith("dor")' check-witness w --json
json 'j["result"] == "done"' run x.yaml --json
json 'j["page"] == "out/x.html" and j["verdicts"]["steady"] == 1 and len(j["figures"][0]["curves"][0]["points"]) == 1' report x.yaml --json
json 'any(c["name"] == "run" for c in j)' help --json

# ---------------------------------------------------------------- watching
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.3 --set measure.cycles=20000 >plain || complain "simulate failed"
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.3 --set measure.cycles=20000 --watch >watched 2>said || complain "watch: $(cat said)"
cmp -s plain watched || complain "a run that is watched is another: $(diff plain watched)"
tail -1 said | grep -qE '^cycle ([0-9]+) of \1  0\.[0-9]+ flits/node/cycle  [0-9.]+ cycles  .*█' || complain "watch: $(cat said)"
# Its windows are few however long the warm-up is.
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.00001 --set measure.warmup=22000000 --set measure.cycles=100 --watch \
  >/dev/null 2>said || complain "watch a long warm-up: $(cat said)"
grep -q '^cycle 22000100 of 22000100' said || complain "watch a long warm-up: $(cat said)"
refused 'simulate: --watch and --workload exclude each other: --watch shows random traffic' simulate torus:4x4 --method dor --workload barrier --watch
refused 'simulate: --watch and traffic.transport=selective exclude each other: --watch shows traffic without a transport' \
  simulate torus:4x4 --method dor --load 0.1 --set traffic.transport=selective --watch
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.1 --set traffic.transport=none --watch >/dev/null 2>said || complain "watch: $(cat said)"

# ---------------------------------------------------------------- names with control characters
printf 's/"one"/"on\x1b[31m\x07e"/; s/"two"/"tw\xc2\x9b31mo"/' >script
sed -f script "$RIPSTOP_SOURCE/tests/data/ib/ring.ibnetdiscover" >odd.ibnetdiscover
# plain ARGUMENTS...: nothing that is printed could command a terminal.
plain() {
  "$RIPSTOP" "$@" >said 2>&1
  LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' said && complain "ripstop $*: control characters: $(cat -v said)"
}
for flag in '' --links --json --dot --svg --net; do plain fabric odd.ibnetdiscover $flag; done
has 'on?e' <("$RIPSTOP" fabric odd.ibnetdiscover --links)
plain diff odd.ibnetdiscover "$RIPSTOP_SOURCE/tests/data/ib/ring.ibnetdiscover"
plain judge odd.ibnetdiscover --method minimal
odd=$'od\x1b[31md.yaml'
cp x.yaml "$odd"
plain run "$odd"
plain run "$odd" --dry-run
plain fabric "$odd"
finish
