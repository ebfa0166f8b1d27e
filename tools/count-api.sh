#!/bin/sh
# Prints the size of the public interface: for the headers of users (include/ripstop), of authors of plug-ins (plugin/)
# and of programs as large as `ripstop` (kit/), their lines, functions, types and members of structs that are open. The
# arguments, if any, are headers to count in place of these. A declarator counts once: `uint32_t a, b;` is two members.
set -eu
[ $# -gt 0 ] || cd "$(dirname "$0")/.."

count() { # count NAME HEADERS...
  name=$1
  shift
  # Comments and preprocessor lines are no declarations; a continued line belongs to the macro above it.
  sed -e 's/\\"/ /g' -e 's/"[^"]*"/""/g' "$@" | tr '\n' '\001' | sed -e 's,\\\o001, ,g' -e 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g' |
    tr '\001' '\n' | grep -v '^[ \t]*#' | grep -v '^RIPSTOP_\(BEGIN\|END\|SHOWN\|HIDDEN\)$' | tr '\n' ' ' |
    awk -v name="$name" -v lines="$(cat "$@" | wc -l)" '
      # Declarations end at a semicolon, or at the brace of an inline function, outside of all brackets.
      function finish(text) {
        if (text ~ /(^|[ \t])typedef[ \t]/) { types++; if (text !~ /\{/) return }
        if (text ~ /(struct|union|enum)[^({]*\{/ && text !~ /^[^{]*\)[^{]*\{/) return
        if (text ~ /\(/ && text !~ /(^|[ \t])typedef[ \t]/) functions++
      }
      {
        length_ = length($0)
        for (i = 1; i <= length_; i++) {
          c = substr($0, i, 1)
          if (c == "{") {
            kind[++depth] = text ~ /(struct|union)[ \ta-z_A-Z0-9]*$/ ? "members" : text ~ /enum[ \ta-z_A-Z0-9]*$/ ? "words" : text ~ /extern ""[ \t]*$/ ? "C" : "code"
            if (kind[depth] == "C") { text = ""; depth-- ; continue }
            text = text c
            continue
          }
          if (c == "}") {
            was = kind[depth--]
            text = text c
            if (was == "code" && depth == 0) { finish(text); text = "" }
            continue
          }
          if (c == "(") round++
          if (c == ")") round--
          if (depth > 0 && kind[depth] == "members" && round == 0 && (c == ";" || c == ",")) members++
          if (c == ";" && depth == 0 && round == 0) { finish(text); text = ""; continue }
          text = text c
        }
      }
      END { printf "%-8s %6d lines %5d functions %4d types %5d open members\n", name, lines, functions, types, members }
    '
}

if [ $# -gt 0 ]; then
  count given "$@"
else
  count users include/ripstop/*.h
  count plugin include/ripstop/plugin/*.h
  count kit include/ripstop/kit/*.h
  count all $(find include/ripstop -name '*.h' | LC_ALL=C sort)
fi
