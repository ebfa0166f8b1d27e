/* masked.h - a table by destination, folded into few entries that each stand for many destinations (Penaranda et al.
 * 2017, section 4: "based on the use of masks, similar to IP routing tables").
 *
 * Destinations are numbers of `count` digits below `radix`. An entry has a number (id), a mask that says which digits
 * must equal the id's, and a value. Entries are in order of priority; the first that fits answers. A destination that
 * fits none has the value 0, and so may one that fits an entry: that is the paper's option flag, "whether the entry is
 * considered when the comparison is satisfied". Other values have the caller's meaning. */
#ifndef METHODS_INTERMEDIATE_NODES_MASKED_H
#define METHODS_INTERMEDIATE_NODES_MASKED_H

#include "ripstop/plugin/base.h"

typedef struct ripstop_masked_entry {
  uint32_t id;
  uint32_t mask; /* bit i: digit i is compared */
  uint64_t value;
} ripstop_masked_entry;

typedef struct ripstop_masked {
  uint32_t radix, count;
  uint32_t entries;
  const ripstop_masked_entry *entry; /* the first that fits answers */
} ripstop_masked;

/* Working memory for folding many tables of one shape. */
typedef struct ripstop_masked_folder ripstop_masked_folder;
/* radix^count is at most 2^16. */
ripstop_masked_folder *ripstop_masked_folder_new(ripstop_arena *arena, uint32_t radix, uint32_t count);
/* Folds the table: `value` has one value per destination; that of `own`, whose table it is, does not matter
 * (RIPSTOP_NONE: all matter). The result is valid until the next call. Entries compare a number of leading digits in
 * some order of the digits. For each order the function finds the fewest such entries (as Fitch 1971 for trees; for
 * routes Draves et al. 1999), and takes the best order: among all up to 4 digits, among ascending and descending
 * beyond; with or without one entry in front for all destinations that share a digit with `own`. So the result is a
 * small table, but not always the smallest. Cost: O(orders * radix^count * count^2). */
const ripstop_masked *ripstop_masked_fold(ripstop_masked_folder *folder, const uint64_t *value, uint32_t own);

uint64_t ripstop_masked_find(const ripstop_masked *table, uint32_t destination);

#endif
