# The core in the lab's page has the program's numbers.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_node
needs_lab
passes lab_numbers.mjs "$(dirname "$RIPSTOP_LAB")/core.js" "$RIPSTOP"
finish
