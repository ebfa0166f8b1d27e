# The hash of a plug-in changes with each text that it is built from, and with no other's; the build makes it again.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
tree=$PWD/tree

# Three methods, two of which share code by way of two headers, and one outside of the tree with a folder.
mkdir -p tree/src/methods/one tree/src/methods/shared tree/src/route outside/mine
printf '#include "methods/one/deep.h"\n#include "route/plan.h"\nint one;\n' >tree/src/methods/one.c
printf '#include "methods/shared/turn.h"\n' >tree/src/methods/one/deep.h
printf 'int alone;\n' >tree/src/methods/one/alone.c
printf '  #  include "shared/turn.h"\nint two;\n' >tree/src/methods/two.c
printf '#include <stdio.h>\nint three; // "shared/turn.h"\n' >tree/src/methods/three.c
printf '#include "grid.h"\n' >tree/src/methods/shared/turn.h
printf 'int turn;\n' >tree/src/methods/shared/turn.c
printf 'int grid;\n' >tree/src/methods/shared/grid.h
printf 'int engine;\n' >tree/src/route/plan.h
printf '#include "near.h"\n#include "methods/shared/turn.h"\nint mine;\n' >outside/mine.c
printf 'int near;\n' >outside/near.h
printf 'int own;\n' >outside/mine/own.c
printf 'int other;\n' >outside/other.h
for name in one two three; do echo "method|$name|$tree/src/methods/$name.c"; done >list
echo "method|mine|$PWD/outside/mine.c" >>list

hashes() {
  cmake "-DROOT=$tree" -DLIST=list "-DOUTPUT=$PWD/sources.c" -P "$RIPSTOP_SOURCE/cmake/sources.cmake" || complain "the script failed"
  sed -n 's/^ *{"method", "\(.*\)", "\([0-9a-f]\{16\}\)"},$/\1 \2/p' sources.c
}

# edits FILE NAMES: with another line in the file the hashes of these methods are others, and no others'.
edits() {
  local changed
  printf '/* another */\n' >>"$1"
  hashes >after
  changed=$(diff before after | sed -n 's/^> \([a-z]*\) .*/\1/p' | tr '\n' ' ')
  [ "$changed" = "$2 " ] || complain "$1: changed are '$changed', not '$2'"
  mv after before
}

hashes >before
[ "$(wc -l <before)" -eq 4 ] || complain "hashes: $(cat before)"
[ "$(cut -d' ' -f2 before | sort -u | wc -l)" -eq 4 ] || complain "two are equal: $(cat before)"
edits tree/src/methods/one.c "one"
edits tree/src/methods/two.c "two"
edits tree/src/methods/three.c "three"
edits tree/src/methods/one/deep.h "one"
edits tree/src/methods/one/alone.c "one"
edits tree/src/methods/shared/turn.h "one two mine"
edits tree/src/methods/shared/turn.c "one two mine"
edits tree/src/methods/shared/grid.h "one two mine"
edits outside/mine.c "mine"
edits outside/near.h "mine"
edits outside/mine/own.c "mine"
printf 'int more;\n' >tree/src/methods/one/more.c
edits tree/src/methods/one/more.c "one"
for file in tree/src/route/plan.h outside/other.h; do
  echo more >>$file
  hashes | cmp -s - before || complain "$file changes a hash"
done

# The same files elsewhere have the same hashes.
cp -r tree moved
sed "s|$tree|$PWD/moved|; /mine/d" list >list.moved
cmake "-DROOT=$PWD/moved" -DLIST=list.moved "-DOUTPUT=$PWD/moved.c" -P "$RIPSTOP_SOURCE/cmake/sources.cmake"
hashes >/dev/null
diff <(grep -v '"mine"' sources.c) moved.c >difference || complain "hashes of a moved tree: $(cat difference)"

# Built hashes: one for each plug-in of the tree, all different.
count=$(cd "$RIPSTOP_SOURCE/src" && ls fabric/families/*.c faults/processes/*.c methods/*.c simulate/traffic/*.c simulate/arbiters/*.c \
  simulate/selection/*.c simulate/switches/*.c simulate/matchings/*.c programs/kernels/*.c workload/kinds/*.c | wc -l)
[ "$(grep -c '^    {"' "$RIPSTOP_BUILD/generated/sources.c")" -eq "$count" ] || complain "not $count hashes were built"
[ "$(sed -n 's/.* "\([0-9a-f]\{16\}\)"},/\1/p' "$RIPSTOP_BUILD/generated/sources.c" | sort -u | wc -l)" -eq "$count" ] ||
  complain "two plug-ins have the same hash"
finish
