#!/bin/bash
# ripstop fabric: golden output of small fabrics, and one-line errors with exit code 2.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

version=$(sed -n 's/^#define RIPSTOP_VERSION  *"\(.*\)"/\1/p' "$RIPSTOP_SOURCE/include/ripstop/error.h")
prints --version <<END
ripstop $version
END

prints fabric mport-ntree:n=2,m=4 <<'END'
mport-ntree:m=4,n=2
  family     m-port n-tree: 2*(m/2)^n end nodes, (2n-1)*(m/2)^(n-1) switches of m ports
  source     Lin, Chung and Huang 2004; Definition 1 of Hu, Wang and Sun 2010
  end nodes  8
  switches   6, each with 4 ports
  links      16: 8 to end nodes, 8 between switches
  groups     level-0 8 links
  distance   3.71429 links between end nodes on average, 4 at most
  check      wiring, names and counts hold
  recognised fat tree 2 levels: 4 (4 by 2) 2; 2 hosts and 2 uplinks a leaf; every cable fits
END

prints fabric --links kary-ntree:k=2,n=2 <<'END'
# link	node	port	node	port
end:0.0	end:0.0	0	switch:0/0	0
end:0.1	end:0.1	0	switch:0/0	1
end:1.0	end:1.0	0	switch:0/1	0
end:1.1	end:1.1	0	switch:0/1	1
0/0/2	switch:0/0	2	switch:1/0	0
0/0/3	switch:0/0	3	switch:1/1	0
0/1/2	switch:0/1	2	switch:1/0	1
0/1/3	switch:0/1	3	switch:1/1	1
END

prints fabric torus:2x3 --links <<'END'
# link	node	port	node	port
end:0.0	end:0.0	0	switch:0.0	4
end:0.1	end:0.1	0	switch:0.1	4
end:0.2	end:0.2	0	switch:0.2	4
end:1.0	end:1.0	0	switch:1.0	4
end:1.1	end:1.1	0	switch:1.1	4
end:1.2	end:1.2	0	switch:1.2	4
0.0/0	switch:0.0	0	switch:0.1	1
0.0/1	switch:0.0	2	switch:1.0	3
0.1/0	switch:0.1	0	switch:0.2	1
0.1/1	switch:0.1	2	switch:1.1	3
0.2/0	switch:0.2	0	switch:0.0	1
0.2/1	switch:0.2	2	switch:1.2	3
1.0/0	switch:1.0	0	switch:1.1	1
1.0/1	switch:1.0	2	switch:0.0	3
1.1/0	switch:1.1	0	switch:1.2	1
1.1/1	switch:1.1	2	switch:0.1	3
1.2/0	switch:1.2	0	switch:1.0	1
1.2/1	switch:1.2	2	switch:0.2	3
END

prints fabric --links kns:k=2,n=2,c=2 <<'END'
# link	node	port	node	port
end:0.0:0	end:0.0:0	0	switch:0.0	2
end:0.0:1	end:0.0:1	0	switch:0.0	3
end:0.1:0	end:0.1:0	0	switch:0.1	2
end:0.1:1	end:0.1:1	0	switch:0.1	3
end:1.0:0	end:1.0:0	0	switch:1.0	2
end:1.0:1	end:1.0:1	0	switch:1.0	3
end:1.1:0	end:1.1:0	0	switch:1.1	2
end:1.1:1	end:1.1:1	0	switch:1.1	3
0.0/0	switch:0.0	0	switch:0.*	0
0.0/1	switch:0.0	1	switch:*.0	0
0.1/0	switch:0.1	0	switch:0.*	1
0.1/1	switch:0.1	1	switch:*.1	0
1.0/0	switch:1.0	0	switch:1.*	0
1.0/1	switch:1.0	1	switch:*.0	1
1.1/0	switch:1.1	0	switch:1.*	1
1.1/1	switch:1.1	1	switch:*.1	1
END

prints fabric --links kns:k=4,n=1,s=2 <<'END'
# link	node	port	node	port
end:0	end:0	0	switch:0	1
end:1	end:1	0	switch:1	1
end:2	end:2	0	switch:2	1
end:3	end:3	0	switch:3	1
0/0	switch:0	0	switch:*:0/0	0
1/0	switch:1	0	switch:*:0/0	1
2/0	switch:2	0	switch:*:0/1	0
3/0	switch:3	0	switch:*:0/1	1
*:0/0/2	switch:*:0/0	2	switch:*:1/0	0
*:0/0/3	switch:*:0/0	3	switch:*:1/1	0
*:0/1/2	switch:*:0/1	2	switch:*:1/0	1
*:0/1/3	switch:*:0/1	3	switch:*:1/1	1
END

prints fabric --links kns:k=4,n=1,s=2,line=ruft <<'END'
# link	node	port	node	port
end:0	end:0	0	switch:0	1
end:1	end:1	0	switch:1	1
end:2	end:2	0	switch:2	1
end:3	end:3	0	switch:3	1
0/0	switch:0	0	switch:*:0/0	0
1/0	switch:1	0	switch:*:0/0	1
2/0	switch:2	0	switch:*:0/1	0
3/0	switch:3	0	switch:*:0/1	1
*:0/0/2	switch:*:0/0	2	switch:*:1/0	0
*:0/0/3	switch:*:0/0	3	switch:*:1/1	0
*:0/1/2	switch:*:0/1	2	switch:*:1/0	1
*:0/1/3	switch:*:0/1	3	switch:*:1/1	1
*:1/0/2	switch:*:1/0	2	switch:0	2
*:1/0/3	switch:*:1/0	3	switch:2	2
*:1/1/2	switch:*:1/1	2	switch:1	2
*:1/1/3	switch:*:1/1	3	switch:3	2
END
"$RIPSTOP" fabric kns:k=4,n=1,s=2,line=ruft | grep -qxF '  links      16: 4 to end nodes, 12 between switches, 12 of them in one direction' ||
  complain "fabric counts no links of one direction"
[ "$("$RIPSTOP" fabric --json kns:k=4,n=1,s=2,line=ruft | grep -o '"one_way":true' | wc -l)" = 12 ] ||
  complain "JSON does not say which links carry packets in one direction"
for form in edges net; do
  refused "fabric: --$form cannot say that links carry packets in one direction" fabric --$form kns:k=4,n=1,s=2,line=ruft
done
refused 'judge: not for kns:k=4,n=1,s=2,c=1,line=ruft, which has links that carry packets in one direction' \
  judge kns:k=4,n=1,s=2,line=ruft --method intermediate-nodes
refused 'fabric kns: line=ruft needs s=2 or more' fabric kns:k=4,n=1,line=ruft

printf 'b a # first\na b\na c\n' >net.edges
prints fabric net.edges --links <<'END'
# link	node	port	node	port
end:b	end:b	0	switch:b	2
end:a	end:a	0	switch:a	3
end:c	end:c	0	switch:c	1
b--a	switch:b	0	switch:a	0
b--a#2	switch:b	1	switch:a	1
a--c	switch:a	2	switch:c	0
END

prints fabric --json torus:2 <<'END'
{"spec":"torus:2","family":"torus","end_nodes":2,"hosts":2,"adapters":2,"switches":2,"cables":4,"slow_cables":0,"links":4,"links_to_end_nodes":2,"switch_ports":{"least":3,"most":3},"recognised":{"family":"torus","shape":"2","sure":1.0,"complete":1.0,"cables_expected":2,"cables_there":2,"planes":1,"spec":"torus:2"},"odd":[],"small_parts":[],"absent":[],"notes":[],"distance":{"mean":3.0,"longest":3,"sources":1,"unreachable_pairs":0,"exact":true},"groups":{"dim-0":{"links":2,"switches":0}},"node_list":[{"name":"0","kind":"end","ports":1,"coordinates":[0]},{"name":"1","kind":"end","ports":1,"coordinates":[1]},{"name":"0","kind":"switch","ports":3,"coordinates":[0],"place":[0]},{"name":"1","kind":"switch","ports":3,"coordinates":[1],"place":[1]}],"link_list":[{"name":"end:0","sides":[{"node":"0","kind":"end","port":0},{"node":"0","kind":"switch","port":2}]},{"name":"end:1","sides":[{"node":"1","kind":"end","port":0},{"node":"1","kind":"switch","port":2}]},{"name":"0/0","sides":[{"node":"0","kind":"switch","port":0},{"node":"1","kind":"switch","port":1}],"group":"dim-0"},{"name":"1/0","sides":[{"node":"1","kind":"switch","port":0},{"node":"0","kind":"switch","port":1}],"group":"dim-0"}]}
END

# Dumps of real fabrics: known by their content, whatever they are called and however packed.
ib="$RIPSTOP_SOURCE/tests/data/ib"
cp "$ib/clos-odd.ibnetdiscover" fabric.txt
gzip -c fabric.txt >packed
"$RIPSTOP" fabric --json fabric.txt >odd.json || complain "a dump is not read"
for fact in '"family":"ib"' '"hosts":128' '"adapters":144' '"switches":17' '"cables":263' '"slow_cables":3' '"family":"fat tree"' '"rails":8' \
  '"description":"ufm01 # HCA-1","guid":"0x00dd000000000001","lid":161'; do
  grep -qF -- "$fact" odd.json || complain "the JSON of a dump has no $fact"
done
[ "$(grep -o '"what":' odd.json | wc -l)" -eq 19 ] || complain "not 19 oddities"
"$RIPSTOP" fabric packed >summary || complain "a packed dump is not read"
grep -q '^  odd        19:$' summary || complain "the summary of a dump does not count 19 oddities"
# a host that an edge list does not mark as one is a switch, and the report says so
printf '%s\n' '@end h1 s1' '@end h2 s2' 's1 s2' 'h3 s2' >forgotten
"$RIPSTOP" fabric forgotten | grep -qF "switch that leads nowhere      h3: 'h3' has one neighbour and no host; a host has a line @end" || complain "a switch that leads nowhere is not told"
printf '%s\n' '@router h1' '@end h1 s1' '@end h2 s2' '@end s2 s2' 's1 s2' 'h1 s2' >both
"$RIPSTOP" fabric both | grep -q '^  end nodes  3$' || complain "a router of an end node's name is refused though it is told"
[ "$("$RIPSTOP" fabric --links fabric.txt | grep -c "4xEDR")" -eq 1 ] || complain "the links of a dump have no speed"
"$RIPSTOP" fabric --links fabric.txt | grep -qF "0x00dd000000000001	161	MF0;sp1:MQM8700/U1" || complain "the links of a dump have no descriptions"
"$RIPSTOP" fabric --dot fabric.txt >/dev/null || complain "a dump is not drawn"
refused "9 switches, 0 adapters, 12 cables, 30 half links; the file stops in the middle of a line" fabric "$ib/small-truncated.ibnetdiscover"
cp fabric.txt a,b
refused "the path 'a,b' has a comma" fabric a,b
printf 'fabric: torus:4x4\nmethod: ordered\n' >plan.yaml # two cables in an edge list
refused "plan.yaml: an experiment by its name, not a fabric; 'ripstop run plan.yaml' does its runs" fabric plan.yaml

# A drawing has one row for the end nodes and one for each level, and Graphviz takes it.
"$RIPSTOP" fabric --dot kary-ntree:k=2,n=3 >tree.dot || complain "no drawing"
[ "$(grep -c rank=same tree.dot)" -eq 4 ] || complain "the drawing of a tree has no row for each level"
[ "$(grep -c -- ' -- ' tree.dot)" -eq 24 ] || complain "the drawing does not have every link once"
needs dot
for spec in kary-ntree:k=2,n=2 torus:3x3 net.edges; do
  "$RIPSTOP" fabric --dot $spec | dot -Tsvg >drawing.svg 2>error && [ ! -s error ] || complain "$(cat error)"
done

# Help lists every family with every option.
"$RIPSTOP" fabric --help >help || complain "no help"
for word in kary-ntree mport-ntree torus kns graph ib k= n= m= c= size= file= --links --json --dot; do
  grep -qF -- "$word" help || complain "help does not mention $word"
done
"$RIPSTOP" help fabric | diff help - || complain "two helps"

# So does the manual.
for word in $(sed -n 's/^\([a-z-]*\), e\.g\. .*/\1/p; s/^  \([a-z]*\)=(.*/\1/p' help); do
  grep -qF "\`$word\`" "$RIPSTOP_SOURCE/docs/fabrics.md" || complain "docs/fabrics.md does not mention $word"
done
"$RIPSTOP" help >list && grep -q '^  fabric ' list || complain "help does not know fabric"

refused "unknown command 'fabrik'; did you mean 'fabric'?" fabrik
refused "unknown word 'fabrik'; did you mean 'fabric'?" help fabrik
refused "unknown flag '--lnks'; did you mean '--links'?" fabric --lnks torus:4
refused "unknown flag '-x'" fabric -x torus:4
refused "--links takes no value" fabric --links=yes torus:4
refused "an argument is missing" fabric
refused "one argument too many, 'torus:5'" fabric torus:4 torus:5
refused "exclude each other" fabric --json --dot torus:4
refused "did you mean 'torus'?" fabric torsu:4x4
refused "too big" fabric kary-ntree:k=1000,n=20
refused "'k' must be given" fabric kary-ntree:n=2
refused "no-such.edges" fabric no-such.edges
refused "the path 'folder/a,b.edges' has a comma, which a spec cannot carry" fabric folder/a,b.edges
refused "the path 'a,b.edges' has a comma" fabric graph:file=a,b.edges
printf 'a b\nb b\n' >net.edges
refused "net.edges:2: a link from 'b' to itself" fabric net.edges

# A full device is a failure, not silence.
"$RIPSTOP" fabric torus:4 >/dev/full 2>error
[ $? -eq 3 ] && grep -q 'could not be written: No space left on device' error || complain "a full device was not noticed"

# A path need not look like one: an existing file is read, and a missing one is reported.
echo "1 2" >net
"$RIPSTOP" fabric net | grep -q "^graph:net,hash=" || complain "a file without a suffix is no path"
echo "a b c" >net
refused "net:1: 'c' after two router names" fabric net
refused "gone.net.gz: No such file" fabric gone.net.gz
refused "fabric 'gone' is unknown" fabric gone

# The JSON has a graph file's facts of each cable.
echo "a b port=Ethernet4,7 group=feed delay=3" >net
"$RIPSTOP" fabric net --json | tr -d ' \n' | grep -qF '"sides":[{"node":"a","kind":"switch","port":0,"label":"Ethernet4"},{"node":"b","kind":"switch","port":7}],"delay":3,"group":"feed"' ||
  complain "JSON does not tell a cable's port names, delay and group"

# An edge list that was written reads back; names that it cannot have are an error.
"$RIPSTOP" fabric torus:3x4,p=2 --edges >torus.edges && "$RIPSTOP" fabric torus.edges --edges | diff - torus.edges | grep -q '^[<>] [^#]' &&
  complain "a torus does not come back from its edge list"
# Numbers that distinguish ports of one name are written again, though a reader would number them so.
printf '@end h1 a port=0:E1\n@end h2 a port=1:E1\na b\n' >numbered.edges
"$RIPSTOP" fabric numbered.edges --edges >back.edges && "$RIPSTOP" fabric back.edges --json >back.json || complain "ports of one name do not come back"
grep -q "two cables at a port" back.json && complain "numbers of ports are lost: $(cat back.edges)"
refused "exclude each other" fabric torus:3 --edges --json
# One spine is not there in some of 17 groups of eight switches. With three such groups the whole ones have 112 of 133 switches,
# with four 104 of 132: less than four of five, so that nothing says what the groups should be.
"$RIPSTOP" fabric dragonfly+:leaves=4,spines=4,h=4,p=4 --links | awk -F'\t' '!/^#/ { gsub(/[.:]/, "-", $2); gsub(/[.:]/, "-", $4)
  print ($2 ~ /^end/ ? "@end " : "") $2, $4 }' >plus.edges
for lost in 3 4; do
  grep -vE "switch-[1-$lost]-s1( |\$)" plus.edges >less.edges
  "$RIPSTOP" fabric less.edges | grep -o 'recognised [a-z+]*.*leaves\|recognised irregular'
done >kinds
printf 'recognised dragonfly+ 17 groups of 4 leaves\nrecognised irregular\n' | diff - kinds || complain "groups of a dragonfly+ that lost spines are not found"

# A report of 121 oddities shows a hundred, and names the others.
{ seq -f 's%g a' 120; printf 'a b\n@end h1 a\n@end h2 b\n'; } >stray.edges
"$RIPSTOP" fabric stray.edges >out
[ "$(sed -n '/^  odd  *121:$/,$p' out | grep -c '^    [a-z ]*  .*: ')" -eq 100 ] && grep -qx '    not shown: 21 switch that leads nowhere (all with --json)' out ||
  complain "not a hundred of 121 oddities are shown: $(cat out)"

# Two cables of one leaf have changed their ports, 8 and 9.
for l in 0 1 2 3 4 5 6 7; do
  for h in 0 1 2 3 4 5 6 7; do echo "@end h$l-$h leaf$l port=$h"; done
  for s in 0 1 2 3 4 5 6 7; do
    port=$((8 + s))
    [ $l$s = 30 ] && port=9
    [ $l$s = 31 ] && port=8
    echo "leaf$l spine$s port=$port,$l"
  done
done >ports.edges
odd='{"what":"cable in the wrong port","where":"%s","places":["%s"],"text":"'"'%s'"' - '"'leaf3'"': their like use other ports","line":0,"count":1}'
printf "\"odd\":[$odd,$odd]," 'leaf3[9]-spine0[3]' 'leaf3[9]-spine0[3]' spine0 'leaf3[8]-spine1[3]' 'leaf3[8]-spine1[3]' spine1 >want
"$RIPSTOP" fabric ports.edges --json | grep -qF "$(cat want)" || complain "crossed ports of a leaf are not told: $("$RIPSTOP" fabric ports.edges)"

# Cables of a mesh are missing: a switch without a square gets its place from two neighbours that have theirs. Each of
# these needs one condition of place_by_two and place_beside in src/recognise/place_points.c.
cut() { # cut MESH ALL 'A B'...: the mesh without these of its ALL cables
  local mesh=$1 all=$2
  shift 2
  printf '%s ' "$@" >gone
  "$RIPSTOP" fabric "mesh:$mesh" --edges | grep -vxE "$(printf '%s port=.*|' "$@" | sed 's/\./\\./g; s/port=\\\./port=./g; s/|$//')" |
    sed '1s/.*/# cut/' >cut.edges
  "$RIPSTOP" fabric cut.edges >cut
  grep -qF "recognised mesh $mesh; 100 % of the cables fit, $# of $all are not there" cut &&
    [ "$(grep -c '^    missing cable ' cut)" -eq $# ] || complain "mesh $mesh without $(cat gone): $(cat cut)"
}
cut 5x6 49 '0.2 0.3' '0.4 0.5' '1.1 1.2' '1.3 2.3' '1.4 2.4'
cut 5x6 49 '2.4 2.5' '3.3 4.3' '0.2 1.2' '4.4 4.5' '2.1 2.2' '3.4 3.5'
cut 4x6 38 '0.3 1.3' '0.3 0.4' '2.0 2.1' '3.0 3.1' '1.3 2.3' '2.1 3.1'
cut 6x6 60 '0.0 0.1' '4.4 4.5' '2.3 2.4' '4.2 4.3' '1.2 2.2' '3.4 4.4' '0.1 0.2'
finish
