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

# A row that expects too much, or too little, is noticed; so is a search that is cut short.
mkdir -p other/docs/proofs other/tools
cp "$proofs"/* other/docs/proofs/
cp "$RIPSTOP_SOURCE/tools/check-proofs.sh" other/tools/
wrong() { # SED: a change of the table or of the checker
  sed -i "$1" other/docs/proofs/README.md other/tools/check-proofs.sh
  CC=$RIPSTOP_CC other/tools/check-proofs.sh fixed_frame >said 2>&1 && complain "not noticed: $1"
  cp "$proofs/README.md" other/docs/proofs/
  cp "$RIPSTOP_SOURCE/tools/check-proofs.sh" other/tools/
}
wrong 's/| refuted | fixed_frame/| holds | fixed_frame/'
wrong 's/| holds | fixed_frame | HALF=3/| refuted | fixed_frame | HALF=3/'
wrong 's/^DEPTH=.*/DEPTH=20/'
finish
