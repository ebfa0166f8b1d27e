/* doubt.c - finds the model that agrees best with the cables, some of which may be wrong.
 *
 * A wrong cable does more harm than a missing one: it gives switches neighbours that they should not have, and every
 * kind of model looks at neighbours. So if the best model does not explain all cables, more models are made: without
 * the cables that it does not explain, without one more cable, or without the few cables in fewest short cycles. Each
 * model is compared with all cables. The cables stay left out if the model gets better. Cables at switches with more
 * neighbours than usual come first.
 *
 * A model is the better one by its score alone, so what is reported needs as few differences as any model that was
 * made. Cost: at most TRIALS times that of one model, and less where models cost much. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "recognise/recognised_graph.h"

enum {
  ROUNDS = 6,    /* cables left out one by one, at most */
  TRIALS = 256,  /* models made for a round, at most */
  WORK = 1 << 20 /* sum of the squares of degrees in all of them, at most */
};

/* Least score of a model with cables left out: with enough of them left out, any graph is a mesh. */
#define LEAST_DOUBTED 0.8
/* Least score of a tree that has all cables, so that none is doubted. */
#define LEAST_TREE 0.9
/* Least score of a grid with empty places that lacks cables. */
#define LEAST_WITH_EMPTY 0.9

ripstop_model ripstop_model_best(const recognised_graph *part, const recognised_graph *whole, double *score) {
  static ripstop_propose *const kinds[] = {ripstop_model_tree,
                                           ripstop_model_product,
                                           ripstop_model_kns,
                                           ripstop_model_dragonfly,
                                           ripstop_model_dragonfly_plus,
                                           ripstop_model_diameter,
                                           NULL};
  ripstop_model best = {0};
  bool too_large = false;
  for (unsigned i = 0; kinds[i] != NULL; i++) {
    ripstop_model model = {0};
    const bool proposed = kinds[i](part, &model);
    too_large |= model.too_large;
    if (!proposed) continue;
    ripstop_model_compare(&model, whole);
    if (ripstop_model_score(&model, whole) <= *score) continue;
    *score = ripstop_model_score(&model, whole);
    best = model;
  }
  best.too_large = too_large;
  return best;
}

/* ------------------------------------------------------------------ which cables to doubt */

typedef struct suspect {
  uint32_t cable, weight;
  uint32_t circles; /* cycles of three or four cables that it is in: few for a wrong cable, many for others */
} suspect;

static int by_weight(const void *a_, const void *b_) {
  const suspect *a = a_, *b = b_;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  if (a->circles != b->circles) return a->circles < b->circles ? -1 : 1;
  return a->cable < b->cable ? -1 : a->cable > b->cable;
}

static int by_circles(const void *a_, const void *b_) {
  const suspect *a = a_, *b = b_;
  if (a->circles != b->circles) return a->circles < b->circles ? -1 : 1;
  return by_weight(a_, b_);
}

static uint32_t count_circles(const recognised_graph *net, uint32_t a, uint32_t b) {
  uint32_t circles = 0;
  for (uint32_t i = net->first[a]; i < net->first[a + 1]; i++)
    for (uint32_t u = net->near[i].node, j = net->first[b]; u != b && j < net->first[b + 1]; j++) {
      const uint32_t x = net->near[j].node;
      circles += x != a && (x == u || recognised_between(net, u, x) > 0);
    }
  return circles;
}

/* The most common number of neighbours. */
static uint32_t usual_degree(const recognised_graph *net) {
  uint32_t *times = RIPSTOP_ARRAY(net->arena, net->switches + 1, uint32_t), best = 0;
  for (uint32_t v = 0; v < net->switches; v++) times[recognised_degree(net, v)]++;
  for (uint32_t i = 1; i < net->switches; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

/* All cables, ordered by weight: the number of their ends at switches with more neighbours than usual. */
static suspect *list_suspects(const recognised_graph *net, int (*order)(const void *, const void *)) {
  suspect *list = RIPSTOP_ARRAY(net->arena, net->cables + 1, suspect);
  const uint32_t usual = usual_degree(net);
  for (uint32_t i = 0; i < net->cables; i++) {
    const uint32_t a = net->cable[i].a, b = net->cable[i].b;
    const uint32_t weight = (recognised_degree(net, a) > usual) + (recognised_degree(net, b) > usual);
    list[i] = (suspect){i, weight, count_circles(net, a, b)};
  }
  if (net->cables > 0) qsort(list, net->cables, sizeof *list, order);
  return list;
}

typedef struct suspects {
  const suspect *by_weight, *by_circles;
  uint32_t trials; /* how many of the first may be tried */
  uint32_t heavy;  /* how many of these are at a switch with more neighbours than usual */
} suspects;

static uint32_t trials_of(const recognised_graph *net) {
  uint64_t work = 1;
  for (uint32_t v = 0; v < net->switches; v++) work += (uint64_t)recognised_degree(net, v) * recognised_degree(net, v);
  const uint64_t trials = work > WORK / TRIALS ? WORK / work : TRIALS;
  return trials < net->cables ? (uint32_t)trials : net->cables;
}

static suspects find_suspects(const recognised_graph *net) {
  suspects s = {.trials = trials_of(net)};
  if (s.trials == 0) return s;
  s.by_weight = list_suspects(net, by_weight);
  s.by_circles = list_suspects(net, by_circles);
  while (s.heavy < s.trials && s.by_weight[s.heavy].weight > 0) s.heavy++;
  return s;
}

/* ------------------------------------------------------------------ leaving them out */

typedef struct trial {
  double score;
  bool wrong; /* the best model has none of the cables that were left out */
  bool rest;  /* it has all others, and misses as many at most */
} trial;

/* True if a switch with hosts has cables in the whole, and none in the part: no tree stands without one of its leaves.
 */
static bool strands_hosts(const recognised_graph *part, const recognised_graph *whole) {
  for (uint32_t v = 0; v < whole->switches; v++)
    if (whole->hosts[v] > 0 && recognised_degree(whole, v) > 0 && recognised_degree(part, v) == 0) return true;
  return false;
}

/* The best model without some cables. */
static trial try_without(const recognised_graph *whole, const bool *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  recognised_graph part, reference = *whole;
  trial t = {0};
  reference.arena = scratch;
  recognised_without(&part, whole, out, scratch);
  ripstop_model model = ripstop_model_best(&part, &reference, &t.score);
  if (model.tree && strands_hosts(&part, whole)) return (trial){0};
  const uint32_t there = model.there;
  ripstop_model_compare(&model, &part);
  t.wrong = there == model.there;
  t.rest = there == part.cables && model.wants - there <= whole->cables - part.cables;
  return t;
}

/* Marks the cables that a model does not have. */
static void mark_unexplained(const recognised_graph *net, const ripstop_model *m, bool *out) {
  for (uint32_t i = 0, w = 0; i < net->cables; i++) {
    const recognised_cable *c = &net->cable[i];
    while (w < m->wants && (m->want[w].a < c->a || (m->want[w].a == c->a && m->want[w].b < c->b))) w++;
    out[i] = w == m->wants || m->want[w].a != c->a || m->want[w].b != c->b;
    w += !out[i];
  }
}

/* Leaves one more cable out, the first without which a model has all others, or else the one that helps most; false: no
 * model gets better by it. */
static bool doubt_one(const recognised_graph *net, const suspect *list, uint32_t trials, bool *out, double *score) {
  uint32_t best = RIPSTOP_NONE;
  bool rest = false;
  for (uint32_t i = 0; i < trials && !rest; i++) {
    const uint32_t cable = list[i].cable;
    if (out[cable]) continue;
    out[cable] = true;
    const trial now = try_without(net, out);
    out[cable] = false;
    if (!now.wrong || now.score <= *score) continue;
    *score = now.score;
    best = cable;
    rest = now.rest;
  }
  if (best != RIPSTOP_NONE) out[best] = true;
  return best != RIPSTOP_NONE;
}

/* Leaves out the few cables in fewest short cycles. Two crossed cables show only together, as no switch has too many
 * neighbours. */
static bool doubt_weakest(const recognised_graph *net, const suspect *weakest, bool *out, double *score) {
  enum { WEAKEST = 8 };
  uint32_t best = 0;
  bool *now = RIPSTOP_ARRAY(net->arena, net->cables + 1, bool);
  for (uint32_t count = 0; weakest && count < WEAKEST && count < net->cables; count++) {
    now[weakest[count].cable] = true;
    const double without = try_without(net, now).score;
    if (without > *score) *score = without, best = count + 1;
  }
  if (best == 0) return false;
  for (uint32_t i = 0; i < net->cables; i++) out[weakest[i].cable] = i < best;
  return true;
}

static ripstop_model make_without(const recognised_graph *net, const bool *out, double *score) {
  recognised_graph part;
  recognised_without(&part, net, out, net->arena);
  *score = 0;
  return ripstop_model_best(&part, net, score);
}

/* Leaves out all that the model does not have, and nothing else, if it gets better by that. */
static bool doubt_all(const recognised_graph *net, const ripstop_model *m, bool *out, double *score) {
  bool *now = RIPSTOP_ARRAY(net->arena, net->cables + 1, bool);
  mark_unexplained(net, m, now);
  const double without = try_without(net, now).score;
  if (without <= *score) return false;
  *score = without;
  memcpy(out, now, net->cables * sizeof *out);
  return true;
}

/* True if one mistake explains all differences: a cable too many, missing, or at a wrong switch; or if nearly all
 * cables of a tree are there, and no other ones. */
static bool is_settled(const recognised_graph *net, const ripstop_model *m, double score) {
  if (m->tree && m->there == net->cables && score >= LEAST_TREE) return true;
  return score > RIPSTOP_LEAST_SCORE && net->cables - m->there <= 1 && m->wants - m->there <= 1;
}

/* If a model has all cables and more, most likely some are missing. Then only cables at switches with too many
 * neighbours are doubted. */
static bool doubt(const recognised_graph *net, const ripstop_model *m, const suspects *s, bool *out, double *score) {
  if (*score > RIPSTOP_LEAST_SCORE && m->there == net->cables)
    return doubt_one(net, s->by_weight, s->heavy, out, score);
  return doubt_one(net, s->by_weight, s->trials, out, score) || doubt_all(net, m, out, score) ||
         doubt_weakest(net, s->by_circles, out, score);
}

/* A grid whose places are not all taken, in which every cable fits; nothing need be wrong with it. */
static bool has_holes(const recognised_graph *net, const ripstop_model *first, ripstop_model *out, double *score) {
  const bool whole = first->family != NULL && first->there == net->cables && first->wants == net->cables;
  if ((whole && first->empty == 0) || !ripstop_model_holes(net, out)) return false;
  *score = ripstop_model_score(out, net);
  return true;
}

/* A single mistake may be none: every cable fits in a mesh in which a rectangle is empty. A mesh around a corner is
 * the better explanation. */
static ripstop_model or_rectangle(const recognised_graph *net, ripstop_model explained, double *score) {
  ripstop_model mesh;
  bool bent;
  if (explained.family == NULL || *score == 1 || !ripstop_model_rectangle(net, &mesh, &bent)) return explained;
  explained.instead = ripstop_arena_printf(net->arena, "no cable is wrong: every one fits a mesh %s", mesh.shape);
  if (!bent) return explained;
  mesh.shape = ripstop_arena_printf(net->arena, "%s; or %s with one mistake", mesh.shape, explained.shape);
  *score = 1;
  return mesh;
}

/* Differences from a grid with empty places, or with switches that have none, may be no mistakes: it may be another
 * grid. */
static bool is_doubtful(const recognised_graph *net, const ripstop_model *m, double score) {
  return m->empty + m->homeless > 0 && score < 1 && (m->there < net->cables || score < LEAST_WITH_EMPTY);
}

/* A model that differs from the cables, or has another number of switches than its family. */
static bool is_unsettled(const recognised_graph *net, const ripstop_model *m) {
  return m->family == NULL || m->loose || m->partial || m->there < net->cables || m->wants > m->there;
}

/* True if some switches have hosts, and some have none: routers of grids have as many. */
static bool has_two_kinds(const recognised_graph *net) {
  uint32_t hosted = 0;
  for (uint32_t v = 0; v < net->switches; v++) hosted += net->hosts[v] > 0;
  return hosted > 0 && hosted < net->switches;
}

/* A regular fabric with a switch more, or with switches less. Grids come last where they are less likely. */
static bool find_other(const recognised_graph *net, ripstop_model *first, ripstop_model *out, double *score) {
  const bool kinds = has_two_kinds(net);
  if (recognised_one_without_hosts(net) && ripstop_model_foreign(net, first, out, score)) return true;
  if (!kinds && has_holes(net, first, out, score)) return true;
  if (is_unsettled(net, first) && ripstop_model_foreign(net, first, out, score)) return true;
  if (is_unsettled(net, first) && out->foreign > 0)
    first->instead = ripstop_arena_printf(net->arena, "'%s' is a foreign switch, without which the fabric is regular",
                                          recognised_called(net, out->foreign - 1));
  if (is_unsettled(net, first) && ripstop_model_absent(net, out)) return *score = 1, true;
  return kinds && has_holes(net, first, out, score) && out->empty <= net->switches;
}

static ripstop_model find_doubted(const recognised_graph *net, double *score) {
  *score = 0;
  ripstop_model first = ripstop_model_best(net, net, score);
  const double first_score = *score;
  ripstop_model other;
  const bool explained = ripstop_model_explained(net, &first, &other, score);
  if (explained && other.family != NULL) return or_rectangle(net, other, score);
  if (find_other(net, &first, &other, score)) return other;
  if (explained) return *score = 0, (ripstop_model){0};
  *score = first_score;
  if (is_settled(net, &first, *score)) return first;
  const suspects s = find_suspects(net);
  bool *out = RIPSTOP_ARRAY(net->arena, net->cables + 1, bool);
  ripstop_model model = first;
  for (unsigned round = 0; round < ROUNDS && !is_settled(net, &model, *score); round++) {
    if (!doubt(net, &model, &s, out, score)) break;
    model = make_without(net, out, score);
  }
  model.instead = first.instead;
  if (*score >= LEAST_DOUBTED) return model;
  *score = first_score;
  return first;
}

ripstop_model ripstop_model_doubted(const recognised_graph *net, double *score) {
  const ripstop_model model = find_doubted(net, score);
  if (model.family == NULL || !is_doubtful(net, &model, *score)) return model;
  *score = 0;
  return (ripstop_model){0};
}
