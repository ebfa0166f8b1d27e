#!/bin/bash
# Prints docs/reference.md from what the program itself says of its options:  tools/make-reference.sh [RIPSTOP]
#
#   tools/make-reference.sh build/ripstop >docs/reference.md      after an option has changed
#
# 'ripstop help' and the like print the arrays that options are read by, so the page has every key with its type, range,
# default and words. tests/cli/docs_reference.sh compares it with the program.
set -eu
export LC_ALL=C
ripstop=${1:-build/ripstop}

# Two lines an option, "  NAME=(VALUES)[, required|, default X][, the name may be left out]" and its sentence: a table.
# `|` stands for itself in a row only behind a backslash.
table() {
  awk '
    function flush() { if (name != "") printf "| `%s` | %s | %s | %s |\n", name, values, fallback, help; name = "" }
    function cell(text) { gsub(/\|/, "\\|", text); return text }
    match($0, /^  [a-z0-9_-]+=\(/) {
      flush()
      if (!rows++) print "\n| key | values | default | |\n|---|---|---|---|"
      name = substr($0, 3, RLENGTH - 4)
      rest = substr($0, RLENGTH + 1)
      shut = match(rest, /\)(, required|, default |, the name may be left out|$)/)
      values = cell(substr(rest, 1, shut - 1))
      gsub(/\\\|/, ", ", values)
      rest = substr(rest, shut + 1)
      left_out = sub(/, the name may be left out$/, "", rest)
      fallback = rest ~ /^, required/ ? "must be given" : ""
      if (sub(/^, default /, "", rest)) fallback = "`" cell(rest) "`"
      help = ""
      next
    }
    name != "" && /^      / { help = cell(substr($0, 7)) (left_out ? " (the name may be left out)" : ""); next }
    { flush() }
    END { flush(); if (!rows) print "\nNo options." }'
}

# entry COMMAND NAME: the summary of something with a name, and its options.
entry() {
  local said
  said=$("$ripstop" "$@")
  printf '\n### `%s`\n%s.\n' "$2" "$(sed -nE '0,/^  summary +/s/^  summary +(.*)/\1/p' <<<"$said")"
  sed "/^Other keys of '/,\$d" <<<"$said" | table
}

entries() {
  printf '\n## %s\n%s\n' "$2" "$3"
  "$ripstop" "$1" | cut -d' ' -f1 | while read -r name; do entry "$1" "$name" </dev/null; done
}

section() {
  printf '\n### `%s`\n' "$1"
  "$ripstop" help "$1" | table
}

families() {
  "$ripstop" fabric --help | awk '/ The families:$/ { on = 1; next } on' | awk -v RS= -v folder="$1" '
    { file = sprintf("%s/%03d", folder, NR); print > file; close(file) }'
  for file in "$1"/*; do
    printf '\n### `%s`\n%s. %s\n' "$(sed -n '1s/,.*//p' "$file")" "$(sed -n '2s/^  //p' "$file")" \
      "$(sed -n '3s/^  //p' "$file")"
    sed 1,3d "$file" | table
    sed -nE 's/^  group ([^:]+): (.*)/\n- group `\1`: \2/p' "$file" | sed '3,${/^$/d}'
  done
}

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat <<'END'
# Reference: every key
What `ripstop help SECTION`, `ripstop fabric --help`, `ripstop methods NAME`, `workloads NAME`, `patterns NAME`, `faults NAME` and `programs
NAME` print, on one page: made by `tools/make-reference.sh`, never by hand. The other pages of the manual tell what the keys mean.

## Sections of an experiment
`SECTION: {KEY: VALUE}` in a file, `--set SECTION.KEY=VALUE` on the command line ([experiments.md](experiments.md)).
END
"$ripstop" help | sed -nE "s/^'ripstop help SECTION' .*: (.*)\.$/\1/p" | tr -d ',' | tr ' ' '\n' |
  while read -r name; do section "$name" </dev/null; done
printf '\n## Families of fabrics\n`FAMILY:KEY=VALUE,KEY=VALUE` ([fabrics.md](fabrics.md)).\n'
families "$folder"
entries methods 'Methods' 'A page for each: [methods/](methods).'
entries workloads 'Workloads' 'What a job can be ([workloads.md](workloads.md)).'
entries patterns 'Patterns of traffic' 'Where random packets go ([traffic.md](traffic.md)).'
entries faults 'Processes of faults' 'What draws a schedule ([faults.md](faults.md)).'
entries programs 'Programs' 'What processors run ([programs.md](programs.md)).'
printf '\n*Terms: the [glossary](glossary.md).*\n'
