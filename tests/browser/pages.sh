#!/bin/bash
# Pages of experiments, the index of a book and pages of what-if in a browser: live figures, dark, on a telephone, without scripts, by keyboard.
# axe-core looks for what keeps people from using them.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
mkdir experiments
cp "$RIPSTOP_SOURCE/experiments/papers.yaml" "$RIPSTOP_SOURCE/experiments/quick.yaml" experiments
cat >experiments/words.yaml <<'END'
title: Words and windows
fabric: ["kary-ntree:k=4,n=2", "torus:4x4", "dragonfly:a=4,p=2,h=2,g=9,arrangement=absolute"]
method: ["immunet:forget_cycles=0", "mend:lanes=4,ways=adaptive", shortest-table, minimal, ordered]
faults: {schedule: "random:1,from=1000", samples: 2}
traffic: {load: 0.2}
measure: {warmup: 0, cycles: 2000, window: 250}
figures:
  - {id: words, x: method, y: accepted, by: fabric}
  - {id: time, x: cycle, y: accepted, by: [method, fabric], ylabel: "a title of the axis that is rather longer than the figure is high, and is to be read whole all the same"}
  - {id: field, x: method, y: accepted, by: fabric, kind: heatmap, ylabel: "class3.unaffected.network-latency.mean, a name of three lines"}
END
cat >experiments/dead.yaml <<'END'
title: A deadlock, and changes side by side
fabric: torus:6x6
method: opensm-minhop
faults: {schedule: "2.5/0@50 2.4/0@400 2.4/0+@450 2.3/0@7700"}
traffic: {load: 0.9}
measure: {warmup: 0, cycles: 8000, window: 40}
figures: [{id: time, x: cycle, y: accepted}]
END
"$RIPSTOP" book experiments --quick -o book >/dev/null 2>error || complain "book: $(cat error)"
"$RIPSTOP" what-if "$RIPSTOP_SOURCE/tests/data/ib/clos-odd.ibnetdiscover" -o book/odd.html 2>error || complain "what-if: $(cat error)"
"$RIPSTOP" what-if kary-ntree:k=8,n=3 -o book/many.html 2>error || complain "what-if: $(cat error)"
operators=$RIPSTOP_SOURCE/examples/operators # a page with all sections
for method in opensm-minhop opensm-updn; do "$RIPSTOP" route "$operators/monday.txt" --method $method -o $method >/dev/null || complain "route by $method"; done
"$RIPSTOP" what-if "$operators/monday.txt" --tables opensm-minhop --before opensm-updn --counters "$operators/errors.txt" -o book/whole.html 2>error || complain "what-if: $(cat error)"
"$RIPSTOP" what-if "$operators/night.txt" -o book/spare.html 2>error || complain "what-if: $(cat error)"
export RIPSTOP_BROWSER_SECONDS=${RIPSTOP_BROWSER_SECONDS:-600} # many pages, on a machine that does other things too
passes pages.mjs "file://$PWD/book" $axe
needs_axe
finish
