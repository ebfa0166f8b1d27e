/* shard.c - which runs are a part's.
 *
 * The list is dealt like cards: of each `of` runs that follow each other every part gets one, the first part that whose
 * name is the smallest. Neighbours in an experiment cost about the same, so parts do too; and since names are hashes, a
 * list whose length is a multiple of `of` (as many loads as parts) does not give all of its longest runs to one part.
 */
#include <stdlib.h>
#include <string.h>

#include "campaign/shard.h"

static int by_name(const void *a, const void *b) {
  const ripstop_run *const *one = a, *const *two = b;
  return strcmp((*one)->id, (*two)->id);
}

size_t ripstop_shard_runs(ripstop_shard shard, const ripstop_run **run, size_t count) {
  size_t kept = 0;
  for (size_t from = 0; from < count; from += shard.of) {
    size_t dealt = count - from < shard.of ? count - from : shard.of;
    qsort(&run[from], dealt, sizeof(void *), by_name);
    if (shard.part <= dealt) run[kept++] = run[from + shard.part - 1];
  }
  return kept;
}
