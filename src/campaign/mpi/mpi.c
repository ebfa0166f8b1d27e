/* mpi.c - messages between ranks by MPI: the module ripstop-mpi.so, the only thing that knows MPI.
 *
 * It is built where CMake finds MPI, installed beside the libraries, and loaded by ranks.c when the program was started
 * by mpirun or srun. MPI ends the process by itself when something fails; so nothing here returns errors but `open`. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/message_net.h"

extern const recognised_graph ripstop_net_mpi;

/* The ranks of this machine, and the processors that one or another of them may use: ranks that mpirun has bound have
 * some each, others all the same. */
static void look_around(ripstop_net_place *place) {
  MPI_Comm machine;
  cpu_set_t own, all;
  int ranks;
  CPU_ZERO(&own);
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof own, &own);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &ranks);
  MPI_Allreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  place->neighbours = (unsigned)ranks;
  place->processors = (unsigned)CPU_COUNT(&all);
}

/* If all ranks are on one machine, shared memory suffices. Open MPI starts in half of the time when it does not search
 * for network transports, and its hwloc not for PCI devices and displays. Settings of the environment or of mpirun's
 * options stay. Settings of a file (mca-params.conf) do not, because Open MPI prefers its environment and does not show
 * the file before it has started. Users who want another transport on one machine set mpirun --mca or OMPI_MCA_btl. */
static void prefer_shared_memory(void) {
  const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE"), *all = getenv("OMPI_COMM_WORLD_SIZE");
  if (!here || !all || strcmp(here, all) != 0) return;
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self,vader", 0);
  setenv("HWLOC_COMPONENTS", "-pci,-linuxio,-opencl,-gl", 0);
}

static bool open_world(ripstop_net_place *place, char *why, size_t room) {
  int provided, rank, ranks, length;
  char host[MPI_MAX_PROCESSOR_NAME];
  prefer_shared_memory();
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED) {
    snprintf(why, room, "this MPI does not let threads take turns (MPI_THREAD_SERIALIZED)");
    return false;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_processor_name(host, &length);
  *place = (ripstop_net_place){.rank = (unsigned)rank, .ranks = (unsigned)ranks};
  snprintf(place->host, sizeof place->host, "%s", host);
  look_around(place);
  return true;
}

static MPI_Request request[RIPSTOP_NET_THREADS];
static bool under_way[RIPSTOP_NET_THREADS];

static ripstop_net_passage new_passage(void) {
  ripstop_net_passage p = 0;
  while (p < RIPSTOP_NET_THREADS && under_way[p]) p++;
  if (p == RIPSTOP_NET_THREADS) {
    fprintf(stderr, "ripstop: more than %d messages are in transit at once\n", RIPSTOP_NET_THREADS);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    _Exit(EXIT_FAILURE);
  }
  under_way[p] = true;
  return p;
}

static ripstop_net_passage send_bytes(unsigned to, int tag, const void *bytes, size_t length) {
  ripstop_net_passage p = new_passage();
  MPI_Isend(bytes, (int)length, MPI_BYTE, (int)to, tag, MPI_COMM_WORLD, &request[p]);
  return p;
}

static bool look(int tag, unsigned *from, size_t *length) {
  MPI_Status status;
  int there, bytes;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  *from = (unsigned)status.MPI_SOURCE;
  *length = (size_t)bytes;
  return true;
}

static ripstop_net_passage take(unsigned from, int tag, void *bytes, size_t length) {
  ripstop_net_passage p = new_passage();
  MPI_Irecv(bytes, (int)length, MPI_BYTE, (int)from, tag, MPI_COMM_WORLD, &request[p]);
  return p;
}

static bool is_over(ripstop_net_passage p) {
  int over;
  MPI_Test(&request[p], &over, MPI_STATUS_IGNORE);
  under_way[p] = !over;
  return over;
}

static void close_world(void) { MPI_Finalize(); }

static void end_world(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

const recognised_graph ripstop_net_mpi = {.abi = RIPSTOP_NET_ABI,
                                          .open = open_world,
                                          .send = send_bytes,
                                          .look = look,
                                          .take = take,
                                          .over = is_over,
                                          .close = close_world,
                                          .end_all = end_world};
