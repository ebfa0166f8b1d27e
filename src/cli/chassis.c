/* chassis.c - switches are sorted by what tells which chassis they are in; those that agree in it are a group. A graph
 * tells its groups itself. */
#include "cli/chassis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "fabric/ib.h"

typedef struct finder {
  ripstop_arena *arena;
  const ripstop_view *view;
  ripstop_group *group;
  uint32_t count;
} finder;

/* ------------------------------------------------------------------ switches */

/* What a switch shares with those of its group; NULL: nothing. */
typedef struct keyed {
  const char *key;
  uint32_t node;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* "MF0;name:CS7500/L03/U1": all before "/U1". */
static const char *card_of(ripstop_arena *arena, const ripstop_ib_node *node) {
  const char *chip = strrchr(node->text, '/');
  if (!chip || chip[1] != 'U' || strspn(chip + 2, "0123456789") != strlen(chip + 2) || !chip[2]) return NULL;
  return ripstop_arena_printf(arena, "%.*s", (int)(chip - node->text), node->text);
}

static const char *chassis_of(ripstop_arena *arena, const ripstop_ib_node *node) {
  return node->system ? ripstop_arena_printf(arena, "system GUID 0x%016" PRIx64, node->system) : NULL;
}

static bool same_switches(const ripstop_faults *a, const ripstop_faults *b) {
  return a->links == 0 && a->switches == b->switches &&
         memcmp(a->switch_, b->switch_, a->switches * sizeof *a->switch_) == 0;
}

static void add_switches(finder *f, const char *kind, const keyed *list, uint32_t count) {
  uint32_t *node = RIPSTOP_ARRAY(f->arena, count, uint32_t);
  const ripstop_faults parts = {.switches = count, .switch_ = node};
  for (uint32_t i = 0; i < count; i++) node[i] = list[i].node;
  for (uint32_t i = 0; i < f->count; i++) /* a chassis with one line card */
    if (same_switches(&f->group[i].parts, &parts)) return;
  f->group[f->count++] = (ripstop_group){.name = list->key, .kind = kind, .parts = parts};
}

static void find_switches(finder *f, const char *kind,
                          const char *(*key_of)(ripstop_arena *, const ripstop_ib_node *)) {
  const ripstop_fabric *fabric = f->view->fabric;
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  keyed *list = RIPSTOP_ARRAY(f->arena, ripstop_fabric_switches(fabric), keyed);
  uint32_t count = 0;
  for (uint32_t node = fabric->ends; ib && node < fabric->nodes; node++) {
    const char *key = key_of(f->arena, &ib->dump->node[ib->switch_node[node - fabric->ends]]);
    if (key && f->view->node_up[node]) list[count++] = (keyed){key, node};
  }
  if (count > 0) qsort(list, count, sizeof *list, by_key);
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i; k < count && !strcmp(list[k].key, list[i].key);) k++;
    if (k - i > 1) add_switches(f, kind, &list[i], k - i);
  }
}

/* ------------------------------------------------------------------ cables */

typedef struct pair {
  uint32_t a, b, link;
} pair;

static int by_ends(const void *x, const void *y) {
  const pair *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return (p->link > q->link) - (p->link < q->link);
}

static void add_cables(finder *f, const pair *list, uint32_t count) {
  char a[RIPSTOP_NAME_MAX], b[RIPSTOP_NAME_MAX];
  uint32_t *link = RIPSTOP_ARRAY(f->arena, count, uint32_t);
  for (uint32_t i = 0; i < count; i++) link[i] = list[i].link;
  ripstop_node_name(f->view->fabric, list->a, a);
  ripstop_node_name(f->view->fabric, list->b, b);
  f->group[f->count++] = (ripstop_group){.name = ripstop_arena_printf(f->arena, "%s-%s, %u cables", a, b, count),
                                         .kind = "cables side by side",
                                         .parts = {.links = count, .link = link}};
}

static void find_cables(finder *f) {
  const ripstop_fabric *fabric = f->view->fabric;
  pair *list = RIPSTOP_ARRAY(f->arena, fabric->links, pair);
  uint32_t count = 0;
  for (uint32_t link = fabric->link_ends; link < fabric->links; link++) {
    uint32_t a = ripstop_link_node(fabric, link, 0), b = ripstop_link_node(fabric, link, 1);
    if (f->view->port_up[fabric->link_port[2 * (size_t)link]] && a != b)
      list[count++] = (pair){a < b ? a : b, a < b ? b : a, link};
  }
  if (count > 0) qsort(list, count, sizeof *list, by_ends);
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i; k < count && list[k].a == list[i].a && list[k].b == list[i].b;) k++;
    if (k - i > 1) add_cables(f, &list[i], k - i);
  }
}

/* ------------------------------------------------------------------ what the fabric's file tells */

typedef struct member {
  const char *group;
  uint32_t part; /* links first, then switches */
} member;

static int by_group(const void *a, const void *b) {
  const member *x = a, *y = b;
  int order = strcmp(x->group, y->group);
  return order ? order : (x->part > y->part) - (x->part < y->part);
}

static void add_members(finder *f, const member *list, uint32_t count) {
  uint32_t *part = RIPSTOP_ARRAY(f->arena, count, uint32_t), links = 0;
  while (links < count && list[links].part < f->view->fabric->links) links++;
  for (uint32_t i = 0; i < count; i++)
    part[i] = i < links ? list[i].part : f->view->fabric->ends + (list[i].part - f->view->fabric->links);
  f->group[f->count++] =
      (ripstop_group){.name = list->group,
                      .kind = "group",
                      .parts = {.links = links, .link = part, .switches = count - links, .switch_ = part + links}};
}

static void find_told(finder *f) {
  const ripstop_fabric *fabric = f->view->fabric;
  member *list = RIPSTOP_ARRAY(f->arena, (size_t)fabric->links + ripstop_fabric_switches(fabric), member);
  uint32_t count = 0;
  for (uint32_t i = 0; i < fabric->links + ripstop_fabric_switches(fabric); i++) {
    bool link = i < fabric->links;
    uint32_t part = link ? i : fabric->ends + (i - fabric->links);
    const char *group = ripstop_graph_group(fabric, link ? RIPSTOP_PART_LINK : RIPSTOP_PART_SWITCH, part);
    bool up = link ? f->view->port_up[fabric->link_port[2 * (size_t)part]] : f->view->node_up[part];
    if (group && up) list[count++] = (member){group, i};
  }
  if (count > 0) qsort(list, count, sizeof *list, by_group);
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i; k < count && !strcmp(list[k].group, list[i].group);) k++;
    add_members(f, &list[i], k - i);
  }
}

void ripstop_groups_found(ripstop_arena *arena, const ripstop_view *view, ripstop_group **out, uint32_t *count) {
  const ripstop_fabric *fabric = view->fabric;
  finder f = {.arena = arena, .view = view};
  f.group = RIPSTOP_ARRAY(arena, 2 * ((size_t)ripstop_fabric_switches(fabric) + fabric->links), ripstop_group);
  find_switches(&f, "line card", card_of);
  find_switches(&f, "chassis", chassis_of);
  find_cables(&f);
  find_told(&f);
  *out = f.group;
  *count = f.count;
}

int ripstop_groups_given(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_cli_values *texts,
                         ripstop_group **out, uint32_t *count, ripstop_error *err) {
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_group *list = RIPSTOP_ARRAY(arena, texts->count, ripstop_group);
  int status = 0;
  for (unsigned i = 0; i < texts->count && !status; i++) {
    list[i] = (ripstop_group){.name = texts->value[i], .kind = "group"};
    status = ripstop_faults_parse(arena, names, texts->value[i], strlen(texts->value[i]), &list[i].parts, err);
  }
  ripstop_names_free(names);
  *out = list;
  *count = texts->count;
  return status;
}
