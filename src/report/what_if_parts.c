/* what_if_parts.c - lists the parts whose failure is studied. */
#include "base/local.h"
#include "faults/risk_groups.h"
#include "report/what_if_study.h"

static bool is_up(const ripstop_view *v, uint32_t link) { return v->port_up[v->fabric->link_port[2 * (size_t)link]]; }

static void list_cables(what_if_study *w) {
  const ripstop_fabric *f = w->settings.view->fabric;
  uint32_t *link = RIPSTOP_ARRAY(w->arena, f->links, uint32_t);
  w->parts = RIPSTOP_ARRAY(w->arena, f->links, ripstop_faults);
  for (uint32_t i = 0; i < f->links; i++) {
    link[i] = i;
    if (is_up(w->settings.view, i)) w->parts[w->count++] = (ripstop_faults){.links = 1, .link = &link[i]};
  }
}

static void list_switches(what_if_study *w) {
  const ripstop_fabric *f = w->settings.view->fabric;
  uint32_t *node = RIPSTOP_ARRAY(w->arena, ripstop_fabric_switches(f), uint32_t);
  w->parts = RIPSTOP_ARRAY(w->arena, ripstop_fabric_switches(f), ripstop_faults);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) {
    node[i] = f->ends + i;
    if (w->settings.view->node_up[node[i]]) w->parts[w->count++] = (ripstop_faults){.switches = 1, .switch_ = &node[i]};
  }
}

static void add_pair(what_if_study *w, const uint32_t *link) {
  uint32_t *own = RIPSTOP_ARRAY(w->arena, 2, uint32_t);
  own[0] = link[0];
  own[1] = link[1];
  if (is_up(w->settings.view, link[0]) && is_up(w->settings.view, link[1]))
    w->parts[w->count++] = (ripstop_faults){.links = 2, .link = own};
}

/* Open addressing, twice as many places as pairs; 0: free. */
typedef struct pair_set {
  uint64_t *place;
  size_t mask;
} pair_set;

static pair_set open_pairs(ripstop_arena *arena, uint64_t wanted) {
  size_t places = 16;
  while (places < 2 * wanted) places *= 2;
  return (pair_set){.place = RIPSTOP_ARRAY(arena, places, uint64_t), .mask = places - 1};
}

/* True if the pair was not in the set. */
static bool put_pair(pair_set *set, const uint32_t *link) {
  const uint64_t key = ((uint64_t)link[0] << 32 | link[1]) + 1;
  size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & set->mask;
  for (; set->place[at] != 0; at = (at + 1) & set->mask)
    if (set->place[at] == key) return false;
  set->place[at] = key;
  return true;
}

/* Adds `wanted` different pairs, of more that there are. */
static int sample_pairs(what_if_study *w, uint64_t wanted, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  pair_set set = open_pairs(scratch, wanted);
  int status = 0;
  for (uint64_t i = 0, found = 0; found < wanted && status == 0; i++) {
    ripstop_faults pair;
    status = ripstop_faults_sample(scratch, w->settings.view->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, 2, w->settings.seed,
                                   i, &pair, err);
    if (status != 0 || !put_pair(&set, pair.link)) continue;
    add_pair(w, pair.link);
    found++;
  }
  return status;
}

/* All pairs of cables between switches if there are no more than wanted. Otherwise pairs that disconnect end nodes
 * although neither cable does so alone, and as many random pairs, each once. */
static int list_pairs(what_if_study *w, ripstop_error *err) {
  const ripstop_fabric *f = w->settings.view->fabric;
  const uint64_t wanted = w->settings.samples;
  uint32_t cables = f->links - f->link_ends;
  uint64_t all = cables < 2 ? 0 : ripstop_combinations_total(cables, 2);
  if (ripstop_judge_cuts(w->arena, w->settings.view, (uint32_t)wanted, &w->cuts, err) != 0) return -1;
  w->parts = RIPSTOP_ARRAY(w->arena, 2 * wanted, ripstop_faults);
  for (uint32_t a = f->link_ends; a < f->links && all <= wanted; a++)
    for (uint32_t b = a + 1; b < f->links; b++) add_pair(w, (const uint32_t[]){a, b});
  for (uint32_t i = 0; i < w->cuts.listed && all > wanted; i++) add_pair(w, &w->cuts.pair[2 * (size_t)i]);
  w->from = w->count;
  w->sampled = all > wanted;
  return w->sampled ? sample_pairs(w, wanted, err) : 0;
}

static int list_groups(what_if_study *w, ripstop_error *err) {
  const what_if_settings *s = &w->settings;
  ripstop_risk_group *list;
  w->count = s->groups;
  if (s->groups == 0)
    ripstop_risk_groups_find(w->arena, s->view, &list, &w->count);
  else if (ripstop_risk_groups_parse(w->arena, s->view->fabric, s->group, s->groups, &list, err) != 0)
    return ripstop_fail_at(err, "group");
  w->parts = RIPSTOP_ARRAY(w->arena, w->count, ripstop_faults);
  w->name = RIPSTOP_ARRAY(w->arena, w->count, const char *);
  w->kind = RIPSTOP_ARRAY(w->arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) {
    w->parts[i] = list[i].parts;
    w->name[i] = list[i].name;
    w->kind[i] = list[i].kind;
  }
  return 0;
}

int what_if_list_parts(what_if_study *w, ripstop_error *err) {
  if (w->settings.of == WHAT_IF_PAIRS) return list_pairs(w, err);
  if (w->settings.of == WHAT_IF_GROUPS) return list_groups(w, err);
  w->settings.of == WHAT_IF_CABLES ? list_cables(w) : list_switches(w);
  return 0;
}
