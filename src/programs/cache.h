/* cache.h - the two cache levels of one node.
 *
 * The second level holds each line's coherence state and bytes. The first level is inclusive and affects only the
 * access time. Both are set-associative with LRU replacement; the second level does not replace a line in a transient
 * state. */
#ifndef PROGRAMS_CACHE_H
#define PROGRAMS_CACHE_H

#include "programs/coherence.h"
#include "ripstop/kit/programs.h"

typedef struct cache_line {
  uint64_t number; /* line number in shared memory */
  uint64_t used;   /* cache.clock at the last access; for replacement */
  co_line co;      /* CO_I: the entry is free */
} cache_line;

typedef struct cache {
  uint64_t l1_sets, l2_sets;
  uint32_t l1_ways, l2_ways;
  uint64_t clock;       /* counts accesses */
  cache_line *line;     /* [l2_sets * l2_ways] */
  uint8_t *bytes;       /* [l2_sets * l2_ways][RIPSTOP_LINE_BYTES]; pages without an access take no memory */
  cache_line **first;   /* [l1_sets * l1_ways]: lines that are in the first level as well */
  uint64_t *first_used; /* [l1_sets * l1_ways] */
} cache;

static inline uint8_t *cache_bytes(const cache *c, const cache_line *line) {
  return c->bytes + (size_t)(line - c->line) * RIPSTOP_LINE_BYTES;
}

void cache_open(cache *c, ripstop_arena *arena, const ripstop_program_config *config);
/* The line in the second level; NULL: it is not there. */
cache_line *cache_find(const cache *c, uint64_t number);
/* Records an access; returns true if it hit in the first level. Afterwards the line is in the first level. */
bool cache_touch(cache *c, cache_line *line);
/* The entry for a new line: a free one, else the least recently used, which must be evicted first; NULL: all lines of
 * the set are in a transient state. */
cache_line *cache_victim(const cache *c, uint64_t number);
/* Frees an entry. */
void cache_drop(cache *c, cache_line *line);

#endif
