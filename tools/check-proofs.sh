#!/bin/bash
# Checks the Spin models of docs/proofs: every run of the table "Runs" of its README ends as the table says, over a complete
# state space. Prints one line for each run, and ends with 1 if one does not.
#
# usage: tools/check-proofs.sh [MODEL]      CC is the C compiler that the checkers are compiled with
set -eu -o pipefail
cd "$(dirname "$0")/../docs/proofs"
folder=$PWD
only=${1:-}
command -v spin >/dev/null || { echo "spin is not there: tools/install-deps.sh installs it"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
DEPTH=20000

# check MODEL HOW OPTION...: what pan prints goes to $scratch/said. Ends of runs are judged where they mean something: a
# walker's do not.
check() {
  local model=$1 how=$2 compile=-DSAFETY run= optimise=-O1
  shift 2
  [ "$how" != rests ] || compile=-DNP run=-l
  [ "$model" != fixed_frame ] || run=-E
  # Compiling takes longer than most searches; optimised is what visits very many states.
  [[ $model == votes || $model/$how == agreement/holds ]] || optimise=-O0
  (cd "$scratch" && spin ${1:+"${@/#/-D}"} -a "$folder/$model.pml" >said 2>&1 && "${CC:-cc}" $optimise -w $compile -o pan pan.c >>said 2>&1 &&
    ./pan -m$DEPTH $run >>said 2>&1)
}

# Every state was looked at, and nothing found.
is_whole() {
  grep -q 'errors: 0$' "$scratch/said" && grep -q '^Full statespace search' "$scratch/said" &&
    ! grep -qE 'Search not completed|search depth too small|Bit statespace|out of memory' "$scratch/said"
}

# A run that breaks the claim, and not an error of the model.
is_refuted() { grep -q 'errors: 1$' "$scratch/said" && grep -qE 'assertion violated|invalid end state' "$scratch/said"; }

# shows EXPECTED: whether what pan printed is that.
shows() { if [ "$1" = refuted ]; then is_refuted; else is_whole; fi; }

bad=0 runs=0
while IFS='|' read -r _ expected model options _; do
  read -r expected <<<"$expected" && read -r model <<<"$model"
  [ -z "$only" ] || [ "$only" = "$model" ] || continue
  runs=$((runs + 1))
  : >"$scratch/said"
  if check $model $expected $options && shows $expected; then
    echo "$expected: $model $options($(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' "$scratch/said") states)"
  else
    bad=1
    echo "not $expected: $model $options: $(cat "$scratch/said")"
  fi
done < <(sed -n '/^<!-- runs by tools\/check-proofs.sh -->/,$p' README.md | grep -E '^\| (holds|refuted|rests) \|')
[ $runs -gt 0 ] || { echo "README.md: no run of $only is in the table"; exit 1; }
exit $bad
