# libmpi.sh - for tests that start ranks; after lib.sh. Where there is no MPI they are skipped, and say so.
MPIRUN=$(command -v mpirun) || skip "mpirun is not installed (tools/install-deps.sh --test)"
[ -e "$RIPSTOP_BUILD/ripstop-mpi.so" ] || skip "this build has no MPI (tools/install-deps.sh --test, and RIPSTOP_MPI)"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid it, and say so
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # MPI leaks, from modules that are gone when names are looked up
# GCC's sanitizer calls dlopen in the program's place, so the program's own path to the module does not count.
ldd "$RIPSTOP" | grep -q libasan && export LD_LIBRARY_PATH=$RIPSTOP_BUILD

# ranks NUMBER COMMAND...
ranks() { "$MPIRUN" --oversubscribe -n "$@"; }

# rank_of JOB RANK: its process, among the children of mpirun.
rank_of() {
  local child
  for child in $(pgrep -P "$1"); do
    tr '\0' '\n' <"/proc/$child/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2" && echo "$child"
  done
}

# rows FILE STORE: every run, key, value and window but the seconds, sorted.
rows() {
  "$RIPSTOP" report "$1" --store "$2" -o page.html --csv csv >/dev/null 2>note || complain "report: $(cat note)"
  cat csv/*.csv | sort
}

# kept FILE STORE: how many of its runs are there, while not all are.
kept() {
  "$RIPSTOP" report "$1" --store "$2" -o page.html 2>&1 >/dev/null | sed -n 's/^.*note: \([0-9]*\) of \([0-9]*\) .*/\2 \1/p' |
    awk '{ n = $1 - $2 } END { print n + 0 }'
}
