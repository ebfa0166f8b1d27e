/* text_table.c - the hash table of text_table.h. The hash is XXH3: hostile names can slow a reader, but no more. */
#include "base/text_table.h"
#include "ripstop/plugin/base.h"

#include <stdlib.h>

#undef malloc /* functions of the header call them, but none of these is used here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SMALLEST = 16 };

static uint32_t hash_of(const char *text, size_t length) { return (uint32_t)XXH3_64bits(text, length); }

static void put(ripstop_text_table *table, uint32_t hash, uint32_t entry) {
  uint32_t mask = table->size - 1, at = hash & mask;
  while (table->slot[at].entry != RIPSTOP_NONE) at = (at + 1) & mask;
  table->slot[at] = (ripstop_text_table_slot){hash, entry};
}

static void grow(ripstop_text_table *table) {
  ripstop_text_table old = *table;
  table->size = old.size == 0 ? SMALLEST : 2 * old.size;
  table->slot = table->arena != NULL ? ripstop_arena_realloc(table->arena, NULL, table->size, sizeof *table->slot)
                                     : ripstop_realloc(NULL, table->size, sizeof *table->slot);
  for (uint32_t i = 0; i < table->size; i++) table->slot[i] = (ripstop_text_table_slot){0, RIPSTOP_NONE};
  for (uint32_t i = 0; i < old.size; i++)
    if (old.slot[i].entry != RIPSTOP_NONE) put(table, old.slot[i].hash, old.slot[i].entry);
  ripstop_free(old.slot);
}

uint32_t ripstop_text_table_find(const ripstop_text_table *table, const char *text, size_t length,
                                 ripstop_text_table_same *same, const void *owner) {
  if (table->size == 0) return RIPSTOP_NONE;
  uint32_t hash = hash_of(text, length), mask = table->size - 1;
  for (uint32_t at = hash & mask; table->slot[at].entry != RIPSTOP_NONE; at = (at + 1) & mask)
    if (table->slot[at].hash == hash && same(owner, table->slot[at].entry, text, length)) return table->slot[at].entry;
  return RIPSTOP_NONE;
}

void ripstop_text_table_add(ripstop_text_table *table, const char *text, size_t length, uint32_t entry) {
  if (2 * (table->used + 1) > table->size) grow(table);
  put(table, hash_of(text, length), entry);
  table->used++;
}

void ripstop_text_table_free(ripstop_text_table *table) {
  ripstop_free(table->slot);
  *table = (ripstop_text_table){0};
}
