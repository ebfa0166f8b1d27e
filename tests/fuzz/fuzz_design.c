/* fuzz_design.c - any bytes as a design of the cables of a small fabric: an error in one line, or an answer whose
 * numbers add up. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "formats/infiniband/design_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char dump_text[] = "Switch 4 \"S-00000000000000a0\" # \"one\" base port 0 lid 1 lmc 0\n"
                                "[1] \"S-00000000000000b0\"[1] # \"MF0;dir:CS/L16/U2\" lid 2 4xEDR\n"
                                "[2] \"H-00000000000000c0\"[1] # \"n1 mlx5_0\" lid 3 4xEDR\n"
                                "[3] \"S-00000000000000b0\"[3] # \"MF0;dir:CS/L16/U2\" lid 2 4xEDR\n"
                                "Switch 4 \"S-00000000000000b0\" # \"MF0;dir:CS/L16/U2\" base port 0 lid 2 lmc 0\n"
                                "[1] \"S-00000000000000a0\"[1] # \"one\" lid 1 4xEDR\n"
                                "[3] \"S-00000000000000a0\"[3] # \"one\" lid 1 4xEDR\n"
                                "Ca 1 \"H-00000000000000c0\" # \"n1 mlx5_0\"\n"
                                "[1](c1) \"S-00000000000000a0\"[2] # lid 3 lmc 0 \"one\" lid 1 4xEDR\n";

static void demand(bool holds) {
  if (!holds) abort();
}

static void check(const ib_design_result *found, const ib_design *rows) {
  uint32_t known = 0;
  for (uint32_t i = 0; i < found->count; i++) {
    const ib_design_fault *f = &found->list[i];
    known += f->what != IB_DESIGN_UNKNOWN_DEVICE;
    demand(f->row < rows->count && (f->what != IB_DESIGN_UNKNOWN_DEVICE || f->why != NULL));
    demand(f->swapped == RIPSTOP_NONE || f->swapped < found->count);
    demand(i == 0 || found->list[i - 1].row < f->row);
  }
  demand(found->cables == found->as_designed + known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_ib_from_text("small", dump_text, strlen(dump_text), &err);
  ib_design rows;
  ib_design_result found;
  demand(fabric != NULL);
  const bool is = ib_design_is((const char *)data, size);
  if (ib_design_read(&rows, arena, "input", (const char *)data, size, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
  } else {
    demand(is);
    ib_design_check(&found, arena, ripstop_ib_of(fabric)->dump, &rows);
    check(&found, &rows);
  }
  ripstop_fabric_free(fabric);
  return 0;
}
