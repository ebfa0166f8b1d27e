#!/bin/bash
# switch.preset: other keys go before it, names of runs have the keys instead, and what a version lacks is named.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >plain.yaml <<'Y'
fabric: torus:4x4
method: dor:dateline=on
traffic: {load: 0.3}
measure: {warmup: 100, cycles: 500}
Y
sed 's/^measure/switch: {preset: plain}\nmeasure/' plain.yaml >preset.yaml
"$RIPSTOP" run plain.yaml --store one.db >/dev/null 2>&1 || complain "a run without a preset failed"
"$RIPSTOP" run preset.yaml --store one.db >/dev/null 2>said || complain "a run with a preset failed: $(cat said)"
[ "$(sqlite3 one.db 'SELECT count(*) FROM runs')" = 1 ] || complain "switch.preset=plain makes another run"
[ "$(sqlite3 one.db "SELECT count(*) FROM runs WHERE canonical LIKE '%preset%'")" = 0 ] || complain "a name has the preset"

refused "switch.preset" simulate torus:4x4 --method dor --load 0.1 --set switch.preset=plane
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.1 --set switch.preset=plane 2>&1 | grep -qF "did you mean 'plain'" ||
  complain "no nearest word for plane"
sed 's/^measure/switch: {preset: [plain, modern]}\nmeasure/' plain.yaml >both.yaml
"$RIPSTOP" run both.yaml --store one.db >said 2>&1 || complain "a list of presets: $(cat said)"
[ "$(sqlite3 one.db 'SELECT count(*) FROM runs')" = 2 ] || complain "a list of plain and modern makes no other run than these"
grep -qF 'switch.preset: plain (dor:dateline=on), modern (dor:dateline=on; queues=voq match=maximal speedup=2 in_queue=16 out_queue=8)' said ||
  complain "a report does not say the presets: $(cat said)"

# The method's own is the default; the help says what each is.
"$RIPSTOP" methods minimal | grep -qxF '  preset     modern' || complain "methods minimal: $("$RIPSTOP" methods minimal)"
"$RIPSTOP" methods updown | grep -qxF '  preset     plain' || complain "methods updown: $("$RIPSTOP" methods updown)"
"$RIPSTOP" methods mend | grep -qxF '  preset     modern (plain with adaptive)' || complain "methods mend: $("$RIPSTOP" methods mend)"
"$RIPSTOP" methods mend:adaptive --json | grep -qF '"preset":"plain"' || complain "methods mend:adaptive --json"
"$RIPSTOP" help switch.preset | grep -qF '  modern     queues=voq match=maximal speedup=2 in_queue=16 out_queue=8; an assumption' ||
  complain "help switch.preset: $("$RIPSTOP" help switch.preset)"
small=(--load 0.2 --set measure.warmup=100 --set measure.cycles=500)
"$RIPSTOP" simulate torus:4x4 --method minimal "${small[@]}" --set switch.in_queue=9 >said 2>&1
grep -qE '^  switch.preset +modern: queues=voq match=maximal speedup=2 out_queue=8$' said || complain "simulate minimal: $(cat said)"
"$RIPSTOP" simulate torus:4x4 --method minimal "${small[@]}" --set switch.queues=output >said 2>&1 || complain "output: $(cat said)"
grep -qE '^  switch.preset +plain$' said || complain "simulate minimal with queues=output: $(cat said)"
grep -qF 'note: switch.queues = output has no crossbar, so the preset of minimal (modern)' said || complain "no note: $(cat said)"

# A preset with times brings a rate; another one goes before it.
"$RIPSTOP" simulate torus:4x4 --method minimal "${small[@]}" --set switch.preset=infiniband --json >said 2>&1
grep -qF '"switch.preset.keys":"queues=voq match=islip:rounds=2 unit=flits in_queue=512 pipeline=79 link.rate=400Gb/s"' said ||
  complain "infiniband: $(cat said)"
grep -qF '"seconds"' said || complain "infiniband has no seconds"
"$RIPSTOP" simulate torus:4x4 --method minimal "${small[@]}" --set switch.preset=infiniband --set link.rate=800Gb/s --json >said 2>&1
grep -qF ' pipeline=157"' said || complain "infiniband at 800 Gb/s: $(cat said)"

"$RIPSTOP" simulate torus:4x4 --method minimal "${small[@]}" --set switch.preset=ethernet --json >said 2>&1
grep -qF '"switch.preset.keys":"queues=shared buffer=1048576 alpha=1 lossless=on forward=store unit=flits pipeline=235 link.rate=400Gb/s"' said ||
  complain "ethernet: $(cat said)"

# The lengths of queues at which packets are marked come with the preset, where jobs respond to marks and the file gives none.
jobs=(kary-ntree:k=4,n=2 --method updown --workload incast:bytes=1MiB --set workload.packet=4KiB --set workload.transport=selective)
marks=(--set switch.preset=ethernet --set workload.congestion=dcqcn)
"$RIPSTOP" simulate "${jobs[@]}" "${marks[@]}" --json >own 2>said || complain "marks: $(cat said)"
grep -qF 'link.rate=400Gb/s workload.kmin=1600 workload.kmax=6400"' own || complain "marks are not among the preset's keys: $(cat own)"
"$RIPSTOP" simulate "${jobs[@]}" "${marks[@]}" --set workload.kmin=1600 --set workload.kmax=6400 --json 2>said | cmp -s - own ||
  complain "marks of the preset are others than those: $(cat own)"
"$RIPSTOP" simulate "${jobs[@]}" "${marks[@]}" --set workload.kmax=4 --json 2>said | grep -o '"transport.marked":[0-9]*' >given
grep -o '"transport.marked":[0-9]*' own | cmp -s - given && complain "kmax does not go before the preset: $(cat given)"
"$RIPSTOP" simulate "${jobs[@]}" --set switch.preset=ethernet --json 2>said | grep -q kmin && complain "marks without a response to them"

# Methods of one experiment with different presets of their own: one note, however many runs.
cat >two.yaml <<'Y'
fabric: torus:4x4
method: ["dor:dateline=on", minimal]
traffic: {load: [0.1, 0.2]}
measure: {warmup: 100, cycles: 500}
Y
"$RIPSTOP" run two.yaml --store two.db >said 2>&1 || complain "two presets: $(cat said)"
[ "$(grep -c 'the methods of this experiment have different switches: plain (dor:dateline=on), modern (minimal; queues=voq' said)" = 1 ] ||
  complain "two presets: $(cat said)"
"$RIPSTOP" run two.yaml --set switch.preset=modern --store one.db >said 2>&1
grep -q 'different switches' said && complain "one preset: $(cat said)"

# A preset works with all of its keys, or its message names one that is not there.
for preset in ideal modern infiniband booksim ethernet; do
  if "$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --load 0.2 --set measure.warmup=100 --set measure.cycles=500 \
    --set switch.preset=$preset >said 2>&1; then
    grep -q '^  accepted' said || complain "$preset: $(cat said)"
  else
    grep -qE "switch.preset = $preset needs switch\.[a-z_]+" said || complain "$preset: $(cat said)"
  fi
done

# A message on an idle network takes as long as the least that is reckoned for it.
echo "0,0,9,1000" >message.csv
for preset in plain ideal modern booksim infiniband ethernet; do
  "$RIPSTOP" simulate kary-ntree:k=4,n=2 --method updown --workload messages:file=message.csv --set workload.flit=64 \
    --set workload.packet=4096 --set switch.preset=$preset >said 2>&1 || complain "message with $preset: $(cat said)"
  grep -qE '^  message.slowdown.mean +1$' said || complain "$preset: a message alone: $(grep slowdown said)"
done

# A packet that was cut, and whose header is corrupted, is sent again whole.
"$RIPSTOP" simulate kary-ntree:k=8,n=1 --method updown --workload incast:bytes=65536 --set workload.flit=64 --set workload.packet=1024 \
  --set workload.header=1 --set switch.queues=shared --set switch.lossless=off --set switch.buffer=1024 --set switch.trim=on \
  --set switch.flit_errors=1e-3 >said 2>&1 || complain "headers with errors: $(cat said)"
grep -qE '^  workload.complete +1$' said || complain "headers with errors: $(cat said)"
grep -qE '^  lost.trimmed +[1-9]' said || complain "no packet was cut: $(cat said)"
finish
