/* sort.c - a shell sort: for few elements it is an insertion sort, which takes little time. The gaps are Ciura's
 * (2001), and above them each is 2.25 times the one before. */
#include "base/sort.h"

/* Each element goes before the greater ones that are `gap`, 2 gap, ... before it. */
static void insert(ripstop_key *list, size_t count, size_t gap) {
  for (size_t i = gap; i < count; i++) {
    const ripstop_key one = list[i];
    size_t at = i;
    for (; at >= gap && list[at - gap].key > one.key; at -= gap) list[at] = list[at - gap];
    list[at] = one;
  }
}

void ripstop_sort_keys(ripstop_key *list, size_t count) {
  static const size_t found[] = {1, 4, 10, 23, 57, 132, 301, 701, 1750};
  enum { FOUND = sizeof found / sizeof *found };
  size_t gap = found[FOUND - 1];
  while (gap < count / 2) gap = gap / 4 * 9;
  for (; gap > found[FOUND - 1]; gap = gap / 9 * 4) insert(list, count, gap);
  for (size_t i = FOUND; i-- > 0;)
    if (found[i] < count) insert(list, count, found[i]);
}
