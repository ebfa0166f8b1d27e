#!/bin/sh
# Fails, naming both, when two files of src and lab have one name and are different things. One name for one thing is
# right: a command has the name of what it opens (src/cli), a plug-in that of the module that it is made of (folders
# that cmake/registry.cmake reads), and the protocols of methods have the same parts (src/methods/NAME/).
set -eu
cd "$(dirname "$0")/.."
# Names that stand twice still: each counts once, and the list may only become shorter.
still="repair.c levels.c shortest.c trees.c trees.h"
find src lab -name '*.[ch]' | LC_ALL=C sort | awk -v still="$still" '
  BEGIN { count = split(still, list, " "); for (i = 1; i <= count; i++) twice[list[i]] = 1 }
  { name = $0; sub(/.*\//, "", name); folder = $0; sub(/\/[^\/]*$/, "", folder) }
  folder == "src/cli" && /\.c$/ { next }
  folder ~ /^src\/(fabric\/families|faults\/processes|simulate\/(traffic|choices|selection|arbiters|switches|matchings)|programs\/kernels|workload\/kinds|methods)$/ { next }
  folder ~ /^src\/methods\// && folder != "src/methods/shared" { next }
  name in at { if (name in twice) { found[name] = 1; next } printf "%s and %s have one name\n", at[name], $0; wrong++; next }
  { at[name] = $0 }
  END {
    for (name in twice) if (!(name in found)) { printf "tools/check-names.sh: %s stands once now, take it out of the list\n", name; wrong++ }
    exit wrong > 0
  }
'
echo "names: good"
