#!/bin/bash
# The store: a flipped bit changes no table; what stores are checked for, merged and exported.
# Slow: many stores.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=4,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 4}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 0, cycles: 200, window: 50}
figures: [{id: accepted, x: faults.count, y: accepted, by: method}]
END
"$RIPSTOP" run x.yaml --workers 1 --store good.db >table 2>progress || complain "run: $(cat progress)"
"$RIPSTOP" report x.yaml --store good.db -o good.html --csv csv >/dev/null || complain "there is no page"
sed 's/good\.\(db\|html\)/x.\1/g; s/ --csv csv//' good.html >page
cp csv/runs.csv rows

# flip FILE BYTE BIT
flip() {
  local value
  value=$(od -An -tu1 -j "$2" -N1 "$1")
  printf "\\$(printf %03o $((value ^ (1 << $3))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# ---------------------------------------------------------------- single bits
# Either the file is refused, with the reason, or its rows are those that were stored, or the runs are done again. The page
# of what is stored is the right one, or there is none.
size=$(stat -c %s good.db)
refused=0 doubted=0 harmless=0
for ((i = 0; i < 60; i++)); do
  cp good.db x.db
  flip x.db $(((i * size / 60 + i * 977) % size)) $((i % 8))
  "$RIPSTOP" report x.yaml --store x.db -o x.html >/dev/null 2>said
  shown=$?
  [ $shown -ne 0 ] || cmp -s x.html page || complain "flip $i: another page"
  [ $shown -eq 0 ] || [ "$(grep -cE 'x\.db (is damaged|is not a|has version)|x\.db: .* do not agree with their digests' said)" -eq 1 ] ||
    complain "flip $i: $(cat said)"
  "$RIPSTOP" run x.yaml --store x.db >again 2>said
  case $? in
    0) cmp -s table again || complain "flip $i: another table" ;;
    *) [ ! -s again ] && [ $shown -ne 0 ] || complain "flip $i: $(cat said)" ;;
  esac
  if grep -q 'do not agree' said; then
    doubted=$((doubted + 1))
    "$RIPSTOP" report x.yaml --store x.db -o x.html --csv csv >/dev/null 2>said || complain "flip $i: not mended: $(cat said)"
    cmp -s csv/runs.csv rows || complain "flip $i: other rows when mended"
  elif [ $shown -eq 0 ]; then
    harmless=$((harmless + 1))
  else
    refused=$((refused + 1))
  fi
done
[ $doubted -gt 5 ] && [ $refused -gt 5 ] && [ $harmless -gt 5 ] ||
  complain "of 60 flips $refused were refused, $doubted doubted, $harmless harmless"

# ---------------------------------------------------------------- reported once, by file and run
cp good.db x.db
needs sqlite3
sqlite3 x.db "UPDATE numbers SET value = value + 1 WHERE run IN (3, 5) AND position = 2"
first=$(sqlite3 x.db "SELECT id FROM runs WHERE run = 3")
refused "ripstop: store x.db: 2 of 24 runs do not agree with their digests, first $first; 'ripstop run x.yaml' does them again" \
  report x.yaml --store x.db -o x.html
[ "$(sqlite3 x.db 'SELECT run FROM runs WHERE run = 3')" = 3 ] || complain "a report has changed the store"
refused "2 of 24 runs do not agree" claims x.yaml --store x.db
"$RIPSTOP" run x.yaml --store x.db >again 2>progress || complain "again: $(cat progress)"
grep -qF "ripstop: note: store x.db: 2 of 24 runs do not agree with their digests, first $first; they are done again" progress ||
  complain "not told: $(cat progress)"
grep -qF '24 runs, 22 of them in x.db already' progress || complain "not done again: $(cat progress)"
cmp -s table again || complain "another table: $(diff table again)"

# ---------------------------------------------------------------- check
"$RIPSTOP" store check good.db >said || complain "a good store is not good: $(cat said)"
[ "$(head -1 said)" = "good.db: 24 runs, $(sqlite3 good.db 'SELECT count(*) FROM numbers') numbers, 96 windows" ] && [ "$(tail -1 said)" = good ] ||
  complain "check: $(cat said)"
[ "$(awk '/^  [0-9]* [a-z-]*$/ { sum += $1 } END { print sum }' said)" = 24 ] || complain "verdicts: $(cat said)"
bad() { # bad SQL MESSAGE: a store that was changed so is not good.
  cp good.db x.db
  sqlite3 x.db "$1"
  "$RIPSTOP" store check x.db >said 2>&1
  [ $? -eq 1 ] && grep -qF "$2" said && [ "$(tail -1 said)" = "not good" ] || complain "check after $1: $(cat said)"
  "$RIPSTOP" store check x.db --json | grep -q '"good": false' || complain "check --json after $1"
}
bad "UPDATE runs SET verdict = 'proved' WHERE run IN (3, 4)" "2 do not agree with their digests, first $(sqlite3 good.db 'SELECT min(id) FROM runs WHERE run IN (3, 4)')"
bad "UPDATE runs SET id = iif(id LIKE 'f%', '0', 'f') || substr(id, 2) WHERE run = 3" "1 do not agree with their digests"
bad "DELETE FROM runs WHERE run = 3" "$(sqlite3 good.db 'SELECT (SELECT count(*) FROM numbers WHERE run = 3) + (SELECT count(*) FROM windows WHERE run = 3)') rows belong to nothing"
bad "INSERT INTO leases VALUES ('x', 7)" "1 rows belong to nothing"
# A run that a process claimed before it ended is no fault, and free again.
cp good.db x.db
sqlite3 x.db "INSERT INTO owners (owner, host, machine, process, born, until) VALUES (7, 'h', 'm', 1, 1, 1);
  INSERT INTO leases VALUES ('x', 7), ('y', 7)"
"$RIPSTOP" store check x.db >said || complain "claims of the dead: $(cat said)"
grep -qx "2 claimed by processes that are gone, which is no fault: 'ripstop run' does them" said || complain "claims of the dead: $(cat said)"
grep -q 'do them now' said && complain "the dead do runs: $(cat said)"
"$RIPSTOP" store check x.db --json >said || complain "check --json: $(cat said)"
grep -q '"left": 2' said && grep -q '"claimed": 0' said && grep -q '"owners": 0' said || complain "check --json: $(cat said)"
cp good.db x.db
flip x.db $((size / 4096 / 2 * 4096 + 1)) 3 # a page's pointer to its rows
refused "x.db is damaged" store check x.db
cp good.db x.db
sqlite3 x.db "UPDATE runs SET canonical = replace(canonical, 'source=', 'source=0')" # a run of another source; its digest is not
"$RIPSTOP" store check x.db >said && complain "settings were edited: $(cat said)"
grep -qF '24 do not agree' said || complain "settings were edited: $(cat said)"

# ---------------------------------------------------------------- merge
table() { "$RIPSTOP" store export "$1" | cut -d, -f1,3-5,7-; } # without version and seconds, which are no part of an outcome
for part in 1 2 3; do "$RIPSTOP" run x.yaml --shard $part/3 --store part-$part.db >/dev/null 2>&1 || complain "part $part"; done
"$RIPSTOP" store merge all.db part-2.db part-1.db part-3.db >said || complain "merge: $(cat said)"
[ "$(cat said)" = "all.db: 24 runs added, 0 were there" ] || complain "merge: $(cat said)"
cmp -s <(table all.db) <(table good.db) || complain "merged rows are others"
"$RIPSTOP" report x.yaml --store all.db -o x.html --csv csv >/dev/null && cmp -s csv/runs.csv rows || complain "merged rows are others"
cp all.db before.db
[ "$("$RIPSTOP" store merge all.db good.db part-1.db)" = "all.db: 0 runs added, 32 were there" ] || complain "merged twice"
cmp -s before.db all.db || complain "a merge of nothing changes the store"
"$RIPSTOP" store check all.db >said || complain "a merged store is not good: $(cat said)"
refused "store all.db cannot be merged into itself" store merge all.db all.db
ln -s all.db link.db
refused "cannot be merged into itself" store merge all.db link.db
ln all.db hard.db
cp all.db before.db
refused "cannot be merged into itself" store merge hard.db good.db all.db
cmp -s before.db all.db || complain "a refused merge changes the store"
rm hard.db
refused "there is no store nowhere.db" store merge all.db nowhere.db

# Another outcome of a run is reported and does not replace the one that is there; one that is not believed is left
# out.
cp part-1.db other.db
first=$(sqlite3 other.db 'SELECT id FROM runs WHERE run = 1') second=$(sqlite3 other.db 'SELECT id FROM runs WHERE run = 2')
sqlite3 other.db "UPDATE numbers SET value = value + 1 WHERE run IN (1, 2) AND position = 0"
sed 's/load: 0.4/load: 0.3/' x.yaml >less.yaml
"$RIPSTOP" run less.yaml --store less.db >/dev/null 2>&1
sqlite3 other.db "ATTACH 'less.db' AS less; UPDATE runs SET id = (SELECT id FROM less.runs WHERE run = 1) WHERE run = 3"
before=$(table all.db)
"$RIPSTOP" store merge all.db other.db >said 2>&1
[ $? -eq 1 ] && grep -qF "3 runs of other.db do not agree with their digests, first $(printf '%s\n' "$first" "$second" "$(sqlite3 less.db 'SELECT id FROM runs WHERE run = 1')" | sort | head -1); they are left out" said ||
  complain "merge of damaged runs: $(cat said)"
[ "$before" = "$(table all.db)" ] || complain "damaged runs were merged"
sqlite3 all.db "UPDATE runs SET reason = 'edited' WHERE id = '$first'" # and what is damaged here is mended from there
[ "$("$RIPSTOP" store merge all.db part-1.db)" = "all.db: 1 runs added, 7 were there" ] && [ "$before" = "$(table all.db)" ] ||
  complain "a damaged run was not mended"

# ---------------------------------------------------------------- export
"$RIPSTOP" store export good.db -o table.csv || complain "export failed"
"$RIPSTOP" store export good.db | cmp -s - table.csv || complain "export to a file is another"
[ "$(wc -l <table.csv)" -eq 25 ] || complain "not a row for each run: $(wc -l <table.csv)"
[ "$(head -1 table.csv | cut -d, -f1-8)" = 'id,version,verdict,reason,faults,seconds,fabric,faults.count' ] || complain "columns: $(head -1 table.csv)"
sqlite3 :memory: '.mode csv' '.import table.csv t' 'SELECT id, "accepted [flits/node/cycle]", "accepted half [flits/node/cycle]" FROM t ORDER BY id' >got
sqlite3 good.db '.mode csv' "SELECT id, printf('%!.17g', max(value) FILTER (WHERE name = 'accepted')), printf('%!.17g', max(half) FILTER (WHERE name = 'accepted')) FROM results GROUP BY id ORDER BY id" >want
awk -F, 'NR == FNR { v[$1] = $2; h[$1] = $3; next } v[$1] + 0 != $2 + 0 || h[$1] + 0 != $3 + 0 { exit 1 }' want got || complain "other numbers are exported"
[ "$(wc -l <got)" -eq 24 ] || complain "rows: $(wc -l <got)"
"$RIPSTOP" store export good.db --json >said || complain "export --json failed"
for want in '"column": "faults.count", "kind": "setting", "name": "faults.count", "type": "integer"' \
  '"column": "traffic.load", "kind": "setting", "name": "traffic.load", "type": "real"' \
  '"column": "faults.schedule", "kind": "setting", "name": "faults.schedule", "type": "text"' \
  '"column": "accepted half [flits/node/cycle]", "kind": "half", "name": "accepted", "unit": "flits/node/cycle", "type": "real"'; do
  tr -d '\n' <said | tr -s ' ' | grep -qF "$want" || complain "export --json has no $want"
done
sqlite3 good.db ".dump" >/dev/null || complain "the store cannot be read"
cp good.db x.db
sqlite3 x.db "UPDATE runs SET faults = '=HYPERLINK(1)' WHERE run = 3"
"$RIPSTOP" store export x.db >said 2>error
[ $? -eq 1 ] && [ "$(wc -l <said)" -eq 24 ] && grep -qF '1 runs of x.db do not agree with their digests; they are left out' error ||
  complain "a damaged run was exported: $(cat error)"
refused "nowhere/t.csv" store export good.db -o nowhere/t.csv
refused "unknown verb 'chek'; did you mean 'check'?" store chek good.db
"$RIPSTOP" store --help | grep -q '^  merge ' || complain "help"

# ---------------------------------------------------------------- paths are paths
mkdir paths
cd paths || exit 1
for name in ':memory:' 'file:x.db' 'file:x.db?mode=memory' 'a?b.db' 'a b%20.db' '-x.db' "$PWD/absolute.db" 'sub/folder/x.db'; do
  "$RIPSTOP" run ../x.yaml --set faults.count=0 --store="$name" >/dev/null 2>../said || complain "--store '$name': $(cat ../said)"
  [ -f "./${name#"$PWD/"}" ] || complain "--store '$name' is no file"
done
[ "$(find . -type f | wc -l)" -eq 8 ] || complain "other files than stores: $(find . -type f)"
refused "/ is a folder, not a ripstop store" run ../x.yaml --store /
refused "the path of the store is empty" run ../x.yaml --store ""
refused "the path of the store is empty" report ../x.yaml --store ""
refused "/dev/null is no file, and so no ripstop store" run ../x.yaml --store /dev/null
refused "store /proc/x.db cannot be made: No such file or directory" run ../x.yaml --store /proc/x.db
finish
