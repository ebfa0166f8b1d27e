# lib.sh - what tests in a browser begin with: . "$RIPSTOP_SOURCE/tests/browser/lib.sh"
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# needs_node, needs_browser: what tools/install-deps.sh --test installs.
needs_node() { command -v node >/dev/null || skip "node is missing: tools/install-deps.sh --test"; }
needs_browser() {
  needs_node
  command -v "${CHROMIUM:-chromium}" >/dev/null || skip "chromium is missing: tools/install-deps.sh --test"
}
# needs_lab: the page, which is built where emcc is.
needs_lab() { [ -s "${RIPSTOP_LAB:-}" ] || skip "the lab's page is not built: tools/install-deps.sh --test, then build"; }

# The path of axe-core, or nothing. A test that has looked at everything else ends with needs_axe, which says what was left out.
axe=$("$RIPSTOP_SOURCE/tools/axe.sh" 2>/dev/null)
needs_axe() { [ -n "$axe" ] || [ $failed = 1 ] || skip "axe-core is missing, all but it was looked at: tools/install-deps.sh --test"; }

# passes SCRIPT ARGUMENTS...: a script beside this one ends well.
passes() {
  local script=$1
  shift
  node "$RIPSTOP_SOURCE/tests/browser/$script" "$@" || complain "$script $*"
}
