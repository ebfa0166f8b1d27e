/* binary_heap.h - a binary heap in an array, for queues of events in order of time.
 *
 * RIPSTOP_HEAP(name, type, before) defines name_up, name_down and name_take. `before(a, b)` orders two entries; the
 * first one is at index 0. To add an entry, make room for it, increase the count, and call name_up for the last index.
 * RIPSTOP_HEAP_WITHOUT_ADDING leaves name_up out, for heaps made of a whole array by calling name_down for its first
 * half, last entry first. */
#ifndef RIPSTOP_BASE_BINARY_HEAP_H
#define RIPSTOP_BASE_BINARY_HEAP_H

#include <stddef.h>

#define RIPSTOP_HEAP_WITHOUT_ADDING(name, type, before)                          \
  /* Puts an entry at index i < items, or below it. */                           \
  static inline void name##_down(type heap[], size_t items, size_t i, type it) { \
    for (size_t child; (child = 2 * i + 1) < items; i = child) {                 \
      if (child + 1 < items && before(&heap[child + 1], &heap[child])) child++;  \
      if (!before(&heap[child], &it)) break;                                     \
      heap[i] = heap[child];                                                     \
    }                                                                            \
    heap[i] = it;                                                                \
  }                                                                              \
  /* Removes the first entry of at least one. */                                 \
  static inline type name##_take(type heap[], size_t *items) {                   \
    type top = heap[0];                                                          \
    if (--*items) name##_down(heap, *items, 0, heap[*items]);                    \
    return top;                                                                  \
  }

#define RIPSTOP_HEAP(name, type, before)                                                           \
  RIPSTOP_HEAP_WITHOUT_ADDING(name, type, before)                                                  \
  /* Puts an entry at index i, or above it. */                                                     \
  static inline void name##_up(type heap[], size_t i, type it) {                                   \
    for (; i > 0 && before(&it, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2]; \
    heap[i] = it;                                                                                  \
  }

#endif
