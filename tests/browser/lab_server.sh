# `ripstop lab` hands out the page, to this machine alone, whoever asks for whatever.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_node
needs_lab
passes lab_server.mjs "$RIPSTOP" "$RIPSTOP_LAB"
refused "lab: --port: " lab --port 65536
refused "lab: --port: " lab --port x
finish
