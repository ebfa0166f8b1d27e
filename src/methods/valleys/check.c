/* check.c - the guarantees of valleys for a quiet network: every switch of a component knows which links are up, all
 * have agreed, and each has the turns and distances that settle.c finds for these links. */
#include <string.h>

#include "base/local.h"
#include "methods/shared/router_text.h"
#include "methods/valleys/valleys.h"

static uint64_t settled_turns(const tables *t, uint32_t switch_, uint32_t port) {
  const chart *c = &t->chart;
  return t->live[switch_] & bit(port) ? t->turn[channel_back(c, channel_from(c, switch_, port))] : 0;
}

static int check_switch(const ripstop_plan *p, const tables *t, const memory *m, ripstop_error *err) {
  const chart *c = &t->chart;
  uint32_t switch_ = m->node - p->fabric->ends, ports = ports_of(c, switch_);
  arrays a = ripstop_valleys_open_memory(p, m->node, m);
  if (m->live != t->live[switch_])
    return ripstop_router_fails(p, "switch", switch_, "does not know which of its links are up", err);
  if (!m->agreed) return ripstop_router_fails(p, "switch", switch_, "waits for the others to agree", err);
  for (uint32_t port = 0; port < ports; port++)
    if (a.permitted[port] != settled_turns(t, switch_, port))
      return ripstop_router_fails(p, "switch", switch_, "permits other turns", err);
  if (memcmp(a.left, rows_of(t, switch_), (size_t)ports * (c->leaves + 1) * sizeof *a.left) != 0)
    return ripstop_router_fails(p, "switch", switch_, "has wrong distances", err);
  return 0;
}

int ripstop_valleys_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err) {
  if (watch && !watch->fresh) return 0;
  const tables *of = p->data;
  RIPSTOP_LOCAL_ARENA(arena);
  tables t = {.chart = of->chart};
  int status = 0;
  ripstop_valleys_settle(p, &t, arena);
  for (uint32_t s = 0; s < t.chart.switches && status == 0; s++)
    if (state[p->fabric->ends + s]) status = check_switch(p, &t, state[p->fabric->ends + s], err);
  return status;
}
