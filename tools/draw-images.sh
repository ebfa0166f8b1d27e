#!/bin/bash
# Draws the pictures of the README and of docs again, from the program and the experiments as they are, into docs/images:
# all of them, or those named. Runs are done where the folder OUT has no stores of them (twenty minutes of a processor for
# all); what an experiment claims is judged by the same runs, and a claim that they contradict ends it.
#
# tools/draw-lab.mjs makes the picture of the lab, tools/draw-engines.sh those of OpenSM's engines.
#
# usage: tools/draw-images.sh [PROGRAM [OUT [NAME...]]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$root/build/ripstop}")
out=${2:-$(mktemp -d)}
shift $(($# < 2 ? $# : 2))
names=" $* "
images=$root/docs/images
mkdir -p "$out" && cd "$out"

wanted() { [ "$names" = "  " ] || [[ $names == *" $1 "* ]]; }
# keep NAME: what standard input has becomes the picture, once it is whole.
keep() {
  cat >"$1.svg"
  grep -q '</svg>' "$1.svg" || { echo "$1: nothing was drawn" >&2; exit 1; }
  mv "$1.svg" "$images/$1.svg"
  echo "docs/images/$1.svg"
}
# figure NAME EXPERIMENT ID: the figure as the experiment's page has it, on white.
figure() {
  wanted "$1" || return 0
  "$program" run "$root/experiments/$2.yaml" >/dev/null
  "$program" report "$root/experiments/$2.yaml" >/dev/null
  awk -v id="<figure data-id=\"$3\">" 'index($0, id) { on = 1; sub(/^.*<svg/, "<svg") }
    on { print }
    on && /<g id="[^"]*gnuplot_canvas">/ { print "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>" }
    on && /<\/svg>/ { exit }' "out/$2.html" | sed 's|</svg>.*|</svg>|' | keep "$1"
  ! grep -q '^claims:' "$root/experiments/$2.yaml" || "$program" claims "$root/experiments/$2.yaml" >/dev/null
}

! wanted dragonfly || "$program" fabric dragonfly:a=4,p=2,h=2 --svg | keep dragonfly
if wanted tree-heat; then
  "$program" simulate kary-ntree:k=4,n=3 --method updown --load 0.6 --faults "0/2.1/7 1/3.2/5" --set measure.links=on --json >run.json
  "$program" fabric kary-ntree:k=4,n=3 --svg --heat run.json --pairs 3 | keep tree-heat
fi
if wanted lfm-one-fault; then
  "$program" protocol mport-ntree:m=4,n=3 --method link-fault-messages --events 0/2.1/3@0 --svg wave.svg >/dev/null
  keep lfm-one-fault <wave.svg
fi
figure five-systems systems/fault throughput
figure lost quick lost
figure trees-by-messages trees-by-messages/throughput four
figure immunet-one-fault immunet/fig-10 one-run
figure ordered-kept ordered/kept kept
figure kns-channels ordered/kns throughput
figure kns-tolerated ordered/kns-tolerated tolerated
figure modern-tree modern/trees modern
figure compare-trees comparisons/trees uniform
figure compare-tori comparisons/tori uniform
figure compare-kns comparisons/kns patterns
figure spine-cables jobs/spine paths
figure dragonfly-uniform validation/dragonfly uniform
figure dragonfly-adverse validation/dragonfly adverse
[ "$names" != "  " ] || "$root/tools/draw-methods.py"
