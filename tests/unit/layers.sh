#!/bin/bash
# tools/check-layers.sh lets a module include what is below it and nothing else.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
mkdir -p tools include/ripstop src/base src/fabric src/route src/methods/x src/prove src/simulate src/programs src/experiment src/store src/report
cp "$RIPSTOP_SOURCE/tools/check-layers.sh" tools
cp "$RIPSTOP_SOURCE/CONTRIBUTING.md" .

verdict() { # verdict EXPECTED FILE INCLUDE
  echo "#include \"$3\"" >"$2"
  if tools/check-layers.sh >out 2>&1; then got=good; else got=wrong; fi
  rm "$2"
  [ "$got" = "$1" ] || complain "$2 including $3 is $got: $(cat out)"
  [ "$got" = good ] || grep -q "^$2:1: " out || complain "the place is not named: $(cat out)"
}

echo "/* at least one file */" >src/base/base.c
verdict good src/fabric/x.c base/bits.h
verdict good src/fabric/x.c ripstop/plugin/base.h
verdict good src/methods/x.c ripstop/plan.h
verdict good src/methods/x.c methods/x/x.h
verdict good src/methods/x/y.c methods/x/x.h
verdict good src/methods/x/y.c methods/shared/uturn.h
verdict good src/route/x.c ripstop/plugin/method.h
verdict good src/report/x.c store/store.h
verdict good src/programs/x.c ripstop/simulate.h
verdict good src/experiment/x.c ripstop/kit/programs.h
verdict wrong src/base/x.c ripstop/fabric.h
verdict wrong src/fabric/x.c route/tables.h
verdict wrong src/route/x.c methods/shared/uturn.h
verdict wrong src/methods/y.c methods/x/x.h
verdict wrong src/methods/x/y.c methods/y/y.h
verdict wrong src/prove/x.c methods/x/x.h
verdict wrong src/prove/x.c simulate/state.h
verdict wrong src/simulate/x.c ripstop/kit/proofs.h
verdict wrong src/store/x.c report/page.h
verdict wrong src/simulate/x.c ripstop/kit/programs.h
verdict wrong src/programs/x.c ripstop/kit/experiment.h
verdict wrong src/fabric/x.c table.h
verdict wrong src/fabric/x.c elsewhere/table.h
verdict wrong include/ripstop/fabric.h ripstop/plan.h
finish
