#!/bin/bash
# Two subnet managers with the plug-in on one simulated fabric: two take-overs each on two fabrics, after a cable went, lose no
# pair and make no credit loop (ibdmchk), and the log has the number of entries that change on the switches. A cable that
# flaps leaves the tables that were planned.
# Skipped (exit code 77) where opensm, ibsim, ibutils, infiniband-diags or the headers of OpenSM are not installed.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
[ -e /usr/include/infiniband/opensm/osm_config.h ] || skip "libopensm-dev is missing: tools/install-deps.sh --test"
for program in opensm ibsim ibdmchk dump_lfts saquery smpquery; do
  command -v $program >/dev/null || skip "$program is missing: tools/install-deps.sh --test"
done
[ -e "$(dirname "$RIPSTOP")/libripstop-opensm.so" ] || skip "the plug-in was not built: tools/install-deps.sh --test"
live=$RIPSTOP_SOURCE/tools/opensm-live.sh

# One VL, a cache folder each: the switches hold the whole truth.
"$RIPSTOP" fabric torus:4x4 --net >torus.net
TAKE_OVER=own OPTIONS=lanes=1 "$live" torus.net ripstop torus 2 3 >torus.out 2>torus.err || complain "torus: $(cat torus.out torus.err)"
grep -q '^2 take-overs, 0 changed entries, 0 with a wrong number, 0 without a safe order' torus.out || complain "torus: $(cat torus.out)"
grep -q 'ripstop: became master; switches hold 512 entries of another manager; no file of tables; kept, .* 0 entries' torus/osm.log.all ||
  complain "torus: $(grep ripstop: torus/osm.log.all)"

# Several VLs, one cache folder: the file has the service levels.
"$RIPSTOP" fabric kns:k=3,n=2 --net >kns.net
TAKE_OVER=shared OPTIONS=lanes=4 "$live" kns.net ripstop kns 2 3 >kns.out 2>kns.err || complain "kns: $(cat kns.out kns.err)"
grep -q '^2 take-overs, 0 changed entries, 0 with a wrong number, 0 without a safe order' kns.out || complain "kns: $(cat kns.out)"
grep -q 'ripstop: became master; switches hold [0-9]* entries; ripstop.tables (generation [0-9]* by [^)]*) differs in 0 of them; restored' kns/osm.log ||
  complain "kns: $(grep ripstop: kns/osm.log)"

# Without no_fallback the switches are not read, and the log does not say that nothing has changed.
"$RIPSTOP" fabric torus:2x3 --net >small.net
OPENSM_OPTIONS='-R ripstop' TAKE_OVER=own OPTIONS=lanes=1 "$live" small.net ripstop small 1 3 >small.out 2>&1
grep -q 'ripstop: became master; what the switches hold is not known; .* unknown entries and unknown service levels changed, .*; no order of writes is known to be safe' small/osm.log ||
  complain "small: $(grep ripstop: small/osm.log)"

# A flap of one cable of four leaves, two spines and two cables between each. (Five sweeps, a second apart.)
for ((s = 0; s < 2; s++)); do
  echo "Switch 8 \"S-$(printf %016x $((0x100 + s)))\""
  for ((p = 0; p < 8; p++)); do echo "[$((p + 1))] \"S-$(printf %016x $((0x200 + p / 2)))\"[$((2 * s + p % 2 + 1))]"; done
  echo
done >tree.net
for ((l = 0; l < 4; l++)); do
  echo "Switch 8 \"S-$(printf %016x $((0x200 + l)))\""
  for ((p = 0; p < 4; p++)); do echo "[$((p + 1))] \"S-$(printf %016x $((0x100 + p / 2)))\"[$((2 * l + p % 2 + 1))]"; done
  for ((h = 0; h < 4; h++)); do echo "[$((h + 5))] \"H-$(printf %016x $((0x1000 + 64 * l + 16 * h)))\"[1]"; done
  echo
done >>tree.net
for ((h = 0; h < 16; h++)); do
  printf 'Ca 1 "H-%016x"\n[1] "S-%016x"[%d]\n\n' $((0x1000 + 16 * h)) $((0x200 + h / 4)) $((h % 4 + 5))
done >>tree.net
OPTIONS="lanes=1 budget=8" FLAP='"S-0000000000000200"[1]' "$live" tree.net ripstop tree 0 >tree.out 2>tree.err || complain "tree: $(cat tree.out tree.err)"
grep -q 'repaired, 240 pairs, 0 lost, worst link 24' tree/osm.log && grep -q 'returned, .* 12 when planned for the whole fabric; [0-9]* entries to go' tree/osm.log &&
  grep 'ripstop: .* pairs' tree/osm.log | tail -1 | grep -q '240 pairs, 0 lost, worst link 12 (at least 12, planned 12)' || complain "tree: $(grep ripstop: tree/osm.log)"
finish
