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
"$RIPSTOP" simulate torus:4x4 --method dor --load 0.1 --set 'switch.preset=[plain, modern]' >said 2>&1 && complain "a list of presets was taken"
grep -qF "switch.preset: one word, not a list" said || complain "a list of presets: $(cat said)"

# A preset works with all of its keys, or its message names one that is not there.
for preset in ideal modern; do
  if "$RIPSTOP" simulate torus:4x4 --method dor:dateline=on --load 0.2 --set measure.warmup=100 --set measure.cycles=500 \
    --set switch.preset=$preset >said 2>&1; then
    grep -q '^  accepted' said || complain "$preset: $(cat said)"
  else
    grep -qE "switch.preset = $preset needs switch\.[a-z_]+" said || complain "$preset: $(cat said)"
  fi
done
finish
