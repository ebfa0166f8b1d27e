# The licenses of what is compiled in are those of the files themselves, and the lab's page has them.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
. "$RIPSTOP_SOURCE/tests/install/liblicenses.sh"
needs_lab

# words FILE: its words a line each, without what only marks lines of comments.
words() { tr -s ' \t\n*' '\n' <"$1" | grep .; }

# is_of LICENSE FILE: the license's words stand in the file, one after the other.
is_of() {
  local license=$RIPSTOP_SOURCE/licenses/$1.txt text
  [ -s "$2" ] || { complain "$2 is missing"; return; }
  text=$(words "$2" | tr '\n' ' ')
  case $text in *"$(words "$license" | tr '\n' ' ')"*) ;; *) complain "$2 has another license than licenses/$1.txt" ;; esac
}
include() { sed -n "s/^$1:PATH=//p" "$RIPSTOP_BUILD/CMakeCache.txt"; }
is_of xxhash "$(include XXHASH_INCLUDE)/xxhash.h"
is_of random123 "$(include RANDOM123_INCLUDE)/Random123/philox.h"
musl=/usr/share/emscripten/system/lib/libc/musl/COPYRIGHT
[ ! -e $musl ] || is_of musl $musl
says_licenses "$RIPSTOP_LAB" "the lab's page"
for word in 'Emscripten Authors' 'Rich Felker' 'Yann Collet' 'D. E. Shaw Research' 'ripstop authors'; do
  grep -qF "$word" "$RIPSTOP_LAB" || complain "the lab's page does not name $word"
done

# A page without them is found.
sed '/Yann Collet/d' "$RIPSTOP_LAB" >without
(says_licenses without page) | grep -q 'xxhash.txt' || complain "a page without a license passes"
finish
