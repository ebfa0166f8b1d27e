#!/bin/bash
# Units on the command line: values in cycles are printed as times where links have a rate, and --json has them in seconds.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

echo '0,0,1,2000000' >m.csv
run() {
  "$RIPSTOP" simulate kary-ntree:k=4,n=1 --method updown --workload messages:file=m.csv --set workload.packet=4KiB \
    --set switch.pipeline=0 --set switch.in_queue=64KiB "$@"
}
# 31,250 flits of 64 bytes at 5.12 ns, and two cables of 196 cycles (1.00352 us): 31,641 cycles.
run --set link.rate=100Gb/s --set link.delay=1us >said 2>&1
grep -q '^  workload.ideal-cycles  *31641 cycles (162 us)$' said || complain "times: $(cat said)"
run --set link.rate=100Gb/s --set link.delay=1us --json >said 2>&1
grep -q '"workload.ideal-cycles":0.00016200192' said || complain "seconds: $(cat said)"
grep -q '"workload.ideal-cycles":31641' said || complain "cycles: $(cat said)"
run --set link.delay=196 --set link.flit=64B >said 2>&1
grep -q '^  workload.ideal-cycles  *31641 cycles$' said || complain "without a rate: $(cat said)"
run --set link.delay=196 --set link.flit=64B --json | grep -q '"seconds"' && complain "seconds without a rate"
run --set link.rate=100Gb/s --set link.delay=1ns >/dev/null 2>said
grep -q '^ripstop: note: switch.link = 1ns is 1 cycle after rounding, 4.1e+02 % more$' said || complain "a note: $(cat said)"

# A figure of a value in cycles is in microseconds.
cat >u.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: updown
link: {rate: 100Gb/s}
traffic: {load: [0.1, 0.2]}
measure: {warmup: 200, cycles: 2000}
tables: [{id: t, rows: traffic.load, value: latency.max}]
END
"$RIPSTOP" run u.yaml --store u.db >in_us 2>&1 || complain "figures: $(cat in_us)"
sed '/^link:/d' u.yaml >plain.yaml
"$RIPSTOP" run plain.yaml --store u.db >in_cycles 2>&1 || complain "figures: $(cat in_cycles)"
grep -q '2 of them in u.db already' in_cycles || complain "the same runs: $(cat in_cycles)"
paste <(awk '$1 == 0.1 { print $2 }' in_us) <(awk '$1 == 0.1 { print $2 }' in_cycles) |
  awk '{ off = $1 / ($2 * 0.00512) - 1; if (off > 0.002 || off < -0.002) exit 1; n++ } END { exit n != 1 }' ||
  complain "a figure: $(cat in_us in_cycles)"
finish
