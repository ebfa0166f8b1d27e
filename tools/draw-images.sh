#!/bin/bash
# Draws the pictures of the README and of docs again, from the program and the experiments as they are, into docs/images.
# Runs are done where OUT (default: a new folder) has no stores of them; all of them take ten minutes of a processor.
#
# usage: tools/draw-images.sh [PROGRAM [OUT]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$root/build/ripstop}")
out=${2:-$(mktemp -d)}
images=$root/docs/images
mkdir -p "$out" && cd "$out"

# figure EXPERIMENT ID NAME: the figure as the experiment's page has it, on white.
figure() {
  "$program" run "$root/experiments/$1.yaml" >/dev/null
  "$program" report "$root/experiments/$1.yaml" >/dev/null
  awk -v id="<figure data-id=\"$2\">" 'index($0, id) { on = 1; sub(/^.*<svg/, "<svg") }
    on { print }
    on && /<g id="[^"]*gnuplot_canvas">/ { print "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>" }
    on && /<\/svg>/ { exit }' "out/$1.html" | sed 's|</svg>.*|</svg>|' >"$3.svg"
  grep -q '</svg>' "$3.svg" || { echo "$1: no picture of the figure $2" >&2; exit 1; }
  mv "$3.svg" "$images/$3.svg"
  # What the experiment claims of it is judged by the same runs.
  ! grep -q '^claims:' "$root/experiments/$1.yaml" || "$program" claims "$root/experiments/$1.yaml" >/dev/null
  echo "docs/images/$3.svg"
}

"$program" fabric dragonfly:a=4,p=2,h=2 --svg >"$images/dragonfly.svg"
"$program" simulate kary-ntree:k=4,n=3 --method updown --load 0.6 --faults "0/2.1/7 1/3.2/5" --set measure.links=on --json >run.json
"$program" fabric kary-ntree:k=4,n=3 --svg --heat run.json --pairs 3 >"$images/tree-heat.svg"
"$program" protocol mport-ntree:m=4,n=3 --method link-fault-messages --events 0/2.1/3@0 --svg "$images/lfm-one-fault.svg" >/dev/null
figure systems/fault throughput five-systems
figure quick lost lost
figure trees-by-messages/throughput four trees-by-messages
figure ordered/kept kept ordered-kept
figure ordered/kns throughput kns-channels
