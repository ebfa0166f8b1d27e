#!/bin/bash
# ripstop prove: known verdicts in text and JSON, certificates that the checker confirms, --paranoid, and one-line
# refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# shows TEXT ARGUMENTS...: exit code 0, and a line of the output is TEXT (blanks squeezed).
shows() {
  local text=$1
  shift
  "$RIPSTOP" prove "$@" >out 2>error || complain "ripstop prove $*: $(cat error)"
  tr -s ' ' <out | sed 's/^ //; s/ $//' | grep -qxF -- "$text" || complain "ripstop prove $*: no line '$text' in"$'\n'"$(cat out)"
}

# number NAME: its value in the JSON line on standard input; the first one.
number() { grep -o "\"$1\":[^,}]*" | head -1 | cut -d: -f2; }

# ---------------------------------------------------------------- verdicts
shows 'no faults: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' kary-ntree:k=4,n=3 --method misroute
shows '0/0/3 0/1/4 0/2/5: tolerated, deadlock possible with credits or PFC' kary-ntree:k=3,n=2 --method misroute --set '0/0/3 0/1/4 0/2/5'
shows 'deadlock: 12 queues can wait for each other forever; a cycle of 6, each packet waiting for the next queue:' \
  kary-ntree:k=3,n=2 --method misroute --set '0/2/5 0/0/3 0/1/4'
shows 'never delivered: to 0.1: 0.2 > 0.2: the one link is dead' torus:4x4 --method dor --set 0.1/0
shows 'no faults: tolerated, deadlock possible with credits or PFC' torus:4x4 --method dor --vcs 1
shows 'no faults: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method dor:dateline=on --vcs 2
shows 'no faults: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method minimal-adaptive:escape=dateline

# ---------------------------------------------------------------- how packets wait in switches
shows 'no faults: with queues=voq, tolerated, deadlock possible with credits or PFC' torus:5x5 --method dor --switch queues=voq --witness voq.cert
grep -qxF 'switch voq' voq.cert || complain "the certificate does not name the switch: $(cat voq.cert)"
"$RIPSTOP" check-witness voq.cert >said 2>error || complain "a deadlock with queues=voq: $(cat said error)"
shows 'no faults: with queues=output, tolerated, deadlock possible with credits or PFC' torus:4x4 --method minimal-adaptive --switch queues=output --witness output.cert
"$RIPSTOP" check-witness output.cert >said 2>error || complain "a deadlock with queues=output: $(cat said error)"
sed '/^switch/d' output.cert >other.cert
"$RIPSTOP" check-witness other.cert >said 2>error && complain "a deadlock of bound packets is confirmed for others: $(cat said)"
shows 'no faults: with queues=output, tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method dor:dateline=on --switch queues=output
"$RIPSTOP" simulate torus:4x4 --method minimal-adaptive --load 0.1 --set switch.queues=output --set measure.cycles=1000 >said 2>error || complain "queues=output: $(cat error)"
grep -q "note: switch.queues = output: a packet waits for one candidate alone; .ripstop prove torus:4x4 --method minimal-adaptive" error || complain "no note on the proof: $(cat error)"
refused 'check-witness: --simulate loads input queues; this certificate is of queues=voq' check-witness voq.cert --simulate
sed 's/^switch voq/switch vox/' voq.cert >other.cert
refused "other.cert:5: switch.queues 'vox' is unknown; did you mean 'voq'?" check-witness other.cert
sed 's/^switch voq/switch input/' voq.cert >other.cert
refused "other.cert:5: 'switch input' is not written" check-witness other.cert
sed '/^faults/d' voq.cert >other.cert
refused "other.cert:7: 'faults ...' should be here, not 'deadlock'" check-witness other.cert
"$RIPSTOP" prove torus:4x4 --method dor --switch queues=voq --switch in_queue=8 --json >said 2>error || complain "--switch: $(cat error)"
[ "$(grep -c '"queues":"voq"' said)" = 2 ] || complain "--switch is not in the JSON: $(cat said)"
"$RIPSTOP" prove torus:4x4 --method dor >without && "$RIPSTOP" prove torus:4x4 --method dor --switch queues=input | cmp -s - without || complain "queues=input is not the default"
refused 'prove: --switch in_queue=unlimited: no packet waits for space' prove torus:4x4 --method dor --switch preset=ideal
shows 'no faults: with queues=voq, tolerated, deadlock possible with credits or PFC' torus:5x5 --method dor --switch preset=modern
"$RIPSTOP" prove torus:5x5 --method dor --switch preset=modern --switch queues=input >said && grep -q 'with queues' said && complain "a preset goes before a key: $(cat said)"
refused 'prove: --switch lossless=off: no packet waits for space' prove torus:4x4 --method dor --switch queues=shared --switch lossless=off
shows 'no faults: with queues=shared, tolerated, deadlock possible with credits or PFC' torus:5x5 --method minimal-adaptive --switch queues=shared
shows 'no faults: with queues=shared, tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method dor:dateline=on --switch queues=shared
# Selection functions that bind: the switch's, or the method's own.
shows 'no faults: with selection=ecmp (binds packets), tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:5x5 --method minimal-adaptive --switch selection=ecmp --witness bound.cert
grep -qx 'binding ecmp' bound.cert || complain 'a certificate does not name what binds'
"$RIPSTOP" check-witness bound.cert >said 2>error || complain "freedom of bound packets: $(cat said error)"
sed 's/binding ecmp/binding space/' bound.cert >other.cert
refused "other.cert:5: 'binding space': this selection function does not bind packets" check-witness other.cert
shows 'no faults: with selection=weighted:counts=port,binds=on (binds packets), tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' hyperx:3x3 --method hyperx-dal
shows 'no faults: with queues=output, selection=weighted:counts=port,binds=on (binds packets), tolerated, deadlock possible with credits or PFC' hyperx:3x3 --method hyperx-dal --switch queues=output
shows 'no faults: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' hyperx:3x3 --method hyperx-dal --switch selection=weighted
"$RIPSTOP" prove hyperx:3x3 --method hyperx-dal --json | grep -q '"selection":"weighted:counts=port,binds=on"' || complain 'JSON does not name what binds'
refused "prove: --subfunction escape: selection=ecmp binds packets to candidates, so only 'all' decides" prove torus:4x4 --method minimal-adaptive --switch selection=ecmp --subfunction escape
"$RIPSTOP" simulate torus:4x4 --method minimal-adaptive --load 0.1 --set switch.selection=ecmp --set measure.warmup=10 --set measure.cycles=100 >said 2>note
grep -q "^ripstop: note: switch.selection = ecmp: a packet waits for one of its candidates of the lowest rank" note || complain "a selection function that binds: $(cat note)"
"$RIPSTOP" simulate hyperx:3x3 --method hyperx-dal --load 0.1 --set measure.warmup=10 --set measure.cycles=100 >said 2>note
grep -q 'waits for one' note && complain "the method's own selection function: $(cat note)"
refused "prove: --switch: unknown option 'queue'; did you mean 'queues'?" prove torus:4x4 --method dor --switch queue=voq
shows 'no faults: with vcs=3 (decided as vcs=1), tolerated, deadlock possible with credits or PFC' torus:5x5 --method dor --switch vcs=3 --witness vcs.cert
grep -qx 'channels vcs=3' vcs.cert || complain 'a certificate does not name its channels'
"$RIPSTOP" check-witness vcs.cert --simulate >said 2>error || complain "a deadlock with vcs=3: $(cat said error)"
grep -q '^loaded: .* packets stand still for' said || complain "vcs=3, loaded: $(cat said)"
shows 'no faults: with queues=voq, vcs=2 (decided as vcs=1), buffers=port (decided as buffers=channel), tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method dor:dateline=on --switch queues=voq --switch vcs=2 --switch buffers=port --witness pool.cert
shows 'no faults: with buffers=port (decided as buffers=channel), tolerated, deadlock possible with credits or PFC' torus:4x4 --method dor --switch buffers=port --witness own.cert
grep -qx 'channels vcs=2 buffers=port' pool.cert || complain 'a certificate does not name its pool'
"$RIPSTOP" check-witness pool.cert >said 2>error || complain "freedom with a pool: $(cat said error)"
refused 'check-witness: --simulate loads queues with space of their own; this certificate is of buffers=port' check-witness own.cert --simulate
sed 's/^channels.*/channels vcs=17/' pool.cert >wrong.cert
refused "'vcs=17' is neither vcs=2 to vcs=16 nor buffers=port" check-witness wrong.cert
"$RIPSTOP" prove torus:4x4 --method dor --switch vcs=2 --switch buffers=port --json >said 2>error || complain "vcs: $(cat error)"
grep -q '"vcs":2' said && grep -q '"buffers":"port"' said || complain "JSON does not name channels: $(cat said)"
# A packet takes its space behind the link before it enters an output queue without a bound.
shows 'no faults: tolerated, deadlock possible with credits or PFC' torus:4x4 --method dor --switch out_queue=unlimited
shows 'no faults: tolerated, deadlock possible with credits or PFC' torus:4x4 --method dor --switch preset=booksim
shows 'no faults: tolerated, deadlock possible with credits or PFC' torus:4x4 --method dor --switch preset=booksim --switch out_queue=8
refused 'prove: --switch voq: KEY=VALUE is missing, as queues=voq' prove torus:4x4 --method dor --switch voq
refused 'prove: --switch and --tolerance exclude each other' prove torus:4x4 --method dor --switch queues=voq --tolerance

# Quantities with units are read as in experiments, and no verdict depends on them.
shows 'no faults: with queues=shared, tolerated, deadlock possible with credits or PFC' torus:5x5 --method minimal-adaptive --switch queues=shared --switch buffer=64MiB --switch pipeline=300ns
refused "prove: --switch: switch.buffer: '64MiBs': unknown unit 'MiBs'; did you mean 'MiB'?" prove torus:5x5 --method minimal-adaptive --switch buffer=64MiBs

# ---------------------------------------------------------------- rare failures: as every set says
"$RIPSTOP" prove kns:k=4,n=2 --method intermediate-nodes --count 3 --all --tolerance --json 2>error | tail -1 >exact
"$RIPSTOP" prove kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 2 --samples 400 --json >one 2>error || complain "--rare: $(cat error)"
awk -v share="$(number share <exact)" -v failed="$(number not_tolerated <one)" 'BEGIN { exit !(share + failed > 0.9999999 && share + failed < 1.0000001) }' ||
  complain "--rare: $(cat exact one)"
# They are a matter of delivery, which no switch changes.
"$RIPSTOP" prove kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 2 --samples 400 --json --switch preset=modern --switch selection=ecmp >other 2>error || complain "--rare --switch: $(cat error)"
grep -q '"queues":"voq","selection":"ecmp"' other || complain "--rare --switch: $(cat other)"
sed 's/,"queues":"voq","selection":"ecmp"//' other | cmp -s - one || complain "--rare depends on the switch: $(cat one other)"
"$RIPSTOP" prove kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 2 --samples 400 --switch queues=output 2>&1 | grep -q ', queues=output, sets of 3$' || complain "--rare names no switch"
refused 'prove: --rare and --all exclude each other' prove kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 2 --all
refused 'prove: --rare needs --count' prove kns:k=4,n=2 --method intermediate-nodes --rare 2
refused 'prove: --rare 4 is more than the 3 parts of --count' prove kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 4

# ---------------------------------------------------------------- transient states, alike from any number of workers
shows '0.0/0: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:3x3 --method ordered --set 0.0/0 --transients
shows 'no faults: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:3x3 --method ordered --set '' --before switch:0.0 --transients --orders 2
grep -qE '^torus:3x3, ordered:[^ ]*, before: switch:0.0$' out || complain "--before is not told: $(cat out)"
"$RIPSTOP" prove torus:3x3 --method ordered --set '' --before switch:0.0 --transients --json >out
grep -q '^{"faults":"","before":"switch:0.0",' out || complain "--before is not in a set's JSON: $(cat out)"
grep -q '^{"summary":{.*"before":"switch:0.0"' out || complain "--before is not in the summary: $(cat out)"
shows '0.0/0: tolerated, deadlock possible with bubble flow control and without it' torus:4x4 --method immunet:drain_cycles=0 --set 0.0/0 --transients
shows '2.1/0: tolerated, deadlock possible with credits or PFC' torus:4x4 --method mend --set 2.1/0 --transients --repaired
shows '2.1/0: tolerated, deadlock impossible with credits or PFC: no queues can wait for each other alone' torus:4x4 --method mend --set 2.1/0 --transients --repaired --two-writes
for workers in 1 3; do
  "$RIPSTOP" prove torus:3x3 --method ordered --count 1 --all --transients --json --workers $workers >mixed$workers 2>error || complain "--transients: $(cat error)"
done
cmp -s mixed1 mixed3 || complain "--transients depends on --workers"
[ "$(head -1 mixed1 | number orders)" = 4 ] || complain "--transients: $(head -1 mixed1)"
for word in '--before 0.0/0' '--orders 3' --in-order --permanent --two-writes --repaired; do
  # shellcheck disable=SC2086 # words are meant
  refused "prove: ${word%% *} needs --transients" prove torus:3x3 --method ordered $word
done
refused 'prove: --transients needs --set, --faults, --count or --before' prove torus:3x3 --method ordered --transients
shows '0.0/0: does not apply: method ordered: its switches write their own tables as messages come, not in two writes' torus:3x3 --method ordered --set 0.0/0 --transients --two-writes
refused 'prove: --transients and --smallest-defeat exclude each other' prove torus:3x3 --method ordered --transients --smallest-defeat
"$RIPSTOP" prove dragonfly:p=2,a=4,h=2 --method ugal-global --set '' --transients >said 2>error && complain "transient states of a protocol that weighs queues are proved: $(cat said)"
grep -q 'its candidates depend on the fill of queues' error || complain "transient states of a protocol that weighs queues: $(cat error)"
refused 'exclude each other: in order no transient state stays' prove torus:3x3 --method ordered --transients --in-order --permanent

# Witnesses of transient states: confirmed, loaded where switches end with a plan, and refused where words are others.
witness_of() { "$RIPSTOP" prove "$@" --transients --witness mixed.cert >out 2>error || complain "ripstop prove $*: $(cat error)"; }
confirmed() { [ "$("$RIPSTOP" check-witness mixed.cert "$@" 2>&1 | cut -d: -f1 | tr '\n' ' ')" = "$expected" ] || complain "check-witness $*: $("$RIPSTOP" check-witness mixed.cert "$@" 2>&1)"; }
expected='confirmed '
witness_of torus:4x4 --method mend --set 2.1/0 --repaired
confirmed
witness_of torus:4x4 --method immunet --set 0.0/0 --in-order
grep -q '^inject ' mixed.cert || complain "no queue that an end node feeds is in $(cat mixed.cert)"
confirmed
refused 'without a protocol' check-witness mixed.cert --simulate
sed 's/^mixture 0 in-order/mixture 0 in-orbit/' mixed.cert >damaged
refused "damaged:7: 'in-orbit' is none of in-order, for-ever, two-writes, repaired" check-witness damaged
sed 's/^deadlock/free/' mixed.cert >damaged
refused 'certificates of transient states are for deadlocks only' check-witness damaged
witness_of torus:4x4 --method mend --set 2.1/0
expected='confirmed loaded '
confirmed --simulate
rm mixed.cert
witness_of torus:3x3 --method ordered --set 0.0/0
[ ! -e mixed.cert ] || complain "a certificate of transient states that are safe: $(cat mixed.cert)"

# ---------------------------------------------------------------- every set, of each kind of part
shows '* all sets 84 63 0.75 57 27 0 0' kary-ntree:k=3,n=2 --method misroute --count 3 --all
shows 'connected sets 81 63 0.777778 57 24 0 0' kary-ntree:k=3,n=2 --method misroute --count 3 --all
shows '* connected sets 116 100 0.862069 92 12 0 0' kary-ntree:k=2,n=3 --method misroute --count 2 --all --of connected
shows '* all sets 12 4 0.333333 4 0 0 0' kary-ntree:k=2,n=3 --method updown --count 1 --all --scope switches
shows '* all sets 24 0 0 0 0 0 0' kary-ntree:k=2,n=3 --method updown --count 1 --all --scope all-links
# A group and a pattern: the 8 links between the upper two levels, of which 2 make 28 sets, and the 4 switches of level 1.
shows '* all sets 28 4 0.142857 4 0 0 0' kary-ntree:k=2,n=3 --method updown --count 2 --all --scope level-1
shows '* all sets 28 4 0.142857 4 0 0 0' kary-ntree:k=2,n=3 --method updown --count 2 --all --scope '1/*/*'
"$RIPSTOP" prove kary-ntree:k=2,n=3 --method updown --count 1 --all --scope 'switch:1/*' --json >one
grep -qF '"scope":"switch:1/*"' one && [ "$(grep -c '"faults":"switch:1/' one)" -eq 4 ] || complain "switch:1/*: $(cat one)"
shows '* all sets 1 1 1 1 0 0 0' kary-ntree:k=2,n=3 --method updown --count 0 --all
shows '* all sets 8128 8128 1 8128 0 0 0' kary-ntree:k=4,n=3 --method misroute --count 2 --all
shows '18 proofs: one for all sets that are alike' kary-ntree:k=4,n=3 --method misroute --count 2 --all
"$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --count 3 --all >folded
"$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --count 3 --all --no-symmetry >single
diff <(head -4 folded) <(head -4 single) || complain "symmetry changes the summary"

# ---------------------------------------------------------------- graphs of subfunctions
shows 'subfunction stage, all sets: no cycle in 57, a cycle in 27; some head starved in 27' \
  kary-ntree:k=3,n=2 --method misroute --count 3 --all --subfunction stage
shows 'subfunction stage, connected sets: no cycle in 57, a cycle in 24; some head starved in 24' \
  kary-ntree:k=3,n=2 --method misroute --count 3 --all --subfunction stage
"$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute:first_misroute_back=off --subfunction stage --set '0/0/3 0/0/4' --graph stage.dot >out 2>error ||
  complain "--graph: $(cat error)"
[ "$(grep -c -- '->' stage.dot)" = 18 ] && [ "$(grep -c dashed stage.dot)" = 4 ] && ! grep -q red stage.dot || complain "$(cat stage.dot)"
"$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --subfunction all --set '0/0/3 0/1/4' --graph all.dot --json >out 2>error
[ "$(grep -c red all.dot)" = 4 ] && [ "$(head -1 out | number cyclic_queues)" = 4 ] || complain "$(cat all.dot out error)"
refused "prove: --subfunction: method misroute has no subfunction 'stag'; it has all, stage, subtree" prove kary-ntree:k=3,n=2 --method misroute --subfunction stag
refused "settle on one candidate early, so only 'all' decides" prove kary-ntree:k=3,n=2 --method misroute:choose=early --subfunction stage
refused "prove: --graph needs --subfunction" prove kary-ntree:k=3,n=2 --method misroute --graph a.dot
refused "prove: --graph and --count exclude each other: the graph is that of one fault set: give --set, or no faults" prove kary-ntree:k=3,n=2 --method misroute --subfunction all --count 1 --all --graph a.dot
refused "prove: --subfunction and --tolerance exclude each other" prove kary-ntree:k=3,n=2 --method misroute --subfunction all --count 1 --tolerance
for part in 1 2; do "$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --count 3 --all --subfunction stage --shard $part/2 >part$part; done
diff <("$RIPSTOP" prove kary-ntree:k=3,n=2 part1 part2 --method misroute --count 3 --all --subfunction stage --merge) \
  <("$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --count 3 --all --subfunction stage) || complain "parts of graphs do not add up"

# ---------------------------------------------------------------- JSON: a line a set
for question in "--count 3 --all" "--count 4 --samples 300 --seed 7" "--count 5 --width 0.05 --of connected --paths" \
  "--set 0/0/3"; do
  # shellcheck disable=SC2086 # words are meant
  "$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute $question --json >one 2>error
  [ ! -s error ] || complain "$question: $(cat error)"
  [ "$(grep -c '^{"faults":' one)" -eq "$(tail -1 one | number proofs)" ] || complain "$question: not a line a set"
  [ "$(grep -c '"tolerated":true,' one)" -gt 0 ] || complain "$question: nothing is tolerated"
done
[ "$("$RIPSTOP" prove torus:4x4 --method dor --json | head -1 | number waiting_queues)" = 64 ] ||
  complain "the 64 queues of the plain torus"
"$RIPSTOP" prove kary-ntree:k=2,n=3 --method updown --count 1 --samples 1000 --json >out
low=$(tail -1 out | number low) high=$(tail -1 out | number high)
[ "$low" = 0.0 ] && [[ "$high" == 0.0052* ]] || complain "Clopper-Pearson of 0 in 1000: $low, $high"

# ---------------------------------------------------------------- fault sets from a file, certificates
printf '# two sets\n0/0/3 0/1/4 0/2/5\n\n' >sets
"$RIPSTOP" prove kary-ntree:k=3,n=2 --method misroute --faults sets --witness folder >out || complain "--faults"
for file in folder/*; do "$RIPSTOP" check-witness "$file" || complain "$file is not confirmed"; done >checked
grep -q '^confirmed: a deadlock of 12 queues' checked || complain "certificates: $(cat checked)"
grep -q '^confirmed: no deadlock' checked || complain "certificates: $(cat checked)"
"$RIPSTOP" prove torus:4x4 --method dor:bubble=on --witness ring >/dev/null && "$RIPSTOP" check-witness ring >/dev/null ||
  complain "the bubble rings are not confirmed"

# ---------------------------------------------------------------- a sample of destinations
tree=kary-ntree:k=3,n=2
shows 'no faults: 5 of 9 destinations' $tree --method misroute --destinations 5
shows 'delivery: all 40 pairs to them are delivered under every choice' $tree --method misroute --destinations 5
shows 'bound: with 95 %, at most 22.2 % of all destinations have a pair that is lost' $tree --method misroute \
  --destinations 5 --confidence 0.95
shows 'deadlock: none of packets to these destinations alone, which proves nothing of all' $tree --method misroute \
  --destinations 5
shows '0/0/3: 8 of 9 destinations' $tree --method updown --set 0/0/3 --destinations 8
"$RIPSTOP" prove $tree --method updown --set 0/0/3 --destinations 8 --json >one
[ "$(wc -l <one)" -eq 1 ] || complain "--destinations: not a line a set: $(cat one)"
grep -q '"tolerated":false,"livelock_free":null,"deadlock_free":null' one || complain "--destinations: $(cat one)"
printf '\n0/0/3\n' >two
[ "$("$RIPSTOP" prove $tree --method updown --faults two --destinations 2 | grep -c ': 2 of 9 destinations$')" -eq 2 ] ||
  complain "--destinations with --faults"

shows 'no faults: with selection=weighted:counts=port,binds=on (binds packets), 3 of 20 destinations, 4 of 10 random headers' dragonfly+:leaves=2,spines=2,h=2,g=5,p=2 --method ugal --destinations 3 --draws 4
"$RIPSTOP" prove torus:4x4 --method valiant --set 0.0/0 --destinations 8 --draws 5 --json >one
grep -q '"draws":5,"all_draws":16' one || complain "--draws: $(cat one)"
refused "--draws needs --destinations" prove torus:4x4 --method valiant --draws 4
refused "packets to one end node have 68157440 first states" prove hyperx:8x8x8,p=260 --method valiant --destinations 2

shows 'updown: 1 failed link defeats it: 0/0/3 (18 of 72 pairs can be lost)' kary-ntree:k=3,n=2 --method updown --smallest-defeat
env --default-signal=INT "$RIPSTOP" prove kary-ntree:k=4,n=3 --method uturn --smallest-defeat >out 2>said &
interrupt $!
wait $!
[ $? -eq 130 ] || complain "--smallest-defeat, interrupted: $(cat out said)"
grep -q 'at least [0-9]* are needed\|at least [0-9]* failed links are needed' out || complain "--smallest-defeat, interrupted: $(cat out)"
grep -qx 'ripstop: interrupted after [0-9]* sets' said || complain "--smallest-defeat, interrupted: $(cat said)"

# A set that takes hours ends in its midst.
env --default-signal=INT "$RIPSTOP" prove hyperx:9x9x9,p=9 --method minimal >out 2>said &
interrupt $!
wait $!
[ $? -eq 130 ] || complain "one set, interrupted: $(cat out said)"
grep -qx 'ripstop: interrupted after 0 of 1 sets' said || complain "one set, interrupted: $(cat said)"

for json in "" --json; do
  env --default-signal=INT "$RIPSTOP" prove kary-ntree:k=16,n=2 --method uturn --count 5 --all $json >out 2>said &
  interrupt $!
  wait $!
  [ $? -eq 130 ] || complain "--all, interrupted: $(cat out said)"
  grep -qx 'ripstop: interrupted after [0-9]* of 8809549056 sets' said || complain "--all, interrupted: $(cat said)"
  if [ "$json" ]; then
    grep -q '"interval":"none".*"low":null,"high":null.*"interrupted":true' out || complain "--all, interrupted: $(cat out)"
  else
    grep -qx 'interrupted: shares of the first sets alone, which say nothing of the rest' out || complain "$(cat out)"
  fi
done

refused '/dev/null: there is no fault set in it' prove torus:4x4 --method dor --faults /dev/null

# ---------------------------------------------------------------- run --paranoid
cat >x.yaml <<'END'
title: Small
fabric: kary-ntree:k=3,n=2
method: [updown, misroute]
faults: {count: [0, 1], samples: 2, schedule: ["", 0/1/4@300 0/1/4+@600 0/2/5@700]}
traffic: {load: 0.2, packet: 4}
measure: {warmup: 100, cycles: 900}
END
"$RIPSTOP" run x.yaml --store plain.db >/dev/null 2>&1 || complain "run"
"$RIPSTOP" run x.yaml --store proved.db --paranoid >/dev/null 2>said || complain "run --paranoid: $(cat said)"
for store in plain proved; do
  "$RIPSTOP" report x.yaml --store $store.db -o page.html --csv $store >/dev/null || complain "report"
  sort $store/runs.csv >$store.rows
done
cmp -s plain.rows proved.rows || complain "--paranoid changes rows: $(diff plain.rows proved.rows | head -3)"
# 2 methods, 3 fault sets (none, and two of one link), 2 schedules (no change; three changes): 2 * 3 * (1 + 4). Of updown
# are refuted: without faults, the two after a change that breaks a link; with one, all.
grep -qF 'ripstop: 30 plans proved, 12 of them refuted' said || complain "--paranoid: $(cat said)"
[ "$(grep -c '^ripstop: refuted: kary-ntree:k=3,n=2, updown, ' said)" -eq 5 ] || complain "--paranoid: $(cat said)"
grep -q 'misroute' said && complain "misroute is refuted: $(cat said)"
"$RIPSTOP" run x.yaml --store proved.db --paranoid >/dev/null 2>again || complain "run --paranoid again: $(cat again)"
grep -qF '16 of them in proved.db already' again || complain "--paranoid: runs were done again: $(cat again)"
[ "$(grep '^ripstop: ' said | sort)" = "$(grep '^ripstop: ' again | sort)" ] ||
  complain "stored runs are not proved: $(cat again)"
# A random schedule is another one in each sample: 2 methods, 5 samples, the plan before and those after two changes.
# Of updown both after a change are refuted, of misroute none: fewer than k = 3 links are down.
cat >y.yaml <<'END'
fabric: kary-ntree:k=3,n=2
method: [updown, misroute]
faults: {samples: 5, schedule: "random:2,from=300,every=100"}
traffic: {load: [0.1, 0.2], packet: 4}
measure: {warmup: 100, cycles: 900}
END
"$RIPSTOP" run y.yaml --store drawn.db --paranoid >/dev/null 2>said || complain "run --paranoid, drawn: $(cat said)"
grep -qF 'ripstop: 30 plans proved, 10 of them refuted' said || complain "--paranoid, drawn: $(cat said)"
[ "$(grep -c "^ripstop: refuted: .* updown, " said)" -eq 5 ] || complain "--paranoid, drawn: $(cat said)"

# ---------------------------------------------------------------- refusals
tree=kary-ntree:k=2,n=2
refused "an argument is missing" prove
refused "--method is missing" prove $tree
refused "method 'misrote' is unknown; did you mean 'misroute'?" prove $tree --method misrote
refused "updown is for fat trees, not for torus:4x4" prove torus:4x4 --method updown
refused "both prevent deadlock; use one of them" prove torus:4x4 --method dor:dateline=on,bubble=on
refused "did you mean 'torus'" prove torsu:4x4 --method dor
refused "--set: no link '0/0/9' in $tree" prove $tree --method updown --set 0/0/9
refused "sets:2: no link '0/1/4' in $tree" prove $tree --method misroute --faults sets
refused "nosuch" prove $tree --method updown --faults nosuch
refused "--vcs 2: dor:dateline=off,bubble=off,halfway=either uses 1 channel" prove torus:4x4 --method dor --vcs 2
refused "prove: --scope: no scope 'switch' in kary-ntree:k=2,n=2; did you mean 'switches'? (scopes: switch-links, all-links, switches, level-0, a" \
  prove $tree --method updown --count 1 --scope switch
refused "--all needs --count" prove $tree --method updown --all
refused "--all and --samples exclude each other" prove $tree --method updown --count 1 --all --samples 5
refused "exclude each other" prove $tree --method updown --count 1 --set 0/0/2
refused "has only 4 parts of the kind 'switch-links'" prove $tree --method updown --count 5 --all
refused "draw --samples of them" prove kary-ntree:k=4,n=3 --method updown --count 20 --all
refused "--width must lie between 0 and 1" prove $tree --method updown --count 1 --width 2
refused "--samples" prove $tree --method updown --count 1 --samples x
refused "--workers must be at least 1" prove $tree --method updown --workers 0
refused "--destinations and --count exclude each other: packets to some destinations prove nothing of the others" prove $tree --method updown --destinations 2 --count 1
refused "--destinations and --witness exclude each other" prove $tree --method updown --destinations 2 --witness x
refused "--destinations and --tolerance exclude each other" prove $tree --method updown --destinations 2 --tolerance
refused "--destinations and --smallest-defeat exclude each other" prove $tree --method updown --destinations 2 --smallest-defeat
refused "--destinations 9, but kary-ntree:k=3,n=2 has 9; leave it out" prove kary-ntree:k=3,n=2 --method updown --destinations 9
refused "--destinations must be at least 1" prove $tree --method updown --destinations 0
refused "--confidence must be above 0.5" prove $tree --method updown --destinations 2 --confidence 0.5
refused "prove: --interval: 'wilsen' is none of clopper-pearson, wilson; did you mean 'wilson'?" prove $tree --method updown --interval wilsen
refused "prove: --vcs: 17 is more than 16" prove $tree --method updown --vcs 17
refused "prove: --seed is given twice" prove $tree --method updown --seed 1 --seed 2
refused "--budget needs --smallest-defeat" prove $tree --method updown --budget 5
# The flow control that a verdict assumes is in the summary.
for case in 'dor:bubble=on|bubble flow control' 'mend|credits or PFC'; do
  "$RIPSTOP" prove torus:3x3 --method "${case%|*}" --set '' --json | tail -1 | grep -qF "\"flow_control\":\"${case#*|}\"" ||
    complain "the flow control of ${case%|*} is not told"
done

# Half of the 72 pairs are one link between routers apart and half two, with a link to each end node: 3.5 links on
# average.
"$RIPSTOP" prove torus:3x3 --method dor --set '' --paths --json | tail -1 | grep -qF '"paths":{"pairs":72,"minimum_mean":3.5,"minimum_max":4,' ||
  complain "--paths is not in the summary"

finish
