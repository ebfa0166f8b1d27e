/* check.c - the guarantees of ordered for a quiet network: one order that both ends of every link agree on, with one
 * root for each component, and the tables that searches over the links that are up find for that order. */
#include <string.h>

#include "base/local.h"
#include "methods/ordered/ordered.h"
#include "methods/shared/router_text.h"

typedef struct audit {
  survey survey;
  const void *const *state;
  ripstop_error *err;
} audit;

static const memory *memory_of(const audit *x, uint32_t router) {
  return x->state[x->survey.plan->fabric->ends + router];
}

static int broken(const audit *x, uint32_t router, const char *what) {
  return ripstop_router_fails(x->survey.plan, "router", router, what, x->err);
}

/* The router knows its neighbours, and either a router is above it or it is the root. So each route up ends at a root,
 * and neighbours agree on which. */
static int check_order(const audit *x, uint32_t router) {
  const ripstop_plan *p = x->survey.plan;
  const memory *m = memory_of(x, router);
  arrays a = ripstop_ordered_open_memory(p, m->node, m);
  uint64_t live = x->survey.live[router];
  if (m->known != live || m->linked != live) return broken(x, router, "does not know which of its links are up");
  for (uint64_t ports = live; ports; ports &= ports - 1) {
    const memory *other = memory_of(x, router_behind(p->fabric, router, lowest(ports)));
    if (memcmp(&a.near[lowest(ports)].place, &other->own, sizeof other->own) != 0)
      return broken(x, router, "does not know the place of a neighbour");
    if (memcmp(&m->claim, &other->claim, sizeof m->claim) != 0)
      return broken(x, router, "and a neighbour differ on who is the root");
  }
  if (m->up != x->survey.up[router]) return broken(x, router, "does not know which of its links lead up");
  if (live && !m->up != is_root(m, router))
    return broken(x, router, m->up ? "is the root, but has a router above it" : "has no router above it");
  return 0;
}

static int check_tables(audit *x, uint32_t to) {
  ripstop_ordered_survey(&x->survey, to);
  for (uint32_t router = 0; router < x->survey.routers; router++) {
    if (!memory_of(x, router)) continue;
    arrays a = ripstop_ordered_open_memory(x->survey.plan, memory_of(x, router)->node, memory_of(x, router));
    if (!is_same_entry(&a.row[to].own, &x->survey.entry[router])) return broken(x, router, "has a wrong entry");
  }
  return 0;
}

static int check_all(audit *x, bool tables_too) {
  for (uint32_t router = 0; router < x->survey.routers; router++)
    if (memory_of(x, router) && check_order(x, router)) return -1;
  for (uint32_t to = 0; tables_too && to <= x->survey.routers; to++)
    if (check_tables(x, to)) return -1;
  return 0;
}

int ripstop_ordered_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err) {
  const tables *t = p->data;
  RIPSTOP_LOCAL_ARENA(arena);
  place *places = RIPSTOP_ARRAY(arena, t->routers, place);
  audit x = {.state = state, .err = err};
  for (uint32_t router = 0; router < t->routers; router++) {
    const memory *m = state[p->fabric->ends + router];
    places[router] = m ? m->own : t->first[router];
  }
  ripstop_ordered_survey_open(&x.survey, p, places, arena);
  return check_all(&x, !watch || watch->fresh);
}
