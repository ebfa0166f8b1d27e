#!/bin/sh
# Makes every request for memory and every file call of ripstop's commands fail, each once alone and once with all later ones,
# and judges the result (tests/torture/torture.c). Prints how many were tried, reported with the reason, not noticed, wrong,
# crashed and hung; fails if any was wrong. It takes about half an hour; the suite has a sample of it.
#
# usage: tools/torture.sh [ORDEAL]
set -eu
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target torture
[ ! -w /dev/shm ] || TMPDIR=/dev/shm # no disk has to keep what is thrown away at once
export TMPDIR="${TMPDIR:-/tmp}"
exec build/tests/torture 0 "$@"
