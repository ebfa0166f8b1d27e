#!/bin/sh
# Draws what cables.sh prints: a bar for each kind of cable, with its interval.   bash cables.sh ... | sh draw.sh >cables.svg
set -eu
awk -v title="A cable at a quarter of its rate: change of the job's time in percent" '
  { fabric = $1; sub(/:.*/, "", fabric); rest = substr($0, length($1) + 1); match(rest, / [0-9]+ cables /)
    kind = substr(rest, 1, RSTART - 1); gsub(/^ +| +$/, "", kind)
    split(substr(rest, RSTART + RLENGTH), field, " ")
    n++; name[n] = fabric ", " kind; mean[n] = field[1] + 0; half[n] = field[3] == "-" ? 0 : field[3] + 0
    if (mean[n] + half[n] > most) most = mean[n] + half[n] }
  END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", 44 + 24 * n
    print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    printf "<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>\n", title
    for (i = 1; i <= n; i++) {
      y = 36 + 24 * (i - 1); scale = 380 / most; low = mean[i] - half[i] > 0 ? mean[i] - half[i] : 0
      printf "<text x=\"192\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, name[i]
      printf "<rect x=\"200\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"#b0b7c3\"/>\n", y, (mean[i] > 0 ? mean[i] * scale : 0)
      printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#2a7f62\" stroke-width=\"2\"/>\n", 200 + low * scale, 200 + (mean[i] + half[i]) * scale, y + 8, y + 8
      printf "<text x=\"%.1f\" y=\"%d\">%.1f</text>\n", 206 + (mean[i] + half[i]) * scale, y + 13, mean[i]
    }
    print "</svg>" }'
