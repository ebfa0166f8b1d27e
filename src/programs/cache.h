/* cache.h - the two levels of cache of one node.
 *
 * The second level holds lines: their coherence state and their bytes. The first is a part of it (inclusive) and
 * decides only how long an access takes. Both are set-associative and replace the line used longest ago; in the second
 * level a line that waits for something stays. */
#ifndef PROGRAMS_CACHE_H
#define PROGRAMS_CACHE_H

#include "programs/coherence.h"
#include "ripstop/kit/programs.h"

typedef struct cache_line {
  uint64_t number; /* of the line in shared memory */
  uint64_t used;   /* when; for replacement */
  co_line co;      /* CO_I: the place is free */
} cache_line;

typedef struct cache {
  uint64_t l1_sets, l2_sets;
  uint32_t l1_ways, l2_ways;
  uint64_t clock;       /* counts accesses */
  cache_line *line;     /* [l2_sets * l2_ways] */
  uint8_t *bytes;       /* [l2_sets * l2_ways][RIPSTOP_LINE_BYTES]; memory that is never touched costs nothing */
  cache_line **first;   /* [l1_sets * l1_ways]: lines that are in the first level too */
  uint64_t *first_used; /* [l1_sets * l1_ways] */
} cache;

static inline uint8_t *cache_bytes(const cache *c, const cache_line *line) {
  return c->bytes + (size_t)(line - c->line) * RIPSTOP_LINE_BYTES;
}

void cache_open(cache *c, ripstop_arena *arena, const ripstop_program_config *config);
/* In the second level, or NULL. */
cache_line *cache_find(const cache *c, uint64_t number);
/* Marks an access; returns whether it hit in the first level, where the line is afterwards. */
bool cache_touch(cache *c, cache_line *line);
/* The place that a new line takes: a free one, else the one used longest ago, which is to be evicted; NULL: all lines
 * that it could replace are waiting for something. */
cache_line *cache_victim(const cache *c, uint64_t number);
/* Empties a place. */
void cache_drop(cache *c, cache_line *line);

#endif
