#!/bin/bash
# Manual pages and completion: made from the program, with every command and flag; bash offers what may stand there and nothing
# else. What groff and zsh say of them: manual_pages.sh, manual_zsh.sh.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
"$RIPSTOP_SOURCE/tools/make-manual.sh" "$RIPSTOP" made >said 2>&1 || complain "make-manual.sh fails"
[ ! -s said ] || complain "make-manual.sh says: $(head -3 said)"
"$RIPSTOP" help | sed -nE 's/^  ([a-z-]+)  +.*/\1/p' >commands
[ "$(wc -l <commands)" -gt 15 ] || complain "commands: $(cat commands)"

# ---------------------------------------------------------------- bash
. made/ripstop.bash
compopt() { :; } # outside of a completion there is none
# offers WORDS...: what bash would offer for the last of them, one a line.
offers() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _ripstop
  printf '%s\n' "${COMPREPLY[@]}" | sort
}
diff <(offers ripstop '' | grep -v '^-') <(sort commands) || complain "other commands are offered"
[ "$(offers ripstop wo)" = workloads ] || complain "wo: $(offers ripstop wo)"
while read -r command; do
  case $command in help | store) continue ;; esac
  "$RIPSTOP" "$command" --help | sed -nE 's/^  (    |-., )(--[a-z-]+).*/\2/p' | sort >flags
  [ -s flags ] || complain "$command has no flags"
  diff flags <(offers ripstop "$command" --) || complain "$command: other flags are offered"
  [ -f "made/ripstop-$command.1" ] || complain "$command has no page"
done <commands
[ "$(offers ripstop store me)" = merge ] || complain "verbs: $(offers ripstop store me)"
offers ripstop store export --ou | grep -qx -- --output || complain "flags of a verb"
diff <(offers ripstop prove torus:4x4 --method '') <("$RIPSTOP" methods | cut -d' ' -f1 | sort) || complain "other methods are offered"
[ "$(offers ripstop fabric dragonfly)" = $'dragonfly:\ndragonfly+:' ] || [ "$(offers ripstop fabric dragonfly | wc -l)" = 2 ] || complain "families: $(offers ripstop fabric dragonfly)"
[ -z "$(offers ripstop report '')" ] || complain "report is offered words for its files: $(offers ripstop report '')"

# ---------------------------------------------------------------- zsh
grep -q "'--count\[Sets of F failed parts" made/_ripstop || complain "zsh does not know --count"
finish
