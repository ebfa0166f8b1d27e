#!/bin/bash
# The modules, files and functions that docs/architecture.md and its picture name exist.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
page=$RIPSTOP_SOURCE/docs/architecture.md
picture=$RIPSTOP_SOURCE/docs/images/modules.svg

# Every module has a row and a box, and every row and box names a module.
ls "$RIPSTOP_SOURCE/src" | LC_ALL=C sort >modules
sed -n '/^| module /,/^$/s/^| `\([a-z]*\)` .*/\1/p' "$page" | LC_ALL=C sort >rows
grep -o 'class="module"[^>]*>[a-z]*' "$picture" | sed 's/.*>//' | LC_ALL=C sort >boxes
"$RIPSTOP_SOURCE/tools/draw-modules.py" --check >difference 2>&1 || complain "the picture is an old one: $(cat difference)"
diff modules rows >difference || complain "the table's rows are other modules: $(cat difference)"
diff modules boxes >difference || complain "the picture's boxes are other modules: $(cat difference)"

# Files: by their path, or alone as one of the folder that the page speaks of.
checked=0
for file in $(grep -o '`[^` ]*\.[chs]h*`' "$page" | tr -d '`' | LC_ALL=C sort -u); do
  checked=$((checked + 1))
  case $file in
    */*) [ -e "$RIPSTOP_SOURCE/$file" ] || [ -e "$RIPSTOP_SOURCE/include/ripstop/$file" ] || complain "there is no file $file" ;;
    *) [ -n "$(find "$RIPSTOP_SOURCE/src" "$RIPSTOP_SOURCE/include" -name "$file")" ] || complain "there is no file $file" ;;
  esac
done
[ "$checked" -gt 25 ] || complain "only $checked files were found on the page"

# Functions.
checked=0
for function in $(grep -o '`[a-z_]*()`' "$page" | tr -d '`()' | LC_ALL=C sort -u); do
  checked=$((checked + 1))
  grep -rqE "^[a-z].*\b$function\(" "$RIPSTOP_SOURCE/src" --include='*.[ch]' || complain "there is no function $function"
done
[ "$checked" -gt 5 ] || complain "only $checked functions were found on the page"

# Links.
for link in $(grep -o '](\([^)#]*\)' "$page" | sed 's/](//' | grep -v '^http' | LC_ALL=C sort -u); do
  [ -e "$RIPSTOP_SOURCE/docs/$link" ] || complain "the page links to $link, which is not there"
done
finish
