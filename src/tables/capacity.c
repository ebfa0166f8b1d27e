/* capacity.c - finds levels, parts, what they need and have, and the roles of channels. The definitions are in
 * ripstop/kit/capacity.h. Time: for each level all cables once. */
#include "ripstop/kit/capacity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "fabric/ib.h"

enum { INSIDE, UP, DOWN, DIRECTIONS };

typedef struct finder {
  ripstop_capacity out;
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  ripstop_arena *arena;
  uint32_t switches;
  uint64_t *rate;          /* [links] */
  uint32_t *hosts, *level; /* [switches] */
  uint64_t *inside;        /* [switches]: rates of its hosts */
  uint64_t all;            /* the sum for all hosts */
  uint32_t *leaf, *pod;    /* [switches] */
  ripstop_capacity_part *part;
  const ripstop_capacity_kind *kind; /* [switches]; NULL: nothing is known */
} finder;

/* ------------------------------------------------------------------ rates and hosts */

/* The dump's own speed; of a cable whose speed no end names, and elsewhere, the fabric's rate. */
static uint64_t rate_of(const finder *w, uint32_t link) {
  const ripstop_fabric *f = w->fabric;
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  const uint32_t port = f->link_port[2 * (size_t)link];
  const uint64_t now = ripstop_view_rate(w->view, link), own = ripstop_fabric_rate(f, link);
  if (!ib || ib->dump->fastest == 0) return now;
  const uint64_t speed = ripstop_ib_cable_speed(ib->dump, ripstop_ib_dump_port(f, port));
  return speed ? speed * now / own : ib->dump->fastest * now / RIPSTOP_RATE_FULL;
}

static bool is_switch_cable(const ripstop_fabric *f, uint32_t link) {
  return link >= f->link_ends && ripstop_link_node(f, link, 0) != ripstop_link_node(f, link, 1);
}

static void find_rates(finder *w) {
  const ripstop_fabric *f = w->fabric;
  w->rate = RIPSTOP_ARRAY(w->arena, f->links, uint64_t);
  w->out.fastest = 1;
  for (uint32_t link = 0; link < f->links; link++) {
    if (!w->view->port_up[f->link_port[2 * (size_t)link]]) continue;
    if (link >= f->link_ends && !is_switch_cable(f, link)) continue;
    w->rate[link] = rate_of(w, link);
    if (link >= f->link_ends && w->rate[link] > w->out.fastest) w->out.fastest = w->rate[link];
  }
}

/* An aggregation node inside a switch generates no packets. */
static bool is_host(const ripstop_fabric *f, uint32_t end) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  return !ib || !ib->dump->node[ib->dump->port[ib->end_port[end]].node].aggregates;
}

/* Hosts that a switch names while their own lines are missing from the dump need their share as well. */
static void add_named_hosts(finder *w) {
  const ripstop_fabric *f = w->fabric;
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  for (uint32_t port = 0; ib && port < ib->dump->ports; port++) {
    const uint32_t node = ib->node_of[ib->dump->port[port].node];
    if (node == RIPSTOP_NONE || !w->view->node_up[node] || !ripstop_ib_names_host(ib->dump, port)) continue;
    const uint32_t speed = ripstop_ib_port_speed(&ib->dump->port[port]), usual = ib->dump->fastest;
    const uint64_t rate = usual == 0 ? RIPSTOP_RATE_FULL : speed ? speed : usual;
    w->hosts[node - f->ends]++;
    w->inside[node - f->ends] += rate;
    w->all += rate;
  }
}

static void find_hosts(finder *w) {
  const ripstop_fabric *f = w->fabric;
  w->hosts = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t);
  w->inside = RIPSTOP_ARRAY(w->arena, w->switches, uint64_t);
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t link = f->port_link[f->port_base[end]], s = ripstop_end_switch(f, end) - f->ends;
    if (!w->rate[link] || !is_host(f, end)) continue;
    w->hosts[s]++;
    w->inside[s] += w->rate[link];
    w->all += w->rate[link];
  }
  add_named_hosts(w);
}

/* ------------------------------------------------------------------ levels */

static bool is_kind(const finder *w, uint32_t s, ripstop_capacity_kind kind) { return w->kind && w->kind[s] == kind; }

static bool is_leaf(const finder *w, uint32_t s) {
  const bool known = w->kind && w->kind[s] != RIPSTOP_CAPACITY_UNKNOWN;
  return known ? w->kind[s] == RIPSTOP_CAPACITY_LEAF && w->view->node_up[w->fabric->ends + s] : w->hosts[s] > 0;
}

/* Leaves, or, if none is known, all switches with hosts. Returns how many. */
static uint32_t list_leaves(const finder *w, uint32_t *list) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < w->switches; s++)
    if (is_leaf(w, s)) list[count++] = s;
  for (uint32_t s = 0, none = count == 0; none && s < w->switches; s++)
    if (w->hosts[s]) list[count++] = s;
  return count;
}

/* Small parts are beside the levels: switches with hosts are leaves, the others just above. */
static void level_small_parts(finder *w) {
  for (uint32_t s = 0; s < w->switches; s++)
    if (is_kind(w, s, RIPSTOP_CAPACITY_SMALL)) w->level[s] = !w->hosts[s] && w->out.top > 0;
}

static void find_levels(finder *w) {
  const ripstop_fabric *f = w->fabric;
  uint32_t *queue = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t), tail = list_leaves(w, queue);
  w->level = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t);
  memset(w->level, 0xFF, w->switches * sizeof *w->level);
  for (uint32_t i = 0; i < tail; i++) w->level[queue[i]] = 0;
  for (uint32_t head = 0; head < tail; head++) {
    const uint32_t s = queue[head];
    if (!is_kind(w, s, RIPSTOP_CAPACITY_SMALL)) w->out.top = w->level[s];
    for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      const uint32_t other = w->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
      if (other < f->ends || w->level[other - f->ends] != RIPSTOP_NONE) continue;
      w->level[other - f->ends] = w->level[s] + 1;
      queue[tail++] = other - f->ends;
    }
  }
  level_small_parts(w);
}

/* ------------------------------------------------------------------ parts */

static void add_leaves(finder *w) {
  for (uint32_t s = 0; s < w->switches; s++) {
    if (!w->hosts[s] && !(is_kind(w, s, RIPSTOP_CAPACITY_LEAF) && is_leaf(w, s))) continue;
    w->leaf[s] = w->out.parts;
    w->part[w->out.parts++] =
        (ripstop_capacity_part){.node = w->fabric->ends + s, .hosts = w->hosts[s], .inside = w->inside[s]};
  }
}

/* True if a leaf names its pod rather than another: with hosts, and by its name. */
static bool is_before(const finder *w, uint32_t s, uint32_t other) {
  char name[RIPSTOP_NAME_MAX], first[RIPSTOP_NAME_MAX];
  if ((w->hosts[s] > 0) != (w->hosts[other] > 0)) return w->hosts[s] > 0;
  ripstop_node_name(w->fabric, w->fabric->ends + s, name);
  ripstop_node_name(w->fabric, w->fabric->ends + other, first);
  return strcmp(name, first) < 0;
}

static void add_to_pod(const finder *w, ripstop_capacity_part *pod, uint32_t s) {
  const uint32_t ends = w->fabric->ends;
  pod->hosts += w->hosts[s];
  pod->inside += w->inside[s];
  if (w->leaf[s] != RIPSTOP_NONE && (pod->node == RIPSTOP_NONE || is_before(w, s, pod->node - ends)))
    pod->node = ends + s;
}

/* True if pods of a level have the switch. */
static bool is_within(const finder *w, uint32_t s, uint32_t level) {
  return w->level[s] <= level && !is_kind(w, s, RIPSTOP_CAPACITY_SMALL);
}

/* Pods of a level, each with a switch of that level; `parent` has joined all below. */
static void add_pods(finder *w, uint32_t *parent, uint32_t *by_root, uint32_t level) {
  const ripstop_fabric *f = w->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t a = ripstop_link_node(f, link, 0) - f->ends, b = ripstop_link_node(f, link, 1) - f->ends;
    if (w->rate[link] && is_within(w, a, level) && is_within(w, b, level)) ripstop_join(parent, a, b);
  }
  memset(by_root, 0xFF, w->switches * sizeof *by_root);
  for (uint32_t s = 0; s < w->switches; s++) {
    if (w->level[s] != level || !is_within(w, s, level)) continue;
    uint32_t *pod = &by_root[ripstop_root(parent, s)];
    if (*pod == RIPSTOP_NONE) {
      *pod = w->out.parts++;
      w->part[*pod] = (ripstop_capacity_part){.node = RIPSTOP_NONE, .level = level};
    }
    w->pod[s] = *pod;
  }
  for (uint32_t s = 0; s < w->switches; s++) {
    const uint32_t pod = is_within(w, s, level) ? by_root[ripstop_root(parent, s)] : RIPSTOP_NONE;
    if (pod != RIPSTOP_NONE) add_to_pod(w, &w->part[pod], s);
  }
}

static void find_parts(finder *w) {
  uint32_t *parent = ripstop_forest(w->arena, w->switches), *by_root = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t);
  w->part = RIPSTOP_ARRAY(w->arena, 2 * (size_t)w->switches,
                          ripstop_capacity_part); /* each is a leaf, or in a pod of its own */
  w->leaf = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t);
  w->pod = RIPSTOP_ARRAY(w->arena, w->switches, uint32_t);
  memset(w->leaf, 0xFF, w->switches * sizeof *w->leaf);
  memset(w->pod, 0xFF, w->switches * sizeof *w->pod);
  add_leaves(w);
  for (uint32_t level = 1; level < w->out.top; level++) add_pods(w, parent, by_root, level);
  w->out.part = w->part;
  w->out.leaf = w->leaf;
  w->out.pod = w->pod;
}

/* ------------------------------------------------------------------ capacities, and those of similar parts */

static void find_capacities(finder *w) {
  const ripstop_fabric *f = w->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t left[3];
    if (!w->rate[link]) continue;
    const unsigned count =
        ripstop_capacity_left(&w->out, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), left);
    for (unsigned i = 0; i < count; i++) {
      w->part[left[i]].capacity += w->rate[link];
      w->part[left[i]].uplinks++;
    }
  }
  for (uint32_t i = 0; i < w->out.parts; i++) {
    ripstop_capacity_part *p = &w->part[i];
    const uint64_t outside = w->all - p->inside;
    p->need = p->inside < outside ? p->inside : outside;
    p->floor = p->capacity < p->need ? p->capacity : p->need;
  }
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The most common of some values, the larger of equally common ones; NAN: there are none. Sorts them. */
static double most_common(double *value, uint32_t count) {
  double best = NAN;
  uint32_t most = 0;
  qsort(value, count, sizeof *value, by_value);
  for (uint32_t i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && value[i + run] == value[i];) run++;
    if (run >= most) most = run, best = value[i];
  }
  return best;
}

/* Parts of one kind are adjacent. */
static void compare_kind(finder *w, uint32_t first, uint32_t end) {
  enum { CAPACITY, UPLINKS, SHARE, VALUES };
  double *value[VALUES], common[VALUES];
  uint32_t hosted = 0;
  for (unsigned v = 0; v < VALUES; v++) value[v] = RIPSTOP_ARRAY(w->arena, end - first, double);
  for (uint32_t i = first; i < end; i++) {
    const ripstop_capacity_part *p = &w->part[i];
    value[CAPACITY][i - first] = (double)p->capacity;
    value[UPLINKS][i - first] = p->uplinks;
    if (p->inside) value[SHARE][hosted++] = (double)p->capacity / (double)p->inside;
  }
  for (unsigned v = 0; v < VALUES; v++) common[v] = most_common(value[v], v == SHARE ? hosted : end - first);
  for (uint32_t i = first; i < end; i++) {
    ripstop_capacity_part *p = &w->part[i];
    p->like = (uint64_t)common[CAPACITY];
    p->like_uplinks = (uint32_t)common[UPLINKS];
    p->like_share = common[SHARE];
  }
}

static void compare(finder *w) {
  for (uint32_t i = 0, end; i < w->out.parts; i = end) {
    for (end = i + 1; end < w->out.parts && w->part[end].level == w->part[i].level;) end++;
    compare_kind(w, i, end);
  }
}

/* ------------------------------------------------------------------ roles */

static uint32_t role_of(const finder *w, uint32_t from, uint32_t to) {
  const uint32_t a = w->level[from], b = w->level[to], lower = a < b ? a : b, upper = a < b ? b : a;
  const uint32_t direction = a == b ? INSIDE : a < b ? UP : DOWN;
  return upper == RIPSTOP_NONE ? RIPSTOP_NONE : (lower * (w->out.top + 1) + upper) * DIRECTIONS + direction;
}

static void find_roles(finder *w) {
  const ripstop_fabric *f = w->fabric;
  uint32_t *role = RIPSTOP_ARRAY(w->arena, f->ports, uint32_t);
  memset(role, 0xFF, f->ports * sizeof *role);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2 && w->rate[link]; side++)
      role[f->link_port[2 * (size_t)link + side]] =
          role_of(w, ripstop_link_node(f, link, side) - f->ends, ripstop_link_node(f, link, !side) - f->ends);
  w->out.role = role;
  w->out.roles = (w->out.top + 1) * (w->out.top + 1) * DIRECTIONS;
}

const ripstop_capacity *ripstop_capacity_find(ripstop_arena *arena, const ripstop_view *view,
                                              const ripstop_capacity_kind *kind, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  finder w = {.out = {.view = view}, .view = view, .fabric = view->fabric, .arena = arena, .kind = kind};
  w.switches = ripstop_fabric_switches(view->fabric);
  find_rates(&w);
  find_hosts(&w);
  find_levels(&w);
  w.out.rate = w.rate;
  w.out.level = w.level;
  find_parts(&w);
  find_capacities(&w);
  compare(&w);
  find_roles(&w);
  ripstop_capacity *out = RIPSTOP_NEW(arena, ripstop_capacity);
  *out = w.out;
  return out;
}

/* ------------------------------------------------------------------ queries */

static unsigned add_part(uint32_t part[3], unsigned count, uint32_t one) {
  for (unsigned i = 0; i < count; i++)
    if (part[i] == one) return count;
  if (one != RIPSTOP_NONE) part[count++] = one;
  return count;
}

unsigned ripstop_capacity_owners(const ripstop_capacity *c, uint32_t a, uint32_t b, uint32_t part[3]) {
  const uint32_t ends = c->view->fabric->ends, one = a - ends, other = b - ends;
  const uint32_t *level = c->level;
  if (level[one] == level[other]) return add_part(part, add_part(part, 0, c->leaf[one]), c->leaf[other]);
  const uint32_t lower = level[one] < level[other] ? one : other;
  return add_part(part, 0, level[lower] == 0 ? c->leaf[lower] : c->pod[lower]);
}

unsigned ripstop_capacity_left(const ripstop_capacity *c, uint32_t a, uint32_t b, uint32_t part[3]) {
  const uint32_t ends = c->view->fabric->ends;
  unsigned count = ripstop_capacity_owners(c, a, b, part);
  count = add_part(part, count, c->leaf[a - ends]);
  return add_part(part, count, c->leaf[b - ends]);
}

typedef struct room {
  uint32_t part;
  uint64_t rate;
} room;

static int slowest_first(const void *a, const void *b) {
  const room *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  return (x->rate > y->rate) - (x->rate < y->rate);
}

/* The number of cables of a list that fit into what their parts can spare. */
static uint32_t count_fitting(const ripstop_capacity *c, room *list, uint32_t count) {
  uint32_t fit = 0;
  uint64_t left = 0;
  qsort(list, count, sizeof *list, slowest_first);
  for (uint32_t i = 0; i < count; i++) {
    const ripstop_capacity_part *p = &c->part[list[i].part];
    if (i == 0 || list[i].part != list[i - 1].part) left = p->capacity - p->floor;
    if (list[i].rate > left) continue;
    left -= list[i].rate;
    fit++;
  }
  return fit;
}

/* A cable between two leaves counts half at each: then no set is larger, whichever leaf is listed first. */
uint32_t ripstop_capacity_at_most(const ripstop_capacity *c) {
  RIPSTOP_GUARD(NULL, UINT32_MAX);
  const ripstop_fabric *f = c->view->fabric;
  ripstop_arena *scratch = ripstop_arena_new();
  room *own = RIPSTOP_ARRAY(scratch, f->links, room), *shared = RIPSTOP_ARRAY(scratch, 2 * (size_t)f->links, room);
  uint32_t owns = 0, shares = 0, free = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t part[3];
    if (!c->rate[link]) continue;
    const unsigned owners =
        ripstop_capacity_owners(c, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), part);
    free += owners == 0;
    for (unsigned i = 0; i < owners; i++)
      *(owners == 1 ? &own[owns++] : &shared[shares++]) = (room){part[i], c->rate[link]};
  }
  const uint32_t most = free + count_fitting(c, own, owns) + count_fitting(c, shared, shares) / 2;
  ripstop_arena_free(scratch);
  return most;
}

const double *ripstop_capacity_worst_of_roles(ripstop_arena *arena, const ripstop_capacity *c, const uint64_t *load) {
  RIPSTOP_GUARD(NULL, NULL);
  double *worst = RIPSTOP_ARRAY(arena, c->roles, double);
  for (uint32_t p = 0; p < c->view->fabric->ports; p++)
    if (c->role[p] != RIPSTOP_NONE) worst[c->role[p]] = fmax(worst[c->role[p]], ripstop_capacity_use(c, p, load[p]));
  return worst;
}

double ripstop_capacity_worst(const ripstop_capacity *c, const uint64_t *load, uint32_t link) {
  const ripstop_fabric *f = c->view->fabric;
  const uint32_t *port = &f->link_port[2 * (size_t)link], up = c->role[port[0]], down = c->role[port[1]];
  double worst = 0;
  for (uint32_t p = 0; p < f->ports; p++)
    if (c->role[p] != RIPSTOP_NONE && (c->role[p] == up || c->role[p] == down))
      worst = fmax(worst, ripstop_capacity_use(c, p, load[p]));
  return worst;
}

static void print_levels(const ripstop_capacity *c, uint32_t role, ripstop_text *out) {
  const uint32_t both = role / DIRECTIONS, levels = c->top + 1;
  ripstop_text_add(out, "%u-%u", both / levels, both % levels);
}

void ripstop_capacity_print_cable(const ripstop_capacity *c, uint32_t link, ripstop_text *out) {
  const uint32_t role = c->role[c->view->fabric->link_port[2 * (size_t)link]];
  if (role != RIPSTOP_NONE) print_levels(c, role, out);
}

void ripstop_capacity_print_role(const ripstop_capacity *c, uint32_t role, ripstop_text *out) {
  static const char *const words[DIRECTIONS] = {"", " up", " down"};
  print_levels(c, role, out);
  ripstop_text_add(out, "%s", words[role % DIRECTIONS]);
}
