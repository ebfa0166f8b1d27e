/* kernel.h - what a program computes: the struct that every file in src/programs/kernels/ ends with, and what a kernel
 * may do before, while and after its processors run. */
#ifndef RIPSTOP_PLUGIN_KERNEL_H
#define RIPSTOP_PLUGIN_KERNEL_H

#include "ripstop/kit/programs.h"

RIPSTOP_BEGIN

typedef struct ripstop_machine ripstop_machine;
typedef struct ripstop_processor ripstop_processor; /* a processor, as the program that runs on it sees it */

/* Before the start: shared memory, aligned to lines, all zero, spread over the processors line by line. */
uint64_t ripstop_shared(ripstop_machine *machine, uint64_t bytes);
/* Lines from `address` on have their home at a processor. */
void ripstop_place(ripstop_machine *machine, uint64_t address, uint64_t bytes, uint32_t processor);
/* Contents of the memory before the start (in no cache), and after the end (wherever the last copy is). */
void ripstop_poke(ripstop_machine *machine, uint64_t address, const void *bytes, size_t count);
void ripstop_peek(const ripstop_machine *machine, uint64_t address, void *bytes, size_t count);
uint32_t ripstop_processors(const ripstop_machine *machine);
ripstop_arena *ripstop_machine_arena(ripstop_machine *machine);

/* While it runs: each call takes simulated time. Values do not cross lines: addresses are multiples of their size. */
uint32_t ripstop_self(const ripstop_processor *processor);
uint32_t ripstop_processor_count(const ripstop_processor *processor);
double ripstop_load_real(ripstop_processor *processor, uint64_t address);
void ripstop_store_real(ripstop_processor *processor, uint64_t address, double value);
uint32_t ripstop_load_word(ripstop_processor *processor, uint64_t address);
void ripstop_store_word(ripstop_processor *processor, uint64_t address, uint32_t value);
void ripstop_flops(ripstop_processor *processor, uint64_t count); /* arithmetic, done by the host */
void ripstop_ops(ripstop_processor *processor, uint64_t count);
/* Stores so far are seen by all before anything that comes later. */
void ripstop_fence(ripstop_processor *processor);
/* Loads until the word is `value`: a processor that spins on its cached copy. */
void ripstop_await(ripstop_processor *processor, uint64_t address, uint32_t value);
/* Until all processors have come here; a fence too. Built from loads, stores and ripstop_await. */
void ripstop_barrier(ripstop_processor *processor);

typedef struct ripstop_kernel {
  uint32_t abi; /* RIPSTOP_KERNEL_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  const char *small; /* options of a run of seconds, for tests and the manual */
  /* Refuses numbers of processors and sizes that do not go together; lays out and fills the memory. */
  int (*prepare)(ripstop_machine *machine, const void *config, uint64_t seed, void **state, ripstop_error *err);
  void (*run)(ripstop_processor *processor, const void *state); /* on each processor; the parallel phase */
  /* After the end: whether the result is right, and how far off it is. */
  bool (*check)(const ripstop_machine *machine, const void *state, double *error);
} ripstop_kernel;
#define RIPSTOP_KERNEL_ABI 1
extern RIPSTOP_INTERNAL const ripstop_kernel *const ripstop_kernels[]; /* generated */
/* The kernel of this name, of which `length` characters count; NULL: there is none. */
const ripstop_kernel *ripstop_kernel_find(const char *name, size_t length, ripstop_error *err);

RIPSTOP_END

#endif
