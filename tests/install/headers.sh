# Each installed header stands alone, in C and in C++; a C++ program that includes all of them links both libraries.
set -eu
. "$RIPSTOP_SOURCE/tests/install/lib.sh"
install_here
flags=$(pkg-config --cflags ripstop-kit)

headers=$(cd usr/include && find ripstop -name '*.h' | LC_ALL=C sort)
[ "$(echo "$headers" | wc -l)" -gt 10 ] || { echo "few headers: $headers"; exit 1; }
: >all.cc
for header in $headers; do
  echo "#include <$header>" >one.c
  "$RIPSTOP_CC" $strict $flags -fsyntax-only one.c || { echo "$header does not stand alone in C"; exit 1; }
  cp one.c one.cc
  cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror $flags -fsyntax-only one.cc || { echo "$header: not C++"; exit 1; }
  cat one.c >>all.cc
done

cat >>all.cc <<'EOC'
#include <cstdio>
int main() {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  if (!fabric) return 1;
  std::printf("%u end nodes, %s\n", fabric->ends, ripstop_outcome_words[0]);
  ripstop_fabric_free(fabric);
  return 0;
}
EOC
cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror $RIPSTOP_CFLAGS all.cc -o all $(pkg-config --cflags --libs ripstop-kit)
LD_LIBRARY_PATH=$libraries ./all >out
[ "$(cat out)" = "16 end nodes, steady" ] || { cat out; exit 1; }
