# The project of docs/add-a-method.md, "A method outside the tree", as it stands there: built from the source tree, by
# add_subdirectory and by FetchContent, and from an installed package, with each of its libraries.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
. "$RIPSTOP_SOURCE/tests/install/lib.sh"
install_here
awk '/^```/ { if (open) { open = 0; close(file); next } open = 1; file = $2; next } open && file ~ /^outside/ { print > file }' \
  <(mkdir -p outside; cat "$RIPSTOP_SOURCE/docs/add-a-method.md") || complain "the page cannot be read"
for file in outside/CMakeLists.txt outside/one-switch.c outside/main.c outside.txt; do
  [ -s $file ] || complain "the page has no $file"
done

# works FOLDER: what was built there does what the page says.
works() {
  local program=$1/outside
  [ -x "$program" ] || { complain "$1: nothing was built: $(tail -20 log)"; return; }
  "$program" kary-ntree:k=4,n=1 one-switch >said 2>&1 && diff outside.txt said || complain "$1: $(cat said)"
  "$program" kary-ntree:k=4,n=2 updown >said 2>&1 && grep -qx 'updown: delivers all, free of deadlock' said || complain "$1: $(cat said)"
  "$program" kary-ntree:k=4,n=2 one-switch >said 2>&1 && complain "$1: two switches are one"
  grep -qx 'one-switch: kary-ntree:k=4,n=2 has 8 switches' said || complain "$1: $(cat said)"
  "$program" kary-ntree:k=4,n=1 one-swich >said 2>&1 && complain "$1: any name is a method"
  grep -q "did you mean 'one-switch'" said || complain "$1: $(cat said)"
  grep -qE '"method", "one-switch", "[0-9a-f]{16}"' "$1/outside-methods/sources.c" || complain "$1: the method's text has no hash"
}

# builds FOLDER SOURCE OPTIONS...
builds() {
  local folder=$1 source=$2
  shift 2
  cmake -G Ninja -S "$source" -B "$folder" -DCMAKE_C_COMPILER="$RIPSTOP_CC" "$@" >log 2>&1 && cmake --build "$folder" --target outside -j 2 >>log 2>&1
  works "$folder"
}

for library in ripstop ripstop_static kit kit_static; do
  cp -r outside with-$library
  sed -i "s/ripstop::ripstop)/ripstop::$library)/" with-$library/CMakeLists.txt
  builds installed-$library with-$library -DCMAKE_PREFIX_PATH="$PWD/usr" -DCMAKE_C_FLAGS="$RIPSTOP_CFLAGS" -DCMAKE_BUILD_TYPE=Release
done
# With the build's own settings ccache knows most objects already. Without it they are compiled twice here, so not optimised:
# what the project needs of the tree is the same, and it takes 40 % of the time.
setting() { sed -n "s/^$1:[A-Z]*=//p" "$RIPSTOP_BUILD/CMakeCache.txt"; }
settings=(-DRIPSTOP_TREE="$RIPSTOP_SOURCE" -DCMAKE_C_FLAGS_DEBUG=-O0)
if [ -z "$RIPSTOP_CFLAGS" ]; then
  settings+=(-DCMAKE_C_FLAGS="$(setting CMAKE_C_FLAGS)" -DRIPSTOP_WERROR="$(setting RIPSTOP_WERROR)")
fi
if [ -z "$RIPSTOP_CFLAGS" ] && [ -x "$(setting CCACHE)" ]; then
  settings+=(-DCMAKE_BUILD_TYPE="$(setting CMAKE_BUILD_TYPE)")
else
  settings+=(-DCMAKE_BUILD_TYPE=Debug)
fi
builds tree outside "${settings[@]}"
cp -r outside fetched
sed -i 's|^  add_subdirectory.*|  include(FetchContent)\n  FetchContent_Declare(ripstop SOURCE_DIR "${RIPSTOP_TREE}")\n  FetchContent_MakeAvailable(ripstop)|' fetched/CMakeLists.txt
grep -q MakeAvailable fetched/CMakeLists.txt || complain "the page has no add_subdirectory"
builds fetch fetched "${settings[@]}"

# The hash follows the text.
cp tree/outside-methods/sources.c before
echo '/* another */' >>outside/one-switch.c
cmake --build tree --target outside >log 2>&1 || complain "again: $(cat log)"
! cmp -s before tree/outside-methods/sources.c || complain "another text has the same hash"
finish
