#!/bin/bash
# tools/bench-families.sh: every fabric of today with its methods opens, is checked, proved and simulated, here in small.
# Slow: all families.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/bench-families.sh" --quick "$RIPSTOP" >rows || complain "it fails: $(cat rows)"
[ "$(grep -c ' end nodes, checked in ' rows)" -eq 11 ] || complain "not all fabrics: $(cat rows)"
[ "$(grep -cE '^  [a-z:=-]+ +(4|4x4) +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9]+ ' rows)" -eq 24 ] || complain "not all methods: $(cat rows)"
"$RIPSTOP_SOURCE/tools/bench-families.sh" --quick /bin/false >rows && complain "a program that fails is taken: $(cat rows)"
grep -q 'FAILED: ripstop fabric' rows || complain "nothing says what fails: $(cat rows)"
finish
