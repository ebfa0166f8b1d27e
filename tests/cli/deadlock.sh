#!/bin/bash
# A picture shows a deadlock of a run or a proof: a cycle of queues, each of which begins where the one before ends,
# and the failed link.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# The argument is a FILE: its lines "from > to, channel C: packet a > b" close a cycle.
circle() {
  awk -F'[ ,]' '{ from[NR] = $1; to[NR] = $3 } END {
    for (i = 1; i <= NR; i++) if (to[i] != from[i % NR + 1]) { print "line " i " ends at " to[i] ", the next begins at " from[i % NR + 1]; bad = 1 }
    exit bad || NR < 4 }' "$1" || complain "$1 is no circle: $(cat "$1")"
}

cat >dead.yaml <<'END'
fabric: torus:6x6
method: opensm-minhop
switch: {preset: plain}
faults: {schedule: "2.5/0@50"}
traffic: {load: 0.9}
measure: {warmup: 0, cycles: 8000}
figures: [{id: a, x: method, y: accepted}]
END
"$RIPSTOP" run dead.yaml >out.txt 2>&1
grep -q '1 deadlocked' out.txt || complain "no deadlock: $(cat out.txt)"
"$RIPSTOP" report dead.yaml >/dev/null || complain "no page"
sed -n '/<ol>/,/<\/ol>/s/^<li>\(.*\)<\/li>$/\1/p' out/dead.html | sed 's/&gt;/>/g' >list
circle list
[ "$(wc -l <list)" -eq "$(grep -o ' holds ' <<<"$(sed -n '/<pre class="wrap">/,/<\/pre>/p' out/dead.html)" | wc -l)" ] || complain "the list is not the witness"
sed -n '/<h2>A deadlock/,/<\/figure>/p' out/dead.html >figure
grep -q "<title>dead: 2.5/0</title>" figure || complain "the failed link is not drawn"
grep -c "stroke='#c1121f'" figure | grep -qx "$(wc -l <list)" || complain "not every queue is an arrow"
sed -nE "s/.*font-size='14'.*>([0-9]+)<\/text>/\1/p" figure | sort -n | diff - <(seq "$(wc -l <list)") || complain "numbers of the circle"

# ---------------------------------------------------------------- every curve says why
cat >why.yaml <<'END'
fabric: torus:4x4
method: [updown, minimal, misroute]
faults: {count: [0, 1], samples: 2}
traffic: {load: 0.1}
measure: {warmup: 0, cycles: 500}
figures: [{id: a, x: faults.count, y: accepted, by: method}, {id: b, x: method, y: accepted}]
END
"$RIPSTOP" run why.yaml >/dev/null 2>&1
"$RIPSTOP" report why.yaml >/dev/null || complain "no page"
sed -n '/<summary>what they say/,/<\/details>/s/^<tr><th scope="row">\(.*\)<\/td><\/tr>$/\1/p' out/why.html | sed 's/<[^>]*>/|/g; s/||*/|/g' >said
for at in '|does-not-apply|4' ', faults 0|does-not-apply|2' ', faults 1|does-not-apply|2'; do
  for m in updown misroute; do echo "$m$at|$m is for fat trees, not for torus:4x4"; done
done | sort >wanted
sort said | diff wanted - || complain "what the runs of each curve say"

# ---------------------------------------------------------------- a proof's
"$RIPSTOP" prove torus:6x6 --method opensm-minhop --witness cert >/dev/null
"$RIPSTOP" check-witness cert --svg proof.svg >said || complain "check-witness --svg: $(cat said)"
grep "stroke='#c1121f'" proof.svg | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | sed 's/&gt;/>/g' >list
circle list
queues=$(sed -nE 's/.*deadlock of ([0-9]+) queues.*/\1/p' said)
[ "$(grep -c "stroke='#e59aa0'" proof.svg)" = "$queues" ] || complain "not all $queues queues are drawn"
"$RIPSTOP" prove kary-ntree:k=2,n=2 --method updown --witness free >/dev/null
refused "free: there is no deadlock in it to draw" check-witness free --svg x.svg
[ ! -e x.svg ] || complain "a file without a deadlock"

# ---------------------------------------------------------------- fabrics stand where they belong
"$RIPSTOP" fabric kns:k=4,n=2 --svg >kns.svg
[ "$(grep -oE "<rect x='[0-9.]+'" kns.svg | sort -u | wc -l)" = 5 ] || complain "a KNS has not its columns and one of lines"
[ "$(grep -c 'Q' kns.svg)" -gt 8 ] || complain "cables over others are not bowed"
"$RIPSTOP" fabric mesh:3x3 --svg >mesh.svg
grep -q 'Q' mesh.svg && complain "a mesh has cables that go round"
finish
