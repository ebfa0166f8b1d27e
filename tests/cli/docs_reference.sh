#!/bin/bash
# docs/reference.md has every key as the program prints it: the test makes it again, and compares.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/make-reference.sh" "$RIPSTOP" >made || complain "tools/make-reference.sh fails"
diff "$RIPSTOP_SOURCE/docs/reference.md" made || complain "docs/reference.md is old: tools/make-reference.sh makes it"

# No key that the program prints is lost in the page.
rows=$(grep -cE '^\| `' made)
said=0
count() { said=$((said + $(grep -cE '^  [a-z0-9_-]+=\(' <"$1"))); }
for section in $("$RIPSTOP" help | sed -nE "s/^'ripstop help SECTION' .*: (.*)\.$/\1/p" | tr -d ','); do
  "$RIPSTOP" help "$section" >text && count text
done
"$RIPSTOP" fabric --help >text && count text
for command in methods workloads patterns faults programs; do
  for name in $("$RIPSTOP" $command | cut -d' ' -f1); do
    "$RIPSTOP" $command "$name" | sed "/^Other keys of '/,\$d" >text && count text
    grep -qxF "### \`$name\`" made || complain "docs/reference.md has no $name of 'ripstop $command'"
  done
done
[ "$said" -gt 200 ] && [ "$rows" -eq "$said" ] || complain "$rows keys in docs/reference.md, the program tells of $said"
finish
