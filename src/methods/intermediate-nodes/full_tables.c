/* full_tables.c - sources whose tables are full: the destinations without an entry, and the pairs that this loses.
 *
 * Sources of one class (row_reach.h) reach the same routers with and without intermediate nodes. So they need entries
 * for the same destinations, and their tables end at the same one. */
#include "methods/intermediate-nodes/intermediate-nodes.h"

/* A word of the set of routers that a class of sources reaches with `j` intermediate nodes and no fewer; j = 0: with
 * any number except 0. */
static uint64_t listed(const ripstop_reach *r, uint32_t class_, uint32_t j, uint32_t word) {
  size_t at = (size_t)class_ * r->words + word;
  return j ? r->within[j][at] & ~r->within[j - 1][at] : r->within[r->most][at] & ~r->within[0][at];
}

static uint32_t limit_of(const ripstop_reach *r, uint32_t class_, uint64_t entries) {
  for (uint32_t w = 0; w < r->words; w++)
    for (uint64_t set = listed(r, class_, 0, w); set; set &= set - 1)
      if (entries-- == 0) return 64 * w + ripstop_ctz64(set);
  return RIPSTOP_NONE;
}

void ripstop_intermediate_limit(ripstop_arena *arena, central *m, uint64_t entries) {
  m->limit = RIPSTOP_ARRAY(arena, m->reach.from.classes, uint32_t);
  for (uint32_t c = 0; c < m->reach.from.classes; c++) m->limit[c] = limit_of(&m->reach, c, entries);
}

/* End nodes of the routers for which a class has no entry. */
static uint64_t ends_without(const central *m, uint32_t class_, uint32_t j) {
  const ripstop_reach *r = &m->reach;
  uint64_t ends = 0;
  for (uint32_t w = m->limit[class_] / 64; w < r->words; w++)
    for (uint64_t set = listed(r, class_, j, w); set; set &= set - 1) {
      uint32_t router = 64 * w + ripstop_ctz64(set);
      if (router >= m->limit[class_]) ends += r->ends[router];
    }
  return ends;
}

uint64_t ripstop_intermediate_pairs_without_entry(const central *m, uint32_t j) {
  uint64_t pairs = 0;
  for (uint32_t c = 0; m->limit && c < m->reach.from.classes; c++)
    if (m->reach.from.weight[c]) pairs += m->reach.from.weight[c] * ends_without(m, c, j);
  return pairs;
}
