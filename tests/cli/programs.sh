#!/bin/bash
# ripstop programs: the kernels, one kernel with its options and the machine's, one-line refusals.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# Every kernel's file is listed, once, and nothing else is.
"$RIPSTOP" programs >list || complain "programs failed"
for file in "$RIPSTOP_SOURCE"/src/programs/kernels/*.c; do basename "$file" .c | tr _ -; done | sort >files
cut -d' ' -f1 list | diff files - || complain "the list is not the folder's"

# Each explains itself and the machine; its canonical name and its small size are specs that work.
while read -r kernel _; do
  "$RIPSTOP" programs "$kernel" >one || complain "programs $kernel failed"
  for line in "$kernel" "  summary  " "  canonical  $kernel:" "  small      $kernel:" "Options:" "  l2_ways=(whole number " \
    "  retry=(whole number "; do
    grep -qF -- "$line" one || complain "programs $kernel lacks '$line'"
  done
  grep -qF -- "  kernel=" one && complain "programs $kernel: the kernel is no option of its own"
  "$RIPSTOP" programs "$(sed -n 's/^  canonical  //p' one)" | diff one - || complain "$kernel is not its canonical name"
  "$RIPSTOP" programs "$(sed -n 's/^  small      //p' one)" >small || complain "programs $kernel: its small size is refused"
  sed -n 's/^  canonical  //p' small | grep -qF -- "$(sed -n 's/^  small      //p' one)" || complain "small: $(cat small)"
done <list

refused "program 'fftt' is unknown; did you mean 'fft'?" programs fftt
refused "unknown option 'point'; did you mean 'points'?" programs fft:point=4
refused "one argument too many, 'lu'" programs fft lu
finish
