# Every page of docs/ leads to the glossary, and no term stands in the glossary twice.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
cd "$RIPSTOP_SOURCE/docs" || exit 1

pages=0
while read -r page; do
  pages=$((pages + 1))
  up=$(sed 's:^\./::; s:[^/]*$::; s:[^/]*/:../:g' <<<"$page")
  grep -qF "](${up}glossary.md" "$page" || complain "docs/$page has no link to ${up}glossary.md; add: *Terms: the [glossary](${up}glossary.md).*"
done < <(find . -name '*.md' ! -path ./glossary.md)
[ $pages -gt 80 ] || complain "only $pages pages were found"

repeated=$(sed -n 's/^| \(\*\*[^|]*\) |.*/\1/p' glossary.md | grep -o '\*\*[^*]*\*\*' | sort | uniq -d)
[ -z "$repeated" ] || complain "terms that the glossary has twice: $repeated"
[ "$(grep -c '^| \*\*' glossary.md)" -gt 70 ] || complain "the glossary has fewer terms than before"
finish
