#!/bin/sh
# Every request for memory and every call to files that ripstop's commands make is refused, each once alone and once
# with all later ones, and what comes of it is judged (tests/torture/torture.c says how). Prints what was tried, told
# with its reason, not noticed, wrong, crashed and hung; fails when anything was wrong. It takes about half an hour; the
# suite has a sample of it.
#
# usage: tools/torture.sh [ORDEAL]
set -eu
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target torture
[ ! -w /dev/shm ] || TMPDIR=/dev/shm # no disk has to keep what is thrown away at once
export TMPDIR="${TMPDIR:-/tmp}"
exec build/tests/torture 0 "$@"
