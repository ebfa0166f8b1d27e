#!/bin/bash
# Costs of present-day fabrics with 65,536 end nodes, and of methods that serve them: for each fabric, opening and checking it;
# for each method, a proof for a few sampled destinations (`ugal` also with a sample of its random headers: 4x4) and a short
# simulation. Prints processor seconds and peak MiB. Needs GNU time. A row of a failed run has the reason; the exit code is then
# 1. docs/fabrics.md has the table.
#
# usage: tools/bench-families.sh [--quick] [RIPSTOP]      a quarter of an hour, 3 GiB; --quick: small fabrics, in seconds
set -eu
quick=
[ "${1:-}" = --quick ] && { quick=1; shift; }
ripstop=${1:-build/ripstop}
load=0.02 cycles=2000 destinations=4 failed=0
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

rows() {
  if [ -n "$quick" ]; then
    cat <<'END'
xgft:m=4.4.4,w=1.2.2 minimal shortest-table
rail:units=4,servers=8,rails=4,spines=8,nvswitch=0 minimal shortest-table
dragonfly:a=4,p=2,h=2 dragonfly-minimal dragonfly-par ugal-global minimal shortest-table
dragonfly+:leaves=4,spines=4,h=4,p=4 minimal ugal
hyperx:4x4,p=4 hyperx-dal minimal shortest-table
mesh:8x8,p=4 minimal:paths=ordered
torus:8x8 dor:dateline=on minimal-adaptive
slimfly:q=5,p=4 minimal ugal
polarfly:q=7,p=4 minimal
jellyfish:n=50,r=7,p=4 minimal shortest-table
kns:k=4,n=2,c=4 intermediate-nodes minimal
END
  else
    cat <<'END'
xgft:m=32.32.64,w=1.16.16 minimal shortest-table
rail:units=16,servers=512,rails=8,spines=64,nvswitch=0 minimal shortest-table
dragonfly:a=24,p=12,h=12,g=228 dragonfly-minimal dragonfly-par ugal-global minimal shortest-table
dragonfly+:leaves=16,spines=16,h=16,p=16 minimal ugal
hyperx:16x16x16,p=16 hyperx-dal minimal shortest-table
mesh:64x64,p=16 minimal:paths=ordered
torus:256x256 dor:dateline=on minimal-adaptive
slimfly:q=37,p=24 minimal ugal
polarfly:q=47,p=30 minimal
jellyfish:n=4096,r=32,p=16 minimal shortest-table
kns:k=16,n=3,c=16 intermediate-nodes minimal
END
  fi
}

# spent NAME ARGUMENTS: what ripstop prints goes to NAME; "SECONDS MIB" of it to NAME.spent.
spent() {
  local name=$folder/$1
  shift
  /usr/bin/time -o "$name.time" -f '%U %S %M' "$ripstop" "$@" >"$name" 2>&1 || { tell_failed "$name" "$@"; return 1; }
  awk 'END { printf "%.1f %.0f\n", $1 + $2, $3 / 1024 }' "$name.time" >"$name.spent"
}
tell_failed() {
  failed=1
  printf '  FAILED: ripstop %s: %s\n' "${*:2}" "$(head -1 "$1")"
}

value() { sed -nE "s/^  \"?$1\"? +([0-9.]+).*/\1/p" "$folder/run" | head -1; }

method() {
  local proved=$destinations draws= hops
  [ "$2" = ugal ] && draws="--draws $destinations" proved=${destinations}x$destinations
  spent proof prove "$1" --method "$2" --destinations $destinations $draws --workers 1 || return 0
  grep -q 'are delivered under every choice' "$folder/proof" || { tell_failed "$folder/proof" prove "$@"; return 0; }
  spent start simulate "$1" --method "$2" --load $load --set measure.warmup=0 --set measure.cycles=20 || return 0
  spent run simulate "$1" --method "$2" --load $load --set measure.warmup=0 --set measure.cycles=$cycles || return 0
  hops=$(value run.hops)
  printf '  %-22s %6s %8s %7s %9s %9s %7s %8s\n' "$2" "$proved" $(cat "$folder/proof.spent") \
    "$(cut -d' ' -f1 "$folder/start.spent")" $(cat "$folder/run.spent") \
    "$(awk -v h="$hops" '{ a[NR] = $1 } END { d = a[2] - a[1]; if (d >= 0.2) printf "%.2f", h / d / 1e6; else printf "-" }' \
      "$folder/start.spent" "$folder/run.spent")"
}

printf '%-24s %6s %8s %7s %9s %9s %7s %8s\n' 'fabric, method' proved 'prove s' MiB 'start s' "$cycles c. s" MiB Mhops/s
while read -r fabric methods; do
  spent fabric fabric "$fabric" || continue
  printf '%s: %s end nodes, checked in %s s, %s MiB\n' "$fabric" "$(sed -n 's/^  end nodes  //p' "$folder/fabric")" \
    $(cat "$folder/fabric.spent")
  for each in $methods; do method "$fabric" "$each" </dev/null; done
done < <(rows)
exit $failed
