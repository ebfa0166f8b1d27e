# The files that the documentation and the design notes name are there: a move that forgets a page is found here.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
cd "$RIPSTOP_SOURCE" || exit 1

named=0
for page in README.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
  [ "$page" != docs/add-a-method.md ] || continue # its file is the reader's
  for path in $(grep -oE '`(src|include|tests|tools|cmake|experiments|examples)/[^` ]*`' "$page" | tr -d '`' | sort -u); do
    case $path in *[A-Z][A-Z]*) continue ;; esac # NAME and the like stand for any
    for each in $(eval "echo $path"); do # {a,b} and * as in a shell
      named=$((named + 1))
      [ -e "$each" ] || complain "$page names $each, which is not there"
    done
  done
done
for page in README.md docs/*.md docs/*/*.md experiments/*/README.md; do
  for picture in $(grep -oE '\]\([^() ]*\.(svg|png)\)' "$page" | sed 's/^](//; s/)$//'); do
    [ -s "$(dirname "$page")/$picture" ] || complain "$page shows $picture, which is not there"
  done
done
tools/draw-methods.py --check || complain "a picture of docs/methods is not what tools/draw-methods.py draws"
[ $named -gt 100 ] || complain "only $named files are named: the pages are written in another way"
finish
