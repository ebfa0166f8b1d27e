/* fat_tree.c - recognises fat trees: levels, and between two levels blocks in which every lower switch is cabled to
 * every upper one.
 *
 * A switch between two levels may have lost all cables to the upper one. It goes to the block that has fewer switches
 * of its pod than of others.
 *
 * Leaves are the switches with hosts, but for those with few (a management host on a spine) that have several
 * neighbours, or nearly all of whose neighbours are leaves; and switches without hosts that have the neighbours of a
 * leaf. A switch's level is its distance from the leaves. Lower switches that share most of their upper ones are a
 * block; the upper switches of most of them are its other side; the usual number of cables between two of its switches
 * is that of the regular tree. Cost: for each switch the square of its cables. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "recognise/recognised_graph.h"

enum { LEVELS_MAX = 8 };

typedef struct tree {
  const recognised_graph *net;
  uint32_t *level;
  uint32_t levels;
  uint32_t *block; /* [switches]: towards the level above */
  uint32_t *under; /* [switches]: the block that it is an upper switch of */
  uint32_t blocks;
  uint32_t lowers[LEVELS_MAX], uppers[LEVELS_MAX], twins[LEVELS_MAX]; /* [level]: the usual block above it */
} tree;

/* ------------------------------------------------------------------ small statistics */

/* The most common of some numbers, the greatest of equals; sorts them. 0 of none. */
static uint32_t usual_of(uint32_t *list, uint32_t count) {
  uint32_t best = 0, times = 0;
  if (count > 0) qsort(list, count, sizeof *list, ripstop_by_u32);
  for (uint32_t i = 0, j; i < count; i = j) {
    for (j = i; j < count && list[j] == list[i];) j++;
    if (j - i >= times) best = list[i], times = j - i;
  }
  return best;
}

/* ------------------------------------------------------------------ levels */

/* True if nearly all neighbours have hosts as a leaf has, and the switch at most half as many. */
static bool is_above_leaves(const recognised_graph *net, uint32_t v, uint32_t median) {
  uint32_t leaves = 0, degree = recognised_degree(net, v);
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    leaves += 2 * (uint64_t)net->hosts[net->near[i].node] > median;
  return 2 * (uint64_t)net->hosts[v] <= median && degree >= 2 && 5 * (uint64_t)leaves >= 4 * (uint64_t)degree;
}

static void find_hosts_leaves(tree *t) {
  const recognised_graph *net = t->net;
  uint32_t *hosts = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), count = 0;
  for (uint32_t v = 0; v < net->switches; v++)
    if (net->hosts[v] > 0) hosts[count++] = net->hosts[v];
  if (count > 0) qsort(hosts, count, sizeof *hosts, ripstop_by_u32);
  uint32_t median = count > 0 ? hosts[count / 2] : 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    const bool enough = 4 * (uint64_t)net->hosts[v] >= median || recognised_degree(net, v) == 1;
    t->level[v] = net->hosts[v] > 0 && enough && !is_above_leaves(net, v, median) ? 0 : RIPSTOP_NONE;
  }
}

/* Distances from level 0. */
static void spread_levels(tree *t) {
  const recognised_graph *net = t->net;
  uint32_t *queue = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), head = 0, tail = 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (t->level[v] != 0) t->level[v] = RIPSTOP_NONE;
    if (t->level[v] == 0) queue[tail++] = v;
  }
  for (; head < tail; head++)
    for (uint32_t i = net->first[queue[head]]; i < net->first[queue[head] + 1]; i++) {
      uint32_t w = net->near[i].node;
      if (t->level[w] != RIPSTOP_NONE) continue;
      t->level[w] = t->level[queue[head]] + 1;
      queue[tail++] = w;
    }
}

/* True if a switch has all its neighbours, or two thirds of both's, in common with some leaf. */
static bool is_like_leaf(const tree *t, uint32_t v, uint32_t *common) {
  const recognised_graph *net = t->net;
  bool like = false;
  for (unsigned pass = 0; pass < 2; pass++) /* the second puts the counters back */
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      for (uint32_t u = net->near[i].node, j = net->first[u]; j < net->first[u + 1]; j++) {
        uint32_t leaf = net->near[j].node, a = recognised_degree(net, v), b = recognised_degree(net, leaf);
        if (t->level[leaf] != 0) continue;
        common[leaf] = pass == 0 ? common[leaf] + 1 : 0;
        like |= a >= 2 && (common[leaf] == a || 3 * common[leaf] >= 2 * (a > b ? a : b));
      }
  return like;
}

static void find_levels(tree *t) {
  const recognised_graph *net = t->net;
  uint32_t *common = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t *like = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), likes = 0;
  find_hosts_leaves(t);
  spread_levels(t);
  for (uint32_t v = 0; v < net->switches; v++)
    if (t->level[v] != RIPSTOP_NONE && t->level[v] >= 2 && is_like_leaf(t, v, common)) like[likes++] = v;
  for (uint32_t i = 0; i < likes; i++) t->level[like[i]] = 0;
  if (likes > 0) spread_levels(t);
  for (uint32_t v = 0; v < net->switches; v++) {
    if (t->level[v] == RIPSTOP_NONE) t->level[v] = 0; /* without cables */
    if (t->level[v] + 1 > t->levels) t->levels = t->level[v] + 1;
  }
}

static bool has_levels(const tree *t) {
  uint32_t across = 0;
  for (uint32_t i = 0; i < t->net->cables; i++) across += t->level[t->net->cable[i].a] != t->level[t->net->cable[i].b];
  return t->levels <= LEVELS_MAX && t->net->cables > 0 && 10 * across >= 8 * t->net->cables;
}

/* ------------------------------------------------------------------ blocks */

static bool is_up(const tree *t, uint32_t lower, uint32_t upper) { return t->level[upper] == t->level[lower] + 1; }

/* The number of a lower switch's upper switches that are marked, and of all of them. */
static uint32_t marked_above(const tree *t, uint32_t lower, const uint8_t *mark, uint32_t *all) {
  uint32_t marked = *all = 0;
  for (uint32_t i = t->net->first[lower]; i < t->net->first[lower + 1]; i++) {
    uint32_t u = t->net->near[i].node;
    if (!is_up(t, lower, u)) continue;
    ++*all;
    marked += mark[u];
  }
  return marked;
}

/* Puts lower switches without a block, at least half of whose upper ones are marked, into a block. Those with less than
 * half of the seed's number do not say which upper ones the block has. */
static uint32_t gather_lowers(tree *t, uint32_t seed, const uint8_t *mark, uint32_t *members) {
  uint32_t count = 0, most;
  marked_above(t, seed, mark, &most);
  for (uint32_t i = t->net->first[seed]; i < t->net->first[seed + 1]; i++)
    for (uint32_t u = t->net->near[i].node, j = t->net->first[u]; is_up(t, seed, u) && j < t->net->first[u + 1]; j++) {
      uint32_t v = t->net->near[j].node, all;
      if (t->level[v] != t->level[seed] || t->block[v] != RIPSTOP_NONE) continue;
      if (2 * marked_above(t, v, mark, &all) < all) continue;
      t->block[v] = t->blocks;
      if (2 * all >= most) members[count++] = v;
    }
  return count;
}

/* The upper switches of at least half of the members go under the block. */
static void gather_uppers(tree *t, const uint32_t *members, uint32_t count, uint32_t *times) {
  for (unsigned pass = 0; pass < 3; pass++)
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t i = t->net->first[members[k]]; i < t->net->first[members[k] + 1]; i++) {
        uint32_t u = t->net->near[i].node;
        if (!is_up(t, members[k], u)) continue;
        if (pass == 0) times[u]++;
        if (pass == 1 && 2 * times[u] >= count && t->under[u] == RIPSTOP_NONE) t->under[u] = t->blocks;
        if (pass == 2) times[u] = 0;
      }
}

static void mark_above(const tree *t, uint32_t lower, uint8_t *mark, uint8_t value) {
  for (uint32_t i = t->net->first[lower]; i < t->net->first[lower + 1]; i++)
    if (is_up(t, lower, t->net->near[i].node)) mark[t->net->near[i].node] = value;
}

/* Every lower switch goes to the block that has most of its upper ones. */
static void settle_lowers(tree *t) {
  uint32_t *times = RIPSTOP_ARRAY(t->net->arena, t->blocks + 1, uint32_t);
  for (uint32_t v = 0; v < t->net->switches; v++) {
    uint32_t best = t->block[v], most = 0;
    for (unsigned pass = 0; pass < 2; pass++) /* the second puts the counters back */
      for (uint32_t i = t->net->first[v]; i < t->net->first[v + 1]; i++) {
        uint32_t under = t->under[t->net->near[i].node];
        if (!is_up(t, v, t->net->near[i].node) || under == RIPSTOP_NONE) continue;
        times[under] = pass == 0 ? times[under] + 1 : 0;
        if (times[under] > most) best = under, most = times[under];
      }
    t->block[v] = best;
  }
}

static int by_cables(const void *a_, const void *b_) {
  const ripstop_near *a = a_, *b = b_;
  if (a->cables != b->cables) return a->cables > b->cables ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

/* All switches, those with most upper ones first: one that lost most of its cables does not begin a block. */
static const ripstop_near *list_seeds(const tree *t) {
  const recognised_graph *net = t->net;
  ripstop_near *list = RIPSTOP_ARRAY(net->arena, net->switches, ripstop_near);
  for (uint32_t v = 0; v < net->switches; v++) {
    list[v].node = v;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) list[v].cables += is_up(t, v, net->near[i].node);
  }
  qsort(list, net->switches, sizeof *list, by_cables);
  return list;
}

static void find_blocks(tree *t) {
  const recognised_graph *net = t->net;
  const ripstop_near *seeds = list_seeds(t);
  uint8_t *mark = RIPSTOP_ARRAY(net->arena, net->switches, uint8_t);
  uint32_t *members = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t *times = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  for (uint32_t i = 0; i < net->switches; i++) {
    const uint32_t seed = seeds[i].node;
    if (t->block[seed] != RIPSTOP_NONE) continue;
    mark_above(t, seed, mark, 1);
    uint32_t count = gather_lowers(t, seed, mark, members);
    mark_above(t, seed, mark, 0);
    gather_uppers(t, members, count, times);
    t->blocks += count > 0;
  }
  settle_lowers(t);
}

/* ------------------------------------------------------------------ the two sides of blocks */

typedef struct side {
  uint32_t *node;  /* sorted by block */
  uint32_t *first; /* [blocks + 1] */
} side;

static side sort_by_block(const tree *t, const uint32_t *block) {
  ripstop_arena *arena = t->net->arena;
  side s = {RIPSTOP_ARRAY(arena, t->net->switches + 1, uint32_t), RIPSTOP_ARRAY(arena, t->blocks + 2, uint32_t)};
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (block[v] != RIPSTOP_NONE) s.first[block[v] + 2]++;
  for (uint32_t b = 1; b <= t->blocks; b++) s.first[b + 1] += s.first[b];
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (block[v] != RIPSTOP_NONE) s.node[s.first[block[v] + 1]++] = v;
  return s;
}

/* ------------------------------------------------------------------ switches without upper ones */

/* The first port that the switches below have to a switch: it is the same on all of them if they are cabled alike. */
static const uint32_t *ports_below(const tree *t) {
  uint32_t *port = RIPSTOP_ARRAY(t->net->arena, t->net->switches, uint32_t);
  for (uint32_t v = 0; v < t->net->switches; v++) port[v] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < t->net->cables; i++) {
    const recognised_cable *c = &t->net->cable[i];
    if (is_up(t, c->b, c->a) && c->port_b < port[c->a]) port[c->a] = c->port_b;
    if (is_up(t, c->a, c->b) && c->port_a < port[c->b]) port[c->b] = c->port_a;
  }
  return port;
}

/* The members of a block that a pod lacks, compared with the average of other pods; and those of the members that have
 * its port on switches below. */
typedef struct place_in {
  uint32_t short_of, alike;
} place_in;

static place_in look_at_block(const tree *t, const side *low, uint32_t b, uint32_t v, const uint32_t *port,
                              bool *seen) {
  const uint32_t pod = t->under[v];
  uint32_t own = 0, others = 0, pods = 0, alike = 0;
  for (unsigned pass = 0; pass < 2; pass++) /* the second puts the marks back */
    for (uint32_t i = low->first[b]; i < low->first[b + 1]; i++) {
      const uint32_t of = t->under[low->node[i]];
      if (of == RIPSTOP_NONE) continue;
      if (pass == 0) {
        own += of == pod;
        others += of != pod;
        pods += of != pod && !seen[of];
        alike += port[v] != RIPSTOP_NONE && port[low->node[i]] == port[v];
      }
      seen[of] = pass == 0;
    }
  const uint32_t usual = pods > 0 ? others / pods : 0;
  return (place_in){usual > own ? usual - own : 0, alike};
}

/* The block for a switch without upper ones; RIPSTOP_NONE: none is short of a switch of its pod. */
static uint32_t block_for(const tree *t, const side *low, uint32_t v, const uint32_t *port, bool *seen) {
  uint32_t best = RIPSTOP_NONE;
  place_in most = {0};
  for (uint32_t b = 0; b < t->blocks; b++) {
    if (low->first[b] == low->first[b + 1] || t->level[low->node[low->first[b]]] != t->level[v]) continue;
    const place_in now = look_at_block(t, low, b, v, port, seen);
    if (now.short_of == 0 || (best != RIPSTOP_NONE && now.alike <= most.alike)) continue;
    best = b, most = now;
  }
  return best;
}

/* Puts a switch without upper ones, while others of its pod have some, into the block where it is missing. */
static void settle_cut_off(tree *t) {
  bool *joined = RIPSTOP_ARRAY(t->net->arena, t->blocks + 1, bool); /* [pods]: some of its switches have upper ones */
  bool *seen = RIPSTOP_ARRAY(t->net->arena, t->blocks + 1, bool);
  const uint32_t *port = ports_below(t);
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (t->under[v] != RIPSTOP_NONE && t->block[v] != RIPSTOP_NONE) joined[t->under[v]] = true;
  for (uint32_t v = 0; v < t->net->switches; v++) {
    if (t->under[v] == RIPSTOP_NONE || t->block[v] != RIPSTOP_NONE || !joined[t->under[v]]) continue;
    const side low = sort_by_block(t, t->block);
    t->block[v] = block_for(t, &low, v, port, seen);
  }
}

/* ------------------------------------------------------------------ the regular tree */

/* Cables between two switches of a block, most often. */
static uint32_t usual_twins(const tree *t, const side *low, const side *up, uint32_t b) {
  uint32_t count = 0, room = (low->first[b + 1] - low->first[b]) * (up->first[b + 1] - up->first[b]);
  uint32_t *list = ripstop_realloc(NULL, (size_t)room + 1, sizeof *list);
  for (uint32_t i = low->first[b]; i < low->first[b + 1]; i++)
    for (uint32_t j = up->first[b]; j < up->first[b + 1]; j++) {
      uint32_t cables = recognised_between(t->net, low->node[i], up->node[j]);
      if (cables > 0) list[count++] = cables;
    }
  uint32_t usual = usual_of(list, count);
  ripstop_free(list);
  return usual;
}

/* All cables of a block. The lower end of a cable has the port of its upper switch, the upper end that of its lower
 * one. */
static void want_block(ripstop_model *m, const tree *t, const side *low, const side *up, uint32_t b, uint32_t twins) {
  for (uint32_t i = low->first[b]; i < low->first[b + 1]; i++)
    for (uint32_t j = up->first[b]; j < up->first[b + 1]; j++)
      for (uint32_t k = 0; k < twins; k++)
        ripstop_model_want(m, t->net->arena, low->node[i], up->node[j], (uint64_t)1 << 32 | up->node[j],
                           (uint64_t)2 << 32 | low->node[i]);
}

/* The usual sizes of the blocks above each level. */
static void measure_blocks(tree *t, const side *low, const side *up, const uint32_t *twins) {
  uint32_t *list = RIPSTOP_ARRAY(t->net->arena, 3 * (size_t)t->blocks + 1, uint32_t);
  for (uint32_t level = 0; level + 1 < t->levels; level++) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < t->blocks; b++) {
      if (up->first[b] == up->first[b + 1] || t->level[low->node[low->first[b]]] != level) continue;
      list[count] = low->first[b + 1] - low->first[b];
      list[t->blocks + count] = up->first[b + 1] - up->first[b];
      list[2 * t->blocks + count++] = twins[b];
    }
    t->lowers[level] = usual_of(list, count);
    t->uppers[level] = usual_of(list + t->blocks, count);
    t->twins[level] = usual_of(list + 2 * (size_t)t->blocks, count);
  }
}

static void usual_leaf(const tree *t, ripstop_model *m) {
  const recognised_graph *net = t->net;
  uint32_t *hosts = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t *up = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), leaves = 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (t->level[v] != 0) continue;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      up[leaves] += t->level[net->near[i].node] == 1 ? net->near[i].cables : 0;
    hosts[leaves++] = net->hosts[v];
  }
  m->hosts_leaf = usual_of(hosts, leaves);
  m->up_leaf = usual_of(up, leaves);
}

/* Oversubscribed or slimmed: as an extended generalised fat tree, when it has as many switches. */
static const char *general_spec(const tree *t, const ripstop_model *m) {
  ripstop_text children = {0}, parents = {0};
  uint64_t above = 1, all = 0; /* parents' choices so far; switches of all levels */
  ripstop_text_add(&children, "%u", m->hosts_leaf);
  ripstop_text_add(&parents, "1");
  for (uint32_t level = 0; level < t->levels; level++) {
    uint64_t copies = above;
    for (uint32_t i = level; i + 1 < t->levels; i++) copies *= t->lowers[i];
    all += copies;
    if (level + 1 == t->levels) break;
    above *= t->uppers[level];
    ripstop_text_add(&children, ".%u", t->lowers[level]);
    ripstop_text_add(&parents, ".%u", t->uppers[level]);
  }
  const char *spec = all == t->net->switches && m->hosts_leaf > 0
                         ? ripstop_arena_printf(t->net->arena, "xgft:m=%s,w=%s", children.data, parents.data)
                         : NULL;
  ripstop_text_free(&children);
  ripstop_text_free(&parents);
  return spec;
}

/* Cables of the whole tree with these numbers. */
static uint64_t count_cables(const tree *t) {
  uint64_t above = 1, cables = 0;
  for (uint32_t level = 0; level + 1 < t->levels; level++) {
    uint64_t copies = above;
    for (uint32_t i = level; i + 1 < t->levels; i++) copies *= t->lowers[i];
    cables += copies * t->uppers[level] * t->twins[level];
    above *= t->uppers[level];
  }
  return cables;
}

/* The program's own tree with these numbers, when it is one. */
static const char *own_spec(const tree *t, const ripstop_model *m) {
  uint32_t k = m->hosts_leaf, n = t->levels, top = n >= 2 ? t->lowers[n - 2] : k;
  uint64_t switches = 1;
  for (uint32_t i = 0; i + 1 < n; i++) {
    if (t->twins[i] != 1) return NULL;
    if (t->uppers[i] != k || (i + 2 < n && t->lowers[i] != k)) return general_spec(t, m);
    switches *= k;
  }
  if (top == k && switches * n == t->net->switches)
    return ripstop_arena_printf(t->net->arena, "kary-ntree:k=%u,n=%u", k, n);
  if (top == 2 * k && switches * (2 * n - 1) == t->net->switches)
    return ripstop_arena_printf(t->net->arena, "mport-ntree:m=%u,n=%u", 2 * k, n);
  return general_spec(t, m);
}

static const char *shape_of(const tree *t, const ripstop_model *m) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%u levels:", t->levels);
  for (uint32_t level = 0; level < t->levels; level++) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < t->net->switches; v++)
      count += t->level[v] == level && (recognised_degree(t->net, v) > 0 || t->net->hosts[v] > 0);
    ripstop_text_add(&text, " %u", count);
    if (level + 1 < t->levels && t->twins[level] > 1)
      ripstop_text_add(&text, " (%u by %u, %u cables each)", t->lowers[level], t->uppers[level], t->twins[level]);
    else if (level + 1 < t->levels)
      ripstop_text_add(&text, " (%u by %u)", t->lowers[level], t->uppers[level]);
  }
  ripstop_text_add(&text, "; %u hosts and %u uplinks a leaf", m->hosts_leaf, m->up_leaf);
  const char *shape = ripstop_arena_text(t->net->arena, text.data);
  return shape;
}

static void fill_model(tree *t, ripstop_model *m) {
  ripstop_arena *arena = t->net->arena;
  side low = sort_by_block(t, t->block), up = sort_by_block(t, t->under);
  uint32_t *twins = RIPSTOP_ARRAY(arena, t->blocks + 1, uint32_t);
  for (uint32_t b = 0; b < t->blocks; b++) {
    twins[b] = usual_twins(t, &low, &up, b);
    want_block(m, t, &low, &up, b, twins[b]);
  }
  measure_blocks(t, &low, &up, twins);
  m->dims = 2;
  m->place = RIPSTOP_ARRAY(arena, 2 * (size_t)t->net->switches, uint16_t);
  for (uint32_t v = 0; v < t->net->switches; v++) {
    uint32_t block = t->level[v] > 0 && t->under[v] != RIPSTOP_NONE ? t->under[v] : t->block[v];
    m->place[2 * (size_t)v] = (uint16_t)t->level[v];
    m->place[2 * (size_t)v + 1] = (uint16_t)block;
  }
  usual_leaf(t, m);
  m->family = "fat tree";
  m->shape = shape_of(t, m);
  m->spec = own_spec(t, m);
  m->loose = m->spec == NULL;
  m->partial = m->wants < count_cables(t);
  m->tree = true;
}

bool ripstop_model_tree(const recognised_graph *net, ripstop_model *model) {
  tree t = {.net = net,
            .level = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t),
            .block = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t),
            .under = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t)};
  for (uint32_t v = 0; v < net->switches; v++) t.block[v] = t.under[v] = RIPSTOP_NONE;
  find_levels(&t);
  if (!has_levels(&t)) return false;
  find_blocks(&t);
  settle_cut_off(&t);
  fill_model(&t, model);
  return true;
}
