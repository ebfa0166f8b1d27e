#!/bin/bash
# mpirun ripstop prove: what all ranks print together is what one process prints; only rank 0 needs files; refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
. "$RIPSTOP_SOURCE/tests/cli/libmpi.sh"

tree=kary-ntree:k=2,n=3
"$RIPSTOP" prove $tree --method misroute --count 3 --all --paths >one || complain "one process, --all"
ranks 4 "$RIPSTOP" prove $tree --method misroute --count 3 --all --paths >four 2>error || complain "4 ranks: $(cat error)"
[ -s one ] && cmp -s one four || complain "4 ranks print something else: $(diff one four | head -5)"
grep -q MPI_ABORT error && complain "4 ranks do not end, they are ended: $(cat error)"

mkdir with without
printf 'a b\nb c\nc d\nd a\na c\n' >with/g.txt
printf 'a--c\n\na--b c--d\na--b\n' >with/sets
(cd with && "$RIPSTOP" prove ./g.txt --method immunet --faults sets --json) >one || complain "one process, --faults"
"$MPIRUN" --oversubscribe -n 1 --wdir with "$RIPSTOP" prove ./g.txt --method immunet --faults sets --json : \
  -n 2 --wdir without "$RIPSTOP" prove ./g.txt --method immunet --faults sets --json >three 2>error ||
  complain "ranks without files: $(cat error)"
[ -s one ] && cmp -s one three || complain "ranks without files print something else: $(diff one three | head -5)"

ranks 2 "$RIPSTOP" prove $tree --method misroute --count 2 >said 2>error && complain "--width: exit code 0"
[ "$(grep '^ripstop:' error)" = "ripstop: prove: work on several ranks needs all sets of a known number: --all, --samples, --faults or --set" ] ||
  complain "--width: $(cat error)"
"$MPIRUN" --oversubscribe -n 1 "$RIPSTOP" prove $tree --method misroute --count 2 --all : \
  -n 1 "$RIPSTOP" prove $tree --method misroute --count 1 --all >said 2>error && complain "ranks differ: exit code 0"
grep -q '^ripstop: rank 1 on .* has ripstop .* 1 switch-links; rank 0 on .* 2 switch-links: program and command line must be the same$' error ||
  complain "ranks differ: $(cat error)"
finish
