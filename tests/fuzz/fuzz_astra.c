/* fuzz_astra.c - any bytes as a network of ASTRA-sim: an error in one line, or a graph with an end node for each NPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/astra_network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MOST = 2000 }; /* NPUs: larger meshes take seconds */
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  astra_network n;
  ripstop_graph g;
  ripstop_graph_open(&g, arena, "net");
  (void)astra_network_is((const char *)data, size);
  if (astra_network_read(&n, "net", (const char *)data, size, &err) ||
      (n.npus <= MOST && astra_network_graph(&g, (const char *)data, size, &err))) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  demand(n.npus > MOST || g.ends == n.npus);
  return 0;
}
