#!/bin/bash
# tools/opensm-engines.sh for all nets of a folder, beside numbers that are expected.
#
# usage: tools/opensm-engines-all.sh FOLDER EXPECTED [ENGINE...]    FOLDER: NAME.net.gz, and NAME.roots and NAME.torus or, of
#        NAME-DIGITS, those of NAME; without ENGINE those that EXPECTED names for a net, or of '' all that OpenSM has.
#        EXPECTED: lines `NAME ENGINE UNREACHED WORST LOOP` (true, false), `NAME ENGINE refuses` or `crashes`; or ''
#
# Each line ends with `as expected`, `expected ...`, or nothing where nothing is. Exit code 1: some number is another one,
# ibdmchk does not agree, or a method's table is not OpenSM's; 77: a program is missing.
set -eu -o pipefail
[ $# -ge 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
folder=$1 expected=${2:-/dev/null} wrong=0
shift 2

# judge_line NAME LINE: with what was expected of it
judge_line() {
  local engine unreached worst loop checked others want found
  read -r engine unreached worst _ _ _ loop checked others <<<"$2"
  found="$unreached $worst $loop"
  case $unreached in refuses | crashes | stopped) found=$unreached ;; esac
  [ "$checked" != differs ] || wrong=1
  want=$(awk -v name="$1" -v engine="$engine" '$1 == name && $2 == engine { $1 = $2 = ""; print substr($0, 3); exit }' "$expected")
  case ${others:--} in
    0 | -) ;;
    refuses) [ "$unreached" -gt 0 ] || wrong=1 ;; # a method loses no pair that a path connects
    *) wrong=1 ;;
  esac
  [ -z "$want" ] || [ "$want" = "$found" ] || wrong=1
  [ "$want" != "$found" ] || want="as expected"
  printf '%-16s %s  %s\n' "$1" "$2" "${want:+${want/#[0-9r]/expected &}}"
}

# beside NAME WHAT: the file, or nothing
beside() {
  local file
  for file in "$folder/$1.$2" "$folder/${1%-*}.$2"; do
    [ ! -e "$file" ] || { echo "$file"; return; }
  done
}

for net in "$folder"/*.net.gz; do
  name=$(basename "$net" .net.gz)
  roots=$(beside "$name" roots) torus=$(beside "$name" torus)
  engines=("$@")
  [ $# -gt 0 ] || read -ra engines < <(awk -v name="$name" '$1 == name { printf "%s ", $2 }' "$expected") || true
  [ ${#engines[@]} -gt 0 ] || [ "$expected" != /dev/null ] || engines=(minhop updn ${roots:+updn-roots} dnup ftree ${roots:+ftree-roots} dor sssp dfsssp lash lash-mesh nue nue-all
    ${torus:+torus-2QoS})
  [ ${#engines[@]} -gt 0 ] || continue
  lines=$(TORUS=$torus "$(dirname "$0")/opensm-engines.sh" "$net" "$roots" "${engines[@]}") || exit $?
  while read -r line; do judge_line "$name" "$line"; done < <(tail -n +2 <<<"$lines")
done
exit $wrong
