#!/bin/bash
# Does to a campaign what happens to campaigns: kill -9 at random moments, copies of its store at any moment, a full disk, a
# store that cannot be written, a closed pipe, an interrupt that is ignored. Whatever has happened, the store is whole, has
# no row that an undisturbed run has not, and the same command ends with the same rows.
#
# usage: tools/trial-store.sh [MOMENTS [SAMPLES]]
#
# By default 100 moments, in a campaign of 400 runs, ten for each sample. RIPSTOP names the program, build/ripstop if not set.
#
# Where nothing can be mounted the disk is filled by a limit on the size of files, and read-only is a matter of rights instead of
# the mount; a root who cannot mount gives up the right to write everywhere for it.
set -u
moments=${1:-100} samples=${2:-40}
source=$(cd "$(dirname "$0")/.." && pwd)
ripstop=$(realpath "${RIPSTOP:-$source/build/ripstop}")
here=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$here"' EXIT
cd "$here" || exit 1
failed=0 done=0

complain() {
  echo "trial-store: $*"
  failed=1
}

# rows STORE: a line for each number and window, with all of its run but the processor time and the program's version.
rows() {
  sqlite3 -cmd '.mode quote' "$1" "
    SELECT id, replace(canonical, char(10), ';'), verdict, replace(reason, char(10), ';'), faults, position, name, unit,
      printf('%!.17g', value), printf('%!.17g', half)
    FROM runs JOIN numbers USING (run) JOIN quantities USING (quantity) ORDER BY id, position;
    SELECT id, cycle, generated, injected, delivered, lost, delivered_flits, printf('%!.17g', latency)
    FROM runs JOIN windows USING (run) ORDER BY id, cycle" | LC_ALL=C sort
}

# whole STORE: it is good, and its rows are some of those of the undisturbed run; nothing is fine too.
whole() {
  [ -e "$1" ] || return 0
  "$ripstop" store check "$1" >said 2>&1 || { complain "$what: $(tail -3 said)"; return; }
  [ "$(rows "$1" | LC_ALL=C comm -13 "$here/want" - | wc -l)" -eq 0 ] || complain "$what: it has other rows"
}

# goes_on STORE: the same command does the rest, with the same rows, and leaves nothing beside the store.
goes_on() {
  "$ripstop" run "$here/x.yaml" --store "$1" >said 2>&1 || complain "$what: it does not go on: $(tail -1 said)"
  rows "$1" | cmp -s - "$here/want" || complain "$what: other rows in the end"
  [ "$(echo "$1"*)" = "$1" ] || complain "$what: files are left: $(echo "$1"*)"
  done=$((done + 1))
}

sleep_up_to() { sleep "$(awk -v most="$1" -v r=$RANDOM 'BEGIN { print most * r / 32768 }')"; }

cat >x.yaml <<END
fabric: kary-ntree:k=4,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2, 3, 4], samples: $samples}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 0, cycles: 2000, window: 500}
END
# So many runs that it does not end by itself; they come in the same order, and the first of them are the same.
sed "s/samples: $samples/samples: 4000/" x.yaml >long.yaml
what="undisturbed"
started=$(date +%s%N)
"$ripstop" run x.yaml --store undisturbed.db >said 2>&1 || complain "undisturbed: $(tail -1 said)"
lasts=$(awk -v from="$started" -v to="$(date +%s%N)" 'BEGIN { print (to - from) / 1e9 }')
rows undisturbed.db >want
[ "$(wc -l <want)" -gt $((samples * 250)) ] || complain "there are too few runs"

# ---------------------------------------------------------------- kill -9
for ((i = 0; i < moments; i++)); do
  what="kill -9, moment $i"
  [ $((i % 2)) -eq 0 ] && rm -f killed.db* # every other time it is one that was killed before
  "$ripstop" run x.yaml --store killed.db >/dev/null 2>&1 &
  victim=$!
  sleep_up_to "$lasts"
  kill -9 $victim 2>/dev/null
  wait $victim 2>/dev/null
  whole killed.db
  [ $((i % 2)) -eq 0 ] || goes_on killed.db
done

# ---------------------------------------------------------------- copies
# A copy of the files in the midst of it is whole and goes on, or refused; one by `store merge` is whole.
refused=0
for ((i = 0; i < moments; i++)); do
  what="copy $i"
  rm -f live.db* copy.db* merged.db*
  "$ripstop" run x.yaml --store live.db >/dev/null 2>&1 &
  victim=$!
  sleep_up_to "$lasts"
  if [ -e live.db ]; then
    cp live.db copy.db
    cp live.db-wal copy.db-wal 2>/dev/null
    "$ripstop" store merge merged.db live.db >said 2>&1 || complain "$what, by merge: $(cat said)"
    whole merged.db
    if "$ripstop" store check copy.db >said 2>&1; then
      whole copy.db
      goes_on copy.db
    else
      grep -qE 'damaged|not a ripstop store|agree' said || complain "$what: $(cat said)"
      refused=$((refused + 1))
    fi
  fi
  wait $victim || complain "$what: the run that was copied failed"
  goes_on live.db
done

# ---------------------------------------------------------------- an interrupted merge
what="interrupted merge"
for ((i = 0; i < (moments + 9) / 10; i++)); do
  rm -f into.db*
  "$ripstop" store merge into.db undisturbed.db >/dev/null 2>&1 &
  victim=$!
  sleep_up_to 0.1
  kill -9 $victim 2>/dev/null
  wait $victim 2>/dev/null
  whole into.db
  goes_on into.db
done

# ---------------------------------------------------------------- a full disk
what="full disk"
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m none disk 2>/dev/null; then
  mounted=$here/disk
  sed "s/samples: $samples/samples: 1/" x.yaml >small.yaml
  "$ripstop" run small.yaml --store disk/small.db >/dev/null 2>said || complain "$what: $(tail -1 said)"
  "$ripstop" run long.yaml --store disk/x.db >/dev/null 2>said
  code=$?
  [ $code -eq 3 ] && tail -1 said | grep -qF 'store disk/x.db: No space left on device' || complain "$what: exit code $code, $(tail -1 said)"
  head -c 10M /dev/zero >disk/filled 2>/dev/null
  "$ripstop" run x.yaml --store disk/new.db >/dev/null 2>said
  code=$?
  [ $code -eq 3 ] && tail -1 said | grep -qF 'No space left on device' || complain "$what: a new one: exit code $code, $(tail -1 said)"
  [ ! -e disk/new.db ] && [ "$(echo disk/new*)" = 'disk/new*' ] || complain "$what: files are left: $(ls disk)"
  "$ripstop" run long.yaml --store disk/small.db >/dev/null 2>said
  [ $? -eq 3 ] && [ "$(wc -l <said)" -eq 2 ] && [ "$(tail -1 said)" = 'ripstop: store disk/small.db: No space left on device' ] ||
    complain "$what: not told before the first run: $(cat said)"
  rm disk/filled
  "$ripstop" store check disk/x.db >said 2>&1 || complain "$what: $(cat said)"
  mount -o remount,size=64m disk
  rm disk/x.db*
else
  (ulimit -f 600 && exec "$ripstop" run long.yaml --store disk/x.db) >/dev/null 2>said
  code=$?
  [ $code -eq 3 ] || complain "$what: exit code $code, $(tail -1 said)"
  "$ripstop" store check disk/x.db >said 2>&1 || complain "$what: $(cat said)"
  rm -f disk/x.db*
fi
goes_on disk/x.db

# ---------------------------------------------------------------- read-only
what="read-only"
"$ripstop" run x.yaml --store disk/whole.db >/dev/null 2>&1
sed "s/samples: $samples/samples: $((samples + 1))/" x.yaml >more.yaml
if [ -n "$mounted" ]; then
  mount -o remount,ro disk
  why='Read-only file system'
else
  chmod a-w disk disk/whole.db
  why='Permission denied'
fi
limited() { "$@"; }
[ -n "$mounted" ] || [ "$(id -u)" -ne 0 ] || limited() { setpriv --bounding-set=-dac_override,-dac_read_search "$@"; }
limited "$ripstop" run more.yaml --store disk/whole.db >/dev/null 2>said
[ $? -ne 0 ] && [ "$(tail -1 said)" = "ripstop: store disk/whole.db cannot be written: $why" ] && [ "$(wc -l <said)" -eq 2 ] ||
  complain "$what: $(cat said)"
limited "$ripstop" run x.yaml --store disk/none.db >/dev/null 2>said
[ $? -ne 0 ] && [ "$(cat said)" = "ripstop: store disk/none.db cannot be made: $why" ] || complain "$what: $(cat said)"
limited "$ripstop" run x.yaml --store disk/whole.db >said 2>&1 || complain "$what: what is done cannot be shown: $(tail -1 said)"
rows disk/whole.db | cmp -s - want || complain "$what: other rows"
[ -n "$mounted" ] && mount -o remount,rw disk || chmod u+w disk disk/whole.db
done=$((done + 1))

# ---------------------------------------------------------------- a closed pipe
what="closed pipe"
"$ripstop" run x.yaml --store pipe.db 2>&1 >table | head -c 1 >/dev/null
rows pipe.db | cmp -s - want || complain "$what: the runs have not gone on"
"$ripstop" run x.yaml --store pipe2.db 2>&1 | true
rows pipe2.db | cmp -s - want || complain "$what: the runs have not gone on"
done=$((done + 2))

# ---------------------------------------------------------------- an interrupt that is ignored
what="ignored interrupt"
sh -c '"$0" run x.yaml --store ignored.db >table 2>said & echo $! >pid; wait $!; echo $? >code' "$ripstop" &
until [ -s ignored.db ]; do sleep 0.01; done
kill -INT "$(cat pid)" 2>/dev/null
wait $!
[ "$(cat code)" = 0 ] || complain "$what: exit code $(cat code): $(tail -1 said)"
rows ignored.db | cmp -s - want || complain "$what: the runs have not gone on"
done=$((done + 1))

[ $failed -ne 0 ] || echo "trial-store: $moments kills, $moments copies of which $refused were refused, $done continued or compared: the same rows"
exit $failed
