/* differences.c - reports in words how a fabric differs from its model.
 *
 * The usual ports of a role (port_habits.h) give a missing cable its ports, and pick the surplus cable among several,
 * and the cable in a wrong port.
 *
 * Differences with one cause are one oddity: two cables that were crossed, a cable that goes to a wrong switch, a spine
 * that lacks one cable to every leaf. */
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "fabric/ib.h"
#include "recognise/port_habits.h"
#include "recognise/recognised_graph.h"
#include "recognise/tree_blocks.h"

/* From this score on a difference is a mistake, and not how the fabric was built. */
#define REGULAR 0.8

/* A cable that is missing or too many. */
typedef struct difference {
  uint32_t a, b, port_a, port_b;
  uint64_t role_a, role_b;
  bool reported, half;
} difference;

typedef struct reporter {
  const ripstop_model *model;
  const recognised_graph *net;
  ripstop_odds *odds;
  port_habits habits;
  tree_blocks blocks; /* empty if the model is no tree */
  difference *missing, *extra;
  uint32_t missings, extras;
  uint64_t *given; /* ports that missing cables have been given: switch << 32 | port */
  uint32_t givens;
} reporter;

/* ------------------------------------------------------------------ ports of missing cables */

static bool is_given(const reporter *t, uint32_t node, uint32_t port) {
  for (uint32_t i = 0; i < t->givens; i++)
    if (t->given[i] == ((uint64_t)node << 32 | port)) return true;
  return false;
}

static bool may_give(const reporter *t, uint32_t node, uint32_t port) {
  return recognised_port_is_free(t->net, node, port) && !is_given(t, node, port);
}

/* The first free port of those of a lower switch of a tree that lost all cables to the upper ones. */
static uint32_t port_of_lost(const reporter *t, uint32_t node, uint32_t lower) {
  const uint32_t first = tree_port_lost(&t->blocks, lower);
  for (uint32_t k = 0; first != RIPSTOP_NONE && k < t->blocks.list[t->blocks.above[lower]].twins; k++)
    if (may_give(t, node, first + k)) return first + k;
  return RIPSTOP_NONE;
}

/* The port that a missing cable would have at a switch; RIPSTOP_NONE: the role has no usual port. If another cable of
 * the two switches is in the only port of the role, it is the port beside that. */
static uint32_t give_port(reporter *t, uint32_t node, uint64_t role, bool has_twin) {
  uint32_t best = RIPSTOP_NONE, times = 0, usual = RIPSTOP_NONE, most = 0;
  for (uint32_t i = port_habits_first(&t->habits, role); port_habits_has(&t->habits, i, role); i++) {
    const port_habit *h = &t->habits.list[i];
    if (h->times > most) usual = h->port, most = h->times;
    if (h->times > times && may_give(t, node, h->port)) best = h->port, times = h->times;
  }
  if (best == RIPSTOP_NONE && has_twin && usual != RIPSTOP_NONE && may_give(t, node, usual + 1)) best = usual + 1;
  if (usual == RIPSTOP_NONE && t->model->tree && role >> 32 == 2) best = port_of_lost(t, node, (uint32_t)role);
  if (best != RIPSTOP_NONE) t->given[t->givens++] = (uint64_t)node << 32 | best;
  return best;
}

/* ------------------------------------------------------------------ missing and surplus cables */

/* Cables of a pair that has too many: those that its ends' habits know come first. */
static uint32_t fit_of(const reporter *t, const pair *p, uint32_t cable) {
  const recognised_cable *c = &t->net->cable[cable];
  bool known;
  if (p->wants == 0) return 0;
  const ripstop_want *w = &t->model->want[p->want];
  return (uint32_t)port_habits_usual(&t->habits, w->role_a, c->port_a, &known) +
         (uint32_t)port_habits_usual(&t->habits, w->role_b, c->port_b, &known);
}

static void add_extras(reporter *t, const pair *p) {
  uint32_t left = p->cables - p->wants;
  for (uint32_t fit = 0; fit <= 2; fit++)
    for (uint32_t i = p->cable; i < p->cable + p->cables && left > 0; i++) {
      const recognised_cable *c = &t->net->cable[i];
      if (fit_of(t, p, i) != fit) continue;
      t->extra[t->extras++] =
          (difference){.a = c->a, .b = c->b, .port_a = c->port_a, .port_b = c->port_b, .half = c->half};
      left--;
    }
}

static void add_missing(reporter *t, const pair *p) {
  for (uint32_t i = p->want + p->cables; i < p->want + p->wants; i++) {
    const ripstop_want *w = &t->model->want[i];
    t->missing[t->missings++] = (difference){.a = w->a, .b = w->b, .role_a = w->role_a, .role_b = w->role_b};
  }
}

static void collect(reporter *t) {
  ripstop_arena *arena = t->net->arena;
  size_t most_missing = t->model->wants - t->model->there, most_extra = t->net->cables - t->model->there;
  t->missing = RIPSTOP_ARRAY(arena, most_missing + 1, difference);
  t->extra = RIPSTOP_ARRAY(arena, most_extra + 1, difference);
  t->given = RIPSTOP_ARRAY(arena, 2 * most_missing + 1, uint64_t);
  for (pair p = {0}; pair_next(t->model, t->net, &p);) {
    if (p.cables > p.wants) add_extras(t, &p);
    if (p.cables < p.wants) add_missing(t, &p);
  }
  for (uint32_t i = 0; i < t->missings; i++) {
    difference *d = &t->missing[i];
    bool has_twin = recognised_between(t->net, d->a, d->b) > 0;
    d->port_a = give_port(t, d->a, d->role_a, has_twin);
    d->port_b = give_port(t, d->b, d->role_b, has_twin);
  }
}

/* ------------------------------------------------------------------ sentences */

static const char *name_of(const reporter *t, const difference *d) {
  const char *a = recognised_end(t->net, d->a, d->port_a), *b = recognised_end(t->net, d->b, d->port_b);
  const bool turn = strcmp(a, b) > 0;
  return ripstop_arena_printf(t->net->arena, "%s-%s", turn ? b : a, turn ? a : b);
}

static const char *called(const reporter *t, uint32_t node) { return recognised_called(t->net, node); }

static uint32_t level_of(const reporter *t, uint32_t node) { return t->model->place[(size_t)node * t->model->dims]; }

static difference *find_missing(reporter *t, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < t->missings; i++) {
    difference *d = &t->missing[i];
    if (!d->reported && ((d->a == a && d->b == b) || (d->a == b && d->b == a))) return d;
  }
  return NULL;
}

static bool report_crossed(reporter *t, difference *one, difference *two, uint32_t a, uint32_t b) {
  uint32_t c = one->a == a ? one->b : one->a, d = two->a == b ? two->b : two->a; /* one: a - c, two: b - d */
  difference *first = a != d ? find_missing(t, a, d) : NULL, *second = b != c ? find_missing(t, b, c) : NULL;
  if (first == NULL || second == NULL || first == second) return false;
  ripstop_odds_add(t->odds, "swapped switch cables", 0, RIPSTOP_AT(name_of(t, one), name_of(t, two)),
                   "two cables are crossed: '%s' - '%s' and '%s' - '%s', instead of '%s' - '%s' and '%s' - '%s'",
                   called(t, a), called(t, c), called(t, b), called(t, d), called(t, a), called(t, d), called(t, b),
                   called(t, c));
  one->reported = two->reported = first->reported = second->reported = true;
  return true;
}

static void report_all_crossed(reporter *t) {
  for (uint32_t i = 0; i < t->extras; i++)
    for (uint32_t j = i + 1; j < t->extras && !t->extra[i].reported; j++) {
      difference *one = &t->extra[i], *two = &t->extra[j];
      if (two->reported) continue;
      if (!report_crossed(t, one, two, one->a, two->a)) report_crossed(t, one, two, one->a, two->b);
    }
}

/* A cable too many, where one is missing at one of its switches: it goes to the wrong one. */
static void report_moved(reporter *t) {
  for (uint32_t i = 0; i < t->extras; i++)
    for (uint32_t j = 0; j < t->missings && !t->extra[i].reported; j++) {
      difference *e = &t->extra[i], *m = &t->missing[j];
      bool at_a = e->a == m->a || e->a == m->b, at_b = e->b == m->a || e->b == m->b;
      bool known, usual;
      if (m->reported || (!at_a && !at_b)) continue;
      uint32_t common = at_a ? e->a : e->b;
      usual =
          port_habits_usual(&t->habits, common == m->a ? m->role_a : m->role_b, at_a ? e->port_a : e->port_b, &known);
      if (!known || !usual) continue;
      uint32_t should = common == m->a ? m->b : m->a;
      ripstop_odds_add(t->odds, "cable to the wrong switch", 0, RIPSTOP_AT(name_of(t, e), name_of(t, m)),
                       "'%s' - '%s' should go from '%s' to '%s'", called(t, e->a), called(t, e->b), called(t, common),
                       called(t, should));
      e->reported = m->reported = true;
    }
}

/* A switch of a tree that lacks cables to nearly all below it: a smaller plane, not so many failed cables. */
static void report_plane(reporter *t, uint32_t upper, uint32_t lowers) {
  uint32_t missing = 0, lacking = 0;
  for (uint32_t i = 0; i < t->missings; i++) {
    const difference *d = &t->missing[i];
    if (d->reported || (d->a != upper && d->b != upper)) continue;
    missing++;
    lacking += i == 0 || d[-1].a != d->a || d[-1].b != d->b; /* cables of a pair stand side by side */
  }
  if (lacking < 3 || 4 * lacking < 3 * lowers) return;
  ripstop_odd *odd = ripstop_odds_add(
      t->odds, "unequal planes", 0, RIPSTOP_AT(recognised_end(t->net, upper, RIPSTOP_NONE)),
      "'%s' has fewer cables to those below it than its like have: %u are not there", called(t, upper), missing);
  for (uint32_t i = 0; i < t->missings; i++)
    if (!t->missing[i].reported && (t->missing[i].a == upper || t->missing[i].b == upper)) {
      ripstop_odd_place(t->odds, odd, name_of(t, &t->missing[i]));
      t->missing[i].reported = true;
    }
}

static void report_planes(reporter *t) {
  uint32_t *missing = RIPSTOP_ARRAY(t->net->arena, t->net->switches, uint32_t);
  for (uint32_t i = 0; i < t->missings; i++)
    missing[level_of(t, t->missing[i].a) > level_of(t, t->missing[i].b) ? t->missing[i].a : t->missing[i].b]++;
  for (uint32_t v = 0; v < t->net->switches; v++) {
    uint32_t lowers = 0;
    for (uint32_t i = t->net->first[v]; missing[v] > 0 && i < t->net->first[v + 1]; i++)
      lowers += level_of(t, t->net->near[i].node) + 1 == level_of(t, v);
    if (missing[v] > 0 && lowers > 0) report_plane(t, v, lowers);
  }
}

/* A switch that is no part of the regular fabric, with its cables. */
static void report_foreign(reporter *t) {
  if (t->model->foreign == 0) return;
  const uint32_t v = t->model->foreign - 1;
  ripstop_odd *odd =
      ripstop_odds_add(t->odds, "foreign switch", 0, RIPSTOP_AT(recognised_end(t->net, v, RIPSTOP_NONE)),
                       "'%s' is no part of it: without this switch and its cables the fabric is regular", called(t, v));
  for (uint32_t i = 0; i < t->extras; i++) {
    difference *d = &t->extra[i];
    if (d->a != v && d->b != v) continue;
    ripstop_odd_place(t->odds, odd, name_of(t, d));
    d->reported = true;
  }
}

/* A switch that is not there, by its neighbours. */
static void report_absent(reporter *t) {
  const bool *beside = t->model->beside_absent;
  if (beside == NULL) return;
  ripstop_odd *odd = ripstop_odds_add(t->odds, "missing switch", 0, RIPSTOP_AT(NULL),
                                      "a switch with cables to these is not there, with it the fabric is regular");
  for (uint32_t v = 0; v < t->net->switches; v++)
    if (beside[v]) ripstop_odd_place(t->odds, odd, recognised_end(t->net, v, RIPSTOP_NONE));
}

/* Cables of one pair whose ports are not known have the same name: they are one row. */
static void report_missing(reporter *t) {
  for (uint32_t i = 0; i < t->missings; i++) {
    const difference *d = &t->missing[i];
    if (d->reported) continue;
    const uint32_t there = recognised_between(t->net, d->a, d->b);
    const char *name = name_of(t, d);
    uint32_t alike = 1;
    while (i + 1 < t->missings && !t->missing[i + 1].reported && strcmp(name, name_of(t, &t->missing[i + 1])) == 0)
      alike++, i++;
    const char *some = alike == 1 ? "one" : ripstop_arena_printf(t->net->arena, "%u", alike);
    const char *cables = there > 0    ? ripstop_arena_printf(t->net->arena, "%s of the cables", some)
                         : alike == 1 ? "the cable"
                                      : ripstop_arena_printf(t->net->arena, "%s cables", some);
    ripstop_odds_add(t->odds, t->model->tree ? "missing uplink" : "missing cable", 0, RIPSTOP_AT(name),
                     "%s between '%s' and '%s' %s not there", cables, called(t, d->a), called(t, d->b),
                     alike == 1 ? "is" : "are")
        ->count = alike;
  }
}

static void report_extra(reporter *t) {
  for (uint32_t i = 0; i < t->extras; i++) {
    const difference *d = &t->extra[i];
    if (d->reported || d->half) continue; /* half links are odd already */
    bool inside = t->model->tree && level_of(t, d->a) == level_of(t, d->b);
    const char *what = !inside                  ? "extra cable"
                       : level_of(t, d->a) == 0 ? "cable between leaves"
                                                : "cable inside a level";
    ripstop_odds_add(t->odds, what, 0, RIPSTOP_AT(name_of(t, d)), "'%s' - '%s': the regular fabric has no such cable",
                     called(t, d->a), called(t, d->b));
  }
}

/* True if the file gives the cable's ports at both ends. In an edge list without ports they follow the order of lines
 * and mean nothing. */
static bool has_ports(const recognised_graph *net, const recognised_cable *c) {
  const ripstop_fabric *f = net->fabric;
  const ripstop_graph_detail *d = ripstop_graph_of(f);
  if (d == NULL) return true;
  const ripstop_graph_cable *cable =
      &d->graph.cable[d->cable[f->port_link[f->port_base[f->ends + recognised_switch(net, c->a)] + c->port_a]]];
  return cable->numbered[0] && cable->numbered[1];
}

/* True if a missing cable with the same role would have the port: fewer cables use it then than it has switches. */
static bool is_missed(const reporter *t, uint64_t role, uint32_t port) {
  for (uint32_t i = 0; i < t->missings; i++) {
    const difference *d = &t->missing[i];
    if ((d->role_a == role && d->port_a == port) || (d->role_b == role && d->port_b == port)) return true;
  }
  return false;
}

/* Cables between the right switches, but not at the ports of their like; only where nearly all keep to the habit. */
static void report_wrong_ports(reporter *t) {
  for (unsigned reporting = 0, all = 0, wrong = 0; reporting < 2; reporting++) {
    if (reporting == 1 && (wrong == 0 || 20 * wrong > all)) return;
    for (pair p = {0}; pair_next(t->model, t->net, &p);)
      for (uint32_t i = 0; p.wants == p.cables && i < p.cables; i++) {
        const recognised_cable *c = &t->net->cable[p.cable + i];
        const ripstop_want *w = &t->model->want[p.want + i];
        if (!has_ports(t->net, c)) continue;
        bool known_a, known_b, usual_a = port_habits_usual(&t->habits, w->role_a, c->port_a, &known_a);
        bool usual_b = port_habits_usual(&t->habits, w->role_b, c->port_b, &known_b);
        bool is_wrong = !known_a || !known_b || !usual_a || !usual_b;
        if (reporting == 0) all++, wrong += is_wrong;
        if (reporting == 0 || !is_wrong || !known_a || !known_b) continue;
        if (!usual_a && is_missed(t, w->role_a, c->port_a)) usual_a = true;
        if (!usual_b && is_missed(t, w->role_b, c->port_b)) usual_b = true;
        if (usual_a && usual_b) continue;
        const difference d = {.a = c->a, .b = c->b, .port_a = c->port_a, .port_b = c->port_b};
        ripstop_odds_add(t->odds, "cable in the wrong port", 0, RIPSTOP_AT(name_of(t, &d)),
                         "'%s' - '%s': their like use other ports", called(t, c->a), called(t, c->b));
      }
  }
}

static void report_hosts(reporter *t) {
  const ripstop_fabric *f = t->net->fabric;
  uint32_t *node = RIPSTOP_ARRAY(t->net->arena, ripstop_fabric_switches(f),
                                 uint32_t); /* a node of the net plus one, by the fabric's switch */
  for (uint32_t v = 0; v < t->net->named; v++) node[recognised_switch(t->net, v)] = v + 1;
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t at = node[ripstop_end_switch(f, end) - f->ends] - 1;
    if (at == RIPSTOP_NONE || t->net->hosts[at] == 0 || level_of(t, at) == 0) continue;
    char name[RIPSTOP_NAME_MAX];
    if (!recognised_is_host(t->net, end)) continue;
    ripstop_node_name(f, end, name);
    const char *text = ripstop_ib_of(f) ? ripstop_ib_description(f, end) : "";
    ripstop_odds_add(t->odds, "host on a spine", 0,
                     RIPSTOP_AT(name, recognised_end(t->net, at, ripstop_end_switch_port(f, end))),
                     "'%s' hangs on '%s', which is no leaf", text[0] ? text : name, called(t, at));
  }
}

void ripstop_model_report(const ripstop_model *model, const recognised_graph *net, ripstop_odds *odds) {
  reporter t = {.model = model, .net = net, .odds = odds};
  if (model->tree)
    tree_blocks_find(&t.blocks, net, model);
  else
    port_habits_find(&t.habits, model, net);
  if (model->tree) t.habits = t.blocks.habits;
  collect(&t);
  bool regular = ripstop_model_score(model, net) >= REGULAR || model->explanations > 0;
  report_foreign(&t);
  report_absent(&t);
  if (regular) report_all_crossed(&t);
  if (regular) report_moved(&t);
  if (regular && model->tree) report_planes(&t);
  report_missing(&t);
  report_extra(&t);
  if (regular) report_wrong_ports(&t);
  if (model->tree) report_hosts(&t);
}
