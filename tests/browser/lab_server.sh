# `ripstop lab` hands out the page, to this machine alone, whoever asks for whatever.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_node
needs_lab
passes lab_server.mjs "$RIPSTOP" "$RIPSTOP_LAB"
refused "lab: --port: " lab --port 65536
refused "lab: --port: " lab --port x
"$RIPSTOP" lab --port 0 --no-open --json >told &
lab=$!
until [ -s told ]; do kill -0 $lab || break; sleep 0.05; done
kill $lab
wait $lab
grep -qxE '\{"address":"http://127\.0\.0\.1:[0-9]+/"\}' told || complain "--json: $(cat told)"
finish
