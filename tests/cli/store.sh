#!/bin/bash
# The store under the commands: a flipped bit changes no table.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=4,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 4}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 0, cycles: 200, window: 50}
figures: [{id: accepted, x: faults.count, y: accepted, by: method}]
END
"$RIPSTOP" run x.yaml --store good.db >table 2>progress || complain "run: $(cat progress)"
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

# ---------------------------------------------------------------- told once, by file and run
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
finish
