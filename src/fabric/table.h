/* table.h - from texts to numbers: a hash table that keeps no texts, only the number of each entry and 32 bits of its
 * hash. The owner tells whether an entry has a given text, so names that are computed need not be stored.
 *
 * Open addressing with linear probing; at most half full, so that every probe ends. Zero-initialise, or
 * but for the arena, then ripstop_table_free. Cost: about 16 to 32 bytes per entry, one comparison per look-up nearly
 * always. */
#ifndef RIPSTOP_FABRIC_TABLE_H
#define RIPSTOP_FABRIC_TABLE_H

#include "ripstop/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

typedef struct ripstop_table_slot {
  uint32_t hash;
  uint32_t entry; /* RIPSTOP_NONE: empty */
} ripstop_table_slot;

typedef struct ripstop_table {
  ripstop_table_slot *slot;
  uint32_t size; /* a power of two, or 0 */
  uint32_t used;
  ripstop_arena *arena; /* whose memory it takes; NULL: its own */
} ripstop_table;

/* Whether `entry` has this text. */
typedef bool ripstop_table_same(const void *owner, uint32_t entry, const char *text, size_t length);

/* The entry with this text, or RIPSTOP_NONE. */
uint32_t ripstop_table_find(const ripstop_table *table, const char *text, size_t length, ripstop_table_same *same,
                            const void *owner);
/* Adds an entry that is known not to be there. */
void ripstop_table_add(ripstop_table *table, const char *text, size_t length, uint32_t entry);
void ripstop_table_free(ripstop_table *table);

RIPSTOP_END

#endif
