# The manual as a site (make docs): whole, searchable and usable, from a disk.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
/usr/bin/python3 -c 'import markdown' 2>/dev/null || skip "python3-markdown is missing: tools/install-deps.sh --ci"
"$RIPSTOP_SOURCE/tools/make-docs.py" site || complain "make-docs.py fails"
passes docs.mjs "$PWD/site" $axe
needs_axe
finish
