#!/bin/bash
# ripstop report --figure: one figure as a file for a paper, in every format, and what is refused.
# Slow: many pictures.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
needs gnuplot
# has TEXT FILE: the text stands in it.
has() { grep -qF -- "$1" "$2" || complain "no '$1' in $2: $(head -c 600 "$2")"; }

cat >x.yaml <<'END'
title: Small
fabric: kary-ntree:k=2,n=3
method: [updown, misroute]
faults: {count: 0..1, samples: 3}
traffic: {load: 0.2..0.8/0.3, packet: 4}
measure: {warmup: 100, cycles: 400}
figures:
  - {id: lost, title: 100 % & more, x: faults.count, y: lost, where: {traffic.load: 0.5}, ylabel: "packets_lost {all} ~^"}
  - {id: words, x: method, y: accepted, by: faults.count, where: {traffic.load: 0.2}}
  - {id: curve, x: accepted, y: latency.mean, log: xy, where: {faults.count: 0}}
  - {id: field, x: faults.count, y: accepted, by: traffic.load, where: {method: updown}, kind: heatmap}
  - {id: above, x: faults.count, y: accepted, where: {traffic.load: 0.5}, ymax: 0.001}
  - {id: none, x: faults.count, y: lost, where: {verdict: deadlocked, traffic.load: 0.5}}
  - {id: zero, x: traffic.load, y: lost, log: y, where: {faults.count: 0, method: updown}}
  - {id: bare, x: faults.count, y: lost, where: {traffic.load: 0.5}, xlabel: "", ylabel: " "}
END
"$RIPSTOP" run x.yaml >/dev/null 2>said || complain "run: $(cat said)"
# figure ID FILE: writes it.
figure() { "$RIPSTOP" report x.yaml --figure "$1" -o "$2" >said 2>&1 || complain "$1 as $2: $(cat said)"; }

for id in lost words curve field above bare; do
  for ending in svg pdf png csv gp; do figure $id $id.$ending; done
  [ "$(head -c 5 $id.pdf)" = %PDF- ] || complain "$id.pdf is no PDF"
  [ "$(head -c 4 $id.png | tail -c 3)" = PNG ] || complain "$id.png is no PNG"
  has "<svg role=\"img\"" $id.svg
  mkdir -p again && (cd again && gnuplot ../$id.gp) && [ -s again/$id.pdf ] || complain "gnuplot does not take $id.gp"
done
has '<title>100 % &amp; more</title>' lost.svg
"$RIPSTOP" report x.yaml --csv csv >/dev/null || complain "report failed"
for id in lost words curve field; do cmp -s csv/$id.csv $id.csv || complain "$id.csv is another"; done

# In black and white dashes tell curves apart: each has its own.
[ "$(grep -oE "dt [0-9]" lost.gp | sort -u | wc -l)" -eq 2 ] || complain "curves that look alike: $(grep -oE "dt [0-9]" lost.gp)"

# pgfplots reads what TikZ needs: texts with its own signs for them, as many points as the figure has, none of them below zero.
for id in lost words curve; do
  figure $id $id.tikz
  [ "$(grep -c '^\\addplot' $id.tikz)" -eq 2 ] || complain "$id.tikz: $(grep -c '^\\addplot' $id.tikz) curves"
  [ "$(grep -c '^\\begin{' $id.tikz)" -eq 2 ] && [ "$(grep -c '^\\end{' $id.tikz)" -eq 2 ] || complain "$id.tikz is not closed"
  [ "$(tr -cd '{' <$id.tikz | wc -c)" -eq "$(tr -cd '}' <$id.tikz | wc -c)" ] || complain "braces of $id.tikz"
done
has 'ylabel={packets\_lost \{all\} \~{}\^{}}' lost.tikz
has 'xticklabels={{updown},{misroute}}' words.tikz
has 'ymode=log' curve.tikz
has 'xmode=log' curve.tikz
grep -q '^  ytick={[125]e-\?[0-9],2e.*},$' curve.tikz || complain "less than two decades have no ticks of their own: $(grep tick curve.tikz)"
grep -q '^  xtick={[125]e-[0-9],2e.*},$' curve.tikz || complain "nor across: $(grep tick curve.tikz)"
figure zero zero.tikz
grep -q 'tick={.*e-[0-9]\{3\}' zero.tikz && complain "ticks where no point is: $(grep tick zero.tikz)"
has 'set logscale x' curve.gp
[ "$(grep -cE '^  \(' curve.tikz)" -eq 6 ] || complain "points of curve.tikz: $(grep -E '^  \(' curve.tikz)"
awk '/^  \(/ { gsub(/[(),]/, " "); if ($2 - $8 < -1e-6) { print; bad = 1 } } END { exit bad }' lost.tikz || complain "below zero"
figure lost lost.tex
cmp -s lost.tex lost.tikz || complain "tex is not tikz"

# A text that is too long goes on in another line, or is slanted: nothing is cut.
sed -e 's/^fabric: .*/fabric: ["kary-ntree:k=2,n=3", "dragonfly:a=4,p=2,h=2,g=9,arrangement=absolute"]/' \
  -e 's/^method: .*/method: ["mend:lanes=4,ways=adaptive", shortest-table, "immunet:forget_cycles=0"]/' -e '/^figures:/,$d' x.yaml >long.yaml
cat >>long.yaml <<'END'
figures:
  - {id: names, x: faults.count, y: accepted, by: [method, fabric], where: {traffic.load: 0.2}, ylabel: "what arrives of what all of the end nodes offer, flits per node and cycle"}
  - {id: words, x: method, y: accepted, by: fabric, where: {traffic.load: 0.2, faults.count: 0}}
  - {id: field, x: method, y: accepted, by: fabric, where: {traffic.load: 0.2, faults.count: 0}, kind: heatmap}
END
"$RIPSTOP" run long.yaml >/dev/null 2>said || complain "run: $(cat said)"
long() { "$RIPSTOP" report long.yaml --figure "$1" -o "$2" >said 2>&1 || complain "$1 as $2: $(cat said)"; }
for id in names words field; do long $id long-$id.gp && LC_ALL=C.UTF-8 gnuplot long-$id.gp 2>said && [ ! -s said ] || complain "gnuplot: $(cat said)"; done
has 'keyentry with lines lt nodraw title "arrangement\075absolute"' long-names.gp
has 'set ylabel "what arrives of what\nall of the end nodes\n' long-names.gp
awk -F'title "' '{ for (i = 2; i <= NF; i++) { sub(/".*/, "", $i); gsub(/\\[0-7][0-7][0-7]/, "x", $i); if (length($i) > 36) print $i } }' long-names.gp >wide
[ ! -s wide ] || complain "names are wider than the column: $(cat wide)"
has 'rotate by 40 right' long-words.gp
has 'rotate by 40 right' long-field.gp
grep -q 'with labels' long-field.gp && complain "numbers that have no room in their fields"
long names long.tikz
has 'nodes={text width=0.75\columnwidth, text depth=, align=left}' long.tikz
has 'ylabel style={align=center, text width=' long.tikz
has 'arrangement=absolute}' long.tikz
long words long-words.tikz
has 'x tick label style={rotate=40, anchor=east}' long-words.tikz

refused "x.yaml: figure 'lsot' is unknown; did you mean 'lost'?" report x.yaml --figure lsot -o fig.pdf
refused "fig.docx: a figure's file ends with .svg, .pdf" report x.yaml --figure lost -o fig.docx
refused 'report: --figure needs --output' report x.yaml --figure lost
refused "x.yaml:13: figure 'none': no run gives a point" report x.yaml --figure none -o fig.pdf
refused "figure 'field': a heatmap is drawn as svg, pdf or png" report x.yaml --figure field -o fig.tikz
[ ! -e fig.pdf ] && [ ! -e fig.tikz ] || complain "what was refused left a file"
PATH=/nonexistent "$RIPSTOP" report x.yaml --figure lost -o fig.pdf 2>said && complain "a picture without gnuplot"
has 'gnuplot-nox' said
[ ! -e fig.pdf ] || complain "no gnuplot, and a file"
# How packets are spread, in every format; and runs that are there under --quick alone.
cat >cdf.yaml <<'END'
fabric: kary-ntree:k=2,n=3
method: [updown, misroute]
traffic: {load: 0.5, packet: 4}
measure: {warmup: 100, cycles: 2000, spread: on}
quick: {measure.cycles: 400}
figures:
  - {id: cdf, kind: cdf, y: latency}
  - {id: tail, kind: ccdf, y: latency}
END
"$RIPSTOP" run cdf.yaml --quick >/dev/null 2>said || complain "run: $(cat said)"
refused "'ripstop run cdf.yaml' does them; it has some of its quick runs, which --quick shows" report cdf.yaml --figure cdf -o cdf.svg
for id in cdf tail; do
  for ending in svg csv tikz; do "$RIPSTOP" report cdf.yaml --quick --figure $id -o $id.$ending >said 2>&1 || complain "$id.$ending: $(cat said)"; done
  has 'xlabel={latency (cycles)}' $id.tikz
  [ "$(grep -cE '^  \(' $id.tikz)" -eq $((2 * $(cut -d, -f1 $id.csv | sed 1d | sort -u | wc -l))) ] || complain "points of $id.tikz"
done
has 'ymode=log' tail.tikz
has 'share of packets with more' tail.svg
# Panels: each figure with its label, and its curves under their own names.
sed '/kind: ccdf/a panels:\n  - {id: both, title: "Both & all", figures: [tail, cdf]}' cdf.yaml >panels.yaml
"$RIPSTOP" run panels.yaml --quick >/dev/null 2>said || complain "run: $(cat said)"
for ending in svg tikz csv gp; do "$RIPSTOP" report panels.yaml --quick --figure both -o both.$ending >said 2>&1 || complain "both.$ending: $(cat said)"; done
[ "$(grep -c '^\\nextgroupplot' both.tikz)" -eq 2 ] && [ "$(grep -c '^\\addplot' both.tikz)" -eq 4 ] || complain "panels of both.tikz"
has 'title={(a) tail}' both.tikz
has 'title={(b) cdf}' both.tikz
has '<title>Both &amp; all</title>' both.svg
[ "$(grep -c '<title>misroute</title>' both.svg)" -eq 2 ] && [ "$(grep -c '<title>updown</title>' both.svg)" -eq 2 ] ||
  complain "curves of panels: $(grep '<title>' both.svg)"
has 'set multiplot layout 1,2' both.gp
[ "$(grep -c '^share,method,latency' both.csv)" -eq 2 ] && [ "$(grep -c '^$' both.csv)" -eq 1 ] || complain "both.csv: $(head -3 both.csv)"
"$RIPSTOP" report panels.yaml --quick -o page.html >said 2>&1 || complain "report: $(cat said)"
has '<h2 id="both">Both &amp; all</h2>' page.html
has '<a href="#tail">' page.html
# wrong TEXT PANELS: refused with this.
wrong() { sed '/^panels:/,$d' panels.yaml >wrong.yaml; printf 'panels:\n  - {%s}\n' "$2" >>wrong.yaml; refused "$1" report wrong.yaml; }
wrong "wrong.yaml:10: figure 'tial' is unknown; did you mean 'tail'?" 'id: both, figures: [cdf, tial]'
wrong 'figures must be a list of 2 to 12 ids of figures' 'id: both, figures: [cdf]'
wrong 'columns must be a whole number from 1 to 4' 'id: both, figures: [cdf, tail], columns: 2.5'
wrong "the id 'cdf' is taken in line 7" 'id: cdf, figures: [cdf, tail]'
PATH=/nonexistent "$RIPSTOP" report x.yaml --figure lost -o fig.tikz >/dev/null 2>said || complain "TikZ wants gnuplot: $(cat said)"
finish
