# The Debian packages: what is in them, what they need, and that the program of one and the library of another run.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
set -e
[ -z "$RIPSTOP_CFLAGS" ] || skip "a build with sanitizers is for nobody's machine"
mkdir made
made=0
lab=no
[ ! -e "$RIPSTOP_BUILD/lab/lab.html" ] || lab=yes # another test may make it while packages are made
GIT_DIR=$PWD/none "$RIPSTOP_SOURCE/tools/package.sh" "$RIPSTOP_BUILD" made || made=$? # like a build from an archive
[ $made != 77 ] || skip "what makes packages is missing"
[ $made = 0 ]

. "$RIPSTOP_SOURCE/tests/install/liblicenses.sh"

# has PACKAGE PATTERN...: files
has() {
  local package=$1 pattern
  shift
  dpkg-deb -c made/"$package"_*.deb | awk '{ print $6 }' >files
  for pattern in "$@"; do
    grep -q "$pattern" files || { echo "$package has no $pattern"; cat files; exit 1; }
  done
}
has ripstop '/bin/ripstop$' '/man1/ripstop.1.gz$' '/man1/ripstop-prove.1.gz$' '/completions/ripstop$' '/vendor-completions/_ripstop$' '/doc/ripstop/copyright$' '/doc/ripstop/changelog.gz$'
[ $lab = no ] || has ripstop '/share/ripstop/lab.html$'
version=$(dpkg-deb -f made/ripstop_*.deb Version)
interface=${version%.*}
for package in ripstop libripstop$interface libripstop-dev; do
  dpkg-deb --fsys-tarfile made/"$package"_*.deb | tar -xO "./usr/share/doc/$package/copyright" >copyright
  says_licenses copyright "$package"
done
[ $lab = no ] || { dpkg-deb --fsys-tarfile made/ripstop_*.deb | tar -xO ./usr/share/ripstop/lab.html >lab.html; says_licenses lab.html "the lab's page"; }
has libripstop$interface "/libripstop.so.$interface\$" "/libripstop-kit.so.$interface\$"
has libripstop-dev '/include/ripstop/kit/judge.h$' '/libripstop.so$' '/libripstop.a$' '/ripstop.pc$' '/ripstopConfig.cmake$'
! dpkg-deb -c made/libripstop${interface}_*.deb | grep -E '\.a$|\.h$|\.so$' || { echo "libraries with what is to build with"; exit 1; }

# A path of the build tree in a built library would change the bytes of the installed one.
for library in "$RIPSTOP_BUILD"/libripstop*.so; do
  ! readelf -d "$library" | grep -F "$RIPSTOP_BUILD" || { echo "$library tells of its folder"; exit 1; }
done

if [ -e "$RIPSTOP_BUILD/libripstop-opensm.so" ]; then
  has ripstop-opensm '/libripstop-opensm.so$'
  dpkg-deb -f made/ripstop-opensm_*.deb Depends | grep -q "opensm.*libripstop$interface (= " || { echo "the plug-in needs less"; exit 1; }
fi

mkdir all
for package in made/*.deb; do dpkg-deb -x "$package" all; done
[ "$(zcat all/usr/share/doc/ripstop/changelog.gz | sed -n 's/^ -- .*>  //p')" = "$(LC_ALL=C date -uR -r "$RIPSTOP_SOURCE/CHANGELOG.md")" ] ||
  { echo "packages of an archive have the time when they were made"; exit 1; }
. "$RIPSTOP_SOURCE/tests/install/libelf.sh"
for file in $(binaries all); do
  check_search_path "$file"
  ! for_use || { check_hardened "$file"; check_checked "$file"; }
done
[ "$(binaries all | wc -l)" -ge 3 ] || complain "binaries of packages: $(binaries all)"
all/usr/bin/ripstop --version | grep -qF "$version"
dpkg-deb -f made/ripstop_*.deb Recommends | grep -q gnuplot || { echo "pictures need gnuplot, and the program's package does not say so"; exit 1; }
libraries=$(dirname "$(find "$PWD/all" -name libripstop.so)")
cat >use.c <<'C'
#include <ripstop/ripstop.h>
int main(void) {
  ripstop_error err;
  return ripstop_plan_of("torus:0", NULL, "minimal", &err) ? 1 : 0;
}
C
"$RIPSTOP_CC" -Iall/usr/include use.c -L"$libraries" -lripstop -o use
LD_LIBRARY_PATH=$libraries ./use
finish
