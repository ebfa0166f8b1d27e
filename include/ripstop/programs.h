/* programs.h - real programs on a fabric with broken parts: every end node is a processor with caches and a share of
 * the memory, a directory keeps the caches coherent, and all of its messages are packets of the simulated network
 * (docs/programs.md). What a program computes is checked in the run that timed it. */
#ifndef RIPSTOP_PROGRAMS_H
#define RIPSTOP_PROGRAMS_H

#include "ripstop/simulate.h"

enum { RS_LINE_BYTES = 64, RS_COMMAND_FLITS = 3, RS_DATA_FLITS = 19 }; /* paper 004, section 6.2; a flit is 4 bytes */

/* The program and the machine that it runs on; keys of `program:`. Cycles are the processor's unless said otherwise. */
typedef struct rs_program_config {
  const char *kernel;           /* "fft:points=65536" */
  int64_t faults;               /* links that die while it runs */
  int64_t limit;                /* network cycles after which a run that has not come to its end is given up */
  int64_t processors;           /* the first so many end nodes; 0: all */
  int64_t clock, router;        /* MHz; a network cycle takes clock/router processor cycles, exactly */
  int64_t l1_size, l1_ways, l1; /* KiB; lines; cycles of an access that hits there */
  int64_t l2_size, l2_ways, l2;
  int64_t memory, directory; /* cycles at the home, from a request to an answer with and without data */
  int64_t occupancy;         /* cycles for which a message keeps its home from the next */
  int64_t stores;   /* lines that stores may wait for while the processor goes on; 0: it waits for each store */
  int64_t flop, op; /* cycles of a floating-point operation, of any other */
  int64_t slack;    /* cycles that a processor may run ahead of the network while it hits */
  int64_t retry;    /* cycles from the loss of a packet until its sender sends it again */
} rs_program_config;
extern const rs_option rs_program_options[];

/* With `faults` the program runs twice. The first run loses nothing and tells how many packets the program receives.
 * From that many, and from the seed, as many numbers are drawn as there are faults: in the second run a link dies when
 * so many packets have been received (paper 004, section 6.2). The links are drawn too, such that those left always
 * connect what was connected before. */
typedef struct rs_program {
  rs_program_config config;
  /* Fabric, method, faults, schedule, switch, window, check, seed, stop. Its traffic and players do not count, nor what
   * else it says of measuring. */
  rs_simulation simulation;
} rs_program;

/* All checks that rs_program_run makes before the first cycle. */
int rs_program_check(const rs_program *program, rs_error *err);
/* As rs_simulate; the values of the program come before those of the network:
 *   program.time      cycles  of the processor, from the start to the end of the last of them
 *   program.done      0 or 1  all processors came to the end
 *   program.right     0 or 1  and what they computed is right, and caches and directories agree
 *   program.error             how far off it is, in the kernel's own measure
 *   program.slowdown          its time, over that of the run without `faults`
 *   program.misses, .retries, ...  (docs/programs.md) */
int rs_program_run(const rs_program *program, rs_result *result, rs_error *err);
/* "name:a=1,b=2" with every option, defaults included. */
int rs_kernel_canonical(rs_arena *arena, const char *kernel, const char **canonical, rs_error *err);

/* ------------------------------------------------------------------ plug-ins: kernels, one file each */

typedef struct rs_machine rs_machine;
typedef struct rs_worker rs_worker; /* a processor, as the program that runs on it sees it */

/* Before the start: shared memory, aligned to lines, all zero, spread over the processors line by line. */
uint64_t rs_shared(rs_machine *machine, uint64_t bytes);
/* Lines from `address` on have their home at a processor. */
void rs_place(rs_machine *machine, uint64_t address, uint64_t bytes, uint32_t processor);
/* Contents of the memory before the start (in no cache), and after the end (wherever the last copy is). */
void rs_poke(rs_machine *machine, uint64_t address, const void *bytes, size_t count);
void rs_peek(const rs_machine *machine, uint64_t address, void *bytes, size_t count);
uint32_t rs_processors(const rs_machine *machine);
rs_arena *rs_machine_arena(rs_machine *machine);

/* While it runs: each call takes simulated time. Values do not cross lines: addresses are multiples of their size. */
uint32_t rs_self(const rs_worker *worker);
uint32_t rs_workers_count(const rs_worker *worker);
double rs_load_real(rs_worker *worker, uint64_t address);
void rs_store_real(rs_worker *worker, uint64_t address, double value);
uint32_t rs_load_word(rs_worker *worker, uint64_t address);
void rs_store_word(rs_worker *worker, uint64_t address, uint32_t value);
void rs_flops(rs_worker *worker, uint64_t count); /* arithmetic, done by the host */
void rs_ops(rs_worker *worker, uint64_t count);
/* Stores so far are seen by all before anything that comes later. */
void rs_fence(rs_worker *worker);
/* Loads until the word is `value`: a processor that spins on its cached copy. */
void rs_await(rs_worker *worker, uint64_t address, uint32_t value);
/* Until all processors have come here; a fence too. Built from loads, stores and rs_await. */
void rs_barrier(rs_worker *worker);

typedef struct rs_kernel {
  uint32_t abi;
  const char *name, *summary;
  const rs_option *options;
  size_t config_size;
  const char *small; /* options of a run of seconds, for tests and the manual */
  /* Refuses numbers of processors and sizes that do not go together; lays out and fills the memory. */
  int (*prepare)(rs_machine *machine, const void *config, uint64_t seed, void **state, rs_error *err);
  void (*run)(rs_worker *worker, const void *state); /* on each processor; the parallel phase */
  /* After the end: whether the result is right, and how far off it is. */
  bool (*check)(const rs_machine *machine, const void *state, double *error);
} rs_kernel;
#define RS_KERNEL_ABI 1
extern const rs_kernel *const rs_kernels[]; /* generated */
/* The kernel of this name, of which `length` characters count; NULL: there is none. */
const rs_kernel *rs_kernel_find(const char *name, size_t length, rs_error *err);

#endif
