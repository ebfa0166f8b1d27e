/* port_habits.c - counts which ports the ends of each role use. */
#include "recognise/port_habits.h"

#include <stdlib.h>

bool pair_next(const ripstop_model *m, const recognised_graph *net, pair *p) {
  uint32_t w = p->want + p->wants, c = p->cable + p->cables;
  if (w == m->wants && c == net->cables) return false;
  uint64_t of_want = w < m->wants ? (uint64_t)m->want[w].a << 32 | m->want[w].b : UINT64_MAX;
  uint64_t of_cable = c < net->cables ? (uint64_t)net->cable[c].a << 32 | net->cable[c].b : UINT64_MAX;
  uint64_t least = of_want < of_cable ? of_want : of_cable;
  *p = (pair){.want = w, .cable = c};
  while (w + p->wants < m->wants && ((uint64_t)m->want[w + p->wants].a << 32 | m->want[w + p->wants].b) == least)
    p->wants++;
  while (c + p->cables < net->cables &&
         ((uint64_t)net->cable[c + p->cables].a << 32 | net->cable[c + p->cables].b) == least)
    p->cables++;
  return true;
}

static int by_role(const void *a_, const void *b_) {
  const port_habit *a = a_, *b = b_;
  if (a->role != b->role) return a->role < b->role ? -1 : 1;
  return a->port < b->port ? -1 : a->port > b->port;
}

void port_habits_find(port_habits *h, const ripstop_model *model, const recognised_graph *net) {
  *h = (port_habits){.list = RIPSTOP_ARRAY(net->arena, 2 * (size_t)model->wants + 1, port_habit)};
  for (pair p = {0}; pair_next(model, net, &p);)
    for (uint32_t i = 0; p.wants >= p.cables && i < p.cables; i++) {
      const ripstop_want *w = &model->want[p.want + i];
      const recognised_cable *c = &net->cable[p.cable + i];
      h->list[h->count++] = (port_habit){w->role_a, c->port_a, 1};
      h->list[h->count++] = (port_habit){w->role_b, c->port_b, 1};
    }
  qsort(h->list, h->count, sizeof *h->list, by_role);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    port_habit *last = kept > 0 ? &h->list[kept - 1] : NULL;
    if (last != NULL && last->role == h->list[i].role && last->port == h->list[i].port)
      last->times++;
    else
      h->list[kept++] = h->list[i];
  }
  h->count = kept;
}

uint32_t port_habits_first(const port_habits *h, uint64_t role) {
  uint32_t low = 0, high = h->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (h->list[middle].role < role)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool port_habits_usual(const port_habits *h, uint64_t role, uint32_t port, bool *known) {
  uint32_t most = 0, times = 0, all = 0;
  for (uint32_t i = port_habits_first(h, role); port_habits_has(h, i, role); i++) {
    if (h->list[i].times > most) most = h->list[i].times;
    if (h->list[i].port == port) times = h->list[i].times;
    all += h->list[i].times;
  }
  *known = most >= 2 && 2 * most * 4 >= all; /* a habit at all: few ports, and not once each */
  return 2 * times >= most;
}
