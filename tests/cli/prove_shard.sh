#!/bin/bash
# ripstop prove --shard and --merge: what parts print together is what one process prints, byte for byte; refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# together PARTS ARGUMENTS...: in one process, and in parts that are merged in the wrong order.
together() {
  local parts=$1 part files=()
  shift
  "$RIPSTOP" prove "$@" >one 2>error || complain "prove $*: $(cat error)"
  for part in $(seq "$parts" -1 1); do
    "$RIPSTOP" prove "$@" --shard "$part/$parts" >"part-$part" 2>error || complain "prove $* --shard $part/$parts: $(cat error)"
    files+=("part-$part")
  done
  "$RIPSTOP" prove "$1" "${files[@]}" "${@:2}" --merge >merged 2>error || complain "prove $* --merge: $(cat error)"
  [ -s one ] && cmp -s one merged || complain "prove $* in $parts parts: $(diff one merged | head -5)"
}

tree=kary-ntree:k=2,n=3
together 5 $tree --method misroute --count 3 --all
together 3 $tree --method misroute --count 3 --all --no-symmetry --paths --json
together 4 torus:4x4 --method minimal-adaptive --count 2 --samples 150 --paths
together 2 torus:4x4 --method minimal-adaptive --count 2 --samples 30 --scope switches --json
together 7 $tree --method link-fault-messages --count 2 --samples 10 --tolerance
printf '0/0.0/2\n\n0/0.0/2 0/0.0/3\n0/0.1/2\n' >sets
together 2 $tree --method misroute --faults sets
together 6 $tree --method misroute --faults sets --json
together 1 $tree --method misroute --set 0/0.0/2
grep -q 'The first connected set that loses' one && complain "the last example has no lost packets"

# Certificates are written by the parts, under the names of one process.
"$RIPSTOP" prove $tree --method misroute --count 1 --all --no-symmetry --witness whole >/dev/null || complain "--witness"
for part in 1 2 3; do
  "$RIPSTOP" prove $tree --method misroute --count 1 --all --no-symmetry --witness parts --shard $part/3 >/dev/null || complain "--witness"
done
diff -r whole parts >difference || complain "parts write other certificates: $(head -3 difference)"

# ---------------------------------------------------------------- refusals
ask="$tree --method misroute --count 2 --all"
for part in 1 2 3; do "$RIPSTOP" prove $ask --shard $part/3 >p$part || complain "part $part"; done
"$RIPSTOP" prove $ask --shard 1/2 >half
refused "part 2 of 3 is missing" prove $ask --merge p1 p3
refused "p1 is part 1, and so is p1" prove $ask --merge p1 p1
refused "half is one of 2 parts, the first one of 3" prove $ask --merge p2 half
refused "p1 is a part of another question: ripstop" prove $tree --method misroute --count 1 --all --merge p1
refused "sets is no part that 'ripstop prove --shard' printed" prove $ask --merge p1 sets
head -c -20 p2 >cut
refused "cut is damaged or cut off" prove $ask --merge p1 cut p3
cat p2 p2 >long
refused "long has more after its digest" prove $ask --merge p1 long p3
refused "prove: --merge needs the files of all parts behind the fabric" prove $ask --merge
refused "prove: one argument too many, 'p1'; files of parts go with --merge" prove $ask p1
refused "prove: --shard must be PART/PARTS, as 2/5" prove $ask --shard 4/3
for w in "--width 0.1" ""; do
  refused "prove: --shard needs all sets of a known number: --all, --samples, --faults or --set" \
    prove $tree --method misroute --count 2 $w --shard 1/2
done
refused "prove: --merge and --shard exclude each other" prove $ask --merge --shard 1/2
# ---------------------------------------------------------------- damaged parts
for edit in 's/"sums":\[[0-9]*/"sums":[-1/' 's/"sums":\[[0-9]*/"sums":[1e9/' 's/"sums":\[[0-9]*/"sums":["7"/' 's/"part":2/"part":"2"/' \
  's/"parts":3/"parts":4294967295/' 's/"parts":3/"parts":3.0/' 's/"part":2/"part":-2/' 's/"part":2/"part":0/' 's/"counted":false/"counted":0/' \
  's/"maxima":\[0/"maxima":[4294967296/' 's/"sums":\[/"sums":[1,/' 's/"digest":"./"digest":"x/' 's/"digest"/"digets"/' \
  '$d' 's/,"parts"/,"parts":3,"parts"/'; do
  sed "$edit" p2 >damaged
  cmp -s p2 damaged && complain "$edit changes nothing"
  within 4000000 "$RIPSTOP" prove $ask --merge p1 damaged p3 >said 2>error
  [ $? -eq 2 ] && [ ! -s said ] && grep -qE 'damaged is (damaged|no part)' error || complain "$edit: $(cat said error)"
done
for byte in $(seq 1 3 "$(wc -c <p2)"); do
  { head -c $((byte - 1)) p2; printf '~'; tail -c +$((byte + 1)) p2; } >damaged
  "$RIPSTOP" prove $ask --merge p1 damaged p3 >said 2>error && complain "byte $byte is believed: $(cat said)"
  [ ! -s said ] || complain "byte $byte: $(cat said)"
done
"$RIPSTOP" prove $ask --merge p1 p2 p3 >said || complain "good parts are refused"
finish
