/* from_top.c - levels of a fat tree from the top, for trees where the distance from the leaves misleads: switches above
 * the leaves have end nodes too (directors), or small parts hang on the top (management leaves).
 *
 * Roots are the switches that have nearly all end nodes of their component within the fewest hops: all but an eighth, a
 * quarter, or a half, until that gives a tree. The rank of a switch is its distance from the nearest root. The rank
 * that most end nodes have becomes the level of the leaves. A switch without end nodes and without lower neighbours
 * serves no packet there; it moves above its neighbours. Such switches are tops that have lost a pod. */
#include <string.h>

#include "base/local.h"
#include "mend/levels.h"

enum { MOST_HOSTS = 8, FEW = 16, MOST = 100000000 }; /* a sixteenth; switches x channels */

typedef struct ranker {
  mend_levels *l;
  const switch_graph *net;
  uint32_t most;       /* nearly all end nodes: all but one of so many */
  uint32_t *rank;      /* [switches]; RIPSTOP_NONE: its component has no end nodes */
  uint32_t *hosts;     /* [switches]: end nodes of a component, by its name */
  uint32_t *least;     /* [switches]: by component, hops within which its roots have nearly all end nodes */
  uint32_t *within;    /* [switches]: the same for each switch */
  uint32_t *leaf_rank; /* [switches]: by component */
  uint32_t *distance, *queue;
} ranker;

/* Hops within which a switch has nearly all end nodes of its component. */
static uint32_t hops_to_nearly_all(ranker *r, uint32_t s) {
  const switch_graph *net = r->net;
  const uint32_t all = r->hosts[net->part[s]];
  uint32_t seen = 0, at = 0;
  memset(r->distance, 0xFF, net->switches * sizeof *r->distance);
  switch_graph_search(net, s, r->distance, r->queue);
  for (; seen < all - all / r->most; at++) seen += net->hosts[r->queue[at]];
  return at ? r->distance[r->queue[at - 1]] : 0;
}

static bool is_in(const ranker *r, uint32_t s) {
  return r->net->part[s] != RIPSTOP_NONE && r->hosts[r->net->part[s]] > 0;
}

/* Puts all roots at the beginning of the queue. Returns their number. */
static uint32_t find_roots(ranker *r) {
  const switch_graph *net = r->net;
  uint32_t roots = 0;
  memset(r->least, 0xFF, net->switches * sizeof *r->least);
  memset(r->leaf_rank, 0, net->switches * sizeof *r->leaf_rank);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!is_in(r, s)) continue;
    r->within[s] = hops_to_nearly_all(r, s);
    if (r->within[s] < r->least[net->part[s]]) r->least[net->part[s]] = r->within[s];
  }
  memset(r->rank, 0xFF, net->switches * sizeof *r->rank);
  for (uint32_t s = 0; s < net->switches; s++)
    if (is_in(r, s) && r->within[s] == r->least[net->part[s]]) r->rank[r->queue[roots++] = s] = 0;
  return roots;
}

static void find_ranks(ranker *r) {
  const switch_graph *net = r->net;
  for (uint32_t head = 0, tail = find_roots(r); head < tail; head++)
    for (uint32_t s = r->queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t next = net->to[net->out[i]];
      if (r->rank[next] == RIPSTOP_NONE) r->rank[r->queue[tail++] = next] = r->rank[s] + 1;
    }
}

/* The rank that most end nodes of each component have. False: in some component it is too deep. */
static bool find_leaf_ranks(ranker *r) {
  const switch_graph *net = r->net;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *count = RIPSTOP_ARRAY(scratch, (size_t)net->switches * MEND_LEVELS, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!is_in(r, s)) continue;
    if (r->rank[s] >= MEND_LEVELS) return false;
    uint32_t part = net->part[s], *of = &count[(size_t)part * MEND_LEVELS];
    of[r->rank[s]] += net->hosts[s];
    if (of[r->rank[s]] > of[r->leaf_rank[part]]) r->leaf_rank[part] = r->rank[s];
  }
  return true;
}

/* Numbers levels from the lowest rank below any leaves. */
static void set_levels(ranker *r) {
  const switch_graph *net = r->net;
  mend_levels *l = r->l;
  l->leaves = 0;
  memset(l->level, 0xFF, net->switches);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!is_in(r, s)) continue;
    uint32_t leaf_rank = r->leaf_rank[net->part[s]];
    if (r->rank[s] > leaf_rank + l->leaves) l->leaves = r->rank[s] - leaf_rank;
  }
  for (uint32_t s = 0; s < net->switches; s++)
    if (is_in(r, s)) l->level[s] = (uint8_t)(l->leaves + r->leaf_rank[net->part[s]] - r->rank[s]);
}

/* Moves switches that serve no packet above their neighbours. Returns how many. */
static uint32_t lift(ranker *r) {
  const switch_graph *net = r->net;
  uint32_t lifted = 0;
  for (uint32_t s = 0; s < net->switches; s++) {
    uint8_t *level = r->l->level, highest = 0, lowest = UINT8_MAX;
    if (level[s] == UINT8_MAX || net->hosts[s]) continue;
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint8_t other = level[net->to[net->out[i]]];
      if (other > highest) highest = other;
      if (other < lowest) lowest = other;
    }
    if (lowest == UINT8_MAX || lowest < level[s] || highest < level[s]) continue;
    level[s] = highest + 1;
    lifted++;
  }
  return lifted;
}

/* True if nearly all channels lead up or down, and nearly no end nodes are at the top: other fabrics, whose switches
 * all have end nodes, are no trees. */
static bool is_tree(const ranker *r) {
  const switch_graph *net = r->net;
  const mend_levels *l = r->l;
  uint64_t flat = 0, hosts = 0, high = 0;
  for (uint32_t c = 0; c < net->channels; c++) {
    if (l->level[net->from[c]] == UINT8_MAX) return false;
    flat += l->level[net->from[c]] == l->level[net->to[c]];
  }
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!is_in(r, s) || r->leaf_rank[net->part[s]] == 0) continue;
    hosts += net->hosts[s];
    if (r->rank[s] == 0) high += net->hosts[s];
  }
  return hosts > 0 && FEW * flat <= net->channels && FEW * high <= hosts;
}

/* False: the roots are not the top of a tree. */
static bool make(ranker *r) {
  const switch_graph *net = r->net;
  mend_levels *l = r->l;
  find_ranks(r);
  if (!find_leaf_ranks(r)) return false;
  set_levels(r);
  for (uint32_t i = 0; i < MEND_LEVELS && lift(r); i++) continue;
  l->top = 0;
  for (uint32_t s = 0; s < net->switches; s++)
    if (l->level[s] != UINT8_MAX && l->level[s] > l->top) l->top = l->level[s];
  return l->top > l->leaves && l->top < MEND_LEVELS && is_tree(r);
}

bool mend_from_top(mend_levels *l, ripstop_arena *arena) {
  const switch_graph *net = l->net;
  ranker r = {.l = l, .net = net};
  uint32_t **const rows[] = {&r.rank, &r.hosts, &r.least, &r.within, &r.leaf_rank, &r.distance, &r.queue};
  if ((uint64_t)net->switches * net->channels > MOST) return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] != RIPSTOP_NONE) r.hosts[net->part[s]] += net->hosts[s];
  for (r.most = MOST_HOSTS; r.most > 1; r.most /= 2)
    if (make(&r)) return true;
  return false;
}
