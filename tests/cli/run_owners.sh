#!/bin/bash
# Two ripstop run on one store at once: no run is done twice, both wait for all, and the runs of one that ended are
# taken over.
# Slow: it waits for owners.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 60}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 4000, window: 500}
END

# rows STORE: every run, key, value and window but the seconds, sorted.
rows() {
  "$RIPSTOP" report x.yaml --store "$1" -o page.html --csv csv >/dev/null 2>note || complain "report: $(cat note)"
  cat csv/*.csv | sort
}

# own PROGRESS: the runs that a process has done itself: those to do, less those of others.
own() {
  sed -n 's/^\([0-9]*\)\/\1 runs, \([0-9]*\) of them by others, .* in all$/\1 \2/p
          s/^\([0-9]*\)\/\1 runs, [^,]*, [0-9:]* in all$/\1 0/p' "$1" | awk '{ n = $1 - $2 } END { print n + 0 }'
}

# kept STORE: how many of its runs are there, while not all are.
kept() {
  "$RIPSTOP" report x.yaml --store "$1" -o page.html 2>&1 >/dev/null | awk '/ runs are not done yet/ { n = $5 - $3 } END { print n + 0 }'
}

"$RIPSTOP" run x.yaml --store one.db >table 2>progress || complain "one: $(cat progress)"
rows one.db >whole

# ---------------------------------------------------------------- two at once
"$RIPSTOP" run x.yaml --workers 1 --store two.db >first 2>progress1 &
other=$!
"$RIPSTOP" run x.yaml --workers 1 --store two.db >second 2>progress2 || complain "second: $(cat progress2)"
wait $other || complain "first: $(cat progress1)"
known=$(sed -n 's/^x.yaml: 360 runs, \([0-9]*\) of them in two.db already$/\1/p' progress1 progress2 | sort -n | head -1)
[ "$known" = 0 ] || complain "nobody began: $(cat progress1 progress2)"
done=$(($(own progress1) + $(own progress2)))
[ $done -eq 360 ] || complain "$done runs were done, not 360: $(cat progress1 progress2)"
cmp -s table first && cmp -s table second || complain "two owners have other tables"
rows two.db | cmp -s - whole || complain "two owners have other rows"

# ---------------------------------------------------------------- one hangs with what it has claimed, and is killed
"$RIPSTOP" run x.yaml --workers 1 --store killed.db >first 2>progress1 &
victim=$!
until [ "$(kept killed.db)" -gt 0 ]; do kill -0 $victim || { complain "it ended by itself: $(cat progress1)"; break; }; done
kill -STOP $victim
"$RIPSTOP" run x.yaml --workers 1 --store killed.db >second 2>progress2 &
other=$!
until grep -q 'already' progress2; do kill -0 $other || { complain "the other ended: $(cat progress2)"; break; }; done
kill -9 $victim
wait $other || complain "the other: $(cat progress2)"
cmp -s table second || complain "after kill -9 another table: $(diff table second)"
rows killed.db | cmp -s - whole || complain "after kill -9 other rows"
finish
