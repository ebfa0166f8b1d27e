/* worst_pairs.c - which pairs of switches with hosts are worst off: those that faults part, then those whose shortest
 * path is longer than without the faults by most links, then those with the busiest link on every shortest path. */
#include <math.h>
#include <string.h>

#include "draw/fabric_picture.h"

typedef struct search {
  const ripstop_fabric *f;
  const picture *o;
  uint32_t *far, *before, *queue; /* [switches]: links from the source with the faults and without them */
  double *use;                    /* [switches]: the busiest link of the least busy shortest path */
  bool *hosts;                    /* [switches] */
  uint32_t switches;
} search;

static double use_of(const search *s, uint32_t port) { return s->o->use ? s->o->use[port] : NAN; }

/* A path's use is that of its busiest link; among shortest paths the least busy counts. */
static void widen(search *s, uint32_t at, uint32_t to, uint32_t port) {
  const double here = use_of(s, port), candidate = at == s->queue[0]   ? here
                                                   : isnan(s->use[at]) ? here
                                                                       : fmax(s->use[at], here);
  if (isnan(s->use[to]) || candidate < s->use[to]) s->use[to] = candidate;
}

static void look(search *s, uint32_t from, uint32_t *far, bool alive) {
  const ripstop_fabric *f = s->f;
  uint32_t count = 0;
  memset(far, 0xff, s->switches * sizeof *far);
  for (uint32_t i = 0; alive && i < s->switches; i++) s->use[i] = NAN;
  far[from] = 0, s->queue[count++] = from;
  for (uint32_t next = 0; next < count; next++) {
    const uint32_t at = s->queue[next];
    for (uint32_t port = f->port_base[f->ends + at]; port < f->port_base[f->ends + at + 1]; port++) {
      if (f->peer[port] == RIPSTOP_NONE || f->port_node[f->peer[port]] < f->ends) continue;
      if (alive && !s->o->view->port_up[port]) continue;
      const uint32_t to = f->port_node[f->peer[port]] - f->ends;
      if (far[to] == RIPSTOP_NONE) far[to] = far[at] + 1, s->queue[count++] = to;
      if (alive && far[to] == far[at] + 1) widen(s, at, to, port);
    }
  }
}

static bool is_worse(const picture_pair *p, const picture_pair *than) {
  if (p->longer != than->longer) return p->longer > than->longer;
  return (isnan(p->use) ? -1 : p->use) > (isnan(than->use) ? -1 : than->use);
}

/* Into its place among the worst so far; of a pair's two directions the worse. */
static void keep(picture_pair *list, uint32_t *count, uint32_t most, picture_pair pair) {
  for (uint32_t i = 0; i < *count; i++) {
    if (list[i].a != pair.b || list[i].b != pair.a) continue;
    if (!is_worse(&pair, &list[i])) return;
    memmove(list + i, list + i + 1, (--*count - i) * sizeof *list);
  }
  uint32_t at = *count;
  while (at > 0 && is_worse(&pair, &list[at - 1])) at--;
  if (at == most) return;
  if (*count < most) ++*count;
  memmove(list + at + 1, list + at, (*count - at - 1) * sizeof *list);
  list[at] = pair;
}

static void find_hosts(search *s) {
  const ripstop_fabric *f = s->f;
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t port = f->port_base[end];
    if (port < f->port_base[end + 1] && f->peer[port] != RIPSTOP_NONE &&
        s->o->view->node_up[f->port_node[f->peer[port]]])
      s->hosts[f->port_node[f->peer[port]] - f->ends] = true;
  }
}

void picture_find_pairs(ripstop_arena *arena, picture *o, uint32_t most) {
  const ripstop_fabric *f = o->fabric;
  search s = {.f = f, .o = o, .switches = ripstop_fabric_switches(f)};
  s.far = RIPSTOP_ARRAY(arena, s.switches, uint32_t), s.before = RIPSTOP_ARRAY(arena, s.switches, uint32_t);
  s.queue = RIPSTOP_ARRAY(arena, s.switches, uint32_t), s.use = RIPSTOP_ARRAY(arena, s.switches, double);
  s.hosts = RIPSTOP_ARRAY(arena, s.switches, bool);
  picture_pair *list = RIPSTOP_ARRAY(arena, most + 1, picture_pair);
  find_hosts(&s);
  for (uint32_t a = 0; a < s.switches; a++) {
    if (!s.hosts[a]) continue;
    look(&s, a, s.before, false);
    look(&s, a, s.far, true);
    for (uint32_t b = 0; b < s.switches; b++) {
      if (b == a || !s.hosts[b] || s.before[b] == RIPSTOP_NONE) continue;
      const uint32_t longer = s.far[b] == RIPSTOP_NONE ? RIPSTOP_NONE : s.far[b] - s.before[b];
      if (longer || !isnan(s.use[b]))
        keep(list, &o->pairs, most, (picture_pair){f->ends + a, f->ends + b, longer, s.use[b]});
    }
  }
  o->pair = list;
}
