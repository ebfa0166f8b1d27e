/* fuzz_counters.c - any bytes as counters of ports, joined to a small fabric: an error in one line, or rows in order,
 * each of a cable of the fabric. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "formats/infiniband/cable_errors.h"
#include "ripstop/kit/fabrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char dump_text[] = "Switch 4 \"S-00000000000000a0\" # \"one\" base port 0 lid 1 lmc 0\n"
                                "[1] \"S-00000000000000b0\"[1] # \"two\" lid 2 4xEDR\n"
                                "[2] \"H-00000000000000c0\"[1] # \"n1 mlx5_0\" lid 3 4xEDR\n"
                                "Switch 4 \"S-00000000000000b0\" # \"two\" base port 0 lid 2 lmc 0\n"
                                "[1] \"S-00000000000000a0\"[1] # \"one\" lid 1 4xEDR\n"
                                "Ca 1 \"H-00000000000000c0\" # \"n1 mlx5_0\"\n"
                                "[1](c1) \"S-00000000000000a0\"[2] # lid 3 lmc 0 \"one\" lid 1 4xEDR\n";

static void demand(bool holds) {
  if (!holds) abort();
}

static void check(const ib_replace_first *found, const ripstop_ib_dump *dump) {
  demand(found->count <= dump->cables && found->uncabled <= found->ports && found->ports <= dump->ports);
  for (uint32_t i = 0; i < found->count; i++) {
    const ib_cable_errors *row = &found->list[i];
    demand(row->port < dump->ports && dump->port[row->port].mate != RIPSTOP_NONE);
    demand(row->downed || row->recovered || row->bits);
    demand(i == 0 || found->list[i - 1].downed >= row->downed);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_ib_from_text("small", dump_text, strlen(dump_text), &err);
  ib_counters now = {.arena = arena};
  ib_replace_first found;
  demand(fabric != NULL);
  const ripstop_ib_dump *dump = ripstop_ib_of(fabric)->dump;
  if (ib_counters_read(&now, "input", (const char *)data, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
  } else {
    ib_join_counters(&found, arena, dump, &now, NULL);
    check(&found, dump);
    ib_join_counters(&found, arena, dump, &now, &now);
    demand(found.count == 0);
  }
  ripstop_fabric_free(fabric);
  return 0;
}
