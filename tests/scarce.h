/* scarce.h - a heap that refuses on request: in the place of src/base/c_heap.c, for one test program. It counts
 * requested and unreleased memory, of any thread. */
#ifndef TESTS_SCARCE_H
#define TESTS_SCARCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/c_heap.h"

static atomic_llong scarce_asked; /* requests since scarce_refuse */
static atomic_llong scarce_at;    /* the request that is refused, from 1 on; 0: none */
static atomic_llong scarce_live;  /* blocks */
static atomic_llong scarce_most;  /* bytes that a request may have; 0: as many as it likes */

static inline void scarce_refuse(long long at) {
  scarce_asked = 0;
  scarce_at = at;
}

/* Once refused, always refused: nothing becomes free by itself. */
static inline bool scarce_refused(size_t bytes) {
  long long number = atomic_fetch_add(&scarce_asked, 1) + 1, at = scarce_at, most = scarce_most;
  return (at && number >= at) || (most && bytes > (size_t)most);
}

void *ripstop_heap_zeroed(size_t bytes) {
  void *memory = scarce_refused(bytes) ? NULL : calloc(1, bytes);
  if (memory) scarce_live++;
  return memory;
}

void *ripstop_heap_resize(void *memory, size_t bytes) {
  void *moved = scarce_refused(bytes) ? NULL : realloc(memory, bytes);
  if (moved && !memory) scarce_live++;
  return moved;
}

void ripstop_heap_release(void *memory) {
  scarce_live--;
  free(memory);
}

#endif
