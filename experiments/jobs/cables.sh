#!/bin/bash
# Which cable costs a job most, by what it joins: from the runs of cables.yaml that are stored, each against the same sample
# without a slow cable.   bash cables.sh [run's and report's flags, as --quick]       (ripstop and sqlite3 in the PATH)
#
# Prints a line for each kind of cable and each method: how many were drawn, the mean change of the job's time in percent
# with its 95 % interval over them (Student's t), and the one that costs most.
set -eu
export LC_ALL=C
here=$(dirname "$0") folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
ripstop report "$here/cables.yaml" "$@" --csv "$folder" -o "$folder/page.html" >/dev/null
sqlite3 -separator '|' >"$folder/pairs" <<END
.import --csv $folder/runs.csv runs
select slow.fabric, slow.method, slow.\`faults.schedule\`, slow.seed, slow.\`faults.sample\`,
  100.0 * (slow.mean - whole.mean) / whole.mean
from runs as slow join runs as whole using (fabric, method, seed, \`faults.sample\`, value)
where value = 'workload.cycles' and slow.\`faults.schedule\` <> '' and whole.\`faults.schedule\` = '' and slow.mean <> '' and whole.mean <> '';
END
while IFS='|' read -r fabric method schedule seed sample change; do
  cable=$(ripstop faults "$schedule" --fabric "$fabric" --seed "$seed" --sample "$sample" | sed -n 's/^\([^#].*\)~.*/\1/p')
  echo "$fabric|$cable|$change|${method%%:*}"
done <"$folder/pairs" | awk -F '|' '
  function kind(fabric, cable,   ends) {
    split(cable, ends, "--")
    if (fabric ~ /^torus/) return "dimension " substr(cable, index(cable, "/") + 1)
    if (fabric ~ /^dragonfly/) { sub(/\..*/, "", ends[1]); sub(/\..*/, "", ends[2]); return ends[1] == ends[2] ? "in a group" : "between groups" }
    return cable ~ /--n|^n/ ? "inside a server" : cable ~ /s[0-9]/ ? "leaf to spine" : "accelerator to leaf"
  }
  BEGIN { split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20 2.18 2.16 2.14 2.13", t, " ") }
  { k = $1 "|" kind($1, $2) "|" $4; if (!(k in n) || $3 > most[k]) { most[k] = $3; which[k] = $2 } n[k]++; sum[k] += $3; squares[k] += $3 * $3 }
  END {
    for (k in n) {
      mean = sum[k] / n[k]; half = "-"
      if (n[k] > 1) { v = (squares[k] - n[k] * mean * mean) / (n[k] - 1); half = sprintf("%.2f", (n[k] - 1 in t ? t[n[k] - 1] : 2) * sqrt(v > 0 ? v / n[k] : 0)) }
      split(k, part, "|")
      printf "%-40s %-19s %-14s %3d cables  %+6.2f +- %s %%  most: %s %+.2f %%\n", part[1], part[2], part[3], n[k], mean, half, which[k], most[k]
    }
  }' | sort
