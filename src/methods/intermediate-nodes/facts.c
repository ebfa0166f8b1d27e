/* facts.c - facts about a plan of intermediate-nodes: pairs by number of intermediate nodes, and entries of the
 * sources' tables. */
#include <string.h>

#include "base/local.h"
#include "methods/intermediate-nodes/intermediate-nodes.h"
#include "methods/intermediate-nodes/masked.h"

uint64_t ripstop_intermediate_lost_pairs(const ripstop_plan *p) {
  const central *m = p->data;
  uint64_t ends = p->fabric->ends;
  return ends * (ends - 1) - ripstop_reach_pairs(&m->reach, m->reach.most) +
         ripstop_intermediate_pairs_without_entry(m, 0);
}

enum { PAIRS_FACTS = 4 }; /* 0, 1, 2, and 3 or more intermediate nodes */
enum { TABLE_ENTRIES = PAIRS_FACTS, TABLE_MOST, MASKED_ENTRIES, MASKED_MOST, EXTRA_LINES, EXTRA_MOST, FULL_PAIRS };
const char *const ripstop_intermediate_fact_names[] = {
    "pairs_by_intermediates.0",          "pairs_by_intermediates.1",
    "pairs_by_intermediates.2",          "pairs_by_intermediates.3",
    [TABLE_ENTRIES] = "table_entries",   [TABLE_MOST] = "table_entries_most",
    [MASKED_ENTRIES] = "masked_entries", [MASKED_MOST] = "masked_entries_most",
    [EXTRA_LINES] = "extra_lines",       [EXTRA_MOST] = "extra_lines_most",
    [FULL_PAIRS] = "table_full_pairs",   NULL};

static uint32_t fact_of(uint32_t intermediates) {
  return intermediates < PAIRS_FACTS ? intermediates : PAIRS_FACTS - 1;
}

/* Pairs by their fewest intermediate nodes. */
static void count_fewest(const central *m, uint64_t *pairs) {
  uint64_t before = 0;
  for (uint32_t j = 0; j <= m->reach.most; j++) {
    uint64_t now = ripstop_reach_pairs(&m->reach, j);
    pairs[fact_of(j)] += now - before;
    if (j > 0) pairs[fact_of(j)] -= ripstop_intermediate_pairs_without_entry(m, j);
    before = now;
  }
}

/* A pair counts elsewhere if its list without extra hops has more intermediate nodes than the fewest. Such a list has
 * at least two, and exists only from three dimensions on. */
static void count_shortest(const central *m, const config *c, uint64_t *pairs) {
  const ripstop_reach *r = &m->reach;
  count_fewest(m, pairs);
  if (r->most < 2 || shape_of(m)->dimensions < 3) return;
  for (uint32_t source = 0; source < shape_of(m)->routers; source++)
    for (uint32_t destination = 0; destination < shape_of(m)->routers; destination++) {
      uint32_t fewest = ripstop_reach_fewest(r, source, destination);
      if (fewest == 0 || fewest == RIPSTOP_NONE || !has_entry(m, source, destination)) continue;
      uint64_t ends = (uint64_t)r->ends[source] * r->ends[destination];
      pairs[fact_of(fewest)] -= ends;
      pairs[fact_of(ripstop_intermediate_list_length(m, c, source, destination, fewest))] += ends;
    }
}

/* Lines that a list crosses beyond those between its ends: over all pairs, and for the pair with most. */
static void count_extra(const central *m, uint32_t source, uint32_t destination, const uint32_t *list, uint32_t count,
                        uint64_t *value) {
  const ripstop_reach *r = &m->reach;
  uint64_t extra = ripstop_reach_hops(r, list[count - 1], destination);
  for (uint32_t i = 0; i < count; i++) extra += ripstop_reach_hops(r, i ? list[i - 1] : source, list[i]);
  extra -= ripstop_reach_hops(r, source, destination);
  value[EXTRA_LINES] += extra * r->ends[source] * r->ends[destination];
  if (extra > value[EXTRA_MOST]) value[EXTRA_MOST] = extra;
}

/* The table of each source: a list for each router that needs one. */
static void count_tables(const central *m, const config *c, uint64_t *value) {
  uint32_t routers = shape_of(m)->routers, list[INTERMEDIATES_MAX];
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, shape_of(m)->k, shape_of(m)->dimensions);
  uint64_t *table = RIPSTOP_ARRAY(arena, routers, uint64_t);
  memset(value + TABLE_ENTRIES, 0, (FULL_PAIRS - TABLE_ENTRIES) * sizeof *value);
  for (uint32_t source = 0; source < routers; source++) {
    uint64_t full = 0;
    for (uint32_t destination = 0; destination < routers; destination++) {
      uint32_t count = ripstop_intermediate_choose_list(m, c, source, destination, list);
      table[destination] = count == RIPSTOP_NONE || count == 0 ? 0 : pack_list(m, list, count);
      full += table[destination] != 0;
      if (table[destination] && has_entry(m, source, destination))
        count_extra(m, source, destination, list, count, value);
    }
    uint64_t masked = ripstop_masked_fold(folder, table, source)->entries;
    value[TABLE_ENTRIES] += full;
    value[MASKED_ENTRIES] += masked;
    if (full > value[TABLE_MOST]) value[TABLE_MOST] = full;
    if (masked > value[MASKED_MOST]) value[MASKED_MOST] = masked;
  }
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
  if (m->limit) value[FULL_PAIRS] = ripstop_intermediate_pairs_without_entry(m, 0);
}
