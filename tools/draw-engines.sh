#!/bin/bash
# Draws the three figures of docs/opensm.md about OpenSM's engines from the tables of docs/opensm.md: pairs on the worst link,
# entries that a change changes, processor time. A bar an engine, by logarithm; none where an engine refuses the fabric, as
# torus-2QoS does all trees.
#
# usage: tools/draw-engines.sh FOLDER      writes engines-worst.svg, engines-churn.svg and engines-seconds.svg there
set -eu -o pipefail
[ $# -eq 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
docs=$(dirname "$0")/../docs/opensm.md folder=$1

# draw TITLE: lines of "engine value" to a picture.
draw() {
  awk -v title="$1" '
    { name[NR] = $1; value[NR] = $2; if ($2 > most) most = $2; if (NR == 1 || $2 < least) least = $2 }
    END {
      low = int(log(least) / log(10)); if (10 ^ low > least / 1.05) low--
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", 40 + 22 * NR
      print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
      printf "<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>\n", title
      for (i = 1; i <= NR; i++) {
        width = 420 * (log(value[i]) / log(10) - low) / (log(most) / log(10) - low)
        y = 36 + 22 * (i - 1)
        printf "<text x=\"92\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, name[i]
        printf "<rect x=\"100\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n", y, width, name[i] == "mend" ? "#2a7f62" : "#b0b7c3"
        printf "<text x=\"%.1f\" y=\"%d\">%s</text>\n", 106 + width, y + 13, value[i]
      }
      print "</svg>"
    }'
}

# worst NET: of each engine in the row of the net; engines that refuse have no bar.
worst() {
  awk -F'|' -v net="$1" '
    $2 == " net " { for (i = 4; i < NF; i++) head[i] = $i }
    index($2, "`" net "`") { for (i = 4; i < NF; i++) { n = head[i]; v = $i; gsub(/[ ,]/, "", v); gsub(/^ | $/, "", n)
      if (n == "mend, 4 lanes") continue
      sub(/,.*/, "", n); if (v ~ /^[0-9]/) { sub(/[a-z]+$/, "", v); print n, v } } }' "$docs"
}

# live NET COLUMN: of each engine in the table of that simulated fabric.
live() {
  awk -F'|' -v net="$1" -v column="$2" '
    /^## / { here = 0 }
    /bench-live.sh/ { here = index($0, net) > 0 }
    here && $(column + 1) ~ /^ [0-9.]+ $/ { n = $2; gsub(/ /, "", n); print n == "ripstop" ? "mend" : n, $(column + 1) + 0 }' "$docs"
}

worst 'kary-ntree:k=8,n=3%5' | draw 'Pairs on the worst link: 8-ary 3-tree, 5 % of its cables dead' >"$folder/engines-worst.svg"
live kary-ntree:k=3,n=3 10 | draw 'Entries changed by one of 200 changes: 3-ary 3-tree' >"$folder/engines-churn.svg"
live kary-ntree:k=3,n=3 11 | draw 'OpenSM&apos;s milliseconds a change there' >"$folder/engines-seconds.svg"
