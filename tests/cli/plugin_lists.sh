# Every list of plug-ins names all of them: the program's help, and the pages that list them.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# names FOLDER: the plug-ins in a folder of src/.
names() {
  local file
  for file in "$RIPSTOP_SOURCE/src/$1"/*.c; do basename "$file" .c | tr _ -; done
}

# listed FOLDER PAGE KEY...: the page has every name in code or a heading, and help has it for every key.
listed() {
  local folder=$1 page=$2 name key count=0
  shift 2
  for name in $(names "$folder"); do
    count=$((count + 1))
    grep -qE "(\`|^#+ \`?)$name([\`:,. ]|\$)" "$RIPSTOP_SOURCE/$page" || complain "$page does not name the plug-in $folder/$name"
    for key in "$@"; do
      "$RIPSTOP" help "$key" | grep -qE "(^|[ (,;:])$name([ ),;:]|\$)" || complain "'ripstop help $key' does not name $name: $("$RIPSTOP" help "$key")"
    done
  done
  [ $count -ge 1 ] || complain "few plug-ins in $folder: $count"
}

listed simulate/arbiters docs/traffic.md arbiter
listed simulate/selection docs/traffic.md selection
listed simulate/matchings docs/switches.md switch.match
listed simulate/switches docs/switches.md switch.queues
listed simulate/traffic docs/traffic.md traffic.pattern
listed faults/processes docs/faults.md faults.schedule
listed programs/kernels docs/programs.md kernel
listed workload/kinds docs/workloads.md workload.jobs
listed methods docs/methods.md
for name in $(names fabric/families); do
  case $name in graph | ib | dragonfly-plus) continue ;; esac # files, and `dragonfly+`
  for page in docs/tour.md docs/fabrics.md; do
    grep -qE "\`$name:" "$RIPSTOP_SOURCE/$page" || complain "$page does not name the family $name"
  done
done
finish
