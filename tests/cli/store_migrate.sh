# `ripstop store migrate`: runs of an earlier version have the names and the numbers that this program gives them.
# A difference means that a plug-in's numbers have changed: add a line to `changes` of src/experiment/older_run.c.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs sqlite3
data=$RIPSTOP_SOURCE/tests/data
cp -r "$data/stores" "$data/ib" "$data/workloads" "$data/petersen.edges" .
cd stores || exit 1
gunzip -k c846427f.db.gz

rows() { # rows STORE WHERE: all but the processor time, the program's version and the wording of reasons
  sqlite3 -cmd '.mode quote' "$1" "
    SELECT id, position, name, unit, printf('%!.17g', value), printf('%!.17g', half)
    FROM runs JOIN numbers USING (run) JOIN quantities USING (quantity) WHERE $2 ORDER BY id, position;
    SELECT id, canonical, verdict, faults FROM runs WHERE $2 ORDER BY id;
    SELECT id, cycle, generated, injected, delivered, lost, delivered_flits, printf('%!.17g', latency)
    FROM runs JOIN windows USING (run) WHERE $2 ORDER BY id, cycle"
}
changed="(canonical LIKE '%protocol=printed%' OR canonical LIKE '%control_path=safe%' OR canonical LIKE '%method=mend%' OR canonical LIKE '%method=ugal-global%')"

# ---------------------------------------------------------------- the same runs
for file in *.yaml; do
  "$RIPSTOP" run $file --store new.db >/dev/null 2>said || complain "$file: $(tail -1 said)"
done
cp c846427f.db x.db
all=$(sqlite3 x.db 'SELECT count(*) FROM runs') again=$(sqlite3 x.db "SELECT count(*) FROM runs WHERE $changed")
"$RIPSTOP" store check x.db | grep -qF "$all of them of another model" || complain "an old run is one of today"
"$RIPSTOP" store migrate x.db --dry-run >dry || complain "a dry run failed"
cmp -s x.db c846427f.db || complain "a dry run changes the store"
says 0 "x.db: $all runs, $((all - again)) renamed
$again must be done again ('ripstop run'); they stay in the store, unused:
  2 of immunet:control_path=safe: runs have the values control.settling.KIND
  2 of immunet:protocol=printed: proofs walk the tree of the printed protocol
  2 of mend: routes of damaged fat trees are shorter
  2 of ugal-global: routers report the loads of their own cables" store migrate x.db
sed 's/ renamed/ to be renamed/' <<<"x.db: $all runs, $((all - again)) renamed" | cmp -s - <(head -1 dry) || complain "dry: $(cat dry)"
"$RIPSTOP" store check x.db >said || complain "a migrated store is not good: $(cat said)"
diff <(rows x.db "NOT $changed") <(rows new.db "NOT $changed") >differ || complain "other runs than this program's: $(head differ)"
for file in *.yaml; do
  grep -q '^figures' $file || continue
  "$RIPSTOP" report $file --store x.db -o x.html --csv csv >/dev/null 2>said
  "$RIPSTOP" report $file --store new.db -o x.html --csv new >/dev/null || complain "report of new runs of $file"
  for table in new/*.csv; do
    case $file in
      torus.yaml | proofs.yaml) ;; # some runs have to be done again
      *) diff "csv/${table#new/}" "$table" >differ || complain "report of $file, $table: $(cat said differ)" ;;
    esac
  done
  rm -r csv new
done

# ---------------------------------------------------------------- every plug-in is in a run that applies
sed -n 's/^ *{"\(.*\)", "\(.*\)", {"[^"].*/\1 \2/p' "$RIPSTOP_SOURCE/src/experiment/known_sources.c" | while read -r kind name; do
  case $kind in
    family) key=fabric ;; process) key=faults.schedule ;; pattern) key=traffic.pattern ;; kernel) key=program.kernel ;;
    workload) key=workload.jobs ;; method) key=method ;; *) key=switch.$kind ;;
  esac
  [ "$name" = dragonfly-plus ] && name=dragonfly+
  sqlite3 new.db "SELECT value FROM settings JOIN runs USING (run) WHERE key = '$key' AND verdict <> 'does-not-apply'" |
    grep -qE "^${name/+/[+]}(:| |$)" || echo "$kind $name"
done >missing
[ ! -s missing ] || complain "no run of tests/data/stores uses $(cat missing)"

# ---------------------------------------------------------------- twice, and with runs that were done again meanwhile
cp x.db once.db
says 0 "x.db: $all runs, 0 renamed
  $((all - again)) had their names of today already
$again must be done again ('ripstop run'); they stay in the store, unused:
  2 of immunet:control_path=safe: runs have the values control.settling.KIND
  2 of immunet:protocol=printed: proofs walk the tree of the printed protocol
  2 of mend: routes of damaged fat trees are shorter
  2 of ugal-global: routers report the loads of their own cables" store migrate x.db
cmp -s x.db once.db || complain "a second migration changes the store"
cp c846427f.db x.db
"$RIPSTOP" run switches.yaml --store x.db >/dev/null 2>&1
"$RIPSTOP" store migrate x.db >said || complain "with new runs: $(cat said)"
grep -qx '  20 were there under their names of today too' said || complain "with new runs: $(cat said)"
diff <(rows x.db "NOT $changed") <(rows new.db "NOT $changed") >differ || complain "with new runs: $(head differ)"
"$RIPSTOP" store migrate x.db --json | grep -q '"repeated": 0' || complain "runs are there twice"

# ---------------------------------------------------------------- a damaged run, and files that are no store
cp c846427f.db x.db
sqlite3 x.db "UPDATE numbers SET value = value + 1 WHERE run = 3 AND position = 2"
"$RIPSTOP" store migrate x.db >said 2>error && complain "a damaged run: exit code 0"
grep -qF "1 runs of x.db do not agree with their digests, first $(sqlite3 x.db 'SELECT id FROM runs WHERE run = 3'); they are left" error ||
  complain "a damaged run: $(cat error)"
echo text >text.db
refused 'text.db is not a' store migrate text.db
refused 'there is no store nowhere.db' store migrate nowhere.db
[ ! -e nowhere.db ] || complain "a store was made"

# ---------------------------------------------------------------- all or nothing
size=$(($(stat -c %s c846427f.db) / 1024)) # KiB
for limit in 40 $((size / 4)) $((size / 2)) $((size * 2)); do
  cp c846427f.db x.db
  (trap '' XFSZ; ulimit -f "$limit"; exec "$RIPSTOP" store migrate x.db >said 2>&1)
  code=$?
  [ $code -eq 3 ] || [ $code -eq 0 ] || complain "a full disk at $limit KiB: exit code $code, $(cat said)"
  [ $code -eq 0 ] || diff <(rows x.db 1) <(rows c846427f.db 1) >differ || complain "a full disk at $limit KiB: $(head -3 differ)"
  rm -f x.db-*
done
for moment in 1 2 3 4 5 6 7 8; do
  cp c846427f.db x.db
  rm -f x.db-*
  "$RIPSTOP" store migrate x.db >/dev/null 2>&1 &
  sleep 0.00$moment
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  renamed=$(sqlite3 x.db "SELECT count(*) FROM runs WHERE canonical LIKE '%switch.selection=%'")
  kept=$(sqlite3 x.db "SELECT count(*) FROM runs WHERE NOT $changed AND canonical LIKE '%switch.choice=%'")
  [ "$renamed" = 0 ] || [ "$kept" = 0 ] || complain "killed: $renamed runs are renamed and $kept are not"
  "$RIPSTOP" store check x.db >said || complain "killed: $(cat said)"
done
finish
