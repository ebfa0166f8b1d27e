#!/bin/bash
# mpirun ripstop run: the same rows and tables as one process, ranks without files, ranks that differ, and
# one plain line where the program has no MPI.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
. "$RIPSTOP_SOURCE/tests/cli/libmpi.sh"

cat >x.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2], samples: 4}
traffic: {load: 0.4, packet: 4}
measure: {warmup: 50, cycles: 200, window: 100}
END

"$RIPSTOP" run x.yaml --store one.db >table 2>progress || complain "one process: $(cat progress)"
rows x.yaml one.db >whole

# ---------------------------------------------------------------- eight ranks
ranks 8 "$RIPSTOP" run x.yaml --store eight.db >said 2>progress || complain "8 ranks: $(cat progress)"
cmp -s table said || complain "8 ranks have another table: $(diff table said)"
rows x.yaml eight.db | cmp -s - whole || complain "8 ranks have other rows"
grep -qx 'x.yaml: on 8 ranks: 24 runs, 0 of them in eight.db already' progress || complain "8 ranks: $(cat progress)"
ranks 2 "$RIPSTOP" run x.yaml --store eight.db --workers 3 >said 2>progress || complain "again: $(cat progress)"
grep -qx 'x.yaml: on 2 ranks: 24 runs, 24 of them in eight.db already' progress || complain "again: $(cat progress)"
cmp -s table said || complain "again: another table: $(diff table said)"

ranks 3 "$RIPSTOP" run x.yaml --store json.db --json >said 2>progress || complain "--json: $(cat progress)"
grep -q '^{"event":"start",.*"store":"json.db","runs":24,"stored":0,"to_do":24,"ranks":3,"threads":1}$' said || complain "--json: $(head -1 said)"
[ "$(grep -c '^{"event":"run",' said) $(wc -l <said)" = "24 $((26 + $(grep -c '^{"event":"progress"' said)))" ] || complain "--json: $(cat said)"

# ---------------------------------------------------------------- only rank 0 has the files; --paranoid
mkdir with without
printf 'a b\nb c\nc d\nd a\na c\n' >with/g.txt
printf 'a--b 100 500\n' >with/t.txt
cat >with/files.yaml <<'END'
fabric: ["graph:g.txt"]
method: immunet
faults: {schedule: "trace:file=t.txt"}
traffic: {load: 0.2}
seed: [1, 2, 3, 4]
measure: {warmup: 50, cycles: 500}
END
(cd with && "$RIPSTOP" run files.yaml --store ../files.db) >table 2>progress || complain "files: $(cat progress)"
"$MPIRUN" --oversubscribe -n 1 --wdir with "$RIPSTOP" run files.yaml --store ../three.db --paranoid : \
  -n 2 --wdir without "$RIPSTOP" run files.yaml --store ../three.db --paranoid >said 2>progress ||
  complain "ranks without files: $(cat progress)"
grep -qx 'ripstop: 12 plans proved, 0 of them refuted' progress || complain "--paranoid: $(cat progress)"
cmp -s table said || complain "ranks without files have another table: $(diff table said)"
cd with
rows files.yaml ../files.db >../files
rows files.yaml ../three.db | cmp -s - ../files || complain "ranks without files have other rows"
cd ..
[ -z "$(ls without)" ] || complain "ranks made files: $(ls without)"

# ---------------------------------------------------------------- errors take one line
# alone_says LINE: ripstop's message; the rest is mpirun's.
alone_says() { grep '^ripstop: ' progress | grep -qx "$1" && [ "$(grep -c '^ripstop: ' progress)" -eq 1 ] ||
  complain "not alone '$1': $(cat progress)"; }
"$MPIRUN" --oversubscribe -n 1 "$RIPSTOP" run x.yaml --store none.db : -n 2 "$RIPSTOP" run x.yaml --set seed=4 >said 2>progress
[ $? -eq 2 ] || complain "ranks differ: exit code"
alone_says 'ripstop: rank [12] on .* has 24 runs, whose names have the hash [0-9a-f]*, in ripstop [0-9.]*; rank 0 on .* has 24 runs, whose names have the hash [0-9a-f]*, in ripstop [0-9.]*: program and command line must be the same'
ranks 3 "$RIPSTOP" run nothing.yaml >said 2>progress
[ $? -eq 2 ] || complain "no file: exit code"
alone_says 'ripstop: nothing.yaml: No such file or directory'
ranks 2 "$RIPSTOP" claims x.yaml --quick --store claims.db >said 2>progress
[ $? -eq 2 ] || complain "claims --quick: exit code"
alone_says 'ripstop: mpirun has started 2 processes, and claims --quick is for one'
[ -s said ] || [ -e claims.db ] && complain "claims --quick did something: $(cat said)"
mkdir plain && cp "$RIPSTOP" plain/ripstop
ranks 3 env -u LD_LIBRARY_PATH plain/ripstop run x.yaml --store plain.db >said 2>progress
[ $? -eq 2 ] || complain "no module: exit code"
alone_says 'ripstop: mpirun has started 3 processes, which cannot work together without MPI (ripstop-mpi.so: .*); start one, or parts with --shard'
[ -e plain.db ] && complain "without the module there is a store"
plain/ripstop run x.yaml --store plain.db >said 2>progress || complain "the plain program alone: $(cat progress)"
ranks 1 plain/ripstop run x.yaml --store plain.db >said 2>progress || complain "one rank is alone: $(cat progress)"
ranks 2 sh -c '"$RIPSTOP" run x.yaml --shard $((OMPI_COMM_WORLD_RANK + 1))/2' >said 2>progress || complain "parts by mpirun: $(cat progress)"
[ -s out/x.1-of-2.db ] && [ -s out/x.2-of-2.db ] || complain "parts by mpirun: no stores"

finish
