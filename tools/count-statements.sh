#!/bin/sh
# Counts statements: semicolons of C files outside comments, strings and the headers of `for`. Lines say little, since
# a formatter sets them and comments are lines too. Prints a row for each folder below src, then include, lab and the sum.
#   tools/count-statements.sh [FOLDER]
set -eu
cd "${1:-$(dirname "$0")/..}"
find src include lab -name '*.[ch]' | LC_ALL=C sort | xargs awk '
  # The line without comments, strings and character constants. `inside` lasts: a comment goes over lines.
  function code(line,   out, at, c, two) {
    out = ""
    for (at = 1; at <= length(line); at++) {
      c = substr(line, at, 1)
      two = substr(line, at, 2)
      if (inside) { if (two == "*/") { inside = 0; at++ } }
      else if (two == "/*") { inside = 1; at++ }
      else if (two == "//") break
      else if (c == "\"" || c == "\047") at = string_end(line, at, c)
      else out = out c
    }
    return out
  }
  function string_end(line, at, quote,   c) {
    for (at++; at <= length(line); at++) {
      c = substr(line, at, 1)
      if (c == "\\") at++
      else if (c == quote) break
    }
    return at
  }
  # Semicolons of the text; those between the parentheses behind `for` do not count.
  function statements(text,   at, c, found) {
    found = 0
    for (at = 1; at <= length(text); at++) {
      c = substr(text, at, 1)
      if (header) {
        if (c == "(") depth++
        else if (c == ")" && --depth == 0) header = 0
      } else if (substr(text, at) ~ /^for *\(/ && (at == 1 || substr(text, at - 1, 1) !~ /[A-Za-z0-9_]/)) {
        header = 1
        depth = 0
        at += 2
      } else if (c == ";") found++
    }
    return found
  }
  FNR == 1 {
    inside = header = 0
    split(FILENAME, part, "/")
    folder = part[1] == "src" ? part[1] "/" part[2] : part[1]
    if (!(folder in lines)) order[++folders] = folder
  }
  {
    lines[folder]++
    line = code($0)
    found = index(line, ";") || header || line ~ /for/ ? statements(line) : 0
    count[folder] += found
    all += found
    all_lines++
  }
  END {
    printf "%-16s %10s %10s\n", "folder", "statements", "lines"
    for (i = 1; i <= folders; i++) printf "%-16s %10d %10d\n", order[i], count[order[i]], lines[order[i]]
    printf "%-16s %10d %10d\n", "all", all, all_lines
  }'
