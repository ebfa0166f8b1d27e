#!/bin/bash
# ripstop simulate: the numbers of one run, the same as those of an experiment's; ripstop workloads, patterns, and help on
# sections; one-line refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# Every value is that of the same run of an experiment.
short=(--set measure.warmup=100 --set measure.cycles=2000)
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --load 0.3 "${short[@]}" --json >one.json || complain "simulate failed"
cat >same.yaml <<'Y'
fabric: torus:4x4
method: dor:dateline=on
traffic: {load: 0.3}
measure: {warmup: 100, cycles: 2000}
Y
"$RIPSTOP" run same.yaml >/dev/null 2>&1 || complain "run failed"
"$RIPSTOP" store export out/same.db >same.csv || complain "export failed"
python3 - <<'P' || complain "simulate and run tell other numbers"
import csv, json
one = json.load(open('one.json'))
row = next(csv.DictReader(open('same.csv')))
assert one['verdict'] == row['verdict'] == 'steady', row['verdict']
compared = 0
for name, value in one.items():
    column = f"{name} [{one['units'].get(name)}]"
    if column in row and isinstance(value, (int, float)):
        assert abs(float(row[column]) - value) <= 1e-7 * abs(value), (name, row[column], value)
        compared += 1
assert compared > 20, compared
assert one['units']['latency.mean'] == 'cycles' and one['half-widths']['accepted'] > 0
# A thousand cycles say nothing of a latency of twenty: null, and why.
short = 'run too short for an interval'
assert one['half-widths']['latency.mean'] is None and one['no-interval']['latency.mean'] == short, one['no-interval']
assert 'accepted' not in one['no-interval']
P

# The table has the same values, with units.
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --load 0.3 "${short[@]}" >table || complain "simulate failed"
grep -qE '^  accepted +0\.[0-9]+ \+- [0-9.]+ flits/node/cycle$' table || complain "no accepted: $(cat table)"

# Faults: so many drawn, by name, a schedule.
for faults in 2 '0.0/0' '0.0/0@500' 'random:2,every=300'; do
  "$RIPSTOP" simulate torus:4x4 --method minimal-adaptive:escape=bubble --load 0.1 "${short[@]}" --faults "$faults" --json >broken.json ||
    complain "--faults $faults failed"
  grep -q '"lost":[1-9]' broken.json || complain "--faults $faults: nothing is lost: $(cat broken.json)"
done

# A workload, also from an experiment.
printf 'num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nrecv 100b from 0\n}\n' >two.goal
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --workload 'goal:two.goal + goal:two.goal on packed:2 at 50' --json >jobs.json ||
  complain "a workload failed"
python3 - <<'P' || complain "the workload's numbers are wrong: $(cat jobs.json)"
import json
run = json.load(open('jobs.json'))
assert run['workload.complete'] == 1 and run['message.count'] == 2 and run['message.bytes'] == 200
assert run['job.1.cycles'] == run['job.2.cycles'] == run['job.1.ideal-cycles'] and run['workload.cycles'] == 50 + run['job.2.cycles']
P
printf 'num_ranks 2\nrank 0 {\nsend 100b to 1 tag 3\n}\nrank 1 {\nrecv 50b from -1 tag -1\n}\n' >odd.goal
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --workload goal:odd.goal >odd.txt 2>&1 &&
  complain "a message was taken for one of another length"
grep -q 'error: job 1: a message of 100 bytes, rank 0 sends to rank 1.*, is received as one of 50, rank 1 receives from' odd.txt ||
  complain "it is not said which message was taken for one of another length: $(cat odd.txt)"
# Messages one at a time, of 1 to 1,000 flits over one switch, each takes its flits and 2 cycles: the shares of these.
for i in {1..1000}; do echo "$((2000 * i)),0,1,$i"; done >apart.csv
"$RIPSTOP" simulate mport-ntree:m=2,n=1 --method updown --workload messages:apart.csv --json >apart.json || complain "messages failed"
python3 - <<'P' || complain "the shares are wrong: $(cat apart.json)"
import json
run = json.load(open('apart.json'))
assert run['verdict'] == 'steady' and run['workload.complete'] == 1
assert run['workload.cycles'] == run['workload.ideal-cycles'] == run['job.1.cycles'] == 2000 * 1000 + 1002
completion = {k.removeprefix('message.completion.'): v for k, v in run.items() if k.startswith('message.completion.')}
assert completion['mean'] == 502.5 and completion['max'] == 1002
for name, exact in {'p50': 502, 'p99': 992, 'p999': 1001}.items():
    assert exact <= completion[name] <= exact * (1 + 1 / 128), name
assert run['message.slowdown.mean'] == run['message.slowdown.p99'] == 1
P
cat >jobs.yaml <<'Y'
fabric: torus:4x4
method: dor:dateline=on
workload: [goal:two.goal, goal:two.goal on spread:2]
tables:
  - {id: time, title: Time, rows: workload.jobs, value: workload.cycles}
Y
"$RIPSTOP" run jobs.yaml >jobs.txt 2>&1 || complain "the experiment failed: $(cat jobs.txt)"
grep -q '2 of 2 runs: 2 steady' jobs.txt || complain "other runs: $(cat jobs.txt)"

"$RIPSTOP" simulate torus:4x4 --method dor --load 0 >idle || complain "no load: $(cat idle)"
grep -q '^  unserved  *0 flits/node/cycle' idle || complain "a mean of zeros has an interval: $(grep unserved idle)"
refused "; ' + ' joins jobs: A + B" simulate torus:4x4 --method dor --workload 'allreduce:bytes=1; alltoall'
refused "simulate: --method is missing" simulate torus:4x4 --load 0.1
refused "--load or --workload must be given" simulate torus:4x4 --method dor
refused "option 'load': 7 is out of range (0 to 1)" simulate torus:4x4 --method dor:dateline=on --load 7
refused "did you mean 'switch.in_queue'?" simulate torus:4x4 --method dor:dateline=on --load 0.1 --set switch.inqueue=3
refused "makes 2 runs; 'ripstop run' does many" simulate torus:4x4 --method dor:dateline=on --load 0.1 --set 'seed=[1,2]'
refused "workload 'gaol' is unknown; did you mean 'goal'?" simulate torus:4x4 --method dor:dateline=on --workload gaol:x
refused "there is no placement 'pakced:2'; did you mean packed" simulate torus:4x4 --method dor:dateline=on --workload 'goal:two.goal on pakced:2'
refused "2 ranks, and it was placed on 3 end nodes" simulate torus:4x4 --method dor:dateline=on --workload 'goal:two.goal on packed:3'
touch part.0.et part.2.et
refused "part.1.et is missing, but there is one of rank 2" simulate torus:4x4 --method dor:dateline=on --workload chakra:part

# The other end nodes send packets beside it.
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --workload 'goal:two.goal at 900' --load 0.2 --json >beside.json ||
  complain "a workload beside traffic failed"
python3 - <<'P' || complain "no traffic beside the workload: $(cat beside.json)"
import json
run = json.load(open('beside.json'))
assert run['workload.complete'] == 1 and run['message.count'] == 1 and 100 < run['packets'] and 0.1 < run['offered'] < 0.25
P

# The lists have the files of the folders.
for list in workloads:src/workload/kinds patterns:src/simulate/traffic; do
  "$RIPSTOP" "${list%%:*}" >list || complain "${list%%:*} failed"
  for file in "$RIPSTOP_SOURCE/${list#*:}"/*.c; do basename "$file" .c | tr _ -; done | sort >files
  cut -d' ' -f1 list | sort | diff files - || complain "${list%%:*}: the list is not the folder's"
  while read -r name _; do
    "$RIPSTOP" "${list%%:*}" "$name" >one || complain "${list%%:*} $name failed"
    grep -q '^  summary  ' one || complain "${list%%:*} $name: no summary"
  done <list
done
refused "pattern 'unifrom' is unknown; did you mean 'uniform'?" patterns unifrom

# Sections of experiments.
for key in switch:in_queue traffic:load measure:warmup reaction:drain faults:count workload:packet; do
  "$RIPSTOP" help "${key%:*}" >section || complain "help ${key%:*} failed"
  grep -qE "^  ${key#*:}=\(" section || complain "help ${key%:*} lacks ${key#*:}"
done
refused "unknown word 'swich'; did you mean 'switch'?" help swich
refused "unknown word 'precision'; did you mean 'measure.precision'?" help precision
"$RIPSTOP" help --load | grep -q "load=(number 0 to 1)" || complain "help does not know the flag --load"
refused "unknown word 'lod'; did you mean 'load'?" help --lod

# A text that is nearly the name of a process is meant for one; for an unknown key the message lists sections, or all
# keys of one.
one=(simulate torus:4x4 --method dor:dateline=on --load 0.1)
refused "process 'flop' is unknown; did you mean 'flap'?" "${one[@]}" --faults flop:1
refused "key 'foo' is unknown; known here: fabric, method, faults.KEY, traffic.KEY, switch.KEY, measure.KEY, reaction.KEY, seed" "${one[@]}" --set foo=3
refused "measure.precision.grow, measure.precision.most" "${one[@]}" --set measure.foo=3

# A job that never ends reports the ranks that wait and for which, and says what its numbers cover; a fault behind the
# end is reported.
job=(simulate torus:4x4 --method minimal-adaptive:escape=bubble --workload alltoall:bytes=2000)
"$RIPSTOP" "${job[@]}" --faults switch:1.1@300 --set workload.transport=go-back-n >told
grep -q "job 1: rank [0-9]* sends to rank [0-9]*, and these two will never be connected again" told || complain "nobody waits for anybody: $(cat told)"
grep -q "^  numbers  *of what happened until the run ended" told || complain "numbers of a job that did not end look healthy"
"$RIPSTOP" "${job[@]}" --faults 0.0/1@300000000 >told
grep -q "^  late  *1 of the schedule's changes come after the end of all jobs" told || complain "a late fault is not told: $(cat told)"
grep -q "^  workload.late-changes  *1 changes" told || complain "late changes are no value"
refused "workload.window needs workload.transport: go-back-n, selective or trim" "${job[@]}" --set workload.window=3
refused "workload.order needs workload.transport: go-back-n, selective or trim" "${job[@]}" --set workload.order=any
refused "workload.order: receivers of go-back-n take packets in order alone; any needs workload.transport: selective" "${job[@]}" --set workload.transport=go-back-n --set workload.order=any
refused "workload.timeout_min has no effect with workload.timeout = 5000; it is for auto" "${job[@]}" --set workload.transport=selective --set workload.timeout=5000 --set workload.timeout_min=9
refused "workload.pull needs workload.transport: trim" "${job[@]}" --set workload.transport=selective --set workload.pull=off
refused "did you mean 'any'" "${job[@]}" --set workload.transport=selective --set workload.order=ani
# Cycles in which all ranks compute are passed over; what no network can do in time is known before.
printf 'num_ranks 2\nrank 0 {\na: calc 100000000\nb: send 64b to 1\nb requires a\n}\nrank 1 {\nrecv 64b from 0\n}\n' >long.goal
long=(simulate torus:4x4 --method minimal-adaptive:escape=bubble --workload goal:long.goal)
"$RIPSTOP" "${long[@]}" >told
grep -q "^  workload.cycles  *100000068 cycles" told || complain "a long computation: $(cat told)"
refused "workload.limit is 100000068 cycles, and job 1 alone ends in cycle 100000068 at best" "${long[@]}" --set workload.limit=100000068
"$RIPSTOP" "${long[@]}" --set workload.limit=100000069 >told || complain "a job that ends in its last cycle: $(cat told)"
refused "simulate: --load is given twice" simulate torus:4x4 --method dor --load 0.1 --load 0.2
# far too many tasks are refused before any is laid out
refused "24569995905 tasks are more than the 1073741824 that there can be" simulate torus:64x64 --method dor:dateline=on --workload request-reply:requests=1000000
refused "tasks are more than the 1073741824 that there can be" simulate torus:64x64 --method dor:dateline=on --workload incast:bytes=1,rounds=1000000

# XON/XOFF in flits: 780 cycles of delays and packets of up to 64 flits need 844 (tests/differential/test_xoff.c), and
# with that a link is never idle.
printf '0 0 1 200000\n0 0 2 200000 1\n' >two.msg
pause=(simulate xgft:m=4,w=1 --method minimal --workload messages:two.msg --set workload.flit=64 --set switch.link=390
  --set switch.credit=390 --set switch.flow=xonxoff --set switch.unit=flits)
"$RIPSTOP" "${pause[@]}" --set switch.in_queue=4096 --set switch.xoff=844 >told && "$RIPSTOP" "${pause[@]}" --set switch.in_queue=60000 >all ||
  complain "XON/XOFF in flits: $(cat told all)"
grep -q "^  lost  *0 packets" told && [ "$(grep '^  workload.cycles' told)" = "$(grep '^  workload.cycles' all)" ] || complain "XON/XOFF in flits: $(cat told)"
refused "switch.xoff = 843 loses packets: with these delays at least 844 must be free" "${pause[@]}" --set switch.in_queue=4096 --set switch.xoff=843
refused "switch.in_queue = 800 is too small for XON/XOFF: at least xon = 844" "${pause[@]}" --set switch.in_queue=800
refused "switch.in_queue = 70000: a queue holds at most 65535 packets, so at most 65535" "${pause[@]}" --set switch.in_queue=70000

# A run whose sources kept up, but that reports a network that was still filling.
short=(simulate torus:16x16 --method dor:dateline=on --load 0.1 --set measure.cycles=500 --set measure.warmup)
"$RIPSTOP" "${short[@]}=0" >told
grep -q "^  transient  *a warm-up of 0 cycles is shorter than packets are in the network (latency.p99 [0-9]*)$" told || complain "a short run: $(cat told)"
"$RIPSTOP" "${short[@]}=0" --json | grep -q '"verdict":"steady".*"transient":"a warm-up' || complain "a short run as JSON"
"$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --load 0.5 --set measure.warmup=10 --set measure.cycles=40 --set switch.link=99 >told
grep -q "^  transient  *no packet has arrived" told || complain "a run of 50 cycles: $(cat told)"
"$RIPSTOP" "${short[@]}=1000" >told && ! grep -q transient told || complain "a long warm-up: $(cat told)"
"$RIPSTOP" "${short[@]}=0" --faults 0.0/0@200 | grep -q "^  transient" && complain "what a schedule changes is asked for"

# A method's own selection function is the default, and the one in use is printed: the quick job of experiments/jobs/rail.yaml.
rail=(simulate rail:units=2,servers=5,rails=4,spines=4 --method ugal --set switch.preset=plain --set workload.flit=64 --workload
  'barrier on packed:4 + training:layers=2,tp=4,pp=2,dp=4,micro=1,steps=8,bytes=65536,activation=16384,compute=1000')
"$RIPSTOP" "${rail[@]}" >told
grep -qx '  switch.selection  *weighted:counts=port,binds=on' told && grep -q '^  workload.cycles  *86886 cycles' told || complain "ugal by itself: $(cat told)"
"$RIPSTOP" "${rail[@]}" --set switch.selection=weighted 2>note | grep -q '^  workload.cycles  *85850 cycles' || complain "ugal weighs other queues"
[ ! -s note ] || complain "a note on options of weighted: $(cat note)"
"$RIPSTOP" "${rail[@]}" --set switch.selection=space --json >told 2>note
grep -q '"switch.selection":"space"' told && grep -q '"workload.cycles":99428' told || complain "ugal without weighing: $(cat told)"
grep -qx 'ripstop: note: switch.selection = space: ugal is made for weighted:counts=port,binds=on, and without it is another method' note ||
  complain "no note on ugal without weighing: $(cat note)"
# Lost packets, one by one: as many rows as the account has, the same on more threads; never over an input.
lossy=(simulate kary-ntree:k=4,n=2 --method misroute --load 0.9 --faults '0/3/7@500 switch:1/2@1000'
  --set measure.warmup=0 --set measure.cycles=2000)
"$RIPSTOP" "${lossy[@]}" --losses lost.csv >told && "$RIPSTOP" "${lossy[@]}" --threads 2 --losses lost2.csv >told2 || complain "--losses: $(cat told told2)"
[ "$(head -1 lost.csv)" = cycle,source,destination,node,cause ] && cmp -s lost.csv lost2.csv || complain "--losses: $(head -3 lost.csv lost2.csv)"
[ "$(($(wc -l <lost.csv) - 1))" -gt 2 ] && grep -q "^  account.lost  *$(($(wc -l <lost.csv) - 1)) packets" told || complain "--losses: $(wc -l lost.csv; cat told)"
grep -qE '^500,[0-3]\.[0-3],[0-3]\.[0-3],switch:[01]/[03],link died$' lost.csv || complain "--losses: $(cat lost.csv)"
printf 'a b\nb c\nc a\n' >net.edges
refused "net.edges is a file that this command reads" simulate net.edges --method updown --load 0.1 --losses net.edges
[ "$(cat net.edges)" = "$(printf 'a b\nb c\nc a')" ] || complain "--losses has written over its input"
refused "--losses is of one simulation, and --load saturation makes many" simulate torus:4x4 --method dor:dateline=on --load saturation --losses x.csv
refused "--losses is of one simulation, and measure.precision makes many" simulate torus:4x4 --method dor:dateline=on --load 0.1 --set measure.precision.value=accepted --set measure.precision.relative=0.1 --losses x.csv

# An interrupted run says so, as all commands do.
env --default-signal=INT "$RIPSTOP" simulate torus:8x8 --method dor:dateline=on --load 0.5 --set measure.cycles=1000000000 >told 2>said &
interrupt $!
wait $!
[ $? -eq 130 ] && grep -qx 'ripstop: simulate: interrupted' said || complain "interrupted: $(cat told said)"
finish
