/* sort.h - sorts numbers with their owners without allocation: the C library's sort may allocate memory, and the
 * guard would not notice a failure (memory.h). */
#ifndef RIPSTOP_BASE_SORT_H
#define RIPSTOP_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ripstop_sort_key {
  uint64_t key;
  size_t of; /* the caller's index */
} ripstop_sort_key;

/* By their keys; equal ones come in any order. Meant for lists of a cycle: a few, or a few thousand, that are partly in
 * order. */
void ripstop_sort_keys(ripstop_sort_key *list, size_t count);

/* Below 0: `a` comes first, above 0: `b`. */
typedef int ripstop_order(const void *context, const void *a, const void *b);
enum { RIPSTOP_SORT_BYTES = 64 }; /* an item may have */
/* As qsort, with a context for the order: C11's qsort has none, and a variable that stands in for it is global. Items
 * that are equal come in any order. */
void ripstop_sort(void *list, size_t count, size_t size, ripstop_order *order, const void *context);

#endif
