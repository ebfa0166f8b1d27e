#!/bin/bash
# ripstop prove with threads: the same output, to the byte, from any number of workers.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# alike ARGUMENTS...: one worker and three print the same, which is not nothing.
alike() {
  "$RIPSTOP" prove "$@" --json --workers 1 >one 2>error
  "$RIPSTOP" prove "$@" --json --workers 3 >three 2>>error
  cmp -s one three || complain "prove $*: another output from three workers: $(diff one three | head -5)"
  grep -q '^{' one || complain "prove $*: $(cat error)"
}

tree=kary-ntree:k=3,n=2
alike $tree --method misroute --count 3 --all
alike $tree --method misroute --count 4 --samples 300 --seed 7
alike $tree --method misroute --count 5 --width 0.05 --of connected --paths
alike $tree --method misroute --set 0/0/3
alike $tree --method updown --set 0/0/3 --destinations 8
alike torus:4x4 --method valiant --set 0.0/0 --destinations 8 --draws 5
alike kns:k=4,n=2 --method intermediate-nodes --count 3 --rare 2 --samples 400
finish
