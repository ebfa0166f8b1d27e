/* fuzz_topo.c - any bytes as a topology of htsim: an error in one line, or a graph in which every switch has as many
 * cables as the radices say. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/htsim_topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_radices(const ripstop_graph *g, const htsim_topology *t) {
  uint64_t leaf = 0, cables = 0;
  for (uint32_t i = 0; i < g->cables; i++) {
    const ripstop_graph_cable *c = &g->cable[i];
    leaf += !c->ends && c->node[0] == 0;
    cables += !c->ends && c->node[1] == g->routers - 1;
  }
  demand(g->ends == t->nodes);
  demand(leaf == t->tier[0].value[HTSIM_UP]);
  demand(cables == t->tier[t->tiers - 1].value[HTSIM_DOWN]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MOST = 4096 }; /* nodes: larger fabrics take seconds */
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  htsim_topology t;
  ripstop_graph g;
  ripstop_graph_open(&g, arena, "net");
  if (htsim_topology_read(&t, "net", (const char *)data, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  if (t.nodes > MOST || t.tier[0].value[HTSIM_UP] > MOST) return 0;
  demand(htsim_topology_graph(&g, (const char *)data, size, &err) == 0);
  demand_radices(&g, &t);
  return 0;
}
