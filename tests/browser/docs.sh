# The manual as a site (make docs): whole, searchable and usable, from a disk.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
/usr/bin/python3 -c 'import markdown' 2>/dev/null || skip "python3-markdown is missing: tools/install-deps.sh --test"
"$RIPSTOP_SOURCE/tools/make-docs.py" site || complain "make-docs.py fails"
mkdir other && echo mine >other/file
"$RIPSTOP_SOURCE/tools/make-docs.py" other 2>said && complain "make-docs.py takes a folder with other files"
grep -q '/other: the site' said && [ "$(cat other/file)" = mine ] || complain "make-docs.py: $(cat said)"
passes docs.mjs "$PWD/site" $axe
needs_axe
finish
