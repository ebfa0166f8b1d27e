/* text_table.h - from texts to numbers: a hash table of names.
 *
 * It stores no texts, only the number of each entry and 32 bits of its hash. A function of the owner compares an entry
 * with a text, so names that can be computed need not be stored. Open addressing with linear probing, at most half
 * full: every probe ends. Start with zeroes, and an arena or none; without one, end with ripstop_text_table_free. Cost:
 * 16 to 32 bytes an entry; nearly always one comparison for a look-up. */
#ifndef RIPSTOP_TEXT_TABLE_H
#define RIPSTOP_TEXT_TABLE_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

typedef struct ripstop_text_table_slot {
  uint32_t hash;
  uint32_t entry; /* RIPSTOP_NONE: empty */
} ripstop_text_table_slot;

typedef struct ripstop_text_table {
  ripstop_text_table_slot *slot;
  uint32_t size; /* a power of two, or 0 */
  uint32_t used;
  ripstop_arena *arena; /* whose memory it takes; NULL: its own */
} ripstop_text_table;

/* True if `entry` has this text. */
typedef bool ripstop_text_table_same(const void *owner, uint32_t entry, const char *text, size_t length);

/* The entry with this text, or RIPSTOP_NONE. */
uint32_t ripstop_text_table_find(const ripstop_text_table *table, const char *text, size_t length,
                                 ripstop_text_table_same *same, const void *owner);
/* Adds an entry that is known not to be there. */
void ripstop_text_table_add(ripstop_text_table *table, const char *text, size_t length, uint32_t entry);
void ripstop_text_table_free(ripstop_text_table *table);

RIPSTOP_END

#endif
