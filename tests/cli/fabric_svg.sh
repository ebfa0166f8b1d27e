#!/bin/bash
# ripstop fabric --svg: links coloured by their use in one run and in the mean of several, failed parts, worst pairs,
# many switches in a box, and a layout by Graphviz or, without it, a ring.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs dot
# has TEXT FILE: the text stands in it.
has() { grep -qF -- "$1" "$2" || complain "no '$1' in $2: $(tail -c 600 "$2")"; }
# places FILE: the middle of each switch or box, "X Y" a line.
places() { grep -oE "<rect x='[-0-9.]*' y='[-0-9.]*' width='[0-9.]*' height='[0-9.]*'" "$1" | tr -c '0-9.\n-' ' ' | awk '{ print $1 + $3 / 2, $2 + $4 / 2 }'; }
# draw FILE ARGUMENT...
draw() { "$RIPSTOP" fabric "${@:2}" --svg >"$1" 2>said || complain "${*:2}: $(cat said)"; }

"$RIPSTOP" simulate torus:4x4 --method ordered --load 0.3 --faults '0.0/0' --set measure.links=on --set measure.cycles=1000 \
  --set measure.warmup=0 --json >run.json || complain "simulate failed"
draw one.svg torus:4x4 --heat run.json --pairs 2
[ "$(grep -c '<rect' one.svg)" -eq 16 ] || complain "not 16 switches: $(grep -c '<rect' one.svg)"
[ "$(grep -c 'flits/cycle</title>' one.svg)" -eq 31 ] || complain "not 31 live cables: $(grep -c 'flits/cycle</title>' one.svg)"
has '<title>dead: 0.0/0</title>' one.svg
has '1  0.' one.svg # link of 0.0 and 0.1, or another pair of that row
has ': 2 links longer' one.svg
has '; failed: 1 part;' one.svg
has "viewBox='-42 " one.svg
[ "$(grep -c "^<text x='-22.4'" one.svg)" -eq 5 ] || complain "lines of words do not begin 20 units from the edge"
most=$(grep -o '"link-use.max": *[0-9.]*' run.json | sed 's/.*: *//')
[ "$(grep -o '[0-9.]* flits/cycle</title>' one.svg | tail -1 | cut -d' ' -f1)" = "$(printf %.3g "$most")" ] ||
  complain "the busiest link, $most, is not the last that is drawn"

cat >x.yaml <<'END'
fabric: torus:4x4
method: [ordered, immunet]
traffic: {load: [0.1, 0.3]}
measure: {warmup: 0, cycles: 500, links: on}
END
"$RIPSTOP" run x.yaml >/dev/null 2>said || complain "run: $(cat said)"
draw mean.svg torus:4x4 --heat x.yaml --where method=ordered
has 'mean of 2 runs' mean.svg
"$RIPSTOP" report x.yaml --csv csv >/dev/null || complain "report failed"
mean=$(awk -F, '/link-use\.[0-9.]*\/[01]>/ && /ordered/ { sum[$(NF - 4)] += $(NF - 2) / 2 } END { for (c in sum) print sum[c] }' csv/runs.csv | sort -g | tail -1)
[ "$(grep -o '[0-9.]* flits/cycle</title>' mean.svg | tail -1 | cut -d' ' -f1)" = "$(printf %.3g "$mean")" ] || complain "the mean is not $mean"
draw all.svg torus:4x4 --heat x.yaml
has 'mean of 4 runs' all.svg

mv out/x.db moved.db
refused "out/x.db" fabric torus:4x4 --svg --heat x.yaml
draw moved.svg torus:4x4 --heat x.yaml --store moved.db
cmp -s moved.svg all.svg || complain "a store elsewhere gives another picture"
mv moved.db out/x.db
refused "fabric: --store needs --heat" fabric torus:4x4 --svg --store out/x.db

draw grid.svg torus:4x4
for y in 30 120 210 300; do printf "%d $y\n" 30 120 210 300; done | diff - <(places grid.svg) || complain "the switches of a torus are no grid"
draw mesh.svg mesh:3x3
has '; orange: fewer cables onward than most' mesh.svg
grep -q orange mean.svg && complain "a whole torus has weak switches"
draw tree.svg kary-ntree:k=8,n=3
[ "$(grep -c '<rect' tree.svg)" -eq 24 ] && [ "$(grep -c '>×8</text>' tree.svg)" -eq 24 ] || complain "192 switches are not 24 boxes"
draw flies.svg dragonfly:a=8,p=4,h=4
[ "$(grep -c '>g[0-9]* ×8</text>' flies.svg)" -eq 33 ] || complain "33 groups are not 33 boxes"
grep -qF '<title>1 cables' flies.svg && complain "a line says that it stands for one cable"

# Three cables are missing on the line between two boxes: the marks lie side by side.
"$RIPSTOP" fabric kary-ntree:k=8,n=3 --links | awk -F'\t' '!/^#/ { gsub(/[.\/]/, "_", $2); gsub(/[.\/]/, "_", $4)
  if (!sub("end:", "h", $2)) sub("switch:", "s", $2); sub("switch:", "s", $4)
  if ($2 !~ /^s0_0_[012]$/ || $4 != "s1_0_3") print ($2 ~ /^h/ ? "@end " : "") $2, $4 }' >less.edges
draw less.svg less.edges
[ "$(grep -E '<title>missing uplink s0_0_[012]-s1_0_3</title>' less.svg | cut -d"'" -f2 | sort -u | wc -l)" -eq 3 ] ||
  complain "missing cables lie on each other: $(grep 'missing uplink' less.svg)"
draw many.svg dragonfly:a=4,p=2,h=10
[ "$(grep -c '>g[0-9]*… ×[0-9]*</text>' many.svg)" -eq 14 ] || complain "41 groups are not 14 boxes of 3"
draw plus.svg dragonfly+:leaves=8,spines=8,h=2,p=4
[ "$(grep -c '>g[0-9]* ×16</text>' plus.svg)" -eq 17 ] || complain "17 groups of leaves and spines are not 17 boxes"
draw slim.svg slimfly:q=9,p=2
[ "$(grep -c '>×18</text>' slim.svg)" -eq 9 ] && [ "$(grep -c '<title>18 cables</title>' slim.svg)" -eq 36 ] ||
  complain "162 switches of a slim fly are not 9 boxes, any two joined by 18 cables"
draw polar.svg polarfly:q=11,p=2
[ "$(grep -c '>×11</text>' polar.svg)" -eq 11 ] && [ "$(grep -c '>×12</text>' polar.svg)" -eq 1 ] || complain "133 switches are not 11 fans and the quadrics"
draw hyper.svg hyperx:12x12,p=2
[ "$(grep -c '<title>66 cables</title>' hyper.svg)" -eq 24 ] && [ "$(grep -c '<path' hyper.svg)" -eq 24 ] || complain "12 rows and 12 columns are not 24 lines"
draw cube.svg torus:6x6x6
[ "$(grep -c '<title>36 cables</title>' cube.svg)" -eq 6 ] || complain "the cables of the third dimension are not 6 lines"
[ "$(grep -c '<path' cube.svg)" -eq $((6 + 6 * 72)) ] || complain "those of the other two are not one by one"
draw lines.svg kns:k=6,n=3
[ "$(grep -c '<title>36 cables</title>' lines.svg)" -eq 6 ] && [ "$(grep -c '<title>6 cables</title>' lines.svg)" -eq 72 ] || complain "a KNS is not its rows, columns and sheets"
draw random.svg jellyfish:n=200,r=8
[ "$(grep -o '>×[0-9]*</text>' random.svg | tr -dc '0-9\n' | awk '{ n++; sum += $1 } END { print (n >= 10 && n <= 24), sum }')" = "1 200" ] || complain "200 switches are not some boxes"
draw cut.svg hyperx:12x12,p=2 --set "0.0--0.5 3.1--3.2 switch:7.7"
has '<title>dead: 0.0--0.5</title>' cut.svg
has '<title>dead: 7.7</title>' cut.svg
draw cut.svg slimfly:q=9,p=2 --set "0.0.0--0.0.1 switch:0.0.2 switch:0.4.1"
has '<title>dead: 0.0.2 0.0.0--0.0.1</title>' cut.svg
[ "$(grep -o '>[0-9] failed<' cut.svg | tr -d '\n')" = '>2 failed<>1 failed<' ] || complain "boxes do not say what is dead within"
"$RIPSTOP" simulate slimfly:q=9,p=1 --method minimal --load 0.2 --set measure.links=on --set measure.cycles=200 --set measure.warmup=0 --json >fly.json || complain "simulate failed"
draw hot.svg slimfly:q=9,p=1 --heat fly.json --pairs 4
[ "$(grep -c 'cables within, the busiest [0-9.]* flits/cycle</title>' hot.svg)" -eq 9 ] || complain "boxes do not tell the use within"
[ "$(grep -c 'cables, the busiest [0-9.]* flits/cycle</title></path>' hot.svg)" -eq 36 ] || complain "lines do not tell their use"
most=$(grep -o '"link-use.max": *[0-9.]*' fly.json | sed 's/.*: *//')
[ "$(grep -o '[0-9.]* flits/cycle</title>' hot.svg | cut -d' ' -f1 | sort -g | tail -1)" = "$(printf %.3g "$most")" ] || complain "the busiest, $most, is in no title"

draw jelly.svg jellyfish:n=20,r=4
[ ! -s said ] || complain "Graphviz is there: $(cat said)"
mkdir -p bin && PATH=$PWD/bin "$RIPSTOP" fabric jellyfish:n=20,r=4 --svg >ring.svg 2>said || complain "a picture needs Graphviz: $(cat said)"
has 'note: switches stand in a ring: the program neato is missing; Debian has it in the package graphviz' said
cmp -s ring.svg jelly.svg && complain "Graphviz draws a ring"
[ "$(grep -c '<rect' ring.svg)" -eq 20 ] || complain "a ring of other than 20"
places ring.svg | awk '{ x[NR] = $1; y[NR] = $2; mx += $1; my += $2 }
  END { for (i = 1; i <= NR; i++) print int(sqrt((x[i] - mx / NR) ^ 2 + (y[i] - my / NR) ^ 2) / 2 + 0.5) }' | sort -u | wc -l | grep -qx 1 ||
  complain "a ring is not round"
PATH=$PWD/bin "$RIPSTOP" fabric slimfly:q=9,p=2 --svg >ring.svg 2>said && [ ! -s said ] && cmp -s ring.svg slim.svg ||
  complain "boxes that are all joined do not stand in a ring: $(cat said)"

refused "fabric: --heat: run.json: it is of torus:4x4, not of torus:5x5" fabric torus:5x5 --svg --heat run.json
refused "--where method=orderd: no run of x.yaml has that; did you mean 'ordered'?" fabric torus:4x4 --svg --heat x.yaml --where method=orderd
refused "--where methd=ordered: x.yaml has no key 'methd'; did you mean 'method'?" fabric torus:4x4 --svg --heat x.yaml --where methd=ordered
refused "fabric: --where needs --heat" fabric torus:4x4 --svg --where method=ordered
refused "fabric: --heat needs --svg" fabric torus:4x4 --heat run.json
refused "fabric: --pairs: 101 is more than 100" fabric torus:4x4 --svg --pairs 101
"$RIPSTOP" simulate torus:4x4 --method ordered --load 0.1 --set measure.cycles=100 --set measure.warmup=0 --json >none.json
refused "none.json: the use of links was not measured; simulate with --set measure.links=on" fabric torus:4x4 --svg --heat none.json
head -c 200 run.json >torn.json
refused "fabric: --heat: nothere.json: No such file or directory" fabric torus:4x4 --svg --heat nothere.json
refused "torn.json:" fabric torus:4x4 --svg --heat torn.json
finish
