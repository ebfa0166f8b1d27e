#!/bin/sh
# A month of the trace of experiments/infinitehbd for a fabric of at least 1,056 accelerators, eight to a server:
#   sh month.sh FABRIC >NAME.trace        (ripstop must be in the PATH)
#
# The trace's first 132 of 400 servers are the job's; days 70 to 100 are the month with most faults of their network. A
# fault of a server is one of a cable at one of its accelerators' switches, one after another in turn; on a rail-optimised
# fabric the cable from the accelerator to its leaf. Where the link was slow it goes on at a quarter, else it is down.
set -eu
export LC_ALL=C
ripstop fabric "$1" --links | awk -F '\t' '
  FNR == 1 { file++ }
  file == 1 && $2 ~ /^end:/ { at[ends++] = $4 }
  file == 1 && $2 ~ /^switch:/ && $1 !~ /^n|--n/ { cable[$2, many[$2]++] = $1; cable[$4, many[$4]++] = $1 }
  file == 2 && !/^#/ && ($4 ~ /Cable|NIC/ || $5 ~ /cables|Optical/) {
    server = int(($3 - 1) * 400 / 231)
    if (server >= 132 || $2 <= 70 || $1 >= 100) next
    place = at[8 * server + n % 8]
    printf "%s%s\t%s\t%s\n", cable[place, n++ % many[place]], $5 ~ /low/ ? "~0.25" : "", $1 < 70 ? 0 : $1 - 70, $2 - 70
  }' - ../infinitehbd/faults.tsv
