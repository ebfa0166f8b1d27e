/* sort.h - sorts numbers with their owners without allocation: the C library's sort may allocate memory, and the
 * guard would not notice a failure (memory.h). */
#ifndef RIPSTOP_BASE_SORT_H
#define RIPSTOP_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "ripstop/plugin/base.h"

typedef struct ripstop_sort_key {
  uint64_t key;
  size_t of; /* the caller's index */
} ripstop_sort_key;

/* By their keys; equal ones come in any order. Meant for lists of a cycle: a few, or a few thousand, that are partly in
 * order. */
void ripstop_sort_keys(ripstop_sort_key *list, size_t count);

/* Orders of numbers, from the smallest, for qsort and bsearch. */
static inline int ripstop_by_u32(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}
static inline int ripstop_by_u64(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}
static inline int ripstop_by_real(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Below 0: `a` comes first, above 0: `b`. */
typedef int ripstop_order(const void *context, const void *a, const void *b);
enum { RIPSTOP_SORT_BYTES = 64 }; /* an item may have */
/* qsort with a context for the order: C11's qsort has none, and a variable that stands in for it is global. Items
 * that are equal come in any order. */
RIPSTOP_BEGIN
void ripstop_sort(void *list, size_t count, size_t size, ripstop_order *order, const void *context);
RIPSTOP_END

#endif
