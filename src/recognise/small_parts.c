/* small_parts.c - distinguishes small parts of a site, for management or service, from a fat tree's leaves that lost
 * cables.
 *
 * A suspect is a switch with hosts and few cables, or a switch above such ones alone. Without the suspects the rest
 * must be a fat tree. Each group of suspects that cables join is then read in two ways, and the cheaper reading wins:
 * - It lost cables: one for each cable that its like have and it has not, and one for each that its like have not.
 * - It is a part of its own: 1, and 1 for each cable, and 2 more for a cable that has the ports of its like at both
 * ends, and 1 if a name continues those of its like. If all its cables have the ports of their like at both ends, it
 * has lost the others. Cost: that of a tree's model, if there are suspects. */
#include <string.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "recognise/name_series.h"
#include "recognise/recognised_graph.h"
#include "recognise/tree_blocks.h"

/* Least score of the rest. */
#define LEAST_REST 0.8

typedef struct finder {
  const recognised_graph *net;
  bool *suspect;
  uint32_t suspects;                 /* leaves among them */
  uint32_t usual_cables, usual_near; /* cables and neighbours of a switch with hosts */
  uint32_t *hosted;                  /* [switches]: neighbours with hosts */
  bool *is_core;                     /* [switches] */
  /* The rest without suspects. */
  recognised_graph rest;
  ripstop_model model;
  tree_blocks blocks;
  uint32_t *rest_of; /* [switches]: its number in the rest; RIPSTOP_NONE: a suspect */
} finder;

/* ------------------------------------------------------------------ suspects */

/* The most common value of switches with hosts, the greatest of equals. */
static uint32_t usual_of_hosted(const recognised_graph *net, bool cables) {
  enum { MOST = 1024 };
  uint32_t times[MOST] = {0}, best = 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    const uint32_t value = cables ? recognised_cables(net, v) : recognised_degree(net, v);
    if (net->hosts[v] > 0 && value > 0 && value < MOST) times[value]++;
  }
  for (uint32_t i = 1; i < MOST; i++)
    if (times[i] > 0 && times[i] >= times[best]) best = i;
  return best;
}

/* Counts neighbours with hosts, and finds cores: switches above spines, which have more of them. */
static void look_around(finder *f) {
  const recognised_graph *net = f->net;
  f->hosted = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  f->is_core = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) f->hosted[v] += net->hosts[net->near[i].node] > 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    uint32_t more = 0;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      more += net->hosts[net->near[i].node] == 0 && f->hosted[net->near[i].node] > f->hosted[v];
    f->is_core[v] = net->hosts[v] == 0 && more > 0 && 2 * more >= recognised_degree(net, v) - f->hosted[v];
  }
}

static bool is_on_cores(const finder *f, uint32_t v) {
  for (uint32_t i = f->net->first[v]; i < f->net->first[v + 1]; i++)
    if (!f->is_core[f->net->near[i].node]) return false;
  return recognised_degree(f->net, v) > 0;
}

/* Leaves that a reading as a part of its own may suit. */
static void suspect_leaves(finder *f) {
  const recognised_graph *net = f->net;
  for (uint32_t v = 0; v < net->switches; v++) {
    const uint32_t cables = recognised_cables(net, v);
    if (net->hosts[v] == 0 || cables == 0) continue;
    f->suspect[v] = 1 + 2 * cables <= f->usual_cables || is_on_cores(f, v);
  }
}

/* True if a leaf hangs on switches alone that have one neighbour with hosts, or on one while its like have more. */
static bool is_separate(const finder *f, uint32_t leaf) {
  const recognised_graph *net = f->net;
  if (f->suspect[leaf]) return true;
  if (recognised_degree(net, leaf) == 1 && f->usual_near > 1) return true;
  for (uint32_t i = net->first[leaf]; i < net->first[leaf + 1]; i++)
    if (net->hosts[net->near[i].node] > 0 || f->hosted[net->near[i].node] != 1) return false;
  return recognised_degree(net, leaf) > 0;
}

/* True if all neighbours with hosts are separate. */
static bool has_separate_leaves(const finder *f, uint32_t v) {
  const recognised_graph *net = f->net;
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    if (net->hosts[net->near[i].node] > 0 && !is_separate(f, net->near[i].node)) return false;
  return true;
}

/* True for a switch without hosts whose leaves are all separate, below cores. */
static bool is_above_separate(const finder *f, uint32_t v) {
  const recognised_graph *net = f->net;
  if (net->hosts[v] > 0 || f->hosted[v] == 0 || f->hosted[v] == recognised_degree(net, v)) return false;
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    if (net->hosts[net->near[i].node] == 0 && !has_separate_leaves(f, net->near[i].node)) return false;
  return has_separate_leaves(f, v);
}

/* Suspects the switches above separate leaves, and these leaves. */
static void suspect_spines(finder *f) {
  const recognised_graph *net = f->net;
  bool *spine = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  for (uint32_t v = 0; v < net->switches; v++) spine[v] = is_above_separate(f, v);
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; spine[v] && i < net->first[v + 1]; i++)
      if (net->hosts[net->near[i].node] > 0) f->suspect[v] = f->suspect[net->near[i].node] = true;
}

/* True if there are some, and more switches with hosts that are none. */
static bool has_suspects(finder *f) {
  uint32_t suspects = 0, hosted = 0;
  for (uint32_t v = 0; v < f->net->switches; v++) {
    suspects += f->suspect[v];
    hosted += f->net->hosts[v] > 0;
    f->suspects += f->net->hosts[v] > 0 && f->suspect[v];
  }
  return suspects > 0 && 2 * f->suspects < hosted;
}

/* ------------------------------------------------------------------ the rest */

/* True if the rest is a fat tree, and nothing else fits it or the whole better. */
static bool find_rest(finder *f) {
  const recognised_graph *net = f->net;
  double score = 0;
  if (!ripstop_model_best(net, net, &score).tree && score >= LEAST_REST) return false;
  score = 0;
  recognised_rest(&f->rest, net, f->suspect, net->arena);
  f->model = ripstop_model_best(&f->rest, &f->rest, &score);
  if (!f->model.tree || score < LEAST_REST) return false;
  tree_blocks_find(&f->blocks, &f->rest, &f->model);
  f->rest_of = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  for (uint32_t v = 0, next = 0; v < net->switches; v++) f->rest_of[v] = f->suspect[v] ? RIPSTOP_NONE : next++;
  return f->blocks.count > 0;
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Cables of a suspect that fit if it were a lower switch of a block. */
static uint32_t fit_in_block(const finder *f, uint32_t v, const tree_block *b) {
  uint32_t fit = 0;
  for (uint32_t i = f->net->first[v]; i < f->net->first[v + 1]; i++) {
    const uint32_t u = f->rest_of[f->net->near[i].node];
    if (u != RIPSTOP_NONE && f->blocks.below[u] == (uint32_t)(b - f->blocks.list))
      fit += least_of(f->net->near[i].cables, b->twins);
  }
  return fit;
}

/* The block of a level in which most cables of a suspect would fit; NULL: none would. */
static const tree_block *best_block(const finder *f, uint32_t v, uint32_t level, uint32_t *fit) {
  const tree_block *best = NULL;
  *fit = 0;
  for (uint32_t i = 0; i < f->blocks.count; i++) {
    const tree_block *b = &f->blocks.list[i];
    const uint32_t now = b->level == level ? fit_in_block(f, v, b) : 0;
    if (now > *fit) best = b, *fit = now;
  }
  return best;
}

/* The usual size of blocks above a level: the one with most cables. 0: there is none. */
static uint32_t usual_block(const finder *f, uint32_t level, const tree_block **usual) {
  uint32_t most = 0;
  *usual = NULL;
  for (uint32_t i = 0; i < f->blocks.count; i++) {
    const tree_block *b = &f->blocks.list[i];
    const uint32_t cables = b->lower.nodes * b->upper.nodes * b->twins;
    if (b->level == level && cables > most) *usual = b, most = cables;
  }
  return most;
}

/* ------------------------------------------------------------------ two readings */

/* Suspects that cables join. */
typedef struct group {
  const uint32_t *node;
  uint32_t nodes;
  uint32_t cables;  /* all cables of its switches */
  uint32_t hanging; /* cables to the rest */
  uint32_t right;   /* cables to the rest that have the ports of their like at both ends */
  bool spines;      /* some have no hosts */
} group;

/* True if a port of an upper switch is one that a lower switch more would have: the row of its block goes on there, or
 * the usual block has a switch there. */
static bool is_right_above(const finder *f, const tree_block *block, uint32_t port) {
  const tree_block *usual;
  tree_row own, other;
  const bool regular = tree_row_find(&f->blocks, block, true, &own);
  if (tree_row_has(&own, port)) return false;
  if (regular && tree_row_has_free(&own, port, f->suspects)) return true;
  usual_block(f, block->level, &usual);
  return tree_row_find(&f->blocks, usual, true, &other) && tree_row_has(&other, port);
}

/* True if a port of a lower switch is the one to an upper switch or, where its block has no habit, to any. */
static bool is_right_below(const finder *f, const tree_block *block, uint32_t up, uint32_t port) {
  const tree_block *usual;
  tree_row other;
  bool known;
  const bool is = port_habits_usual(&f->blocks.habits, (uint64_t)1 << 32 | up, port, &known);
  if (known) return is;
  usual_block(f, block->level, &usual);
  return tree_row_find(&f->blocks, usual, false, &other) && tree_row_has(&other, port);
}

/* True if a cable from a suspect to the rest has the ports that its like use. */
static bool is_right(const finder *f, const recognised_cable *c, bool at_a) {
  const uint32_t up = f->rest_of[at_a ? c->b : c->a], below = up == RIPSTOP_NONE ? up : f->blocks.below[up];
  if (below == RIPSTOP_NONE) return false;
  const tree_block *block = &f->blocks.list[below];
  return is_right_below(f, block, up, at_a ? c->port_a : c->port_b) &&
         is_right_above(f, block, at_a ? c->port_b : c->port_a);
}

static void count_cables(const finder *f, const uint32_t *root, uint32_t of, group *g) {
  for (uint32_t i = 0; i < f->net->cables; i++) {
    const recognised_cable *c = &f->net->cable[i];
    const bool a = f->suspect[c->a] && root[c->a] == of, b = f->suspect[c->b] && root[c->b] == of;
    g->cables += a || b;
    if (a == b || f->suspect[a ? c->b : c->a]) continue;
    g->hanging++;
    g->right += is_right(f, c, a);
  }
  for (uint32_t i = 0; i < g->nodes; i++) g->spines |= f->net->hosts[g->node[i]] == 0;
}

/* Leaves: cables that are missing from the block in which they fit best, and those that do not fit there. */
static uint32_t lost_of_leaves(const finder *f, const group *g) {
  uint32_t lost = 0;
  for (uint32_t i = 0; i < g->nodes; i++) {
    uint32_t fit;
    const tree_block *b = best_block(f, g->node[i], 0, &fit);
    const uint32_t want = b != NULL ? b->upper.nodes * b->twins : f->usual_cables;
    lost += (want > fit ? want - fit : 0) + recognised_cables(f->net, g->node[i]) - fit;
  }
  return lost;
}

/* A pod: cables that are missing from the usual pod and above it, and those that do not fit there. */
static uint32_t lost_of_pod(const finder *f, const group *g) {
  const tree_block *pod, *above;
  const uint32_t inside = usual_block(f, 0, &pod);
  usual_block(f, 1, &above);
  if (pod == NULL || above == NULL) return UINT32_MAX;
  const uint32_t want = inside + pod->upper.nodes * above->upper.nodes * above->twins;
  uint32_t fit = 0;
  for (uint32_t i = 0; i < g->nodes; i++) {
    const uint32_t v = g->node[i];
    uint32_t up;
    if (f->net->hosts[v] > 0) continue;
    best_block(f, v, 1, &up);
    fit += up;
    for (uint32_t k = f->net->first[v]; k < f->net->first[v + 1]; k++)
      if (f->suspect[f->net->near[k].node] && f->net->hosts[f->net->near[k].node] > 0)
        fit += least_of(f->net->near[k].cables, pod->twins);
  }
  return (want > fit ? want - fit : 0) + g->cables - least_of(fit, g->cables);
}

/* True if a leaf's name continues those of the leaves in the rest. */
static bool is_in_series(const finder *f, const group *g) {
  const recognised_graph *rest = &f->rest;
  const char **name = RIPSTOP_ARRAY(rest->arena, rest->switches, const char *);
  name_series series;
  uint32_t leaves = 0;
  for (uint32_t v = 0; v < rest->switches; v++)
    if (tree_level(&f->model, v) == 0) name[leaves++] = name_series_short(rest->arena, recognised_called(rest, v));
  if (!name_series_find(rest->arena, name, leaves, &series) || 2 * series.members < leaves) return false;
  bool is = false;
  for (uint32_t i = 0; i < g->nodes; i++)
    is |= name_series_continues(&series, name_series_short(rest->arena, recognised_called(f->net, g->node[i])));
  return is;
}

/* True if it is cheaper to read the group as a part of its own. Of two readings that cost as much, it is one where a
 * dump shows ports that are not those of its like. */
static bool is_own_part(const finder *f, const group *g) {
  if (g->hanging > 0 && g->right == g->hanging) return false;
  const uint32_t lost = g->spines ? lost_of_pod(f, g) : lost_of_leaves(f, g);
  const uint32_t own = 1 + g->cables + 2 * g->right;
  if (own == lost) return ripstop_ib_of(f->net->fabric) != NULL && !is_in_series(f, g);
  return own < lost && own + is_in_series(f, g) < lost;
}

/* ------------------------------------------------------------------ all of them */

/* The first member of each marked switch's group. A cable between two leaves joins them only if `leaves`. */
static uint32_t *find_groups(const recognised_graph *net, const bool *marked, bool leaves) {
  uint32_t *parent = ripstop_forest(net->arena, net->switches);
  for (uint32_t i = 0; i < net->cables; i++) {
    const uint32_t a = net->cable[i].a, b = net->cable[i].b;
    if (marked[a] && marked[b] && (leaves || net->hosts[a] == 0 || net->hosts[b] == 0)) ripstop_join(parent, a, b);
  }
  for (uint32_t v = 0; v < net->switches; v++) parent[v] = ripstop_root(parent, v);
  return parent;
}

bool recognised_find_small_parts(const recognised_graph *net, bool *small) {
  finder f = {.net = net, .suspect = RIPSTOP_ARRAY(net->arena, net->switches, bool)};
  f.usual_cables = usual_of_hosted(net, true);
  f.usual_near = usual_of_hosted(net, false);
  look_around(&f);
  suspect_leaves(&f);
  suspect_spines(&f);
  if (!has_suspects(&f) || !find_rest(&f)) return false;
  const uint32_t *root = find_groups(net, f.suspect, false);
  uint32_t *node = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  bool found = false;
  for (uint32_t of = 0; of < net->switches; of++) {
    group g = {.node = node};
    if (!f.suspect[of] || root[of] != of) continue;
    for (uint32_t v = of; v < net->switches; v++)
      if (f.suspect[v] && root[v] == of) node[g.nodes++] = v;
    count_cables(&f, root, of, &g);
    if (!is_own_part(&f, &g)) continue;
    found = true;
    for (uint32_t i = 0; i < g.nodes; i++) small[node[i]] = true;
  }
  return found;
}

/* ------------------------------------------------------------------ in words */

static const char *list_words(const recognised_graph *net, const uint32_t *node, uint32_t count) {
  enum { SHOWN = 4 };
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t i = 0; i < count && i < SHOWN; i++)
    ripstop_text_add(&text, "%s'%s'", i > 0 ? ", " : "", recognised_called(net, node[i]));
  if (count > SHOWN) ripstop_text_add(&text, " and %u more", count - SHOWN);
  return ripstop_arena_text(net->arena, text.data);
}

/* The part with this root: its switches, and those that it hangs on, as nodes of the fabric. */
static void fill_part(const recognised_graph *net, const bool *small, const uint32_t *root, uint32_t of,
                      ripstop_arena *arena, ripstop_small_part *out) {
  uint32_t *node = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  uint32_t *on = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  bool *beside = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  *out = (ripstop_small_part){.node = node, .hangs_on = on};
  for (uint32_t v = of; v < net->switches; v++) {
    if (!small[v] || root[v] != of) continue;
    node[out->nodes++] = v;
    out->hosts += net->hosts[v];
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) beside[net->near[i].node] |= !small[net->near[i].node];
  }
  for (uint32_t v = 0; v < net->switches; v++)
    if (beside[v]) on[out->hangs_ons++] = v;
  const char *own = list_words(net, node, out->nodes);
  out->text = ripstop_arena_printf(arena, "%s with %u hosts hang%s on %s: a part of %s own", own, out->hosts,
                                   out->nodes == 1 ? "s" : "", list_words(net, on, out->hangs_ons),
                                   out->nodes == 1 ? "its" : "their");
  for (uint32_t i = 0; i < out->nodes; i++) node[i] += net->fabric->ends;
  for (uint32_t i = 0; i < out->hangs_ons; i++) on[i] += net->fabric->ends;
}

void recognised_list_small_parts(const recognised_graph *net, const bool *small, ripstop_arena *arena,
                                 ripstop_recognised *out) {
  const uint32_t *root = find_groups(net, small, true);
  uint32_t parts = 0;
  for (uint32_t v = 0; v < net->switches; v++) parts += small[v] && root[v] == v;
  ripstop_small_part *list = RIPSTOP_ARRAY(arena, parts + 1, ripstop_small_part);
  for (uint32_t v = 0; v < net->switches; v++)
    if (small[v] && root[v] == v) fill_part(net, small, root, v, arena, &list[out->small_parts++]);
  out->small_part = list;
}
