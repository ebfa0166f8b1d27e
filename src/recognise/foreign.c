/* foreign.c - recognises a regular fabric and one switch more: a switch of another fabric, or a management switch, in
 * the list.
 *
 * Without the switch and its cables the rest must be regular, cable by cable. A model that fits any wiring of the same
 * degrees counts only if the search for single mistakes (explain.c) finds the rest regular as it is. The switches whose
 * absence makes the numbers of cables most even are tried, CANDIDATES at most; with one that fits the switch is
 * certain, with several none is. Cost: CANDIDATES times that of a model and its search. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "recognise/recognised_graph.h"

enum { CANDIDATES = 8, CABLES_MAX = RECOGNISED_CABLES_MAX, SWITCHES_MAX = 1 << 11 };

typedef struct candidate {
  uint32_t node;
  uint64_t uneven;
} candidate;

/* A key of a switch: its having hosts, and its cables; 0: too many cables. */
static uint32_t key_of(const recognised_graph *net, uint32_t v, uint32_t cables) {
  return cables > CABLES_MAX ? 0 : 2 * cables + (net->hosts[v] > 0);
}

/* Pairs of switches with another number of cables, or another kind. */
static uint64_t count_uneven(const uint32_t *times) {
  uint64_t all = 0, even = 0;
  for (uint32_t key = 0; key < 2 * CABLES_MAX + 2; key++) {
    all += times[key];
    even += (uint64_t)times[key] * times[key];
  }
  return all * all - even;
}

static int by_uneven(const void *a_, const void *b_) {
  const candidate *a = a_, *b = b_;
  if (a->uneven != b->uneven) return a->uneven < b->uneven ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

bool recognised_one_without_hosts(const recognised_graph *net) {
  uint32_t without = 0;
  for (uint32_t v = 0; v < net->switches; v++) without += net->hosts[v] == 0;
  return without == 1;
}

/* All switches: first the only one without hosts, then those without which the numbers of cables are most even. */
static candidate *list_candidates(const recognised_graph *net) {
  const bool one = recognised_one_without_hosts(net);
  candidate *list = RIPSTOP_ARRAY(net->arena, net->switches, candidate);
  uint32_t *times = RIPSTOP_ARRAY(net->arena, 2 * CABLES_MAX + 2, uint32_t);
  for (uint32_t v = 0; v < net->switches; v++) times[key_of(net, v, recognised_cables(net, v))]++;
  for (uint32_t v = 0; v < net->switches; v++) {
    const uint32_t own = key_of(net, v, recognised_cables(net, v));
    times[own]--;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
      const uint32_t w = net->near[i].node, has = recognised_cables(net, w);
      times[key_of(net, w, has)]--, times[key_of(net, w, has - net->near[i].cables)]++;
    }
    list[v] = (candidate){v, one && net->hosts[v] == 0 ? 0 : count_uneven(times) + 1};
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
      const uint32_t w = net->near[i].node, has = recognised_cables(net, w);
      times[key_of(net, w, has)]++, times[key_of(net, w, has - net->near[i].cables)]--;
    }
    times[own]++;
  }
  qsort(list, net->switches, sizeof *list, by_uneven);
  return list;
}

/* The net without a switch; those behind it are numbered one lower. */
static void leave_out(recognised_graph *rest, const recognised_graph *net, uint32_t v, ripstop_arena *arena) {
  *rest = *net;
  rest->arena = arena;
  rest->switches--;
  rest->cables = 0;
  rest->hosts = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  rest->cable = RIPSTOP_ARRAY(arena, net->cables + 1, recognised_cable);
  for (uint32_t w = 0; w < rest->switches; w++) rest->hosts[w] = net->hosts[w + (w >= v)];
  for (uint32_t i = 0; i < net->cables; i++) {
    recognised_cable c = net->cable[i];
    if (c.a == v || c.b == v) continue;
    c.a -= c.a > v;
    c.b -= c.b > v;
    rest->cable[rest->cables++] = c;
  }
  recognised_index(rest);
}

static bool fits_all(const ripstop_model *m, const recognised_graph *net) {
  return m->family != NULL && m->wants == net->cables && m->there == net->cables && m->unplaced == 0;
}

static bool has_lonely(const recognised_graph *net) {
  bool lonely = false;
  for (uint32_t v = 0; v < net->switches; v++) lonely |= recognised_degree(net, v) == 0;
  return lonely;
}

bool ripstop_model_exact(const recognised_graph *rest, ripstop_model *out) {
  ripstop_model explained;
  double score = 0;
  *out = ripstop_model_best(rest, rest, &score);
  if (!fits_all(out, rest) || out->partial || has_lonely(rest)) return false;
  if (!out->loose) return true;
  if (!ripstop_model_explained(rest, out, &explained, &score) || explained.explanations != 1) return false;
  *out = explained;
  return fits_all(out, rest);
}

static bool is_regular_without(const recognised_graph *net, uint32_t v) {
  RIPSTOP_LOCAL_ARENA(scratch);
  recognised_graph rest;
  ripstop_model model;
  leave_out(&rest, net, v, scratch);
  return ripstop_model_exact(&rest, &model);
}

/* Places a foreign switch of a tree above its lowest neighbours, unless no other switch is as high: it stands beside
 * leaves then. */
static void place_in_tree(const recognised_graph *net, uint32_t v, const ripstop_model *m, uint16_t *place) {
  uint32_t top = 0, lowest = RIPSTOP_NONE, beside = v;
  for (uint32_t w = 0; w < net->switches; w++)
    if (w != v && place[(size_t)w * m->dims] > top) top = place[(size_t)w * m->dims];
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    if (place[(size_t)net->near[i].node * m->dims] < lowest)
      beside = net->near[i].node, lowest = place[(size_t)beside * m->dims];
  if (lowest >= top) return;
  place[(size_t)v * m->dims] = (uint16_t)(lowest + 1);
  place[(size_t)v * m->dims + 1] = place[(size_t)beside * m->dims + 1];
}

/* The model of the rest in the numbers of the whole net. */
static void widen(const recognised_graph *net, uint32_t v, ripstop_model *m) {
  uint16_t *place = RIPSTOP_ARRAY(net->arena, (size_t)net->switches * m->dims + 1, uint16_t);
  for (uint32_t w = 0; w + 1 < net->switches; w++)
    memcpy(place + (size_t)(w + (w >= v)) * m->dims, m->place + (size_t)w * m->dims, m->dims * sizeof *place);
  if (m->tree && net->hosts[v] == 0) place_in_tree(net, v, m, place);
  m->place = place;
  for (uint32_t i = 0; i < m->wants; i++) {
    m->want[i].a += m->want[i].a >= v;
    m->want[i].b += m->want[i].b >= v;
  }
  m->foreign = v + 1;
}

/* The only switch without which the fabric is regular; RIPSTOP_NONE: there is none, or several. The only one without
 * hosts needs no comparison: without another one, a switch of the regular fabric would have no hosts. */
static uint32_t find_foreign(const recognised_graph *net) {
  const candidate *list = list_candidates(net);
  uint32_t found = RIPSTOP_NONE, fits = 0;
  for (uint32_t i = 0; i < net->switches && i < CANDIDATES; i++) {
    if (!is_regular_without(net, list[i].node)) continue;
    if (fits++ == 0) found = list[i].node;
    if (net->hosts[found] == 0 && recognised_one_without_hosts(net)) return found;
  }
  return fits == 1 ? found : RIPSTOP_NONE;
}

/* True if another switch has the same place in a tree. */
static bool has_like(const recognised_graph *net, const ripstop_model *tree, uint32_t v) {
  const size_t size = tree->dims * sizeof *tree->place;
  for (uint32_t w = 0; w < net->switches; w++)
    if (w != v && memcmp(tree->place + (size_t)w * tree->dims, tree->place + (size_t)v * tree->dims, size) == 0)
      return true;
  return false;
}

/* True for a leaf of a tree, which small_parts.c looks at, and for a switch that has nothing but cables of the tree: in
 * a tree of known size, or at least half of those that its like have. It may lack some, but belongs there. */
static bool is_part(const recognised_graph *net, const ripstop_model *first, uint32_t v) {
  if (!first->tree) return false;
  if (net->hosts[v] > 0) return true;
  if (first->place[(size_t)v * first->dims] == 0) return false; /* a leaf has hosts */
  uint32_t wanted = 0, there = 0;
  for (uint32_t i = 0; i < first->wants; i++) {
    if (first->want[i].a != v && first->want[i].b != v) continue;
    wanted++;
    there += first->want[i].there;
  }
  return there == recognised_cables(net, v) &&
         (first->spec != NULL || (2 * there >= wanted && has_like(net, first, v)));
}

bool ripstop_model_foreign(const recognised_graph *net, const ripstop_model *first, ripstop_model *out, double *score) {
  if (net->switches < 4 || net->switches > SWITCHES_MAX) return false;
  const uint32_t found = find_foreign(net);
  recognised_graph rest;
  *out = (ripstop_model){0};
  if (found == RIPSTOP_NONE) return false;
  out->foreign = found + 1;
  if (is_part(net, first, found)) return false;
  leave_out(&rest, net, found, net->arena);
  if (!ripstop_model_exact(&rest, out)) return false;
  widen(net, found, out);
  ripstop_model_compare(out, net);
  out->explanations = 0;
  *score = ripstop_model_score(out, net);
  return *score > RIPSTOP_LEAST_SCORE;
}
