/* sort.h - qsort without memory: the C library's may take some, of which the program would not hear that there is none
 * (memory.h). Equal elements come in any order. */
#ifndef RIPSTOP_BASE_SORT_H
#define RIPSTOP_BASE_SORT_H

#include <stddef.h>

void ripstop_sort_in_place(void *array, size_t count, size_t size, int (*order)(const void *, const void *));

#endif
