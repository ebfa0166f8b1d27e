# The examples, built and run against the installed library: by pkg-config and by find_package, shared and static.
set -eu
. "$RIPSTOP_SOURCE/tests/install/lib.sh"
install_here

# No name of the static libraries can meet one of the program.
for library in ripstop ripstop-kit; do
  nm -g --defined-only "$libraries/lib$library.a" | awk 'NF == 3 { print $3 }' >names
  [ -s names ] || { echo "lib$library.a has no names"; exit 1; }
  if grep -vE '^(ripstop_|_)' names; then echo "lib$library.a shows these"; exit 1; fi
done

# runs FOLDER: what each example prints is the same however it is linked.
runs() {
  "$1/first" >out.first
  "$1/run" >out.run
  "$1/prove" kary-ntree:k=4,n=3 misroute '0/2.1/5 0/2.1/7' >out.prove
  if "$1/prove" torus:4x4 no-such-method >out.wrong 2>&1; then echo "prove takes any method"; exit 1; fi
  "$1/one-plan" kary-ntree:k=4,n=2 uturn >out.plan
  "$1/one-plan" torus:4x4 minimal-adaptive >out.free
  "$1/all-reduce" >out.reduce
  "$1/deadlock" >out.deadlock
  rm -rf out
  "$1/experiment" links.yaml >out.experiment # its runs end in any order
  sort -o out.experiment out.experiment
  "$1/experiment" links.yaml >out.again
  if "$1/experiment" none.yaml >out.none 2>&1; then echo "experiment takes a file that is not there"; exit 1; fi
  grep -q '^deadlock at cycle' out.deadlock && grep -q 'the first to end node' out.deadlock
  cat out.* >"$1.out"
  [ -f first.out ] || cp "$1.out" first.out
  cmp "$1.out" first.out
}

by_pkg_config() { # by_pkg_config FOLDER FLAGS KIT_FLAGS
  mkdir "$1"
  for example in "$RIPSTOP_SOURCE"/examples/*.c; do
    flags=$2
    if grep -q 'ripstop/kit/' "$example"; then flags=$3; fi
    "$RIPSTOP_CC" $strict $RIPSTOP_CFLAGS "$example" -o "$1/$(basename "$example" .c)" $(pkg-config --cflags ripstop) $flags
  done
  runs "$1"
}

cat >links.yaml <<'END'
fabric: kary-ntree:k=2,n=2
method: misroute
faults: {count: [0, 1], samples: 2}
traffic: {load: 0.2, packet: 4}
measure: {warmup: 10, cycles: 100}
figures: [{id: f, x: faults.count, y: accepted}]
END

by_cmake() { # by_cmake FOLDER OPTIONS...
  folder=$1
  shift
  cmake -S "$RIPSTOP_SOURCE/examples" -B "$folder" -DCMAKE_PREFIX_PATH="$PWD/usr" -DCMAKE_C_COMPILER="$RIPSTOP_CC" \
    -DCMAKE_C_FLAGS="$RIPSTOP_CFLAGS" "$@" >cmake.log 2>&1 && cmake --build "$folder" >>cmake.log 2>&1 ||
    { cat cmake.log; exit 1; }
  runs "$folder"
}

by_cmake cmake-shared
by_cmake cmake-static -DSTATIC=ON
by_pkg_config pkg-static "$libraries/libripstop.a $(pkg-config --libs --static ripstop | sed 's/-lripstop//')" \
  "$libraries/libripstop-kit.a $libraries/libripstop.a $(pkg-config --libs --static ripstop-kit | sed 's/-lripstop\(-kit\)\?\b//g')"
export LD_LIBRARY_PATH=$libraries
by_pkg_config pkg-shared "$(pkg-config --libs ripstop)" "$(pkg-config --libs ripstop-kit)"

wanted() { grep -q "$1" "$2" || { echo "not in $2: $1"; cat "$2"; exit 1; }; }
wanted '^steady: 0\.[0-9]* flits/node/cycle$' out.first
# A first run is short: its lines of code without the braces of main.
[ "$(sed -n '/^int main/,/^}/p' "$RIPSTOP_SOURCE/examples/first.c" | sed '1d;$d' | wc -l)" -le 10 ] || { echo 'first.c is long'; exit 1; }
wanted '^steady after' out.run
wanted '^tolerated, free of livelock, deadlock impossible with credits or PFC: ' out.prove
wanted '^tables: 0 of 240 pairs are not reached, 12 paths on the busiest link, deadlock impossible' out.plan
wanted 'packets may choose between ports' out.free
wanted '^run: steady, ' out.free
wanted '^steady; packets lost and sent again: [1-9]' out.reduce
wanted '^16 end nodes have all sums after ' out.reduce
wanted "^prove: method 'no-such-method' is unknown" out.wrong
# The experiment does no run twice, and the tables are those of `ripstop run`.
wanted '^[0-9a-f]\{32\} steady$' out.experiment
if grep -q '^[0-9a-f]\{32\} ' out.again; then echo "what was stored was done again"; exit 1; fi
wanted '^experiment: none.yaml: No such file or directory$' out.none
"$RIPSTOP" run links.yaml 2>said >table
cmp table out.again
wanted '^links.yaml: 4 runs, 4 of them in out/links.db already$' said

# shared is shared, and static is not
ldd pkg-shared/run >ldd.shared
wanted "libripstop.so.*=> $libraries/" ldd.shared
for program in pkg-static/run cmake-static/run; do
  if ldd "$program" | grep libripstop; then echo "$program is not static"; exit 1; fi
done
