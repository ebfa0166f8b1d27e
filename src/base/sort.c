/* sort.c - a heap sort: count log count comparisons at most, whatever the order was before. */
#include "base/sort.h"

#include <stdbool.h>

typedef struct heap { /* the greatest on top */
  char *at;
  size_t count, size;
  int (*order)(const void *, const void *);
} heap;

static bool is_less(const heap *h, size_t a, size_t b) {
  return h->order(h->at + a * h->size, h->at + b * h->size) < 0;
}

static void swap(const heap *h, size_t a, size_t b) {
  char *x = h->at + a * h->size, *y = h->at + b * h->size;
  for (size_t i = 0; i < h->size; i++) {
    const char kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

/* Lets the element at `from` down to its place. */
static void sink(const heap *h, size_t from) {
  for (size_t below; (below = 2 * from + 1) < h->count; from = below) {
    if (below + 1 < h->count && is_less(h, below, below + 1)) below++;
    if (!is_less(h, from, below)) return;
    swap(h, from, below);
  }
}

void ripstop_sort_in_place(void *array, size_t count, size_t size, int (*order)(const void *, const void *)) {
  heap h = {.at = array, .count = count, .size = size, .order = order};
  for (size_t i = count / 2; i-- > 0;) sink(&h, i);
  while (h.count > 1) {
    swap(&h, 0, --h.count);
    sink(&h, 0);
  }
}
