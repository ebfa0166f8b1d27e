/* explain.c - finds all single mistakes that explain a fabric.
 *
 * A model that the proposers fit to a damaged fabric may name a mistake that was not made, and does not name other
 * mistakes that explain the cables as well. So each regular fabric of about this size is compared: one cable that
 * comes, goes or changes an end must make the fabric the same graph (single_repair.c). With one such repair the mistake
 * is certain. So it is for two cables whose ends were exchanged (swap.c), if no single cable explains the fabric. With
 * several none is, and the model keeps the others in words. A search that spends its work before all
 * regular fabrics are compared makes nothing certain: it gives no number of explanations. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "recognise/single_repair.h"

enum { SWITCHES_MAX = 1 << 13, WORK = 1 << 29 };
enum { OTHERS_SHOWN = 4 };

static bool visit(void *context, const ripstop_target *target) { return ripstop_repairs_add(context, target); }

static bool is_small(const recognised_graph *net) {
  enum { SQUARES_MAX = 1 << 23 };
  uint64_t work = 0;
  for (uint32_t v = 0; v < net->switches; v++) work += (uint64_t)recognised_degree(net, v) * recognised_degree(net, v);
  return net->switches <= SWITCHES_MAX && work <= SQUARES_MAX;
}

static bool is_of(const char *spec, const char *family) { return spec && !strncmp(spec, family, strlen(family)); }

/* A rail network with switches inside of its servers, or a line alone: no proposer knows it. It has no places, and its
 * cables no habits of ports. */
static bool make_placeless(const recognised_graph *net, const recognised_graph *repaired, const char *spec,
                           ripstop_model *out) {
  const char *family = is_of(spec, "rail:") ? "rail" : is_of(spec, "kns:") ? "kns" : NULL;
  if (family == NULL) return false;
  *out = (ripstop_model){.family = family, .shape = strchr(spec, ':') + 1, .spec = spec};
  out->place = RIPSTOP_ARRAY(net->arena, 1, uint16_t);
  for (uint32_t i = 0; i < repaired->cables; i++)
    ripstop_model_want(out, net->arena, repaired->cable[i].a, repaired->cable[i].b, 2 * (uint64_t)i,
                       2 * (uint64_t)i + 1);
  return true;
}

/* A KNS whose lines are more than one switch is its spec, if all routers have as many hosts. */
static void name_lines(const recognised_graph *net, const char *spec, ripstop_model *out) {
  const bool ruft = strstr(spec, ",line=ruft") != NULL;
  uint32_t hosts = 0;
  bool even = true;
  for (uint32_t v = 0; v < net->switches; v++) {
    even &= hosts == 0 || net->hosts[v] == 0 || net->hosts[v] == hosts;
    if (net->hosts[v] > 0) hosts = net->hosts[v];
  }
  const char *sizes = out->shape, *end = strchr(sizes, ',');
  if (ruft)
    out->shape =
        ripstop_arena_printf(net->arena, "%.*s, lines are RUFTs", end ? (int)(end - sizes) : (int)strlen(sizes), sizes);
  out->loose = false;
  if (even) out->spec = spec;
}

/* The model that has exactly the cables of the repaired net, `out` if that fits. False: none has, or its share of the
 * cables that are there is too small. */
static bool finish_model(const recognised_graph *net, const recognised_graph *repaired, const char *spec,
                         ripstop_model *out, double *score) {
  const bool exact = out->family != NULL && out->wants == repaired->cables && out->there == repaired->cables;
  if (!exact && !make_placeless(net, repaired, spec, out)) return false;
  if (is_of(spec, "kns:") && out->spec == NULL) name_lines(net, spec, out);
  ripstop_model_compare(out, net);
  *score = ripstop_model_score(out, net);
  return *score > RIPSTOP_LEAST_SCORE;
}

static bool make_model(const recognised_graph *net, const ripstop_model *first, const ripstop_explanation *e,
                       ripstop_model *out, double *score) {
  const bool repairs = e->repair.lose_a != RIPSTOP_NONE || e->repair.gain_a != RIPSTOP_NONE;
  recognised_graph repaired;
  double fit = 0;
  recognised_repaired(&repaired, net, &e->repair, net->arena);
  *out = repairs ? ripstop_model_best(&repaired, &repaired, &fit) : *first;
  return finish_model(net, &repaired, e->spec, out, score);
}

static const char *in_words(const recognised_graph *net, const ripstop_repair *r) {
  if (r->lose_a == RIPSTOP_NONE)
    return ripstop_arena_printf(net->arena, "'%s' - '%s' is missing", recognised_called(net, r->gain_a),
                                recognised_called(net, r->gain_b));
  if (r->gain_a == RIPSTOP_NONE)
    return ripstop_arena_printf(net->arena, "'%s' - '%s' is extra", recognised_called(net, r->lose_a),
                                recognised_called(net, r->lose_b));
  const bool keeps_a = r->lose_a == r->gain_a || r->lose_a == r->gain_b;
  const uint32_t keeps = keeps_a ? r->lose_a : r->lose_b;
  return ripstop_arena_printf(net->arena, "'%s' - '%s' should go from '%s' to '%s'", recognised_called(net, r->lose_a),
                              recognised_called(net, r->lose_b), recognised_called(net, keeps),
                              recognised_called(net, r->gain_a == keeps ? r->gain_b : r->gain_a));
}

/* All repairs but one, the first of them in words. */
static const char *list_others(const ripstop_repairs *r, uint32_t but) {
  RIPSTOP_LOCAL_TEXT(text);
  uint32_t shown = 0;
  for (uint32_t i = 0; i < r->count && shown < OTHERS_SHOWN; i++)
    if (i != but) ripstop_text_add(&text, "%s%s", shown++ ? ", or " : "", in_words(r->net, &r->list[i].repair));
  if (r->count - 1 > shown) ripstop_text_add(&text, ", or %u more", r->count - 1 - shown);
  const char *others = ripstop_arena_text(r->net->arena, text.data);
  return others;
}

/* A cable that is missing or extra, rather than one at a wrong switch. */
static uint32_t simplest(const ripstop_repairs *r) {
  for (uint32_t i = 0; i < r->count; i++)
    if (r->list[i].repair.lose_a == RIPSTOP_NONE || r->list[i].repair.gain_a == RIPSTOP_NONE) return i;
  return 0;
}

/* A model of diameter 2 has all cables that are there, so it fits any wiring of the same degrees. Such a fabric is the
 * regular one, or one mistake away from it, or something else. */
static bool is_refuted(const ripstop_repairs *r, const ripstop_model *first) {
  const bool by_diameter = !strcmp(first->family, "slimfly") || !strcmp(first->family, "polarfly");
  return by_diameter && r->work > 0 && r->count == 0 && !r->intact;
}

/* All swaps but the first, some of them in words. */
static const char *list_swaps(const recognised_graph *net, const ripstop_swaps *swaps) {
  ripstop_text text = {0};
  for (uint32_t i = 1; i < swaps->count && i <= OTHERS_SHOWN; i++) {
    const ripstop_swap *s = &swaps->list[i];
    ripstop_text_add(&text, "%s'%s' - '%s' and '%s' - '%s' are crossed", i > 1 ? ", or " : "",
                     recognised_called(net, s->a), recognised_called(net, s->b), recognised_called(net, s->c),
                     recognised_called(net, s->d));
  }
  if (swaps->count > OTHERS_SHOWN + 1) ripstop_text_add(&text, ", or %u more", swaps->count - OTHERS_SHOWN - 1);
  const char *others = ripstop_arena_text(net->arena, text.data);
  ripstop_text_free(&text);
  return others;
}

/* Two cables whose ends were exchanged explain the fabric. */
static bool explain_swap(const recognised_graph *net, ripstop_model *out, double *score) {
  ripstop_swaps swaps;
  recognised_graph repaired;
  double fit = 0;
  if (!ripstop_swaps_find(net, &swaps)) return false;
  recognised_unswapped(&repaired, net, &swaps.list[0], net->arena);
  *out = ripstop_model_best(&repaired, &repaired, &fit);
  if (!finish_model(net, &repaired, swaps.spec[0], out, score)) return false;
  out->explanations = swaps.count;
  out->others = swaps.count > 1 ? list_swaps(net, &swaps) : NULL;
  return true;
}

/* A number and the words after it; steps over both. */
static bool take_number(const char **at, const char *after, uint64_t *out) {
  char *end;
  *out = strtoul(*at, &end, 10);
  if (end == *at || strncmp(end, after, strlen(after)) != 0) return false;
  *at = end + strlen(after);
  return true;
}

/* True for a dragonfly or Dragonfly+ without a gap: all its groups are there. */
static bool has_all_groups(const recognised_graph *net, const ripstop_model *m) {
  uint64_t groups, leaves, size = 0, spines = 0;
  const char *at = m->shape;
  if (strncmp(m->family, "dragonfly", 9) != 0 || !take_number(&at, " groups of ", &groups)) return false;
  const char *one = at;
  if (take_number(&at, " leaves and ", &leaves) && take_number(&at, " spines", &spines))
    return groups * (leaves + spines) == net->switches;
  return take_number(&one, " switches", &size) && groups * size == net->switches;
}

/* A dragonfly's model has any global cables. Where they are in no known arrangement, two of them may be swapped. */
static bool is_unarranged(const ripstop_repairs *r, const ripstop_model *first) {
  return r->work > 0 && r->count == 0 && has_all_groups(r->net, first);
}

bool ripstop_model_explained(const recognised_graph *net, const ripstop_model *first, ripstop_model *out,
                             double *score) {
  const bool fits = first->family != NULL && first->there == net->cables && first->wants == net->cables;
  if ((fits && !first->loose) || !is_small(net)) return false;
  ripstop_repairs r = {.net = net, .work = WORK};
  r.cycles = recognised_cycles(net, RIPSTOP_ARRAY(net->arena, net->switches, ripstop_cycles), &r.work);
  ripstop_targets_visit(net, visit, &r, &r.work);
  if (r.count == 0) ripstop_repairs_add_regular(&r, ripstop_model_dragonfly);
  if (r.count == 0) ripstop_repairs_add_regular(&r, ripstop_model_dragonfly_plus);
  if (r.work > 0 && r.count == 0 && !r.intact && explain_swap(net, out, score)) return true;
  if (fits && is_refuted(&r, first)) {
    *out = (ripstop_model){0};
    *score = 0;
    return true;
  }
  if (fits && is_unarranged(&r, first)) {
    *out = *first;
    out->shape = ripstop_arena_printf(net->arena, "%s; no known arrangement of global cables", first->shape);
    *score = ripstop_model_score(out, net);
    return true;
  }
  const uint32_t chosen = simplest(&r);
  if (r.work == 0 || r.count == 0 || !make_model(net, first, &r.list[chosen], out, score)) return false;
  out->explanations = r.count;
  out->others = r.count > 1 ? list_others(&r, chosen) : NULL;
  return true;
}
