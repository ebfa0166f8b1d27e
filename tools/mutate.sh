#!/bin/bash
# Changes the source in one place at a time and prints the changes that no test detects: each is a line that could be wrong
# unnoticed. Works in a copy of the tree (build-mutants/), with or without uncommitted changes.
#
# usage: tools/mutate.sh FILE|FOLDER [N] [-R REGEX] [-t SECONDS]
#   FILE         of src/ or lab/, e.g. src/simulate/control.c; a FOLDER stands for all files in and below it
#   N            try this many changes that have not been tried (default 20)
#   -R REGEX     with the tests of these names (default: unit_|proto_), as ctest -R
#   -t SECONDS   begin no further change after this time
#
# Results for a version of a file and these tests are kept in build-mutants/tried, so the same command continues. Changes are
# made to operators, conditions, constants and whole statements, in a fixed pseudo-random order. A change that does not
# compile, or that compiles to the same machine code, does not count.
#
# Exit code 0: all changes tried so far were detected; 1: some were not, and are printed; 2: an error.
set -u
cd "$(dirname "$0")/.."
top=$PWD
usage() { sed -n 's/^# //; /^usage:/,/^  -t/p' "$0" >&2; exit 2; }

place='' most=20 tests='unit_|proto_' seconds=0
while [ $# -gt 0 ]; do
  case $1 in
    -R) tests=${2:?}; shift ;;
    -t) seconds=${2:?}; shift ;;
    *[!0-9]*) place=${1%/} ;;
    *) most=$1 ;;
  esac
  shift
done
case $place in src/*.c | lab/*.c) [ -f "$place" ] || usage ;; src/* | lab) [ -d "$place" ] || usage ;; *) usage ;; esac
files=$(find "$place" -name '*.c' | sort)

work=$top/build-mutants tree=$top/build-mutants/tree build=$top/build-mutants/build
mkdir -p "$tree" "$build" "$work/tried"
rm -rf "$work/objects"
# The record of what was tried in a file of this content with these tests.
tried() { printf '%s/tried/%s.%s\n' "$work" "$(printf '%s %s' "$1" "$tests" | tr -c 'a-zA-Z0-9\n' _)" "$(cksum <"$1" | cut -d' ' -f1)"; }

# ---------------------------------------------------------------- the changes, one a line: FILE, LINE, old, new; tabs between
changes() {
  awk '
    # The line with strings, characters and comments blanked, so that columns stay what they are.
    function bare(text,   out, i, c, quote) {
      out = ""; quote = ""
      for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (comment) { if (substr(text, i, 2) == "*/") { comment = 0; out = out " "; i++ } out = out " "; continue }
        if (quote != "") { if (c == "\\") { out = out " "; i++ } else if (c == quote) quote = ""; out = out " "; continue }
        if (substr(text, i, 2) == "/*") { comment = 1; out = out "  "; i++; continue }
        if (c == "\"" || c == "\047") { quote = c; out = out " "; continue }
        out = out c
      }
      return out
    }
    function change(at, size, new,   text) {
      text = substr($0, 1, at - 1) new substr($0, at + size)
      if (text != $0) printf "%d\t%s\t%s\n", NR, $0, text
    }
    # Each place where the word stands between blanks.
    function swap(word, new,   from, at) {
      for (from = 1; at = index(substr(code, from), " " word " "); from += at + length(word))
        change(from + at, length(word), new)
    }
    function constants(   from, word, before) {
      for (from = 1; match(substr(code, from), /[0-9]+(\.[0-9]+)?/); from += RSTART + RLENGTH - 1) {
        before = substr(code, from + RSTART - 2, 1)
        word = substr(code, from + RSTART - 1, RLENGTH)
        if (before ~ /[A-Za-z_.0-9]/ || substr(code, from + RSTART + RLENGTH - 1, 1) ~ /[A-Za-z_.]/) continue
        change(from + RSTART - 1, RLENGTH, word ~ /\./ ? word * 10 : word + 1)
      }
    }
    # The condition of an if or while that ends on its line.
    function condition(   start, depth, i, c) {
      if (!match(code, /(if|while) \(/)) return
      start = RSTART + RLENGTH; depth = 1
      for (i = start; i <= length(code) && depth; i++) {
        c = substr(code, i, 1)
        depth += (c == "(") - (c == ")")
      }
      if (!depth) change(start, i - 1 - start, "!(" substr($0, start, i - 1 - start) ")")
    }
    function words(old, new,   from) {
      for (from = 1; match(substr(code, from), "(^|[^A-Za-z_])" old "([^A-Za-z_]|$)"); from += RSTART + RLENGTH - 1)
        change(from + RSTART - 1 + (substr(code, from + RSTART - 1, 1) !~ /^[a-z]/), length(old), new)
    }
    { code = bare($0) }
    code ~ /^[ \t]*#/ || code !~ /^ / { next } # only inside functions and tables
    {
      split("< <=,<= <,> >=,>= >,== !=,!= ==,+ -,- +,* /,/ *,% /,&& ||,|| &&,& |,| &,<< >>,>> <<,+= -=,-= +=,|= &=,&= |=", pairs, ",")
      for (i = 1; i in pairs; i++) { split(pairs[i], pair, " "); swap(pair[1], pair[2]) }
      for (from = 1; at = index(substr(code, from), "++"); from += at + 1) change(from + at - 1, 2, "--")
      for (from = 1; at = index(substr(code, from), "--"); from += at + 1) change(from + at - 1, 2, "++")
      for (from = 1; match(substr(code, from), /![A-Za-z_(*]/); from += RSTART) change(from + RSTART - 1, 1, "")
      constants()
      words("true", "false")
      words("false", "true")
      condition()
    }
    # A statement of its own: an assignment, a call, a step, a jump.
    code ~ /^ +(\*|\+\+|--)?[A-Za-z_][A-Za-z_0-9.>\[\]()*+-]*( [-+*|&%]?= .*|\(.*\)|\+\+|--)?;[ ]*$/ ||
    code ~ /^ +(if|for|while) \(.*\) (return|continue|break).*;[ ]*$/ {
      match($0, /^ +/); change(RLENGTH + 1, length($0) - RLENGTH, ";")
    }
  ' "$1" | awk -F'\t' -v file="$1" '{ printf "%d\t%s\t%s\n", ($1 * 7919 + NR * 104729) % 1000003, file, $0 }'
}

# ---------------------------------------------------------------- the copy, built and tested once as it is
git ls-files --cached --others --exclude-standard | sort >"$work/files"
(cd "$tree" && find . -type f | sed 's/^..//' | sort) | comm -13 "$work/files" - | while read -r old; do rm "$tree/$old"; done
while read -r path; do
  [ -f "$path" ] && ! cmp -s "$path" "$tree/$path" && mkdir -p "$tree/$(dirname "$path")" && cp "$path" "$tree/$path"
done <"$work/files"
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$work/log" || { cat "$work/log"; exit 2; }
entries=$(cd "$build" && ctest -N -R "$tests" | sed -n 's/^ *Test *#[0-9]*: //p')
[ -n "$entries" ] || { echo "no test is called like '$tests'" >&2; exit 2; }
targets="ripstop $(comm -12 <(echo "$entries" | sed 's/\..*//; s/.*_mpi.*/ripstop_mpi/' | sort -u) \
  <(ninja -C "$build" -t targets all | sed -n 's/^\([a-z0-9_]*\): phony$/\1/p' | sort))"

compiles() { ninja -C "$build" $targets >"$work/log" 2>&1; }
# Bounded in time and memory for each process: a change can make a loop without end.
passes() { (cd "$build" && ulimit -t $((20 + 5 * takes)) -v 8000000 && ctest -j2 --stop-on-failure -R "$tests" >"$work/log" 2>&1); }

takes=300
compiles && passes || { cat "$work/log"; echo "the tests fail without any change" >&2; exit 2; }
skipped=$(sed -n 's|^[[:space:]]*[0-9]* - \([^ ]*\) (Skipped).*|\1|p' "$work/log" | tr '\n' ' ')
[ -z "$skipped" ] || echo "skipped here, so they notice nothing: $skipped" >&2
takes=$(sed -n 's/^Total Test time (real) = *\([0-9]*\).*/\1/p' "$work/log")

# ---------------------------------------------------------------- one change after the other
# Keeps the objects of an unchanged file, before its first change.
keep() {
  [ -d "$work/objects/$1" ] && return
  mkdir -p "$work/objects/$1"
  find "$build" -path "*/$1.o" | while read -r object; do cp "$object" "$work/objects/$1/$(cksum <<<"$object" | tr -d ' ')"; done
}
# True where a compilation since the mark made another object of the file.
differs() {
  find "$build" -path "*/$1.o" -newer "$work/mark" | while read -r object; do
    cmp -s "$object" "$work/objects/$1/$(cksum <<<"$object" | tr -d ' ')" || echo "$object"
  done | grep -q .
}
outcome() {
  compiles || { echo uncompiled; return; }
  differs "$1" || { echo same; return; }
  if passes; then echo survived; else echo killed; fi
}

for file in $files; do changes "$file"; touch "$(tried "$file")"; done | sort -n | cut -f2- >"$work/changes"
file=''
trap '[ -z "$file" ] || cp "$top/$file" "$tree/$file"' EXIT
while IFS=$'\t' read -r next line _ new && [ "$most" -gt 0 ]; do
  [ "$seconds" -eq 0 ] || [ $SECONDS -lt "$seconds" ] || break
  grep -qxF "$line"$'\t'"$new" <(cut -f 1,2 "$(tried "$next")") && continue
  [ -z "$file" ] || cp "$top/$file" "$tree/$file"
  file=$next
  keep "$file"
  touch "$work/mark"
  NEW=$new awk -v n="$line" '{ print NR == n ? ENVIRON["NEW"] : $0 }' "$top/$file" >"$tree/$file"
  result=$(outcome "$file")
  printf '%s\t%s\t%s\n' "$line" "$new" "$result" >>"$(tried "$file")"
  case $result in killed | survived) most=$((most - 1)) ;; esac
done <"$work/changes"

# ---------------------------------------------------------------- results so far
for name in $files; do sed "s|^|$name\t|" "$(tried "$name")"; done | awk -F'\t' -v place="$place" -v all="$(wc -l <"$work/changes")" '
  NR == FNR { old[$1, $2] = $3; next }
  { tried++; count[$4]++; gsub(/^ +/, "", $3) }
  $4 == "survived" { text = old[$1, $2]; gsub(/^ +/, "", text); printf "%s:%d: %s\n  survives as: %s\n", $1, $2, text, $3 }
  END {
    printf "%s: %d of %d changes tried: %d noticed, %d survived, %d the same, %d do not compile\n", place, tried, all,
      count["killed"], count["survived"], count["same"], count["uncompiled"]
    exit count["survived"] > 0
  }' "$work/changes" -
