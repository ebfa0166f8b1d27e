# The lab's page in a real browser.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
needs_lab
passes lab.mjs "file://$RIPSTOP_LAB" $axe
needs_axe
finish
