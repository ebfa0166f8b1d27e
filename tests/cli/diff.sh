#!/bin/bash
# ripstop diff: a dump against the same dump with one thing changed after another, in all three forms, with exit codes.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

old="$RIPSTOP_SOURCE/tests/data/ib/clos-regular.ibnetdiscover"
lf0=S-00aa000000000100 sp0=S-00aa000000000200 sp1=S-00aa000000000201 host=H-00bb000000000003

# drop ID PORT: takes the line of a port out of new.txt.
drop() {
  awk -v id="\"$1\"" -v port="[$2]" '/^(Switch|Ca)/ { here = index($0, id) > 0 } !(here && index($0, port) == 1)' new.txt >less && mv less new.txt
}
# swap ID PORT TEXT: puts another line in its place.
swap() {
  awk -v id="\"$1\"" -v port="[$2]" -v text="$3" '/^(Switch|Ca)/ { here = index($0, id) > 0 }
    here && index($0, port) == 1 { print text; next } { print }' new.txt >less && mv less new.txt
}

# changed TEXT: from old to new exactly this, and the other way round something too.
changed() {
  says 1 "$1" diff "$old" new.txt
  "$RIPSTOP" diff new.txt "$old" >/dev/null
  [ $? -eq 1 ] || complain "nothing changed the other way round"
}

says 0 "0 died, 0 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed" diff "$old" "$old"

cp "$old" new.txt; drop $lf0 17; drop $sp0 1
changed "died        cable   $lf0[17]-$sp0[1]  'MF0;lf0:MQM8700/U1' - 'MF0;sp0:MQM8700/U1'
1 died, 0 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed"
says 1 "came back   cable   $lf0[17]-$sp0[1]  'MF0;lf0:MQM8700/U1' - 'MF0;sp0:MQM8700/U1'
0 died, 0 moved, 0 slowed, 1 came back, 0 faster, 0 renamed, 0 LID changed" diff new.txt "$old"
says 1 '{"same":false,"died":[{"kind":"cable","name":"S-00aa000000000100[17]-S-00aa000000000200[1]","description":"MF0;lf0:MQM8700/U1","far_description":"MF0;sp0:MQM8700/U1"}],"moved":[],"slowed":[],"came_back":[],"faster":[],"renamed":[],"lid_changed":[]}' \
  diff --json "$old" new.txt

# Only one side of the cable lists it: it is no cable any more.
cp "$old" new.txt; drop $sp0 1
"$RIPSTOP" diff "$old" new.txt >out 2>error
[ $? -eq 1 ] || complain "half a link: exit code"
grep -qF "died        cable   $lf0[17]-$sp0[1]  " out && grep -qx '1 died, 0 moved, .*' out || complain "half a link: $(cat out error)"

# Both ends are where they were, but for one that is at another spine.
cp "$old" new.txt; drop $sp0 1
swap $lf0 17 "[17]	\"$sp1\"[30] # \"MF0;sp1:MQM8700/U1\" lid 2 4xHDR"
swap $sp1 1 "[30]	\"$lf0\"[17] # \"MF0;lf0:MQM8700/U1\" lid 9 4xHDR
$(grep -A20 "^Switch.*$sp1" "$old" | grep '^\[1\]')"
changed "moved       cable   $lf0[17]-$sp0[1]  'MF0;lf0:MQM8700/U1' - 'MF0;sp0:MQM8700/U1'  $lf0[17]-$sp0[1] -> $lf0[17]-$sp1[30]
0 died, 1 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed"

cp "$old" new.txt; swap $lf0 17 "[17]	\"$sp0\"[1] # \"MF0;sp0:MQM8700/U1\" lid 1 1xHDR"
changed "slowed      cable   $lf0[17]-$sp0[1]  'MF0;lf0:MQM8700/U1' - 'MF0;sp0:MQM8700/U1'  4xHDR -> 1xHDR
0 died, 0 moved, 1 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed"

# A host that is gone takes its cable with it, which is not reported again.
awk -v id="\"$host\"" '/^vendid/ { held = $0; next } { block = held == "" ? $0 : held "\n" $0 }
  { held = "" } { print block }' "$old" | awk -v id="\"$host\"" '/^Ca/ { gone = index($0, id) > 0 } /^$/ { gone = 0 }
  !gone && !(index($0, id) > 0)' >new.txt
changed "died        adapter $host  'node00 mlx5_3'  with 1 cables
1 died, 0 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed"

# With redacted ids every host behind it has another number now: descriptions identify the right one.
redact() { sed 's/H-00bb[0-9a-f]*/H-00bb000000xxxxxx/g' "$1"; }
redact "$old" >redacted.txt; redact new.txt >redacted-new.txt
says 1 "died        adapter H-00bb000000xxxxxx.4  'node00 mlx5_3'  with 1 cables
1 died, 0 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed" diff redacted.txt redacted-new.txt
says 1 "came back   adapter H-00bb000000xxxxxx.4  'node00 mlx5_3'  with 1 cables
0 died, 0 moved, 0 slowed, 1 came back, 0 faster, 0 renamed, 0 LID changed" diff redacted-new.txt redacted.txt
says 0 "0 died, 0 moved, 0 slowed, 0 came back, 0 faster, 0 renamed, 0 LID changed" diff "$old" redacted.txt

sed "s/\(Switch.*\"$sp0\".*\)sp0\(.*\) lid 1 /\1spine0\2 lid 700 /" "$old" >new.txt
changed "renamed     switch  $sp0  'MF0;sp0:MQM8700/U1'  MF0;sp0:MQM8700/U1 -> MF0;spine0:MQM8700/U1
LID changed switch  $sp0  'MF0;sp0:MQM8700/U1'  1 -> 700
0 died, 0 moved, 0 slowed, 0 came back, 0 faster, 1 renamed, 1 LID changed"

# Prometheus: every line is a comment or a metric with a number.
cp "$old" new.txt; drop $lf0 17; drop $sp0 1
"$RIPSTOP" diff --prometheus "$old" new.txt >metrics
[ $? -eq 1 ] || complain "the exit code with --prometheus is not 1"
grep -vqE '^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9]+)$' metrics && complain "no Prometheus: $(cat metrics)"
for line in 'ripstop_fabric_cables 271' 'ripstop_fabric_switches 16' 'ripstop_fabric_changes{change="died"} 1' \
  "ripstop_fabric_change{change=\"died\",kind=\"cable\",name=\"$lf0[17]-$sp0[1]\",description=\"MF0;lf0:MQM8700/U1\"} 1"; do
  grep -qxF -- "$line" metrics || complain "no line $line"
done

cut=$RIPSTOP_SOURCE/tests/data/ib/small-truncated-clean-end.ibnetdiscover
"$RIPSTOP" diff "$cut" "$cut" 2>&1 >out | grep -qF "13 half links" || complain "a dump that is cut off is compared without a word"

refused "exclude each other" diff --json --prometheus "$old" "$old"
refused "is no dump of an InfiniBand fabric" diff "$old" torus:4x4
refused "nowhere.txt" diff nowhere.txt "$old"
finish
