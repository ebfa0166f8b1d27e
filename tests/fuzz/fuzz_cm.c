/* fuzz_cm.c - any bytes as a connection matrix of htsim: an error in one line, or flows between nodes that are there,
 * each of which is started. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/traces/htsim_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static bool is_trigger(const htsim_matrix *m, uint32_t trigger) {
  return trigger == RIPSTOP_NONE || trigger < m->triggers;
}

static void demand_flow(const htsim_matrix *m, const htsim_flow *f) {
  demand(f->source < m->nodes && f->destination < m->nodes && f->source != f->destination && f->bytes > 0);
  demand(is_trigger(m, f->trigger) && is_trigger(m, f->send_done) && is_trigger(m, f->recv_done));
  demand(f->trigger == RIPSTOP_NONE || m->trigger[f->trigger].fired > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  htsim_matrix m;
  const htsim_unit unit = size % 2 ? HTSIM_AUTO : HTSIM_MICROSECONDS;
  if (ripstop_htsim_matrix_read(&m, arena, (const char *)data, size, unit, &err)) {
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return 0;
  }
  for (uint32_t i = 0; i < m.flows; i++) demand_flow(&m, &m.flow[i]);
  return 0;
}
