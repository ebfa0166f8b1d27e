#!/bin/bash
# Sets up a Slurm of one machine in a scratch folder, submits the job script and the job array of docs/slurm.md to it, and
# compares their rows with those of one process: tools/try-slurm.sh [BUILD_DIR]
#
# It needs root, and Debian's slurm-wlm, munge, openmpi-bin and a build with MPI. What it starts it also ends; nothing of
# the system's own Slurm or munge is used or changed.
set -eu
build=$(realpath "${1:-build}")
source=$(realpath "$(dirname "$0")/..")
for program in slurmctld slurmd munged sbatch srun mpirun; do
  command -v $program >/dev/null || { echo "$program is missing: apt-get install slurm-wlm munge openmpi-bin" >&2; exit 2; }
done
[ -e "$build/ripstop-mpi.so" ] || { echo "$build has no ripstop-mpi.so" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "slurmd has to be started by root" >&2; exit 2; }

scratch=$(mktemp -d)
chmod 755 "$scratch"
daemons=()
finish() {
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
  for daemon in "${daemons[@]}"; do wait "$daemon" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap finish EXIT
# daemon COMMAND...: in the foreground, as a child of this script.
daemon() {
  "$@" >>"$scratch/daemons.log" 2>&1 &
  daemons+=($!)
}
# until_true COMMAND...: at most half a minute.
until_true() {
  for _ in $(seq 150); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
  echo "not in time: $*" >&2
  for log in "$scratch"/*.log; do echo "== $log"; tail -n 15 "$log"; done >&2; sinfo >&2
  exit 1
}

# ---------------------------------------------------------------- munge, slurmctld, slurmd
host=$(hostname -s)
cd "$scratch"
mkdir munge state spool work
dd if=/dev/urandom of=munge/key bs=1024 count=1 status=none
chmod 700 munge; chmod 600 munge/key
daemon munged --foreground --force --key-file="$scratch/munge/key" --socket="$scratch/munge.socket" \
  --pid-file="$scratch/munge/pid" --seed-file="$scratch/munge/seed" --log-file="$scratch/munge/log" --num-threads=2
until_true munge -n --socket="$scratch/munge.socket"
cat >slurm.conf <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=YES
END
export SLURM_CONF=$scratch/slurm.conf
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PATH=$build:$PATH
daemon slurmctld -D
daemon slurmd -D -N "$host"
until_true sh -c 'sinfo -h -o %t | grep -q idle'
echo "Slurm $(sinfo -V | cut -d' ' -f2), one machine with $(nproc) processors, called $(sinfo -h -o %c)"

# ---------------------------------------------------------------- the scripts of the page
cd work
# script NAME: the first block of the page that follows the line with its name.
script() { sed -n "/^\`$1\`/,\$p" "$source/docs/slurm.md" | sed -n '/^```sh$/,/^```$/p' | sed '1d;/^```$/,$d' >"$1"; }
script job.sh
script array.sh
cat >x.yaml <<'END'
fabric: kary-ntree:k=4,n=2
method: [updown, misroute]
faults: {count: [0, 1, 2, 4], samples: 40}
traffic: {load: [0.3, 0.6]}
measure: {warmup: 500, cycles: 20000, window: 5000}
END

failed=0
# same STORE WHAT: its rows, seconds apart, are those of one process.
same() {
  rows "$1" | cmp -s - whole && echo "$2: the same $(($(wc -l <whole) - 1)) lines of rows" || { echo "$2: OTHER ROWS"; failed=1; }
}
rows() {
  ripstop report x.yaml --store "$1" -o page.html --csv csv >/dev/null
  cat csv/*.csv | sort
}
seconds() { sed -n 's/^[0-9]*\/\([0-9]*\) runs.*, \([0-9:]*\) in all$/\1 runs in \2/p' "$@"; }
ripstop run x.yaml --store one.db >one.txt 2>&1
rows one.db >whole
echo "one process: $(seconds one.txt)"

# ---------------------------------------------------------------- one job
sbatch --quiet --wait --ntasks=4 job.sh x.yaml --store job.db
grep 'ranks' ripstop-*.txt
same job.db "job on 4 ranks"
sed 's/^mpirun/srun --mpi=pmix/' job.sh >srun.sh
sbatch --quiet --wait --ntasks=4 srun.sh x.yaml --store srun.db
same srun.db "job by srun --mpi=pmix"
printf '#!/bin/sh\nsrun --mpi=none ripstop run "$@"\n' >none.sh
sbatch --quiet --wait --ntasks=2 --output=none.txt none.sh x.yaml --store none.db || true
grep '^ripstop:' none.txt

# ---------------------------------------------------------------- a rank is killed
sbatch --quiet --ntasks=4 --output=killed.txt job.sh x.yaml --store killed.db
until_true sh -c 'ripstop report x.yaml --store killed.db -o page.html' # some runs are there
victim=
for _ in $(seq 200); do
  victim=$(grep -lz '^OMPI_COMM_WORLD_RANK=2$' /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
    while read -r pid; do [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && [ "/proc/$pid/exe" -ef "$build/ripstop" ] && echo "$pid"; done | head -1)
  [ -n "$victim" ] && break
  sleep 0.05
done
kill -9 "$victim"
until_true sh -c '[ -z "$(squeue -h)" ]'
sbatch --quiet --wait --ntasks=4 --output=again.txt job.sh x.yaml --store killed.db
echo "rank 2 killed, submitted again: $(grep ranks again.txt)"
same killed.db "after kill -9 of a rank"

# ---------------------------------------------------------------- a job array
sbatch --quiet --wait --array=1-5 --output=part-%a.txt array.sh x.yaml
for part in 1 2 3 4 5; do grep 'is done' part-$part.txt; done
ripstop store merge array.db out/x.*-of-5.db >merged.txt
same array.db "job array of 5, merged"
exit $failed
