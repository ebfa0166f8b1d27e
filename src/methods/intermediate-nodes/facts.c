/* facts.c - what a plan of intermediate-nodes tells: pairs by number of intermediate nodes, and entries of the sources'
 * tables. */
#include <string.h>

#include "methods/intermediate-nodes/intermediate-nodes.h"
#include "methods/intermediate-nodes/masked.h"

uint64_t ripstop_intermediate_lost_pairs(const ripstop_plan *p) {
  const central *m = p->data;
  uint64_t ends = p->fabric->ends;
  return ends * (ends - 1) - ripstop_reach_pairs(&m->reach, m->reach.most);
}

enum { PAIRS_FACTS = 4 }; /* 0, 1, 2, and 3 or more intermediate nodes */
enum { TABLE_ENTRIES = PAIRS_FACTS, TABLE_MOST, MASKED_ENTRIES, MASKED_MOST };
const char *const ripstop_intermediate_fact_names[] = {"pairs_by_intermediates.0",
                                                       "pairs_by_intermediates.1",
                                                       "pairs_by_intermediates.2",
                                                       "pairs_by_intermediates.3",
                                                       [TABLE_ENTRIES] = "table_entries",
                                                       [TABLE_MOST] = "table_entries_most",
                                                       [MASKED_ENTRIES] = "masked_entries",
                                                       [MASKED_MOST] = "masked_entries_most",
                                                       NULL};

static uint32_t fact_of(uint32_t intermediates) {
  return intermediates < PAIRS_FACTS ? intermediates : PAIRS_FACTS - 1;
}

/* Pairs by their fewest intermediate nodes. */
static void count_fewest(const central *m, uint64_t *pairs) {
  uint64_t before = 0;
  for (uint32_t j = 0; j <= m->reach.most; j++) {
    uint64_t now = ripstop_reach_pairs(&m->reach, j);
    pairs[fact_of(j)] += now - before;
    before = now;
  }
}

/* A pair moves where its list without extra hops has more intermediate nodes than the fewest. Such a list has at least
 * two, and there is one only from three dimensions on. */
static void count_shortest(const central *m, const config *c, uint64_t *pairs) {
  const ripstop_reach *r = &m->reach;
  count_fewest(m, pairs);
  if (r->most < 2 || shape_of(m)->dimensions < 3) return;
  for (uint32_t source = 0; source < shape_of(m)->routers; source++)
    for (uint32_t destination = 0; destination < shape_of(m)->routers; destination++) {
      uint32_t fewest = ripstop_reach_fewest(r, source, destination);
      if (fewest == 0 || fewest == RIPSTOP_NONE) continue;
      uint64_t ends = (uint64_t)r->ends[source] * r->ends[destination];
      pairs[fact_of(fewest)] -= ends;
      pairs[fact_of(ripstop_intermediate_list_length(m, c, source, destination, fewest))] += ends;
    }
}

/* The table of each source: a list for each router that needs one. */
static void count_tables(const central *m, const config *c, uint64_t *value) {
  uint32_t routers = shape_of(m)->routers, list[INTERMEDIATES_MAX];
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, shape_of(m)->k, shape_of(m)->dimensions);
  uint64_t *table = RIPSTOP_ARRAY(arena, routers, uint64_t);
  memset(value + TABLE_ENTRIES, 0, 4 * sizeof *value);
  for (uint32_t source = 0; source < routers; source++) {
    uint64_t full = 0;
    for (uint32_t destination = 0; destination < routers; destination++) {
      uint32_t count = ripstop_intermediate_choose_list(m, c, source, destination, list);
      table[destination] = count == RIPSTOP_NONE || count == 0 ? 0 : pack_list(m, list, count);
      full += table[destination] != 0;
    }
    uint64_t masked = ripstop_masked_fold(folder, table, source)->entries;
    value[TABLE_ENTRIES] += full;
    value[MASKED_ENTRIES] += masked;
    if (full > value[TABLE_MOST]) value[TABLE_MOST] = full;
    if (masked > value[MASKED_MOST]) value[MASKED_MOST] = masked;
  }
  ripstop_arena_free(arena);
}

void ripstop_intermediate_facts(const ripstop_plan *p, uint64_t *value) {
  const central *m = p->data;
  const config *c = p->config;
  for (uint32_t i = 0; ripstop_intermediate_fact_names[i]; i++) value[i] = RIPSTOP_FACT_NONE;
  for (uint32_t j = 0; j <= m->reach.most && j < PAIRS_FACTS; j++) value[j] = 0;
  if (c->prefer == PREFER_SHORTEST)
    count_shortest(m, c, value);
  else
    count_fewest(m, value);
  if (c->tables && c->lists == LISTS_CHOSEN) count_tables(m, c, value);
}
