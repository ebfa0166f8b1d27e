/* recognise.c - reports the model that agrees best with the cables (doubt.c), and the oddities. */
#include "recognise/recognise.h"

#include <string.h>

#include "base/local.h"
#include "fabric/graph.h"
#include "fabric/ib.h"
#include "recognise/recognised_graph.h"

/* Least score of a tree in which absent switches are looked for. */
#define LEAST_REGULAR 0.8

/* In place of a shape. */
#define TOO_LARGE "too many cables to look for tori, HyperX and KNS"

/* Parts that no cable joins: the first switch of its part for every switch. */
static uint32_t *find_parts(const recognised_graph *net) {
  uint32_t *parent = ripstop_forest(net->arena, net->switches);
  for (uint32_t i = 0; i < net->cables; i++) ripstop_join(parent, net->cable[i].a, net->cable[i].b);
  for (uint32_t v = 0; v < net->switches; v++) parent[v] = ripstop_root(parent, v);
  return parent;
}

/* Counts the parts with hosts. */
static uint32_t count_planes(const recognised_graph *net, const uint32_t *part) {
  uint8_t *seen = RIPSTOP_ARRAY(net->arena, net->switches, uint8_t);
  uint32_t planes = 0;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (net->hosts[v] == 0 || seen[part[v]]) continue;
    seen[part[v]] = 1;
    planes++;
  }
  return planes;
}

/* Planes whose regular fabric is smaller than the largest one's, but at least half of it. Lost cables make no smaller
 * plane: they are missing. */
static void report_planes(const recognised_graph *net, const ripstop_model *model, const uint32_t *part,
                          ripstop_odds *odds) {
  uint32_t *wants = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), most = 0;
  for (uint32_t i = 0; i < model->wants; i++) {
    uint32_t count = ++wants[part[model->want[i].a]];
    if (count > most) most = count;
  }
  for (uint32_t v = 0; v < net->switches; v++) {
    if (part[v] != v || wants[v] == most || 2 * (uint64_t)wants[v] < most || wants[v] == 0) continue;
    ripstop_odds_add(odds, "unequal planes", 0, RIPSTOP_AT(recognised_end(net, v, RIPSTOP_NONE)),
                     "the plane of '%s' has %u cables between switches where another one has %u",
                     recognised_called(net, v), wants[v], most);
  }
}

static void append(ripstop_odds *odds, const char *text) {
  for (uint32_t i = 0; i < odds->count; i++)
    odds->list[i].text = ripstop_arena_printf(odds->arena, "%s; %s", odds->list[i].text, text);
}

/* Says that a mistake has other explanations, or may have some that were not searched. */
static void report_others(const ripstop_model *model, const recognised_graph *net, ripstop_odds *odds) {
  const bool searched = model->explanations > 0;
  if (model->others != NULL)
    append(odds, ripstop_arena_printf(net->arena, "one of several possible explanations, %u in all: or %s",
                                      model->explanations, model->others));
  else if (!searched && model->loose && !model->tree)
    append(odds, "other explanations are possible");
  if (model->instead != NULL) append(odds, ripstop_arena_printf(net->arena, "or %s", model->instead));
}

/* Reports switches that no path needs: without hosts, with one neighbour, and without a missing cable of the model. In
 * an edge list it may be a host without its line `@end`. */
static void report_dead_ends(const recognised_graph *net, const ripstop_model *model, bool lines, ripstop_odds *odds) {
  bool *lacks = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  for (uint32_t i = 0; i < model->wants; i++)
    if (!model->want[i].there) lacks[model->want[i].a] = lacks[model->want[i].b] = true;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (net->hosts[v] > 0 || lacks[v] || recognised_degree(net, v) != 1) continue;
    ripstop_odds_add(odds, "switch that leads nowhere", 0, RIPSTOP_AT(recognised_end(net, v, RIPSTOP_NONE)),
                     "'%s' has one neighbour and no host%s", recognised_called(net, v),
                     lines ? "; a host has a line @end" : "");
  }
}

/* The most common number of cables of a switch, when four of five switches have it or one or two less. */
static const char *shape_of_irregular(const recognised_graph *net, ripstop_arena *arena) {
  uint32_t times[256] = {0}, best = 0, near = 0;
  for (uint32_t v = 0; v < net->switches; v++)
    if (recognised_degree(net, v) < 256) times[recognised_degree(net, v)]++;
  for (uint32_t i = 1; i < 256; i++)
    if (times[i] >= times[best]) best = i;
  for (uint32_t i = best > 2 ? best - 2 : 0; i <= best; i++) near += times[i];
  if (best == 0 || 5 * near < 4 * net->switches) return "";
  return ripstop_arena_printf(arena, "most switches with %u neighbours", best);
}

/* Nodes whose description is still the factory's. */
static void note_factory_texts(const ripstop_fabric *fabric, ripstop_arena *arena, ripstop_recognised *out) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  uint32_t count = 0;
  for (uint32_t i = 0; ib != NULL && i < ib->dump->nodes; i++)
    count += recognised_is_factory_text(ib->dump->node[i].text);
  if (count == 0) return;
  ripstop_recognised_note *note = RIPSTOP_ARRAY(arena, 1, ripstop_recognised_note);
  *note = (ripstop_recognised_note){
      .what = "factory description",
      .text = ripstop_arena_printf(arena, "%u nodes have the description of their factory, which names no host or rail",
                                   count),
      .count = count};
  out->note = note;
  out->notes = 1;
}

/* The level of each switch of the fabric in a tree; NULL: the model is none. */
static const uint8_t *find_levels(const recognised_graph *net, const ripstop_model *model, uint32_t switches) {
  if (!model->tree) return NULL;
  uint8_t *level = RIPSTOP_ARRAY(net->arena, switches, uint8_t);
  memset(level, RECOGNISED_NO_LEVEL, switches);
  for (uint32_t v = 0; v < net->switches; v++)
    level[recognised_switch(net, v)] = (uint8_t)model->place[(size_t)v * model->dims];
  return level;
}

/* The place of each switch of the fabric. A small part stands beside the switches that it hangs on, as leaves do, those
 * of its switches that have no hosts one level above. */
static const uint16_t *find_places(const recognised_graph *net, const ripstop_model *model,
                                   const recognised_graph *whole, const ripstop_recognised *r, ripstop_arena *arena) {
  const size_t dims = model->dims;
  uint16_t *place = RIPSTOP_ARRAY(arena, whole->switches * dims, uint16_t);
  for (uint32_t v = 0; v < net->switches; v++)
    memcpy(place + recognised_switch(net, v) * dims, model->place + v * dims, dims * sizeof *place);
  for (uint32_t i = 0; i < r->small_parts; i++)
    for (uint32_t k = 0; k < r->small_part[i].nodes; k++) {
      const ripstop_small_part *p = &r->small_part[i];
      const uint32_t ends = whole->fabric->ends, v = p->node[k] - ends;
      place[v * dims] = whole->hosts[v] == 0;
      if (p->hangs_ons > 0) place[v * dims + 1] = place[(p->hangs_on[0] - ends) * dims + 1];
    }
  return place;
}

static void fill(const recognised_graph *net, const recognised_graph *whole, const ripstop_model *model,
                 ripstop_arena *arena, ripstop_recognised *out) {
  out->family = model->family;
  out->sure = (double)model->there / net->cables;
  out->complete = (double)model->there / model->wants;
  out->expected = model->wants;
  out->there = model->there;
  out->dims = model->dims;
  out->hosts_leaf = model->hosts_leaf;
  out->up_leaf = model->up_leaf;
  out->place = find_places(net, model, whole, out, arena);
  out->explanations = model->explanations;
  if (model->tree && ripstop_model_score(model, net) >= LEAST_REGULAR)
    recognised_find_absent(net, whole, model, arena, out);
  ripstop_model reported = *model;
  for (uint32_t i = 0; i < out->absents; i++)
    if (out->absent[i].ports > 0) reported.beside_absent = NULL; /* it is one of these */
  ripstop_model_report(&reported, net, &out->odd);
  report_others(&reported, net, &out->odd);
  report_planes(net, model, find_parts(net), &out->odd);
}

void ripstop_recognise(const ripstop_fabric *fabric, ripstop_arena *arena, ripstop_recognised *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const bool file = ripstop_ib_of(fabric) != NULL || ripstop_graph_of(fabric) != NULL;
  recognised_graph whole, net;
  recognised_make(&whole, fabric, scratch);
  *out = (ripstop_recognised){.family = "irregular", .odd = {.arena = arena}};
  out->planes = count_planes(&whole, find_parts(&whole));
  net = whole;
  bool *small = RIPSTOP_ARRAY(scratch, whole.switches, bool);
  if (file && recognised_find_small_parts(&whole, small)) {
    recognised_list_small_parts(&whole, small, arena, out);
    recognised_rest(&net, &whole, small, scratch);
  }
  double score;
  ripstop_model model = ripstop_model_doubted(&net, &score);
  if (score <= RIPSTOP_LEAST_SCORE) model = (ripstop_model){.too_large = model.too_large};
  if (model.family != NULL)
    fill(&net, &whole, &model, arena, out);
  else
    model.shape = model.too_large ? TOO_LARGE : shape_of_irregular(&net, arena);
  out->shape = ripstop_arena_text(arena, model.shape);
  out->spec = model.family != NULL && model.spec != NULL ? ripstop_arena_text(arena, model.spec) : NULL;
  out->rails = recognised_report_rails(&whole, model.tree ? &model : NULL, &out->odd);
  recognised_report_slow(&whole, find_levels(&net, &model, whole.switches), &out->odd);
  recognised_report_ports(&whole, &out->odd);
  note_factory_texts(fabric, arena, out);
  report_dead_ends(&net, &model, ripstop_graph_of(fabric) != NULL, &out->odd);
  /* A family wires its fabrics by its own rule: no difference from a model is a mistake. */
  if (!file) out->odd.count = 0;
}
