/* heap.h - a binary heap with the smallest key first. An id may be in it more than once; the caller that takes it out
 * knows whether the entry is still valid. */
#ifndef MEND_HEAP_H
#define MEND_HEAP_H

#include <stdint.h>

typedef struct mend_heap_entry {
  double key;
  uint32_t id;
} mend_heap_entry;

typedef struct mend_heap {
  mend_heap_entry *entry; /* the caller's, with room for all */
  uint32_t count;
} mend_heap;

static inline void mend_heap_push(mend_heap *h, double key, uint32_t id) {
  uint32_t i = h->count++;
  for (; i && h->entry[(i - 1) / 2].key > key; i = (i - 1) / 2) h->entry[i] = h->entry[(i - 1) / 2];
  h->entry[i] = (mend_heap_entry){key, id};
}

static inline mend_heap_entry mend_heap_pop(mend_heap *h) {
  mend_heap_entry top = h->entry[0], last = h->entry[--h->count];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
    if (child + 1 < h->count && h->entry[child + 1].key < h->entry[child].key) child++;
    if (last.key <= h->entry[child].key) break;
    h->entry[i] = h->entry[child];
  }
  h->entry[i] = last;
  return top;
}

#endif
