# The shared libraries show what cmake/*.symbols say, no more and no less: what is missing, or of another size, breaks
# programs that are linked already; what is there by mistake can never be taken away again. Of libraries with address
# sanitizer in them only the names: clang's puts room behind data.
#
# After an intended change:  bash tests/install/symbols.sh --update BUILD_DIR
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)

# shown BUILD_DIR LIBRARY: a name each line; of data the size too, since programs carry copies of it. Names that begin
# with an underscore are those of compilers.
shown() {
  [ -f "$1/lib$2.so" ] || { echo "$1/lib$2.so is not there" >&2; exit 1; }
  nm -D --defined-only -S "$1/lib$2.so" |
    awk '$NF !~ /^_/ { if ($(NF - 1) ~ /^[TtWw]$/) print $NF; else print $NF, "data", $2 }' | LC_ALL=C sort
}

if [ "${1:-}" = --update ]; then
  for library in ripstop ripstop-kit; do
    names=$(shown "$2" "$library")
    echo "$names" >"$root/cmake/$library.symbols"
  done
  exit 0
fi

status=0
for library in ripstop ripstop-kit; do
  shown "$RIPSTOP_BUILD" "$library" >"$library"
  [ -s "$library" ] || { echo "lib$library.so shows nothing"; exit 1; }
  wanted=$root/cmake/$library.symbols
  if nm -D --undefined-only "$RIPSTOP_BUILD/lib$library.so" | grep -q __asan_; then
    for list in "$wanted" "$library"; do sed 's/ data .*//' "$list" >"$(basename "$list").names"; done
    wanted=$library.symbols.names library=$library.names
  fi
  diff -u "$wanted" "$library" || status=1
done
[ "$status" = 0 ] || echo "the libraries show other names than cmake/*.symbols; bash tests/install/symbols.sh --update BUILD_DIR"
exit "$status"
