#!/bin/bash
# ripstop methods: the registry, one method with its options, what is claimed on a fabric, one-line refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# Every method file is listed, once, and nothing else is.
"$RIPSTOP" methods >list || complain "methods failed"
for file in "$RIPSTOP_SOURCE"/src/methods/*.c; do basename "$file" .c | tr _ -; done | sort >files
cut -d' ' -f1 list | diff files - || complain "the list is not the folder's"

# Each explains itself, names its own claims where it applies, and says why not where it does not.
while read -r method _; do
  "$RIPSTOP" methods "$method" >one || complain "methods $method failed"
  for line in "$method" "  summary  " "  source  " "  selection  " "  canonical  $method" "Options" "A packet is lost for:"; do
    grep -qF -- "$line" one || complain "methods $method lacks '$line'"
  done
  canonical=$(sed -n 's/^  canonical  //p' one)
  "$RIPSTOP" methods "$canonical" | diff one - || complain "$canonical is not $method with its defaults"
  for spec in kary-ntree:k=2,n=2 torus:4x4; do
    "$RIPSTOP" methods "$method" --fabric $spec >one || complain "methods $method --fabric $spec failed"
    grep -qE '^  (does not apply: .|channels     [1-9])' one || complain "methods $method --fabric $spec: $(cat one)"
  done
done <list

for method in ugal ugal-global dragonfly-par hyperx-dal; do
  "$RIPSTOP" methods "$method" | grep -qxF '  selection  weighted:counts=port,binds=on' || complain "$method does not weigh by itself"
done
"$RIPSTOP" methods dragonfly-ugal | grep -qxF '  selection  weighted:counts=port,binds=on' || complain "dragonfly-ugal's own selection function"
"$RIPSTOP" methods ugal --json | grep -qF '"selection":"weighted:counts=port,binds=on"' || complain "methods --json has no selection function"

"$RIPSTOP" methods --fabric kary-ntree:k=4,n=3 >table || complain "methods --fabric failed"
grep -qxE 'misroute +1 +3 +no +yes' table || complain "claims of misroute: $(cat table)"
grep -qxE 'updown +1 +0 +yes +yes' table || complain "claims of updown: $(cat table)"
grep -qxE 'dor +dor is for tori, not for kary-ntree:k=4,n=3' table || complain "claims of dor: $(cat table)"
"$RIPSTOP" methods misroute:vector=off --fabric kary-ntree:k=4,n=3 >one
grep -qxF '  tolerates    1 failed links between switches, whichever they are' one || complain "options are ignored: $(cat one)"

refused "method 'misrote' is unknown; did you mean 'misroute'?" methods misrote
refused "method misroute: unknown option 'vectr'; did you mean 'vector'?" methods misroute:vectr=on
refused "both prevent deadlock; use one of them" methods dor:dateline=on,bubble=on --fabric torus:4
refused "did you mean 'torus'?" methods --fabric torsu:4
refused "one argument too many, 'dor'" methods updown dor
finish
