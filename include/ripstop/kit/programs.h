/* programs.h - real programs on a fabric with broken parts: every end node is a processor with caches and a share of
 * the memory, a directory keeps the caches coherent, and all of its messages are packets of the simulated network
 * (docs/programs.md). What a program computes is checked in the run that timed it. */
#ifndef RIPSTOP_KIT_PROGRAMS_H
#define RIPSTOP_KIT_PROGRAMS_H

#include "ripstop/kit/simulation.h"

RIPSTOP_BEGIN

/* Paper 004, section 6.2; a flit is 4 bytes. */
enum { RIPSTOP_LINE_BYTES = 64, RIPSTOP_COMMAND_FLITS = 3, RIPSTOP_DATA_FLITS = 19 };

/* The program and the machine that it runs on; keys of `program:`. Cycles are the processor's unless said otherwise. */
typedef struct ripstop_program_config {
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
} ripstop_program_config;
extern const ripstop_option ripstop_program_options[];

/* "name:a=1,b=2" with every option, defaults included. */
int ripstop_kernel_canonical(ripstop_arena *arena, const char *kernel, const char **canonical, ripstop_error *err);

RIPSTOP_END

#endif
