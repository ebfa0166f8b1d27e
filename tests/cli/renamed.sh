# Each name of the version before is refused with the name of today, wherever it can be written: in an experiment's file, with
# --set, as a flag, as the name of a plug-in, as a verdict, and as a word to explain.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# file LINE...: an experiment with these lines at its end.
file() {
  printf '%s\n' 'fabric: torus:4x4' 'method: dor' 'traffic: {load: 0.2}' 'measure: {cycles: 100, warmup: 0}' "$@" >x.yaml
}
# in_file MESSAGE LINE...: the file is refused, for its last line.
in_file() {
  local message=$1
  shift
  file "$@"
  refused "x.yaml:$((4 + $#)): $message" run x.yaml --dry-run
}
figure='figures: [{id: a, x: traffic.load, y: accepted, '

# ---------------------------------------------------------------- the key
key='switch.choice is now switch.selection'
in_file "$key" 'switch: {choice: random}'
in_file "$key" 'switch: {selection: random}' 'quick: {switch.choice: space}'
in_file "$key" 'only: [{switch.choice: space}]'
in_file "$key" 'switch.choice: random'
in_file "key 'choice' is unknown; known here: " 'choice: random' # the word alone was no key
in_file "$key" 'figures: [{id: a, x: switch.choice, y: accepted}]'
in_file "$key" "${figure}where: {switch.choice: space}}]"
in_file "$key" "${figure}by: switch.choice}]"
in_file "$key" "${figure}relative: {switch.choice: space}}]"
in_file "$key" 'tables: [{id: a, rows: switch.choice, value: accepted}]'
in_file "$key" 'tables: [{id: a, rows: [method, switch.choice], value: accepted}]'
in_file "$key" "${figure}by: method}]" 'claims: [{id: c, says: s, figure: a, curve: {switch.choice: space}, measure: {value: 0.2}, compare: about, published: 1, tolerance: 1}]'
file
refused "$key" run x.yaml --set switch.choice=random
refused "$key" report x.yaml --set switch.choice=random
refused "$key" simulate torus:4x4 --method dor --load 0.2 --set switch.choice=random
refused "$key" help switch.choice

# ---------------------------------------------------------------- flags
for flag in --mixtures --mixtures=1; do
  refused 'prove: --mixtures is now --transients' prove torus:3x3 --method ordered --set 0.0/0 $flag
done
refused 'prove: --for-ever is now --permanent' prove torus:3x3 --method ordered --set 0.0/0 --transients --for-ever
refused '--for-ever is now --permanent' help --for-ever

# ---------------------------------------------------------------- the process
process='process draw is now random'
in_file "faults.schedule: $process" 'faults: {schedule: "draw:3,from=5000"}'
in_file "faults.schedule: $process" 'faults: {schedule: ["", draw]}'
in_file "$process" 'faults: {schedule: "random:1"}' "${figure}where: {faults.schedule: \"draw:1\"}}]"
file 'quick: {faults.schedule: "draw:3"}'
refused "x.yaml:5: faults.schedule: $process" run x.yaml --quick --dry-run
file
refused "$process" run x.yaml --set faults.schedule=draw:3
refused "$process" faults draw
refused "$process" faults draw:3 --fabric torus:4x4
refused "$process" simulate torus:4x4 --method dor --load 0.2 --faults draw:3
refused "$process" help draw
# ---------------------------------------------------------------- the verdict
verdict="verdict 'disconnected' is now 'lossy'"
in_file "$verdict" 'figures: [{id: a, x: traffic.load, y: verdict.disconnected}]'
in_file "$verdict" "${figure}where: {verdict: disconnected}}]"
in_file "$verdict" "${figure}where: {verdict: [steady, disconnected]}}]"
in_file "$verdict" 'tables: [{id: a, rows: method, value: verdict.disconnected}]'
in_file "$verdict" "${figure}by: method}]" 'claims: [{id: c, says: s, figure: a, measure: {share: disconnected}, compare: about, published: 1, tolerance: 1}]'
refused "$verdict" help disconnected
finish
