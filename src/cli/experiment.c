/* experiment.c - what `run` and `report` share: an experiment, its runs and its store. */
#include "cli/experiment.h"

#include <string.h>

const char *cli_beside(cli_experiment *e, const char *file, const char *suffix) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  return rs_arena_printf(e->arena, "out/%.*s%s", length, name, suffix);
}

int cli_open(cli_experiment *e, const char *file, bool quick, const char *store, rs_store_mode mode, rs_error *err) {
  *e = (cli_experiment){.arena = rs_arena_new()};
  e->store_path = store ? store : cli_beside(e, file, ".db");
  if (!(e->spec = rs_spec_read(file, quick, err))) return -1;
  if (!(e->runs = rs_expand(e->spec, err))) return -1;
  return (e->store = rs_store_open(e->store_path, mode, err)) ? 0 : -1;
}

int cli_load(cli_experiment *e, rs_error *err) {
  e->outcome = RS_ARRAY(e->arena, e->runs->count, const rs_outcome *);
  for (size_t i = 0; i < e->runs->count; i++) {
    rs_outcome *outcome = RS_NEW(e->arena, rs_outcome);
    int found = rs_store_get(e->store, e->runs->run[i].id, e->arena, outcome, err);
    if (found < 0) return -1;
    if (found) e->outcome[i] = outcome;
  }
  return 0;
}

void cli_close(cli_experiment *e) {
  rs_store_close(e->store);
  rs_runs_free(e->runs);
  rs_spec_free(e->spec);
  rs_arena_free(e->arena);
}
