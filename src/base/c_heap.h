/* c_heap.h - the three calls to the C library's heap that the core makes, alone in their file so that a test can
 * replace them by calls that fail. All other code takes its memory by ripstop_realloc and arenas (memory.h says
 * why). */
#ifndef RIPSTOP_BASE_C_HEAP_H
#define RIPSTOP_BASE_C_HEAP_H

#include <stddef.h>

void *ripstop_heap_zeroed(size_t bytes); /* NULL: out of memory, as below */
void *ripstop_heap_resize(void *memory, size_t bytes);
void ripstop_heap_release(void *memory);

#endif
