/* c_heap.c - the C library's heap. */
#include "base/c_heap.h"

#include <stdlib.h>

#undef calloc /* banned everywhere else */
#undef realloc
#undef free

void *ripstop_heap_zeroed(size_t bytes) { return calloc(1, bytes); }
void *ripstop_heap_resize(void *memory, size_t bytes) { return realloc(memory, bytes); }
void ripstop_heap_release(void *memory) { free(memory); }
