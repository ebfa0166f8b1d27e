/* fuzz_ns3.c - any bytes as topologies of HPCC and SimAI: an error in one line, or a graph with an end node for each
 * host and a cable for each link. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/ns3_topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void read_as(const char *text, size_t size, bool simai) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ripstop_graph g;
  ns3_topology t;
  ripstop_graph_open(&g, arena, "net");
  if ((simai ? ns3_simai_read : ns3_hpcc_read)(&t, arena, "net", text, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return;
  }
  demand((simai ? ns3_simai_graph : ns3_hpcc_graph)(&g, text, size, &err) == 0);
  uint32_t hosts = 0, routers = 0;
  for (uint32_t node = 0; node < t.nodes; node++) {
    hosts += t.kind[node] == NS3_HOST;
    routers += t.kind[node] == NS3_HOST && t.cables[node] > 1;
  }
  demand(g.ends == hosts && g.cables == t.links + routers && g.routers == t.nodes - hosts + routers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_as((const char *)data, size, false);
  read_as((const char *)data, size, true);
  return 0;
}
