/* risk_groups.c - sorts parts by a key that the parts of a group share: the chassis that a switch is in, the two
 * switches that a cable joins, or the group that a graph's file names. */
#include "faults/risk_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "fabric/ib.h"

static const char cables_kind[] = "cables side by side";

typedef struct member {
  const char *key;
  uint32_t part; /* a link, or the number of links plus that of a switch */
} member;

typedef struct finder {
  ripstop_arena *arena;
  const ripstop_view *view;
  ripstop_risk_group *group;
  uint32_t count;
  member *list; /* [links + switches] parts of the present kind */
  uint32_t listed;
} finder;

/* ------------------------------------------------------------------ groups of equal keys */

static int by_key(const void *a, const void *b) {
  const member *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  return order ? order : (x->part > y->part) - (x->part < y->part);
}

static bool is_there(const finder *f, const ripstop_faults *parts) {
  for (uint32_t i = 0; i < f->count; i++) {
    const ripstop_faults *other = &f->group[i].parts;
    if (parts->links == 0 && other->links == 0 && parts->switches == other->switches &&
        memcmp(parts->switch_, other->switch_, parts->switches * sizeof *parts->switch_) == 0)
      return true;
  }
  return false;
}

static const char *name_cables(const finder *f, const ripstop_faults *parts) {
  const ripstop_fabric *fabric = f->view->fabric;
  const uint32_t a = ripstop_link_node(fabric, parts->link[0], 0), b = ripstop_link_node(fabric, parts->link[0], 1);
  char low[RIPSTOP_NAME_MAX], high[RIPSTOP_NAME_MAX];
  ripstop_node_name(fabric, a < b ? a : b, low);
  ripstop_node_name(fabric, a < b ? b : a, high);
  return ripstop_arena_printf(f->arena, "%s-%s, %u cables", low, high, parts->links);
}

/* Skips a chassis that has one line card: that is a group already. */
static void add_group(finder *f, const char *kind, const member *list, uint32_t count) {
  const ripstop_fabric *fabric = f->view->fabric;
  uint32_t *part = RIPSTOP_ARRAY(f->arena, count, uint32_t), links = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bool link = list[i].part < fabric->links;
    links += link;
    part[i] = link ? list[i].part : fabric->ends + (list[i].part - fabric->links);
  }
  const ripstop_faults parts = {.links = links, .link = part, .switches = count - links, .switch_ = part + links};
  if (is_there(f, &parts)) return;
  const char *name = kind == cables_kind ? name_cables(f, &parts) : list->key;
  f->group[f->count++] = (ripstop_risk_group){.name = name, .kind = kind, .parts = parts};
}

/* Makes groups of at least `least` parts of the list, and empties it. */
static void add_groups(finder *f, const char *kind, uint32_t least) {
  qsort(f->list, f->listed, sizeof *f->list, by_key);
  for (uint32_t i = 0, k; i < f->listed; i = k) {
    for (k = i; k < f->listed && !strcmp(f->list[k].key, f->list[i].key);) k++;
    if (k - i >= least) add_group(f, kind, &f->list[i], k - i);
  }
  f->listed = 0;
}

/* NULL: the part is in no group. */
static void list_part(finder *f, const char *key, uint32_t part) {
  if (key) f->list[f->listed++] = (member){key, part};
}

/* ------------------------------------------------------------------ keys */

/* "MF0;name:CS7500/L03/U1": all before "/U1". */
static const char *card_of(ripstop_arena *arena, const ripstop_ib_node *node) {
  const char *chip = strrchr(node->text, '/');
  if (!chip || chip[1] != 'U' || strspn(chip + 2, "0123456789") != strlen(chip + 2) || !chip[2]) return NULL;
  return ripstop_arena_printf(arena, "%.*s", (int)(chip - node->text), node->text);
}

static const char *chassis_of(ripstop_arena *arena, const ripstop_ib_node *node) {
  return node->system ? ripstop_arena_printf(arena, "system GUID 0x%016" PRIx64, node->system) : NULL;
}

static void find_switches(finder *f, const char *kind,
                          const char *(*key_of)(ripstop_arena *, const ripstop_ib_node *)) {
  const ripstop_fabric *fabric = f->view->fabric;
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  for (uint32_t i = 0; ib && i < ripstop_fabric_switches(fabric); i++)
    if (f->view->node_up[fabric->ends + i])
      list_part(f, key_of(f->arena, &ib->dump->node[ib->switch_node[i]]), fabric->links + i);
  add_groups(f, kind, 2);
}

static bool is_up(const finder *f, uint32_t link) {
  return f->view->port_up[f->view->fabric->link_port[2 * (size_t)link]];
}

static void find_cables(finder *f) {
  const ripstop_fabric *fabric = f->view->fabric;
  for (uint32_t link = fabric->link_ends; link < fabric->links; link++) {
    uint32_t a = ripstop_link_node(fabric, link, 0), b = ripstop_link_node(fabric, link, 1);
    if (is_up(f, link) && a != b)
      list_part(f, ripstop_arena_printf(f->arena, "%010u-%010u", a < b ? a : b, a < b ? b : a), link);
  }
  add_groups(f, cables_kind, 2);
}

static void find_named(finder *f) {
  const ripstop_fabric *fabric = f->view->fabric;
  for (uint32_t link = 0; link < fabric->links; link++)
    if (is_up(f, link)) list_part(f, ripstop_graph_group(fabric, RIPSTOP_PART_LINK, link), link);
  for (uint32_t node = fabric->ends; node < fabric->nodes; node++)
    if (f->view->node_up[node])
      list_part(f, ripstop_graph_group(fabric, RIPSTOP_PART_SWITCH, node), fabric->links + (node - fabric->ends));
  add_groups(f, "group", 1);
}

void ripstop_risk_groups_find(ripstop_arena *arena, const ripstop_view *view, ripstop_risk_group **out,
                              uint32_t *count) {
  const size_t parts = (size_t)ripstop_fabric_switches(view->fabric) + view->fabric->links;
  finder f = {.arena = arena, .view = view};
  f.group = RIPSTOP_ARRAY(arena, 2 * parts, ripstop_risk_group);
  f.list = RIPSTOP_ARRAY(arena, parts, member);
  find_switches(&f, "line card", card_of);
  find_switches(&f, "chassis", chassis_of);
  find_cables(&f);
  find_named(&f);
  *out = f.group;
  *count = f.count;
}

int ripstop_risk_groups_parse(ripstop_arena *arena, const ripstop_fabric *fabric, const char *const *text,
                              uint32_t count, ripstop_risk_group **out, ripstop_error *err) {
  ripstop_names *names = ripstop_names_new(fabric);
  int status = 0;
  *out = RIPSTOP_ARRAY(arena, count, ripstop_risk_group);
  for (uint32_t i = 0; i < count && !status; i++) {
    (*out)[i] = (ripstop_risk_group){.name = text[i], .kind = "group"};
    status = ripstop_faults_parse(arena, names, text[i], strlen(text[i]), &(*out)[i].parts, err);
  }
  ripstop_names_free(names);
  return status;
}
