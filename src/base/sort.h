/* sort.h - sorts numbers with their owners without allocation: the C library's sort may allocate memory, and the
 * guard would not notice a failure (memory.h). */
#ifndef RIPSTOP_BASE_SORT_H
#define RIPSTOP_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ripstop_key {
  uint64_t key;
  size_t of; /* the caller's index */
} ripstop_key;

/* By their keys; equal ones come in any order. Meant for lists of a cycle: a few, or a few thousand, that are partly
 * in order. */
void ripstop_sort_keys(ripstop_key *list, size_t count);

#endif
