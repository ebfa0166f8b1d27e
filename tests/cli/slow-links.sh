#!/bin/bash
# Links that are slower than others, by the fabric or by a fault: a packet for one of them does not hold its input for
# the link's time, by default, with every kind of switch; and what ripstop prints about slow links.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cycles() { "$RIPSTOP" simulate "$@" 2>said | awk '$1 == "workload.cycles" { print $2 }'; }
# at_most NUMBER ARGUMENTS: the job ends within so many cycles
at_most() {
  local most=$1 took
  shift
  took=$(cycles "$@")
  [ -n "$took" ] && [ "$took" -le "$most" ] || complain "${took:-no} cycles, not $most at most: simulate $* $(cat said)"
}

cp "$RIPSTOP_SOURCE"/tests/data/slow-cables/*.edges .
quad=(quad.edges --method minimal --workload "incast:bytes=6553600 on packed:2" --set workload.flit=64)
dgx=(dgx4.edges --method minimal --workload "allreduce:bytes=67108864" --set workload.flit=64)

# 102,404 cycles are the bound: one packet after the other takes 409,604. With XON/XOFF the least xoff leaves room for a
# second packet in each slow queue.
plain=(--set switch.preset=plain)
for switch in in_queue=4 in_queue=32 in_queue=2 out_queue=4 unit=flits\ in_queue=256 flow=xonxoff\ in_queue=5 flow=xonxoff\ unit=flits\ in_queue=400 crossbar=queues slow_queue=1 \
  slow_queue=2 selection=random link=100\ in_queue=32; do
  at_most 107524 "${quad[@]}" $(printf -- '--set switch.%s ' $switch)
  at_most 107524 "${quad[@]}" "${plain[@]}" $(printf -- '--set switch.%s ' $switch)
done
# 14 steps of 131,072 flits at the rate of four cables together, 1,835,008 cycles
for switch in in_queue=4 out_queue=2 slow_queue=2 flow=xonxoff\ in_queue=5 unit=flits\ in_queue=256; do
  at_most 1926758 "${dgx[@]}" $(printf -- '--set switch.%s ' $switch)
  at_most 1926758 "${dgx[@]}" "${plain[@]}" $(printf -- '--set switch.%s ' $switch)
done
[ "$(cycles "${dgx[@]}" --threads 1)" = "$(cycles "${dgx[@]}" --threads 4)" ] || complain "threads"

# A cable that becomes slow is a slow link from then on, and no other: 100,000 flits over four cables at once, of which
# one has a tenth of its rate.
printf '@end a r1 400G\n@end b r2 400G\nr1 r2 400G n=4\n' >even.edges
even=(even.edges --method minimal --workload "incast:bytes=6400000 on packed:2" --set workload.flit=64)
at_most 102000 "${even[@]}"
grep -q . said && complain "links of one rate: $(cat said)"
at_most 105000 "${even[@]}" --faults "$("$RIPSTOP" fabric even.edges --links 2>/dev/null | awk '!/end:/ { print $1; exit }')~0.1@100"

# A full slow queue takes 6.4 million cycles here, and 64 packets 25.6 million: memory follows what can be pending.
long=(torus:4x4 --method minimal "${plain[@]}" --load 0.1 --set traffic.packet=4000 --set measure.cycles=2000 --set measure.warmup=0)
for queue in 0 16 64; do
  within 600000 "$RIPSTOP" simulate "${long[@]}" --faults '0.0/0~0.01' --set switch.slow_queue=$queue >said 2>&1 ||
    complain "slow_queue=$queue with 600 MB: $(cat said)"
done
cat >long.yaml <<'Y'
fabric: torus:4x4
method: minimal
faults: {set: "0.0/0~0.01"}
traffic: {load: 0.1, packet: 4000}
switch: {preset: plain, slow_queue: 0}
measure: {warmup: 0, cycles: 2000}
Y
# planned SETTING: bytes of the engine, by a dry run
planned() { "$RIPSTOP" run long.yaml --dry-run --json --set "$1" | sed -n 's/.*"engine_bytes": *\([0-9]*\).*/\1/p'; }
[ "$(planned switch.slow_queue=0)" -lt "$(planned switch.slow_queue=16)" ] || complain "a dry run leaves out slow queues"
[ "$(planned switch.slow_queue=64)" -lt 8000000 ] || complain "a dry run: $(planned switch.slow_queue=64) bytes"

# Output about slow links.
"$RIPSTOP" simulate "${quad[@]}" "${plain[@]}" --json 2>said | grep -q '"slow-queue":16' || complain "JSON has no slow-queue"
grep -q . said && complain "a note: $(cat said)"
"$RIPSTOP" simulate "${even[@]}" --json | grep -q 'slow-queue' && complain "slow-queue without slow links"
cat >one-slow.yaml <<'Y'
fabric: torus:4x4
method: minimal
faults: {set: ["", "0.0/0~0.5"]}
traffic: {load: 0.1}
switch: {preset: plain}
measure: {warmup: 0, cycles: 500}
figures:
  - {id: places, title: Places, x: faults.set, y: slow-queue}
Y
"$RIPSTOP" run one-slow.yaml --store one-slow.db >said 2>&1 || complain "a figure of slow-queue: $(cat said)"
[ "$(cycles "${quad[@]}" "${plain[@]}" --set switch.slow_queue=0)" = 409604 ] || complain "without slow queues"
grep -q "note: switch.slow_queue = 0: a packet for a slow link holds its input" said || complain "no note: $(cat said)"
cycles "${even[@]}" --set switch.slow_queue=0 >/dev/null
grep -q . said && complain "a note on links of one rate: $(cat said)"
cat >rates.yaml <<'Y'
fabric: [quad.edges, even.edges]
method: minimal
traffic: {load: 0.1}
measure: {warmup: 100, cycles: 200}
Y
"$RIPSTOP" run rates.yaml --dry-run >told || complain "dry run"
grep -qx "slow links: in 1 runs; switch.slow_queue is 16" told || complain "dry run: $(cat told)"
"$RIPSTOP" run rates.yaml --dry-run --json | grep -q '"slow_link_runs": *1, *"slow_queue": *"16"' || complain "dry run as JSON"
finish
