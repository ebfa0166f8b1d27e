#!/bin/bash
# Mistakes of users (tests/data/mistakes): the exit code and the message of each, as a transcript.
# Slow: hundreds of commands.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
cases=$RIPSTOP_SOURCE/tests/data/mistakes

# Lists of names, and the amount read before a limit, are not compared.
shortened() { sed -E "s/; known( here)?: .*/; known\1: .../; s/^ripstop: (.{300}).*/ripstop: \1.../"; }

# play: each command of the transcript, its exit code, and the lines in which the program speaks of itself.
play() {
  local line words code
  while IFS= read -r line; do
    [[ $line == '$ ripstop'* ]] || continue
    words=${line#\$ ripstop}
    eval "\"\$RIPSTOP\" $words" >said 2>error </dev/null
    code=$?
    [ $code -ne 0 ] || [ -s said ] || complain "$line: says nothing, and ends with 0"
    printf '%s\n%d\n' "$line" $code
    grep '^ripstop: ' error | shortened
  done <"$cases/transcript.txt"
}

[ "${MISTAKES:-}" = new ] && cd "$(mktemp -d)"
cp -r "$cases/yaml" "$cases/e.yaml" .
play >now
[ "${MISTAKES:-}" = new ] && cat now
diff "$cases/transcript.txt" now || complain "other answers than in tests/data/mistakes/transcript.txt"
finish
