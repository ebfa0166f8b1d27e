#!/bin/bash
# zsh can read its completion.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
command -v zsh >/dev/null || skip "zsh is missing: tools/install-deps.sh --test"
"$RIPSTOP_SOURCE/tools/make-manual.sh" "$RIPSTOP" made || complain "make-manual.sh fails"
zsh -n made/_ripstop || complain "zsh cannot read its file"
finish
