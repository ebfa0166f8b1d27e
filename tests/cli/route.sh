#!/bin/bash
# ripstop route: tables of small fabrics as text and JSON, plain forwarding tables, and one-line errors.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

prints route kary-ntree:k=2,n=2 --method updown --set '0/0/2 0/0/3 0/1/3' <<'END'
# updown on kary-ntree:k=2,n=2: 22 entries; ways depend on the destination alone
# node	destination	ways
end:0.0	0.1	0
end:0.0	1.0	0
end:0.0	1.1	0
end:0.1	0.0	0
end:0.1	1.0	0
end:0.1	1.1	0
end:1.0	0.0	0
end:1.0	0.1	0
end:1.0	1.1	0
end:1.1	0.0	0
end:1.1	0.1	0
end:1.1	1.0	0
switch:0/0	0.0	0
switch:0/0	0.1	1
switch:0/0	1.0	lost: no healthy up link
switch:0/0	1.1	lost: no healthy up link
switch:0/1	0.0	2
switch:0/1	0.1	2
switch:0/1	1.0	0
switch:0/1	1.1	1
switch:1/0	0.0	lost: the one down link is dead
switch:1/0	0.1	lost: the one down link is dead
END

prints route kary-ntree:k=2,n=2 --method=uturn --ports <<'END'
# uturn on kary-ntree:k=2,n=2: ports for the destinations
# switch	0.0	0.1	1.0	1.1
0/0	0	1	2	3
0/1	2	3	0	1
1/0	0	-	1	-
1/1	-	0	-	1
END

# ranks, rooms, headers, and everything by name
"$RIPSTOP" route torus:3x3 --method minimal-adaptive >ranks
grep -qx $'switch:0.0\t1.0\t2.2 | 2.1' ranks || complain "no ranks: $(grep 'switch:0.0' ranks)"
"$RIPSTOP" route torus:3x3 --method immunet >rooms
grep -qx $'switch:0.0\t1.1\t4\t0.1+ 2.1+ | 0.0+' rooms || complain "no rooms: $(grep 'switch:0.0' rooms)"
echo '# the one set
0/0/2' >faults.txt
"$RIPSTOP" route kary-ntree:k=2,n=2 --method uturn --faults faults.txt --json -o out.json || complain "no JSON"
head -1 out.json | grep -qxF '{"fabric":"kary-ntree:k=2,n=2","method":"uturn","channels":2,"depend_on":["port"],"ports_depend_on":["port"],"one_port":true,"entries":[' ||
  complain "another head: $(head -1 out.json)"
grep -qF '{"kind":"switch","node":"0/1","destination":"0.0","port":2,"ways":[{"port":3,"channel":1,"header":"0x1","rank":0,"space":1}]}' out.json ||
  complain "another entry: $(grep '"node":"0/1","destination":"0.0"' out.json)"
[ "$(grep -c '"destination"' out.json)" -eq 34 ] || complain "not 34 entries"
[ "$(grep -c '"kind":"end".*"port":null,"ways"' out.json)" -eq 12 ] || complain "end nodes have ports to come in on"
"$RIPSTOP" route kary-ntree:k=2,n=2 --method uturn --set 0/0/2 --json | cmp - out.json || complain "--set is not --faults"

refused "route: --method is missing" route torus:3x3
refused "did you mean 'updown'" route torus:3x3 --method updwn
refused "no plain forwarding table, ports depend on the input port" route kary-ntree:k=2,n=2 --method uturn --set 0/0/2 --ports
refused "no plain forwarding table, packets may choose between ports" route kary-ntree:k=2,n=2 --method updown --ports
refused "more than 10 entries" route kary-ntree:k=2,n=2 --method updown --limit 10
refused "--limit: 'x' is not a whole number" route torus:3x3 --method dor --limit x
refused "--ports and --json exclude each other" route torus:3x3 --method dor --ports --json
refused "--faults and --set exclude each other" route torus:3x3 --method dor --faults faults.txt --set ''
refused "--set: no link '9/9'" route torus:3x3 --method dor --set 9/9
printf '0/0/2\n0/0/3\n' >two.txt
refused "two.txt has 2 fault sets" route kary-ntree:k=2,n=2 --method updown --faults two.txt
refused "no/such/folder: " route torus:3x3 --method dor -o no/such/folder
finish
