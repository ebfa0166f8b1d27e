#!/bin/bash
# Numbers of OpenSM's engines, worst link, lost pairs, VLs and credit loops, out of `ripstop judge` on tables that stock
# OpenSM
# writes here: what OpenSM 3.3.23 (Debian) gives, by tools/opensm-engines.sh, which does all engines on any net.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done

# engines SPEC ENGINES...: as the table on standard input says, without mean hops and the head. The last column: entries in
# which a method of the same tables differs. OpenSM waits more than it works: fabrics are routed side by side, and looked at in
# the end.
specs=()
engines() {
  local spec=$1
  shift
  specs+=("$spec")
  mkdir "$spec"
  cat >"$spec/wanted"
  "$RIPSTOP" fabric "$spec" --net >"$spec/net"
  (cd "$spec" && exec "$RIPSTOP_SOURCE/tools/opensm-engines.sh" net '' "$@" >found 2>error) &
}

# a 4-ary 3-tree, 64 adapters: one link carries 60 paths by ftree; dfsssp takes the routes of sssp, on 8 VLs
engines kary-ntree:k=4,n=3 ftree sssp dfsssp <<END
ftree 0 60 4 1 false agrees 0
sssp 0 92 4 1 false agrees 0
dfsssp 0 92 4 8 false - 0
END
# ftree says that it has routed a KNS, and leaves out 78 % of its pairs, where opensm-ftree refuses; min-hop has credit loops
engines kns:k=8,n=2 ftree minhop <<END
ftree 3136 7 2 1 false - refuses
minhop 0 99 4 1 true agrees 0
END
engines torus:8x8 dor updn <<END
dor 0 80 8 1 true agrees 0
updn refuses
END
# Numbers of an independent study, all of which tools/opensm-engines-all.sh measures: nue on 256 switches, which goes
# by LIDs, and so by the adapter that OpenSM runs on.
"$RIPSTOP_SOURCE/tools/opensm-nets.py" nets torus-16x16 && rm nets/torus-16x16-5.net.gz
RIPSTOP=$RIPSTOP "$RIPSTOP_SOURCE/tools/opensm-engines-all.sh" nets "$RIPSTOP_SOURCE/tests/data/opensm-engines.txt" nue >out 2>error ||
  complain "nue on a torus of 256 switches: $(cat out error)"
grep -qE '^torus-16x16-0 +nue +0 +8420 .* as expected$' out || complain "nue was not compared: $(cat out)"
wait
for spec in "${specs[@]}"; do
  awk 'NR > 1 { $4 = ""; print }' "$spec/found" | tr -s ' ' | sed 's/ $//' | diff "$spec/wanted" - ||
    complain "$spec: other numbers; $(cat "$spec/error")"
done
finish
