/* what_parts.c - which parts `ripstop what-if` looks at. */
#include "base/local.h"
#include "cli/chassis.h"
#include "cli/what.h"

static bool alive(const ripstop_view *v, uint32_t link) { return v->port_up[v->fabric->link_port[2 * (size_t)link]]; }

void what_list_cables(what *w) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t *link = RIPSTOP_ARRAY(w->c.arena, f->links, uint32_t);
  w->parts = RIPSTOP_ARRAY(w->c.arena, f->links, ripstop_faults);
  for (uint32_t i = 0; i < f->links; i++) {
    link[i] = i;
    if (alive(w->c.view, i)) w->parts[w->count++] = (ripstop_faults){.links = 1, .link = &link[i]};
  }
}

void what_list_switches(what *w) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t *node = RIPSTOP_ARRAY(w->c.arena, ripstop_fabric_switches(f), uint32_t);
  w->parts = RIPSTOP_ARRAY(w->c.arena, ripstop_fabric_switches(f), ripstop_faults);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) {
    node[i] = f->ends + i;
    if (w->c.view->node_up[node[i]]) w->parts[w->count++] = (ripstop_faults){.switches = 1, .switch_ = &node[i]};
  }
}

static void add_pair(what *w, const uint32_t *link) {
  uint32_t *own = RIPSTOP_ARRAY(w->c.arena, 2, uint32_t);
  own[0] = link[0];
  own[1] = link[1];
  if (alive(w->c.view, link[0]) && alive(w->c.view, link[1]))
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

/* Whether the pair is new to the set. */
static bool put_pair(pair_set *set, const uint32_t *link) {
  const uint64_t key = ((uint64_t)link[0] << 32 | link[1]) + 1;
  size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & set->mask;
  for (; set->place[at] != 0; at = (at + 1) & set->mask)
    if (set->place[at] == key) return false;
  set->place[at] = key;
  return true;
}

/* So many different pairs out of more. */
static int draw_pairs(what *w, uint64_t wanted, uint64_t seed, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  pair_set set = open_pairs(scratch, wanted);
  int status = 0;
  for (uint64_t i = 0, drawn = 0; drawn < wanted && status == 0; i++) {
    ripstop_faults pair;
    status = ripstop_faults_sample(scratch, w->c.fabric, RIPSTOP_FAULTS_SWITCH_LINKS, 2, seed, i, &pair, err);
    if (status != 0 || !put_pair(&set, pair.link)) continue;
    add_pair(w, pair.link);
    drawn++;
  }
  return status;
}

int what_list_pairs(what *w, uint64_t wanted, uint64_t seed, ripstop_error *err) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t cables = f->links - f->link_ends;
  uint64_t all = cables < 2 ? 0 : ripstop_combinations_total(cables, 2);
  if (ripstop_judge_cuts(w->c.arena, w->c.view, (uint32_t)wanted, &w->cuts, err) != 0) return -1;
  w->parts = RIPSTOP_ARRAY(w->c.arena, 2 * wanted, ripstop_faults);
  for (uint32_t a = f->link_ends; a < f->links && all <= wanted; a++)
    for (uint32_t b = a + 1; b < f->links; b++) add_pair(w, (const uint32_t[]){a, b});
  for (uint32_t i = 0; i < w->cuts.listed && all > wanted; i++) add_pair(w, &w->cuts.pair[2 * (size_t)i]);
  w->from = w->count;
  w->drawn = all > wanted;
  return w->drawn ? draw_pairs(w, wanted, seed, err) : 0;
}

int what_list_groups(what *w, const ripstop_cli_values *given, ripstop_error *err) {
  ripstop_group *list;
  if (given->count == 0)
    ripstop_groups_found(w->c.arena, w->c.view, &list, &w->count);
  else if (ripstop_groups_given(w->c.arena, w->c.fabric, given, &list, &w->count, err) != 0)
    return ripstop_fail_at(err, "what-if: --group");
  w->parts = RIPSTOP_ARRAY(w->c.arena, w->count, ripstop_faults);
  w->name = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  w->kind = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) {
    w->parts[i] = list[i].parts;
    w->name[i] = list[i].name;
    w->kind[i] = list[i].kind;
  }
  return 0;
}
