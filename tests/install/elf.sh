# Programs and libraries, in the build and installed (packages.sh has those of packages): none takes a library from the current
# folder, and builds for use are hardened.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
. "$RIPSTOP_SOURCE/tests/install/lib.sh"
. "$RIPSTOP_SOURCE/tests/install/libelf.sh"
install_here

binaries "$RIPSTOP_BUILD" >built
binaries usr >installed
[ "$(grep -c . built)" -gt 100 ] || complain "few binaries: $(cat built)"
for name in /bin/ripstop '/libripstop\.so\.[0-9.]*' '/libripstop-kit\.so\.[0-9.]*'; do
  grep -qx "usr.*$name" installed || complain "no $name is installed: $(cat installed)"
done
while read -r file; do check_search_path "$file"; done < <(cat built installed)
if for_use; then
  while read -r file; do check_hardened "$file"; done < <(cat built installed)
  ls "$RIPSTOP" "$RIPSTOP_BUILD"/*.so | cat - installed >ours
  while read -r file; do check_checked "$file"; done <ours
fi

# The check finds what it looks for.
echo 'int main(void) { return 0; }' >plain.c
for path in '$ORIGIN:' ':$ORIGIN' '$ORIGIN::/usr/lib' lib ':'; do
  "$RIPSTOP_CC" plain.c -Wl,-rpath,"$path" -o plain
  (check_search_path plain) | grep -q plain || complain "[$path] is taken for good: $(search_path plain)"
done
"$RIPSTOP_CC" plain.c -no-pie -fno-pie -Wl,-z,norelro,-z,lazy,-z,execstack -o plain
(check_hardened plain; check_checked plain) >found
[ "$(grep -c . found)" -eq 6 ] || complain "of six things that are soft in a program, these are found: $(cat found)"

# Libraries of all names that are needed lie in the current folder, and none of them is taken.
mkdir planted && cd planted || exit 1
cat >planted.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void taken(void) {
  puts("planted");
  exit(99);
}
C
"$RIPSTOP_CC" -shared -fPIC planted.c -o planted.so
for file in "$RIPSTOP" "$RIPSTOP_BUILD"/*.so; do readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'; done | sort -u >needed
grep -q libyaml needed || complain "what is needed: $(cat needed)"
while read -r name; do cp planted.so "$name"; done <needed
cp planted.so ripstop-mpi.so
for program in "$RIPSTOP" ../usr/bin/ripstop; do
  $program --version >said 2>&1 || complain "$program runs what is planted: $(cat said)"
  OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 timeout 60 $program run none.yaml >said 2>&1
  ! grep -q planted said || complain "$program takes ripstop-mpi.so from the current folder: $(cat said)"
done
while read -r file; do
  ldd "$(realpath "../$file" 2>/dev/null || echo "$file")" 2>/dev/null | awk '/=>/ { print $3 }' >taken
  ! grep -v '^/' taken | grep -vx not && ! grep "^$PWD/" taken || complain "$file takes libraries from the current folder: $(cat taken)"
done < <(ls "$RIPSTOP" "$RIPSTOP_BUILD"/*.so; cat ../installed)
finish
