/* sort.c - a shell sort: for few elements it is an insertion sort, which takes little time. The gaps are Ciura's
 * (2001), and above them each is 2.25 times the one before. */
#include "base/sort.h"

#include <assert.h>
#include <string.h>

static const size_t gaps[] = {1, 4, 10, 23, 57, 132, 301, 701, 1750};
enum { GAPS = sizeof gaps / sizeof *gaps };

/* Each element goes before the greater ones that are `gap`, 2 gap, ... before it. */
static void insert(ripstop_sort_key *list, size_t count, size_t gap) {
  for (size_t i = gap; i < count; i++) {
    const ripstop_sort_key one = list[i];
    size_t at = i;
    for (; at >= gap && list[at - gap].key > one.key; at -= gap) list[at] = list[at - gap];
    list[at] = one;
  }
}

void ripstop_sort_keys(ripstop_sort_key *list, size_t count) {
  size_t gap = gaps[GAPS - 1];
  while (gap < count / 2) gap = gap / 4 * 9;
  for (; gap > gaps[GAPS - 1]; gap = gap / 9 * 4) insert(list, count, gap);
  for (size_t i = GAPS; i-- > 0;)
    if (gaps[i] < count) insert(list, count, gaps[i]);
}

typedef struct items {
  char *at;
  size_t count, size;
  ripstop_order *order;
  const void *context;
} items;

static void insert_items(const items *all, size_t gap) {
  char one[RIPSTOP_SORT_BYTES];
  const size_t size = all->size, far = gap * size;
  for (size_t i = gap; i < all->count; i++) {
    char *at = all->at + i * size;
    memcpy(one, at, size);
    for (; at >= all->at + far && all->order(all->context, at - far, one) > 0; at -= far) memcpy(at, at - far, size);
    memcpy(at, one, size);
  }
}

void ripstop_sort(void *list, size_t count, size_t size, ripstop_order *order, const void *context) {
  const items all = {.at = list, .count = count, .size = size, .order = order, .context = context};
  assert(size <= RIPSTOP_SORT_BYTES);
  size_t gap = gaps[GAPS - 1];
  while (gap < count / 2) gap = gap / 4 * 9;
  for (; gap > gaps[GAPS - 1]; gap = gap / 9 * 4) insert_items(&all, gap);
  for (size_t i = GAPS; i-- > 0;)
    if (gaps[i] < count) insert_items(&all, gaps[i]);
}
