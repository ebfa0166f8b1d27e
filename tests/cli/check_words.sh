# tools/check-words.py finds each row of its table in comments, messages and prose, finds nothing in ordinary English and in
# code, and reads the whole tree when no file is named.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
words=$RIPSTOP_SOURCE/tools/check-words.py
data=$RIPSTOP_SOURCE/tests/data/words

# Sentences as a file's comments, messages and paragraphs: sentence N stands on line N.
as_comments() { sed 's:.*:/* & */:'; }
as_messages() { sed 's:.*:f("&");:'; }
as_prose() { sed 's:^:- :'; }

"$words" --rows >rows
sentences=$(grep -v '^#' "$data/wrong.txt")
for kind in comments messages prose; do
  file=wrong_$kind.c
  [ $kind = prose ] && file=wrong.md
  cut -f2 <<<"$sentences" | as_$kind >$file
  "$words" $file >found && complain "$file: exit code 0, though there are findings"
  number=0
  while IFS=$'\t' read -r row sentence; do
    number=$((number + 1))
    term=$(awk -F'\t' -v row="$row" '$1 == row { print $2 }' rows)
    [ -n "$term" ] || complain "wrong.txt: '$row' is no row of tools/check-words.py"
    grep -qF -- "$file:$number: '" found && grep -F "$file:$number: '" found | grep -qF -- "-> use '$term'" ||
      complain "not found among $kind, row $row: $sentence"
  done <<<"$sentences"
done
for row in $(cut -f1 rows | tr ' ' _); do
  grep -q "^${row//_/.}"$'\t' "$data/wrong.txt" || complain "the row '$row' has no example in tests/data/words/wrong.txt"
done

# Each row of the table is a row of the glossary's list of older words, with the same term.
while IFS=$'\t' read -r row term; do
  grep -qF "| $row | $term |" "$RIPSTOP_SOURCE/docs/glossary.md" || complain "docs/glossary.md has no row '| $row | $term |'"
done <rows

for kind in comments messages prose; do
  file=right_$kind.c
  [ $kind = prose ] && file=right.md
  grep -v '^#' "$data/right.txt" | as_$kind >$file
  "$words" $file >found || { echo "ordinary English among $kind:"; cat found; failed=1; }
done

# Code is not read: identifiers, literals without a blank, blocks and spans of code, addresses.
cat >code.c <<'TEXT'
int ways = asked(told, "told");
const char *dead[] = {"anew", 'c'};
TEXT
cat >code.md <<'TEXT'
The key `switch.choice` and [a page](docs/ways-told.md).

```sh
ripstop told anew
```

Indented code:

    ripstop asks anew
TEXT
"$words" code.c code.md >found || { echo "code was read:"; cat found; failed=1; }

# A match may span lines; the line that is printed is the one on which it begins. Literals that stand together are one message.
printf '/* The packet goes\n * round. */\nf("It waits for "\n  "ever.");\n' >lines.c
"$words" lines.c >found
[ "$(cat found)" = "lines.c:1: 'goes round' -> use 'detour around, reroute'
lines.c:3: 'for ever' -> use 'forever, permanently, indefinitely'" ] || complain "lines.c: $(cat found)"

# Comments that begin with the words of rule 3.
printf '/* %s the queues hold. */\n' Of Those Such Who What Whether Where "That which" As of what >begin.c
"$words" begin.c >found
[ "$(grep -c "' -> use 'a subject (who does what)'" found)" -eq 11 ] || complain "comments may begin with some words of rule 3: $(cat found)"
printf '/* Queues by output. */\n/* As in the paper. */\n/* Office. */\n' >begin.c
"$words" begin.c || complain "comments that begin well were found"

# Sentences of 30 and of 31 words, in a paragraph and in a list.
thirty=$(printf 'word%.0s ' {1..30})
printf '%s.\n\n%sword. Short.\n\n- %s\n  word.\n' "${thirty% }" "$thirty" "$thirty" >long.md
"$words" long.md | cut -d: -f1-3 >found
[ "$(cat found)" = "long.md:3: a sentence of 31 words
long.md:5: a sentence of 31 words" ] || complain "long sentences: $(cat found)"

# Texts of YAML: plain ones, in quotes and in braces, and blocks; no keys, and no front matter of documents.
printf 'title: Links that are dead\nx: {born: 1, says: "They are\n  told"}\nabout: >\n  The packet\n  asks.\nway: 1\n' >texts.yaml
"$words" texts.yaml | cut -d: -f1-2 >found
[ "$(cat found)" = "texts.yaml:1
texts.yaml:3
texts.yaml:6" ] || complain "texts.yaml: $(cat found)"
printf -- '---\nway: dead\n---\nText.\n' >front.md
"$words" front.md || complain "front matter was read"

# The whole tree, when no file is named.
git init -q tree
mkdir -p tree/tools tree/src/mend
cp "$words" tree/tools
(cd tree && tools/check-words.py) || complain "a tree without findings fails"
echo '/* It is told anew. */' >tree/src/mend/a.c
(cd tree && tools/check-words.py) >found && complain "a tree with findings passes"
grep -qF "src/mend/a.c:1: 'anew'" found || complain "the tree: $(cat found)"
"$words" --wrong >found 2>&1 && complain "an unknown option passes"
"$words" no-such-file.c 2>found && complain "a missing file passes"
grep -qF 'no-such-file.c: cannot be read' found || complain "a missing file: $(cat found)"
finish
