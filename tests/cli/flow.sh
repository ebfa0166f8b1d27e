# model: flow on the command line and in experiments: what it prints, what it refuses, and what it has to do with packets.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
flow() { "$RIPSTOP" simulate "$@" --model flow; }
value() { sed -nE "s/^ *$1  *([^ ]+).*/\1/p"; }

# A lone message takes what it takes with packets: on any path, switch and packet size.
printf '0,0,5,100000\n' >lone.messages
for fabric in kary-ntree:k=4,n=2 torus:4x4 mesh:3x3 dragonfly:a=4,p=2,h=2; do
  for set in switch.link=1 switch.link=7,switch.pipeline=30 switch.out_queue=8 workload.flit=16,workload.header=1; do
    sets=$(printf ' --set %s' ${set//,/ })
    for model in packet flow; do
      "$RIPSTOP" simulate "$fabric" --method minimal --workload messages:lone.messages --model $model \
        --set switch.preset=plain $sets >$model || complain "$fabric $set $model"
    done
    [ -n "$(value workload.cycles <flow)" ] && [ "$(value workload.cycles <packet)" = "$(value workload.cycles <flow)" ] ||
      complain "$fabric $set: $(value workload.cycles <packet) cycles, $(value workload.cycles <flow) with flow"
  done
done

# The model refuses by name whatever it lacks.
refuses() {
  local want=$1
  shift
  flow "$@" >out 2>&1 && complain "accepted: $*"
  grep -qF -- "$want" out || complain "$*: $(cat out)"
}
refuses "method ugal: " torus:4x4 --method ugal --workload alltoall:bytes=100
refuses "method valiant: " torus:4x4 --method valiant --workload alltoall:bytes=100
refuses "method minimal: no plain forwarding table" torus:4x4 --method minimal --workload alltoall:bytes=100 --set flow.paths=one
refuses "model: flow has no random packets" torus:4x4 --method minimal --workload "alltoall:bytes=100 on packed:4" --load 0.1
refuses "flow.at: 'x' is no time" torus:4x4 --method minimal --workload alltoall:bytes=100 --set flow.at=x
refuses "--model" torus:4x4 --method minimal --load 0.1
"$RIPSTOP" simulate torus:4x4 --method minimal --workload alltoall:bytes=100 --set flow.paths=hash >out 2>&1 && complain "flow.paths without flow"
grep -qF "flow.paths says nothing without model: flow" out || complain "flow.paths without flow: $(cat out)"

# The model refuses measurements that it does not make, too.
for key in window=100 affected=on spread=on reorder=on links=on; do
  refuses "measure.${key%=*}: model: flow has no such values" torus:4x4 --method minimal --workload alltoall:bytes=100 --set measure.$key
done
for load in "--workload alltoall:bytes=100" "--load 0.1"; do
  "$RIPSTOP" simulate torus:4x4 --method minimal $load --set measure.messages=on >out 2>&1 && complain "measure.messages with packets: $load"
  grep -qF "measure.messages says nothing without model: flow" out || complain "measure.messages, $load: $(cat out)"
done
printf 'fabric: torus:4x4\nmethod: minimal\nworkload: alltoall:bytes=100\nmeasure:\n  messages: on\n' >messages.yaml
"$RIPSTOP" run messages.yaml --store messages.db >out 2>&1 && complain "measure.messages in a file of packets"
grep -qF "messages.yaml:5: measure.messages says nothing without model: flow" out || complain "measure.messages in a file: $(cat out)"

# A star whose 80 pairs have more than 64 graphs, and a fault beside their paths: the second plan is used as the first.
{
  printf '@end c hub\n'
  for i in $(seq 80); do printf '@end e%d d%d\nhub d%d\n' $i $i $i; done
  printf 'd1 d2\n'
} >star.edges
for i in $(seq 80); do printf '0,0,%d,1000\n' $i; done >out-of-hub.messages
for i in $(seq 80); do printf '0,%d,0,1000\n' $i; done >into-hub.messages
for messages in out-of-hub into-hub; do
  for paths in hash spray adaptive; do
    flow graph:star.edges --method minimal --workload messages:$messages.messages --faults 'd1--d2@50' --set flow.paths=$paths >out 2>&1
    [ "$(value verdict <out)" = steady ] && [ "$(value message.count <out)" = 80 ] || complain "star, $messages, $paths: $(cat out)"
  done
done

# Messages that have not arrived keep what is known of them: one has sent nothing but begun, one has not begun.
printf '@end a s0\n@end b s0\n' >pair.edges
printf '0,0,1,4000\n0,0,1,100\n' >cut.messages
flow graph:pair.edges --method minimal --workload messages:cut.messages --set workload.limit=50 --set measure.messages=on --json >out 2>/dev/null
python3 - out <<'END' || complain "cut: $(cat out)"
import json, sys
keys = 'job', 'source', 'destination', 'bytes', 'start', 'sent', 'finish'
got = [[m[key] for key in keys] for m in json.load(open(sys.argv[1]))['messages']]
sys.exit(got != [[1, 0, 1, 4000, 0, None, None], [1, 0, 1, 100, None, None, None]])
END

# A run may take more cycles than a run with packets can: 3e9 bytes and two hops of a cycle.
printf '0,0,1,3000000000\n' >long.messages
flow graph:pair.edges --method minimal --workload messages:long.messages >out 2>&1 || complain "long: $(cat out)"
[ "$(value workload.complete <out)" = 1 ] && [ "$(value workload.cycles <out)" -gt 3000000000 ] || complain "long: $(cat out)"

# A pair without a path that no repair brings back.
printf '@end a s0\n@end b s1\ns0 s1\n' >one.edges
printf '0,0,1,100\n' >one.messages
flow graph:one.edges --method minimal --workload messages:one.messages --faults 's0--s1@50' >out 2>&1 || complain "disconnected: $(cat out)"
[ "$(value verdict <out)" = disconnected ] && [ "$(value workload.complete <out)" = 0 ] || complain "disconnected: $(cat out)"

# In experiments both models stand beside each other, and rows are named by the model.
cat >both.yaml <<'YAML'
fabric: torus:4x4
method: dor
model: [packet, flow]
workload: alltoall:bytes=1000
switch: {preset: plain}
figures:
  - {id: cycles, title: Cycles, x: flow.model, y: workload.cycles}
YAML
"$RIPSTOP" run both.yaml --store both.db >out 2>&1 || complain "both.yaml: $(cat out)"
[ "$(sqlite3 both.db 'SELECT count(*) FROM runs')" = 2 ] || complain "two models are not two runs"
finish
