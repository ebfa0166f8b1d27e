/* cache.c - the caches of one node. */
#include "programs/cache.h"

void cache_open(cache *c, ripstop_arena *arena, const ripstop_program_config *config) {
  const uint64_t kib = 1024;
  c->l1_ways = (uint32_t)config->l1_ways, c->l2_ways = (uint32_t)config->l2_ways;
  c->l1_sets = (uint64_t)config->l1_size * kib / RIPSTOP_LINE_BYTES / c->l1_ways;
  c->l2_sets = (uint64_t)config->l2_size * kib / RIPSTOP_LINE_BYTES / c->l2_ways;
  size_t lines = c->l2_sets * c->l2_ways, first = c->l1_sets * c->l1_ways;
  c->line = RIPSTOP_ARRAY(arena, lines, cache_line);
  c->first = RIPSTOP_ARRAY(arena, first, cache_line *);
  c->first_used = RIPSTOP_ARRAY(arena, first, uint64_t);
  c->bytes = RIPSTOP_ARRAY(arena, lines * RIPSTOP_LINE_BYTES, uint8_t);
}

cache_line *cache_find(const cache *c, uint64_t number) {
  cache_line *set = &c->line[number % c->l2_sets * c->l2_ways];
  for (uint32_t way = 0; way < c->l2_ways; way++)
    if (set[way].number == number && set[way].co.state != CO_I) return &set[way];
  return NULL;
}

bool cache_touch(cache *c, cache_line *line) {
  size_t set = line->number % c->l1_sets * c->l1_ways, oldest = set;
  line->used = ++c->clock;
  for (size_t i = set; i < set + c->l1_ways; i++) {
    if (c->first[i] == line) {
      c->first_used[i] = c->clock;
      return true;
    }
    if (c->first_used[i] < c->first_used[oldest]) oldest = i;
  }
  c->first[oldest] = line;
  c->first_used[oldest] = c->clock;
  return false;
}

cache_line *cache_victim(const cache *c, uint64_t number) {
  cache_line *set = &c->line[number % c->l2_sets * c->l2_ways], *oldest = NULL;
  for (uint32_t way = 0; way < c->l2_ways; way++) {
    if (set[way].co.state == CO_I) return &set[way];
    if (co_stable(&set[way].co) && (!oldest || set[way].used < oldest->used)) oldest = &set[way];
  }
  return oldest;
}

void cache_drop(cache *c, cache_line *line) {
  size_t set = line->number % c->l1_sets * c->l1_ways;
  for (size_t i = set; i < set + c->l1_ways; i++)
    if (c->first[i] == line) c->first[i] = NULL, c->first_used[i] = 0;
  line->co = (co_line){.state = CO_I};
}
