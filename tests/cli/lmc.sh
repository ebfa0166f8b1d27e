#!/bin/bash
# Several LIDs a port (LMC). tools/walk-lfts.py, which knows nothing of ripstop, walks the files that ripstop writes:
# every LID is reached, all of them together close no cycle, the worst link agrees with ripstop's, and routes differ.
# LIDs are those of a dump that has enough of them.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
command -v python3 >/dev/null || skip "python3 is missing"
walk() { "$RIPSTOP_SOURCE/tools/walk-lfts.py" "$@"; }
number() { tr -d ' \n' <"$1" | grep -o "\"$2\":[^,}]*" | cut -d: -f2; }

# agrees SPEC METHOD PAIRS ROUTES: the walker's numbers equal the summary's; read back they are the same.
agrees() {
  local spec=$1 method=$2 worst
  rm -rf tables
  "$RIPSTOP" fabric "$spec" --net >net
  "$RIPSTOP" route "$spec" --method "$method" -o tables --json >summary || complain "$spec by $method: exit code $?"
  worst=$(number summary worst_link_paths)
  walk net tables/lfts.dump tables/sl.dump tables/sl2vl.dump >walked || complain "$spec by $method: $(cat walked)"
  case $(cat walked) in
    "pairs $3 lost 0 worst $worst loop no ways "$4) ;; # a pattern
    *) complain "$spec by $method: walked: $(cat walked), meant: worst $worst, ways $4" ;;
  esac
  "$RIPSTOP" judge "$spec" --tables tables --json >verdict
  [ "$(number verdict worst_link_paths)" = "$worst" ] && [ "$(number verdict credit_loop)" = false ] ||
    complain "$spec by $method: judged $(cat verdict)"
}
agrees kary-ntree:k=4,n=2 mend:lmc=2,lanes=1 960 3.400 # 4 routes to 12 of 15 others, 1 to those beside it
agrees torus:4x4 mend:lmc=1,lanes=2 480 '1.[67]*'
agrees torus:4x3 mend:lmc=1,lanes=2,sl=pair 264 '1.[67]*'
agrees mport-ntree:m=4,n=3 mend:lmc=1 480 1.933 # all but the one beside it

# one line less, and a pair is lost; minimal routes of a torus on one VL close a cycle
awk '/^0x0003 / && !gone++ { next } { print }' tables/lfts.dump >less
walk net less tables/sl.dump tables/sl2vl.dump >walked && complain "nothing is lost: $(cat walked)"
"$RIPSTOP" fabric torus:6 --net >net
"$RIPSTOP" route torus:6 --method opensm-minhop -o circle --anyway >/dev/null || true
walk net circle/lfts.dump >walked && complain "no circle: $(cat walked)"
grep -q 'lost 0 .* loop yes' walked || complain "another circle: $(cat walked)"

# a dump with four LIDs for each adapter, one for each switch: these are used, also by tables that need only one
perl -pe 's/# lid (\d+) lmc 0 "/sprintf "# lid %d lmc 2 \"", 4 * $1/e; s/base port 0 lid (\d+)|port 0 lid (\d+)/sprintf "port 0 lid %d", 4 * ($1 \/\/ $2)/e;
  s/" lid (\d+) 4x/sprintf "\" lid %d 4x", 4 * $1/e' net >several.net
for lmc in 0 1 2; do
  rm -rf several
  "$RIPSTOP" route several.net --method mend:lanes=2,lmc=$lmc -o several --json >summary 2>error || complain "lmc=$lmc: exit code $?"
  told=$(grep -c "end nodes have up to 4 LIDs (LMC), the tables have entries for $((1 << lmc)): paths are .* mend:lmc=2 has entries for all$" error || true)
  [ "$told" -eq $((lmc < 2)) ] || complain "lmc=$lmc: LIDs without entries of their own are reported $told times: $(cat error)"
  walk several.net several/lfts.dump several/sl.dump several/sl2vl.dump >walked || complain "lmc=$lmc: $(cat walked)"
  grep -q '^pairs 120 lost 0 ' walked || complain "lmc=$lmc: not 4 LIDs each: $(cat walked)"
  grep -q '^0x0007 .*portguid 0x0002c90300000001:' several/lfts.dump || complain "lmc=$lmc: 7 is not the first adapter's: $(head -5 several/lfts.dump)"
done
"$RIPSTOP" judge several.net --tables several --json >verdict
[ "$(number verdict worst_link_paths)" = "$(number summary worst_link_paths)" ] || complain "read otherwise: $(cat verdict)"
"$RIPSTOP" fabric several.net --net | grep -q '# lid 4 lmc 2 ' || complain "the net file forgets LMC"

# repaired, with as many LIDs only; or of one, which the files have for each LID
"$RIPSTOP" route several.net --method mend:lanes=2 -o alike >/dev/null || complain "mend:lanes=2: exit code $?"
"$RIPSTOP" route several.net --method mend:lanes=2 --after alike --dry-run >repaired || complain "not repaired: exit code $?"
grep -q 'from the old tables' repaired && grep -q 'change     0 of ' repaired || complain "not repaired: $(cat repaired)"
"$RIPSTOP" route several.net --method mend:lanes=2,lmc=2 --after several --dry-run | grep -q 'from the old tables' || complain "not repaired"
"$RIPSTOP" route several.net --method mend:lanes=2,lmc=1 --after several --dry-run | grep -q 'made       from scratch' || complain "not anew"

"$RIPSTOP" simulate torus:4x4 --method mend:lmc=2,lanes=2 --load .2 --faults 2 --set measure.cycles=2000 --json >run || complain "not simulated"
grep -q '"lost":0,' run || complain "lost: $(head -c 400 run)"
"$RIPSTOP" prove torus:3x3 --method mend:lmc=1,lanes=2 --count 1 --all | grep -q 'all sets  *18  *18  *1  *18  *0' || complain "not proved"
refused "lmc goes with ways=tables" route torus:4x4 --method mend:adaptive,lmc=1
refused "2000 end nodes with 32 LIDs each are more than the 49151 that there are" route torus:50x40 --method mend:lmc=5
finish
