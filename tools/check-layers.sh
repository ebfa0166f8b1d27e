#!/bin/sh
# Fails, naming file and line, if a module includes a module that is not below it, or if CONTRIBUTING.md shows the modules in
# another order. Modules with a bar between them do not include each other. A method's folder, src/methods/NAME, is for NAME.c
# and the files in it alone; code that methods share is in src/methods/shared. A public header belongs to the module of its
# name; ripstop.h, which includes all, is for programs that use the library. The lab uses the library and the workloads, and
# is independent of the experiments.
set -eu
cd "$(dirname "$0")/.."
modules="base < formats < fabric < recognise < faults < route < tables < mend < methods < proto | simulate | prove \
< draw | programs | workload < flow < experiment < store < campaign < report < papers < cli"
told=$(sed -n '/^    base < /,/^$/p' CONTRIBUTING.md | tr -s ' \n' '  ')
[ "$told" = " $modules " ] || { echo "CONTRIBUTING.md: the modules are '$modules', not '$told'"; exit 1; }
find src include lab -name '*.[ch]' | LC_ALL=C sort | xargs awk -v modules="$modules" '
  BEGIN {
    levels = split(modules, floor, " < ")
    for (i = 1; i <= levels; i++) {
      beside = split(floor[i], module_of, " [|] ")
      for (j = 1; j <= beside; j++) level[module_of[j]] = i
    }
    level["lab"] = level["experiment"]
    public["error"] = public["scale"] = public["statistics"] = "base"; public["fabrics"] = "fabric"; public["view"] = "faults"
    public["method"] = public["plan"] = public["switch"] = public["selection"] = public["matching"] = public["deadlock"] = public["result"] = public["values"] = "route"; public["proofs"] = "prove"; public["agent"] = public["simulation"] = "simulate"
    public["forwarding"] = public["routes"] = public["judge"] = public["capacity"] = public["safe_set"] = public["repair"] = "tables"; public["planner"] = "mend"; public["protocol"] = "proto"; public["family"] = "fabric"; public["process"] = "faults"
    public["pattern"] = public["arbiter"] = "simulate"; public["kernel"] = "programs"; public["picture"] = "draw"; public["fluid"] = "flow"
  }
  function module_of_public(path,   name) {
    name = path
    sub(/.*\//, "", name); sub(/\.h$/, "", name)
    return name in public ? public[name] : name
  }
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    wrong++
  }
  # src/methods/immunet.c and whatever is in src/methods/immunet/ are the method immunet.
  function method_of(path,   part) {
    split(path, part, "/")
    sub(/\.c$/, "", part[3])
    return part[2] == "methods" ? part[3] : ""
  }
  FNR == 1 {
    split(FILENAME, part, "/")
    module = part[1] == "src" ? part[2] : part[1] == "lab" ? "lab" : module_of_public(FILENAME)
    umbrella = module == "ripstop"
    if (!umbrella && !(module in level)) complain("the module \"" module "\" is none of those in tools/check-layers.sh")
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ && !umbrella {
    split($0, quoted, "\"")
    target = quoted[2]
    if (target !~ /\//) { complain("\"" target "\" does not say its module"); next }
    split(target, part, "/")
    other = part[1] == "ripstop" ? module_of_public(target) : part[1]
    if (!(other in level)) complain("\"" target "\" is in none of the modules")
    else if (level[other] > level[module]) complain(module " includes \"" target "\", which is above it")
    else if (level[other] == level[module] && other != module)
      complain(module " includes \"" target "\", which is beside it")
    else if (target ~ /^methods\// && part[2] != "shared" && part[2] != method_of(FILENAME))
      complain("\"" target "\" belongs to the method " part[2])
  }
  END { exit wrong > 0 }
'
echo "layers: good"
