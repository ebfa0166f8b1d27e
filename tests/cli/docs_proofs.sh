#!/bin/bash
# docs/proofs: every run of its table ends as the table says, over a complete state space; the turns of fixed_frame.pml are
# those that the program's switches permit; and a model without one of its rules does not pass for a proof.
# Slow: it compiles and runs some thirty checkers, for about a minute of a processor.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
proofs=$RIPSTOP_SOURCE/docs/proofs

CC=$RIPSTOP_CC "$RIPSTOP_SOURCE/tools/check-proofs.sh" >said 2>&1 || complain "$(cat said)"
[ "$(grep -cE '^(holds|refuted|rests): ' said)" -eq "$(grep -cE '^\| (holds|refuted|rests) \|' "$proofs/README.md")" ] || complain "runs are missing: $(cat said)"
for model in "$proofs"/*.pml; do
  name=$(basename "$model" .pml)
  [ $name = tree ] || { grep -q "^holds: $name " said && grep -q "^refuted: $name .*MUTANT" said; } || complain "$name has no run that holds, or no mutant"
done

# turns FABRIC OPTIONS...: the model's turns beside the program's.
turns() {
  "$RIPSTOP" protocol "$1" --method valleys:frame=fixed --json >json || complain "protocol $1"
  python3 - >program <<'END'
import json
count = {}
for switch in json.load(open("json"))["switches"]:
    level = switch["name"].split("/")[0]
    number = count[level] = count.get(level, -1) + 1
    for port, turns in enumerate(switch["state"]["turns"]):
        for to in turns:
            print("turn", level, number, port, to)
END
  spin "${@:2}" -DLIST "$proofs/fixed_frame.pml" | sed -n 's/^ *\(turn .*\)/\1/p' >model
  [ -s model ] && diff <(sort program) <(sort model) >other || complain "$1: other turns: $(head -5 other)"
}
turns kary-ntree:k=2,n=3 -DHALF=2 -DLEVELS=3
turns kary-ntree:k=3,n=3 -DHALF=3 -DLEVELS=3
turns kary-ntree:k=2,n=2 -DHALF=2 -DLEVELS=2
turns mport-ntree:m=4,n=3 -DHALF=2 -DLEVELS=3 -DTOP=4

# A row that expects too much, or too little, is noticed; so is a search that is cut short. All other rows still pass.
mkdir -p changed/docs/proofs changed/tools
cp "$proofs"/* changed/docs/proofs/
cp "$RIPSTOP_SOURCE/tools/check-proofs.sh" changed/tools/
# wrong SED COUNT PATTERN: after this change of the table or of the checker COUNT runs fail, and all of them as PATTERN says.
wrong() {
  local code
  sed -i "$1" changed/docs/proofs/README.md changed/tools/check-proofs.sh
  CC=$RIPSTOP_CC changed/tools/check-proofs.sh fixed_frame >said 2>&1
  code=$?
  [ $code -eq 1 ] && [ "$(grep -c '^not ' said)" -eq "$2" ] && [ "$(grep -cE "^not $3" said)" -eq "$2" ] ||
    complain "not noticed: $1: exit code $code: $(cat said)"
  cp "$proofs/README.md" changed/docs/proofs/
  cp "$RIPSTOP_SOURCE/tools/check-proofs.sh" changed/tools/
}
wrong 's/| refuted | fixed_frame/| holds | fixed_frame/' 1 'holds: fixed_frame .*MUTANT_ANY_VALLEY *: pan:1: assertion violated'
wrong 's/| holds | fixed_frame | HALF=3/| refuted | fixed_frame | HALF=3/' 1 'refuted: fixed_frame  HALF=3 LEVELS=3 *: '
wrong 's/^DEPTH=.*/DEPTH=20/' 5 '(holds|refuted): fixed_frame .*: error: max search depth too small'
finish
