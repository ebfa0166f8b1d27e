#!/bin/bash
# ripstop protocol: the trace word by word, the same run by the same seed, states as JSON, pictures, and one-line errors
# with exit code 2; docs/protocol.md prints what it shows.
. "$RIPSTOP_SOURCE/tests/cli/libdocs.sh"
tree=mport-ntree:m=4,n=2
method=link-fault-messages:delay=10

# ---------------------------------------------------------------- a link that is slow has not failed
ripstop protocol torus:4x4 --method immunet --events '0.0/0~0.5@10' >got || complain "a slow link"
grep -qF '0.0/0 slows down at cycle 10: 0 messages' got || complain "a slow link: $(cat got)"

# ---------------------------------------------------------------- the trace: one fault, reported and withdrawn
ripstop protocol $tree --method $method --events "0/2/3@5 0/2/3+@50" --trace >trace || complain "no trace"
grep -v 'has new candidates' trace | sed 's/; .*//' >got
diff - got <<'END' || complain "another trace"
   cycle   arrives  from > to  message
       5            0/2/3 fails
       5        15  1/1 > 0/0  ULFM 0/2/3
       5        15  1/1 > 0/1  ULFM 0/2/3
       5        15  1/1 > 0/3  ULFM 0/2/3
      50            0/2/3 returns
      50        60  1/1 > 0/0  withdraw ULFM 0/2/3
      50        60  1/1 > 0/1  withdraw ULFM 0/2/3
      50        60  1/1 > 0/3  withdraw ULFM 0/2/3
0/2/3 fails at cycle 5: 3 messages, the last arrives after 10 cycles
0/2/3 returns at cycle 50: 3 messages, the last arrives after 10 cycles
in all 6 messages, quiet after cycle 60
END

# A schedule's file says the same; so does a delay that is the protocol's own.
printf '0/2/3@5 # fails\n0/2/3+@50\n' >schedule
ripstop protocol $tree --method $method --schedule schedule --trace | diff trace - || complain "--schedule"
ripstop protocol $tree --method link-fault-messages:delay=3 --delay 10 --events "0/2/3@5 0/2/3+@50" --trace |
  diff trace - || complain "--delay"

# Messages die with their link, get lost, come late, and the limit ends it.
ripstop protocol $tree --method $method --events "0/2/3@5 0/0/3@9" --trace >died
grep -q '^       9      lost  1/1 > 0/0  with the link: ULFM 0/2/3$' died || complain "died: $(cat died)"
grep -q '^0/2/3 fails .* 1 of them lost' died || complain "died: $(cat died)"
ripstop protocol $tree --method $method --events "0/2/3@5" --loss 1 | grep -q '3 messages, 3 of them lost' ||
  complain "--loss"
ripstop protocol torus:3x3 --method immunet --events 0.0/0@5 --loss 0.1 | grep -q 'with --loss it is not checked' ||
  complain "--loss, where the protocol's promises are checked"
ripstop protocol $tree --method $method --events "0/2/3@5" --limit 15 | grep -q 'not quiet before cycle 15' ||
  complain "--limit"
ripstop protocol $tree --method $method --events "0/2/3@5" --limit 16 | grep -q 'quiet after cycle 15' ||
  complain "--limit"

# Control packets that wait for a router's one table module, 10 cycles each. Safe-table packets of a, b and c come to r in
# cycle 2203 and find it idle, distances in 2206; all wait by port, by age, or the newest first.
printf 'r a\nr b\nr c\nr d\n@router r\n' >star.edges
for order in arrival port newest; do
  ripstop protocol star.edges --method immunet:drain_cycles=0,control_handling=10,order=$order --events switch:d@0 \
    --trace | sed -nE "s/^ *([0-9]*) .* r > ([abc])  distance 10 (.) is 1 away/$order \1 \2 \3/p"
done >got
diff - got <<'END' || complain "the table module"
arrival 2233 b a
arrival 2233 c a
arrival 2243 a b
arrival 2243 c b
arrival 2253 a c
arrival 2253 b c
port 2213 b a
port 2213 c a
port 2233 a b
port 2233 c b
port 2253 a c
port 2253 b c
newest 2213 a c
newest 2213 b c
newest 2223 a b
newest 2223 c b
newest 2233 b a
newest 2233 c a
END

# Missing parts of the trace are reported.
ripstop protocol $tree --method $method >got
diff - got <<'END' || complain "no schedule"
nothing fails or returns: --events or --schedule says what shall
in all 0 messages, quiet after cycle 0; 0 of 6 switches had new candidates
END
ripstop protocol $tree --method $method --events "0/2/3@5 0/2/3+@50 0/2/3@60" --limit 20 |
  grep -qx '2 changes are not reached, the next at cycle 50: --limit is 20' || complain "changes beyond the limit"

# Messages of probes count for the change that they detect, in words and in the picture.
ripstop protocol mport-ntree:m=4,n=3 --method link-fault-messages:probe=1000 --events 0/2.1/3@5 --limit 5000 \
  --svg probed.svg >probed
grep -qx '0/2.1/3 fails at cycle 5: 15 messages, the last arrives after 1225 cycles; 9 switches have new candidates, the last after 1225 cycles' \
  probed || complain "probed: $(cat probed)"
[ "$(grep -c '<title>' probed.svg)" -eq 15 ] || complain "the picture has not one arrow for each of 15 messages"

# The seed decides, and nothing else.
late() { ripstop protocol mport-ntree:m=4,n=3 --method $method --events "0/2.1/3@5" --spread 30 --trace "$@"; }
late --seed 3 >one
late --seed 3 >again
late --seed 4 >other
cmp -s one again || complain "the same seed, another run"
cmp -s one other && complain "the seed does not matter"

# ---------------------------------------------------------------- JSON, and the picture
ripstop protocol $tree --method $method --events "0/2/3@5" --json >states || complain "no states"
for want in '"quiet":true' '"cycle":15' '"part":"0/2/3","up":false,"cycle":5,"messages":3,"lost":0' \
  '{"name":"0/0","state":{"table":{"0/2":"10"},"ports":{}}}'; do
  grep -qF "$want" states || complain "no $want in $(cat states)"
done
ripstop protocol $tree --method $method --events "switch:1/1@5" --json | grep -qF '{"name":"1/1","state":null}' ||
  complain "a dead switch has a state"
ripstop protocol mport-ntree:m=4,n=3 --method link-fault-messages --events 0/2.1/3@0 --svg one.svg >/dev/null
[ "$(grep -c '<title>' one.svg)" -eq 15 ] || complain "the picture has not one arrow for each of 15 messages"
cmp -s one.svg "$RIPSTOP_SOURCE/docs/images/lfm-one-fault.svg" ||
  complain "docs/images/lfm-one-fault.svg is not what ripstop protocol --svg draws of this fault: copy it there"
ripstop protocol $tree --method $method --events 0/2/3@0 --svg nowhere/one.svg >/dev/null 2>error
[ $? -eq 2 ] && grep -q 'nowhere/one.svg: No such file' error || complain "an unwritable picture: $(cat error)"

# ---------------------------------------------------------------- promises that are not kept
# As printed immunet's ring can be broken by one link: every command says which routers, from which link, with exit code 1.
printed="--method immunet:protocol=printed" ring="the ring of root 3.4, which called the emergency when 3.3/0 failed, is broken: "
broken() { # COMMAND...: says so
  ripstop "$@" >got 2>error
  [ $? -eq 1 ] && grep -qF "$ring" error && grep -qE 'it passes [0-9]+ of 64 routers, not ([0-9.]+, ){3}[0-9.]+ and [0-9]+ more$' error ||
    complain "$*: $(cat error)"
}
broken protocol torus:8x8 $printed --events 3.3/0@5
grep -q '^3.3/0 fails at cycle 5: ' got || complain "no summary of a broken ring: $(cat got)"
broken protocol torus:8x8 $printed --events 3.3/0@5 --json
grep -q '"name":"3.4"' got || complain "no states of a broken ring"
broken simulate torus:8x8 $printed --load 0.1 --faults 3.3/0@100 --set measure.warmup=0 --set measure.cycles=20000
broken simulate torus:8x8 $printed --load 0.1 --faults 3.3/0 --set measure.cycles=2000
for flags in '' --json --entries --ports; do
  broken route torus:8x8 $printed --set 3.3/0 $flags
  [ ! -s got ] || complain "tables over a broken ring: $(head -3 got)"
done
ripstop route torus:8x8 $printed --set 0.0/0 --entries >got || complain "a ring that is whole: $(cat got)"
ripstop protocol torus:8x8 $printed --events 0.0/0@5 >got || complain "a ring that is whole: $(cat got)"
grep -q 'root 0.1: ring of 126 hops' got || complain "a ring that is whole: $(cat got)"

# ---------------------------------------------------------------- refusals
refused "method updown has no protocol: its switches exchange no messages" protocol $tree --method updown
refused "method 'link-fault-mesages' is unknown; did you mean 'link-fault-messages'?" protocol $tree --method link-fault-mesages
refused "--method is missing" protocol $tree
refused "did you mean" protocol $tree --method $method --events 0/2/4@5
refused "has no @CYCLE" protocol $tree --method $method --events 0/2/3
refused "no-such: No such file" protocol $tree --method $method --schedule no-such
refused "'0/2/3' is repaired at cycle 5 while it is up" protocol $tree --method $method --events 0/2/3+@5
refused "--schedule and --events exclude each other" protocol $tree --method $method --schedule x --events 0/2/3@5
refused "--trace and --json exclude each other" protocol $tree --method $method --trace --json
refused "--reorder needs --spread" protocol $tree --method $method --reorder
refused "--svg draws how an update spreads" protocol $tree --method $method --svg one.svg
refused "the first change, at cycle 30, which --limit 20 leaves out" protocol $tree --method $method --events 0/2/3@30 \
  --limit 20 --svg one.svg
refused "--loss must lie between 0 and 1" protocol $tree --method $method --loss 1.5
refused "--delay must be at least 1" protocol $tree --method $method --delay 0
refused "protocol: --spread" protocol $tree --method $method --spread -3
refused "protocol: --seed" protocol $tree --method $method --seed x
refused "unknown flag '--evnts'; did you mean '--events'?" protocol $tree --method $method --evnts 0/2/3@5
refused "an argument is missing" protocol --method $method

run_page docs/protocol.md
[ "$blocks_run" -eq 4 ] || complain "docs/protocol.md has $blocks_run commands"
finish
