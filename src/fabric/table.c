/* table.c - the hash table of table.h. The hash is XXH3, so hostile names cannot do more than slow a reader down. */
#include "fabric/table.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SMALLEST = 16 };

static uint32_t hash_of(const char *text, size_t length) { return (uint32_t)XXH3_64bits(text, length); }

static void put(rs_table *table, uint32_t hash, uint32_t entry) {
  uint32_t mask = table->size - 1, at = hash & mask;
  while (table->slot[at].entry != RS_NONE) at = (at + 1) & mask;
  table->slot[at] = (rs_table_slot){hash, entry};
}

static void grow(rs_table *table) {
  rs_table old = *table;
  table->size = old.size == 0 ? SMALLEST : 2 * old.size;
  table->slot = rs_realloc(NULL, table->size, sizeof *table->slot);
  for (uint32_t i = 0; i < table->size; i++) table->slot[i] = (rs_table_slot){0, RS_NONE};
  for (uint32_t i = 0; i < old.size; i++)
    if (old.slot[i].entry != RS_NONE) put(table, old.slot[i].hash, old.slot[i].entry);
  free(old.slot);
}

uint32_t rs_table_find(const rs_table *table, const char *text, size_t length, rs_table_same *same, const void *owner) {
  if (table->size == 0) return RS_NONE;
  uint32_t hash = hash_of(text, length), mask = table->size - 1;
  for (uint32_t at = hash & mask; table->slot[at].entry != RS_NONE; at = (at + 1) & mask)
    if (table->slot[at].hash == hash && same(owner, table->slot[at].entry, text, length)) return table->slot[at].entry;
  return RS_NONE;
}

void rs_table_add(rs_table *table, const char *text, size_t length, uint32_t entry) {
  if (2 * (table->used + 1) > table->size) grow(table);
  put(table, hash_of(text, length), entry);
  table->used++;
}

void rs_table_free(rs_table *table) {
  free(table->slot);
  *table = (rs_table){0};
}
