/* spread.c - whether the addresses of one end node use different paths, which is the purpose of several LIDs a port
 * (LMC). Two paths are compared by a 64-bit hash of their channels. */
#include <string.h>

#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "tables/trees.h"

enum { ADDRESSES = 128 }; /* most addresses of one end node: LMC is at most 7 */

typedef struct spreader {
  const ripstop_forwarding *tables;
  uint64_t *candidate; /* [addresses * switches]: hash for the present end node; 0: packets do not arrive */
  trees trees;
} spreader;

static uint64_t add_channel(uint64_t hash, uint32_t port) {
  hash = (hash ^ (port + 1)) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 29;
  return hash ? hash : 1;
}

/* The hashes of the paths from all switches by the entries of the present address, each behind that of its next. */
static void find_candidates(const trees *t, uint64_t *candidate) {
  for (uint32_t i = t->peeled; i-- > 0;) {
    uint32_t s = t->order[i];
    bool last = t->leads[s] == TREE_HOME;
    candidate[s] = t->fate[s] != TREE_HOME ? 0 : last ? 1 : add_channel(candidate[t->next[s]], t->port[s]);
  }
}

static void count_candidates(const spreader *s, uint32_t from, uint32_t count, ripstop_spread *out) {
  uint32_t switches = s->trees.switches, different = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t own = s->candidate[(size_t)k * switches + from];
    bool again = false;
    if (!own) return;
    for (uint32_t j = 0; j < k && !again; j++) again = s->candidate[(size_t)j * switches + from] == own;
    different += !again;
  }
  out->pairs++;
  out->alone += different == 1;
  out->candidates += different;
}

static void look_at(spreader *s, uint32_t first, uint32_t count, ripstop_spread *out) {
  trees *t = &s->trees;
  memset(s->candidate, 0, (size_t)count * t->switches * sizeof *s->candidate);
  for (uint32_t k = 0; k < count; k++) {
    trees_look(t, s->tables, first + k);
    find_candidates(t, s->candidate + (size_t)k * t->switches);
  }
  for (uint32_t i = 0; i < t->switches && t->own != RIPSTOP_NONE; i++)
    if (t->sources[i] && i != t->own) count_candidates(s, i, count, out);
}

int ripstop_judge_spread(const ripstop_view *view, const ripstop_forwarding *tables, ripstop_spread *out,
                         ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  spreader s = {.tables = tables};
  trees_open(&s.trees, scratch, view);
  s.candidate = RIPSTOP_ARRAY(scratch, (size_t)ADDRESSES * s.trees.switches, uint64_t);
  *out = (ripstop_spread){0};
  for (uint32_t a = 0, count; a < tables->addresses; a += count) {
    for (count = 1; a + count < tables->addresses && tables->node[a + count] == tables->node[a];) count++;
    if (count > 1 && count <= ADDRESSES && ripstop_is_end(view->fabric, tables->node[a])) look_at(&s, a, count, out);
  }
  if (out->pairs) out->candidates /= (double)out->pairs;
  ripstop_arena_free(scratch);
  return 0;
}
