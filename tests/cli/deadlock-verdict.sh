# Every command that gives a verdict on deadlock gives the same one, in the same words, with the flow control that it assumes.
# Slow: many verdicts.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

none='impossible with credits or PFC: no queues can wait for each other alone'
drained="impossible with bubble flow control, which drains the credit loops; possible on switches without it, as InfiniBand's"
loop='possible with credits or PFC'

sentence() { grep -o '"deadlock":"[^"]*"' | cut -d'"' -f4; }
flag() { grep -o "\"$1\":[a-z]*" | head -1 | cut -d: -f2; }

# agree SENTENCE FABRIC METHOD [PARTS]: route, judge, what-if and prove; as text, as JSON, and by their exit codes. With "no tables" before
# the sentence route has no tables for the method.
agree() {
  local tables=yes want=$1 fabric=$2 method=$3 parts=${4:-} judged lost code
  if [ "$want" = 'no tables' ]; then tables=no; shift; want=$1 fabric=$2 method=$3 parts=${4:-}; fi
  local case="$fabric --method $method --set '$parts'"
  "$RIPSTOP" prove "$fabric" --method "$method" --set "$parts" >proved 2>&1
  head -1 proved | grep -qF "deadlock $want" || complain "prove $case: $(head -1 proved)"
  "$RIPSTOP" prove "$fabric" --method "$method" --set "$parts" --json >proved
  [ "$(head -1 proved | sentence)" = "$want" ] || complain "prove --json $case: $(head -1 proved | sentence)"
  "$RIPSTOP" judge "$fabric" --method "$method" --set "$parts" >judged
  judged=$?
  grep -qE "^  deadlock   $want(:|\$)" judged || complain "judge $case: $(grep deadlock judged)"
  "$RIPSTOP" judge "$fabric" --method "$method" --set "$parts" --json >judged.json
  [ "$(sentence <judged.json)" = "$want" ] || complain "judge --json $case: $(cat judged.json)"
  lost=$(grep -o '"unreachable_pairs":[0-9]*,"disconnected_pairs":[0-9]*' judged.json | tr -dc '0-9,' | awk -F, '{ print ($1 > $2) }')
  code=$([ "$want" = "$loop" ] || [ "$lost" = 1 ] && echo 1 || echo 0)
  [ $judged -eq "$code" ] || complain "judge $case: exit code $judged, not $code"
  [ "$(flag credit_loop <judged.json)" = "$([ "$want" = "$loop" ] && echo true || echo false)" ] || complain "judge --json $case: credit_loop"
  [ "$(flag credit_loop_without_bubble <judged.json)" = "$([ "$want" = "$none" ] && echo false || echo true)" ] ||
    complain "judge --json $case: credit_loop_without_bubble"
  "$RIPSTOP" what-if "$fabric" --method "$method" --set "$parts" >asked
  grep -qxF "  deadlock   $want" asked || complain "what-if $case: $(grep 'deadlock ' asked)"
  "$RIPSTOP" what-if "$fabric" --method "$method" --set "$parts" --json | tail -1 >asked
  [ "$(grep -o '"now":{.*' asked | sentence)" = "$want" ] || complain "what-if --json $case: $(grep -o '"now":{.*' asked)"
  "$RIPSTOP" route "$fabric" --method "$method" --set "$parts" >routed 2>error
  judged=$?
  if [ $tables = no ]; then
    [ $judged -eq 2 ] || complain "route $case: exit code $judged, not 2"
    return
  fi
  [ $judged -eq "$code" ] || complain "route $case: exit code $judged, not $code: $(cat error)"
  grep -qE "^  deadlock   $want(: 'ripstop judge' shows how)?\$" routed || complain "route $case: $(grep deadlock routed)"
  "$RIPSTOP" route "$fabric" --method "$method" --set "$parts" --json >routed
  [ "$(sentence <routed)" = "$want" ] || complain "route --json $case: $(cat routed)"
  [ "$(flag credit_loop <routed)" = "$(flag credit_loop <judged.json)" ] || complain "route --json $case: credit_loop"
}

# Bubble flow control: without faults, with losses, with a node that nothing reaches, and where no ring needs it.
agree "$drained" torus:5x5 dor:bubble=on
agree "$drained" torus:5x5 dor:bubble=on 0.0/0
agree "$drained" torus:5x5 dor:bubble=on '0.0/0 0.0/1 4.0/1 0.4/0'
agree "$drained" torus:5 dor:bubble=on
agree "$none" torus:5 dor:bubble=on 0/0
agree "$none" torus:3x3 dor:bubble=on
# The same rings with credits, with datelines on two virtual lanes, and on VLs by service levels (SL2VL).
agree "$loop" torus:5x5 dor
agree "$loop" torus:5x5 dor '0.0/0 0.1/0'
agree "$none" torus:5 dor 0/0
agree "$none" torus:5x5 dor:dateline=on
agree "$none" torus:5x5 dor:dateline=on 'switch:2.2 0.0/0'
agree "$none" torus:5x5 dor:dateline=on 0.0/1 # lost packets that took another VL than the method's, and closed a cycle
agree "$none" torus:4x4 dor:halfway=parity
agree "$none" torus:4x4 mend:lanes=2 '0.0/0 switch:1.1'
agree "$none" dragonfly:a=4,p=2,h=2 dragonfly-minimal
agree "$none" torus:4x4 mend
agree "$loop" torus:5x5 opensm-minhop '0.0/0 0.0/1'
agree "$none" kary-ntree:k=4,n=2 opensm-ftree 0/0/4
# One switch: no link between switches waits for another.
agree "$none" xgft:m=4,w=1 mend
agree "$none" xgft:m=4,w=1 minimal

# Tables that were written are judged for the switches that load them, which have no bubble flow control.
"$RIPSTOP" route torus:5x5 --method dor:bubble=on -o ring >out 2>error
[ $? -eq 2 ] && [ ! -e ring ] && grep -qF "$drained: the switches that load these tables have credits alone" error ||
  complain "route -o of bubble flow control: $(cat error)"
"$RIPSTOP" route torus:5x5 --method dor:bubble=on -o ring --anyway >out || complain "route --anyway: $(cat out)"
"$RIPSTOP" judge torus:5x5 --tables ring >judged
[ $? -eq 1 ] && grep -q "^  deadlock   $loop: 100 links in credit loops, one of 5: " judged || complain "judge --tables: $(cat judged)"
"$RIPSTOP" what-if torus:5x5 --tables ring | grep -qxF "  deadlock   $loop" || complain 'what-if --tables says something else'
"$RIPSTOP" prove torus:5x5 --method tables:lfts=ring/lfts.dump --set '' | head -1 | grep -qF "deadlock $loop" || complain 'prove says something else of the tables'
# Lossy ones, a switch without a table, on both VLs of a dateline and, without their service levels, on one.
"$RIPSTOP" route torus:5x5 --method dor:dateline=on -o line >out || complain "route of datelines: $(cat out)"
awk '/^Unicast lids/ { skip = index($0, "(\x273.3\x27)") > 0 } !skip' line/lfts.dump >lossy.dump
mv lossy.dump line/lfts.dump
lossy() {
  local want=$1 files=$2 method=$3
  "$RIPSTOP" judge torus:5x5 --tables $files >judged 2>error
  [ $? -eq 1 ] && grep -q 'of which [1-9][0-9]* are not reached' judged || complain "judge of lossy tables $files: $(cat judged)"
  grep -qE "^  deadlock   $want(:|\$)" judged || complain "judge of lossy tables $files: $(cat judged)"
  "$RIPSTOP" what-if torus:5x5 --tables $files 2>error | grep -qxF "  deadlock   $want" || complain "what-if of lossy tables $files"
  "$RIPSTOP" prove torus:5x5 --method "tables:$method" --set '' | head -1 | grep -q "^no faults: loses [1-9].*deadlock $want" ||
    complain "prove of lossy tables $files"
}
lossy "$none" line lfts=line/lfts.dump,sls=line/sl.dump,sl2vl=line/sl2vl.dump
lossy "$loop" line/lfts.dump lfts=line/lfts.dump
# Virtual channels that service levels cannot name: the method is proved, its repaired tables are judged on one.
agree 'no tables' "$none" kary-ntree:k=2,n=3 reprioritise
"$RIPSTOP" what-if kary-ntree:k=2,n=3 --method reprioritise |
  grep -qx '  loop       of repaired tables with credits or PFC, all packets on one virtual channel: service levels cannot name those of reprioritise' ||
  complain 'what-if does not say that repaired tables take one virtual channel'
# What-if says what its column "loop" assumes, where that is not what the tables assume now.
"$RIPSTOP" what-if torus:5x5 --method dor:bubble=on >asked
grep -qx '  loop       of repaired tables with credits or PFC: repaired entries have no bubble flow control' asked ||
  complain "what-if of bubble flow control: $(cat asked)"
grep -q 'as the tables have now on switches without bubble flow control$' asked || complain "what-if of bubble flow control: $(cat asked)"
"$RIPSTOP" methods dor:bubble=on --fabric torus:5x5 | grep -qx '  no deadlock  yes, with bubble flow control' || complain 'methods does not name bubble flow control'
"$RIPSTOP" methods dor:dateline=on --fabric torus:5x5 | grep -qx '  no deadlock  yes, with credits or PFC' || complain 'methods does not name credits'
"$RIPSTOP" prove torus:5x5 --method dor:bubble=on --all --count 1 | grep -qx 'deadlock is decided with bubble flow control' || complain 'prove --all does not name bubble flow control'

finish
