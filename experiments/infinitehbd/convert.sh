#!/bin/sh
# From the published fault_trace.json to the files beside this one:  sh convert.sh fault_trace.json
#
#   faults.tsv      every fault: days of start and end, the server, its class and description
#   servers.trace   all faults: the server is away, that is its link
#   access.trace    faults of its network alone (cables, adapters, modules): the server's link
#   uplinks.trace   faults of cables and modules alone, moved from the server's own cable to an up link of its switch
#
# Servers are numbered in the order of their ids, which are random, and spread evenly over the 432 end nodes of
# mport-ntree:m=12,n=3. Each end node has one up link of its switch, the one with its own lowest digit.
set -eu
export LC_ALL=C
jq -r 'sort_by(.node_id, .fault_type.Class, .fault_type.Desc, .event_time) | .[] |
       [.node_id, .fault_type.Class, .fault_type.Desc, .event_type, .event_time] | @tsv' "$1" |
  awk -F '\t' -v OFS='\t' '
    $1 != node { node = $1; server++ }
    { what = $1 FS $2 FS $3 }
    $4 == "fault_start" { start[what, ++begun[what]] = $5 }
    $4 == "fault_end" { print start[what, ++ended[what]], $5, server, $2, $3 }' |
  sort -n -k1,1 -k3,3 >faults.tsv
sed -i '1i # start (days)\tend (days)\tserver\tclass\tdescription' faults.tsv

# trace NAME EXPRESSION FORMAT: the faults whose class (c) and description (d) fulfil the expression.
trace() {
  { echo "# $4"
    awk -F '\t' -v form="$3" '
      !/^#/ { c = $4; d = $5; end = int(($3 - 1) * 432 / 231)
              if ('"$2"') printf form "\t%s\t%s\n", int(end / 36), int(end / 6) % 6, end % 6 + shift, $1, $2 }' \
      shift="$5" faults.tsv
  } >"$1.trace"
}
trace servers 1 'end:%d.%d.%d' 'all 584 faults; days' 0
trace access 'c ~ /Cable|NIC/ || d ~ /cables|Optical/' 'end:%d.%d.%d' '74 faults of the network; days' 0
trace uplinks 'c ~ /Cable/ || d ~ /cables|Optical/' '0/%d.%d/%d' '44 faults of cables and modules, at up links; days' 6
