#!/bin/bash
# ripstop run --dry-run: what the missing runs would cost, from the store's own history; no file is made.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: ["kary-ntree:k=4,n=2", "kary-ntree:k=2,n=2"]
method: [updown, misroute]
faults: {count: [0, 1], samples: 3}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 500, cycles: 4000}
END

# The last dry run printed all WORDS.
tells() {
  for word in "$@"; do grep -qF -- "$word" said || complain "not told: $word: $(cat said)"; done
}

"$RIPSTOP" run x.yaml --dry-run --workers 2 >said || complain "dry run: $(cat said)"
tells 'x.yaml: 24 runs, 0 of them in out/x.db already, 24 to do' \
  '24 runs at an assumed 20000000 end nodes x cycles a second' 'bytes a run assumed' 'for 2 at a time' 'with 2 workers'
grep -q '^memory: [1-9]*[0-9]\.[0-9]* MB for the engine' said || complain "memory: $(cat said)"
[ "$(ls)" = "said
x.yaml" ] || complain "a dry run made files: $(ls)"

"$RIPSTOP" run x.yaml --set faults.samples=2 >/dev/null 2>&1 || complain "two samples were not done"
sum=$(md5sum <out/x.db)
"$RIPSTOP" run x.yaml --dry-run --workers 1 >said || complain "dry run: $(cat said)"
tells '24 runs, 16 of them in out/x.db already, 8 to do' ', 8 runs by stored runs of the same settings' \
  'bytes a run as in the store' 'with 1 worker'
"$RIPSTOP" run x.yaml --dry-run --set traffic.load=0.3 >said || complain "dry run: $(cat said)"
tells '24 runs, 0 of them' 'assumed'
"$RIPSTOP" run x.yaml --dry-run --set 'traffic.load=[0.3, 0.4]' >said || complain "dry run: $(cat said)"
tells '48 runs, 16 of them' '24 runs by stored runs of the same fabric and method' '8 runs by stored runs of the same settings'
"$RIPSTOP" run x.yaml --dry-run --shard 1/2 --store out/x.db >said || complain "dry run of a part: $(cat said)"
tells ': 12 runs, '
[ "$sum" = "$(md5sum <out/x.db)" ] && [ "$(ls out)" = x.db ] || complain "a dry run wrote"

"$RIPSTOP" run x.yaml >/dev/null 2>&1 || complain "not done"
"$RIPSTOP" run x.yaml --dry-run >said || complain "dry run: $(cat said)"
[ "$(cat said)" = 'x.yaml: 24 runs, 24 of them in out/x.db already, 0 to do' ] || complain "all done: $(cat said)"
# Runs that go on until a precision is reached are reported as such, at least and at most.
"$RIPSTOP" run x.yaml --dry-run --set method=updown --set 'faults.samples=1' --set faults.count=0 --set traffic.load=0.2 \
  --set measure.precision.value=accepted --set measure.precision.relative=0.01 --store none.db >said || complain "precision: $(cat said)"
tells 'simulations: 2 to 14,' # two fabrics, looks of 4,000, 8,000, ... 256,000 cycles
awk '/^cost:/ { exit !($2 < 0.01 && $3 == "to" && $4 > 0.50 && $4 < 0.53) }' said || complain "cost of looks: $(cat said)"
"$RIPSTOP" run x.yaml --dry-run --set method=updown --set faults.samples=1 --set faults.count=0 --set traffic.load=0.2 \
  --set measure.precision.value=accepted --set measure.precision.relative=0.01 --set measure.precision.grow=samples \
  --set measure.precision.most=10 --store none.db >said || complain "samples: $(cat said)"
tells 'simulations: 16 to 20,'
"$RIPSTOP" run x.yaml --dry-run --set method=updown --set faults.samples=1 --set faults.count=0 --set traffic.load=saturation \
  --store none.db >said || complain "saturation: $(cat said)"
tells 'simulations: 2 to 386,' # a first probe that deadlocks is the row
short=(run x.yaml --dry-run --store none.db --set measure.precision.value=accepted --set measure.precision.relative=0.01)
refused 'measure.precision.most = 3999 is less than the first analysis has, 4000 cycles' "${short[@]}" --set measure.precision.most=3999
refused 'measure.precision.most = 7 is less than the first analysis has, 8 samples' "${short[@]}" --set measure.precision.most=7 \
  --set measure.precision.grow=samples --set faults.samples=1
# The same for programs; a number that cannot be known is left out.
"$RIPSTOP" run x.yaml --dry-run --json >said || complain "dry run: $(cat said)"
[ "$(cat said)" = '{"event":"dry-run","file":"x.yaml","store":"out/x.db","runs":24,"stored":24,"to_do":0}' ] || complain "all done, as JSON: $(cat said)"
"$RIPSTOP" run x.yaml --dry-run --json --workers 2 --set method=updown --set faults.samples=1 --set faults.count=0 --set traffic.load=saturation \
  --store none.db >said || complain "dry run: $(cat said)"
tells '"store":"none.db","runs":2,"stored":0,"to_do":2,"workers":2,"simulations":[2.0,386.0],"processor_seconds":[' '"assumed_runs":2,"unknown_runs":0,"engine_bytes":' '"disk_bytes":3200.0,"switch.preset":"plain (updown)","switch.selection":"space (updown)"}'
# A run that has no engine reports no memory.
printf 'fabric: torus:4x4\nmethod: dor\nfaults: {count: 1}\nprove: {sets: 10}\n' >proof.yaml
"$RIPSTOP" run proof.yaml --dry-run >said || complain "dry run: $(cat said)"
tells 'memory: not known before they begin'
"$RIPSTOP" run proof.yaml --dry-run --json >said || complain "dry run: $(cat said)"
tells '"processor_seconds":null,"clock_seconds":null,"assumed_runs":0,"unknown_runs":1,"engine_bytes":null'
finish
