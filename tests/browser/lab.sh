# The lab's page in a real browser, as `ripstop lab` writes it.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
needs_lab
says 0 page.html lab -o page.html
cmp -s page.html "$RIPSTOP_LAB" || complain "ripstop lab writes another page"
passes lab.mjs "file://$PWD/page.html" $axe
needs_axe
finish
