#!/bin/sh
# Draws what cables.sh prints: a bar for each kind of cable and each method, with its interval.
#   bash cables.sh ... | sh draw.sh >cables.svg
set -eu
awk -v title="A cable at a quarter of its rate: change of the job's time in percent" '
  { fabric = $1; sub(/:.*/, "", fabric); rest = substr($0, length($1) + 1); match(rest, / [0-9]+ cables /)
    kind = substr(rest, 1, RSTART - 1); gsub(/^ +| +$/, "", kind)
    method = kind; sub(/.* /, "", method); sub(/ +[^ ]+$/, "", kind)
    split(substr(rest, RSTART + RLENGTH), field, " ")
    n++; name[n] = fabric ", " kind; by[n] = method; mean[n] = field[1] + 0; half[n] = field[3] == "-" ? 0 : field[3] + 0
    new[n] = name[n] != name[n - 1]; kinds += new[n]
    if (mean[n] + half[n] > most) most = mean[n] + half[n] }
  END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", 44 + 15 * n + 9 * kinds
    print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    printf "<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>\n", title
    y = 24; scale = 380 / most
    for (i = 1; i <= n; i++) {
      y += new[i] ? 24 : 15; low = mean[i] - half[i] > 0 ? mean[i] - half[i] : 0; high = mean[i] + half[i] > 0 ? mean[i] + half[i] : 0
      if (new[i]) printf "<text x=\"192\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 10, name[i]
      printf "<rect x=\"200\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"#b0b7c3\"/>\n", y, (mean[i] > 0 ? mean[i] * scale : 0)
      printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#2a7f62\" stroke-width=\"2\"/>\n", 200 + low * scale, 200 + high * scale, y + 6, y + 6
      printf "<text x=\"%.1f\" y=\"%d\">%.1f %s</text>\n", 206 + high * scale, y + 10, mean[i], by[i]
    }
    print "</svg>" }'
