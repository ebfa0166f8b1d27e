/* draw.c - so many parts fail one after another, and stay down. */
#include <math.h>
#include <stdlib.h>

#include "ripstop/plugin/process.h"

typedef struct config {
  int64_t count;
  int32_t scope;
  int64_t from, every;
} config;

static const ripstop_option options[] = {{.name = "count",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, count),
                                          .min = 1,
                                          .max = 1e6,
                                          .positional = true,
                                          .help = "parts that fail"},
                                         {.name = "scope",
                                          .type = RIPSTOP_OPTION_WORD,
                                          .offset = offsetof(config, scope),
                                          .words = ripstop_process_scopes,
                                          .fallback = "switch-links",
                                          .help = "what fails"},
                                         {.name = "from",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, from),
                                          .min = 0,
                                          .max = 1e9,
                                          .fallback = "0",
                                          .help = "cycle of the first failure"},
                                         {.name = "every",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, every),
                                          .min = 0,
                                          .max = 1e9,
                                          .fallback = "0",
                                          .help = "cycles from each failure to the next; 0: all at once"},
                                         {0}};

static int draw(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                ripstop_error *err) {
  (void)table;
  const config *c = options_;
  uint32_t count = (uint32_t)c->count, *id = ripstop_realloc(NULL, count, sizeof *id);
  int status = ripstop_process_parts(at, c->scope, count, false, id, err);
  for (uint32_t i = 0; !status && i < count; i++)
    ripstop_outages_add(out, id[i], c->scope, (double)(c->from + i * c->every), INFINITY);
  ripstop_free(id);
  return status;
}

const ripstop_process ripstop_process_draw = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "draw",
    .summary = "so many parts fail, one after another, and stay down; nothing is cut",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,from=100,every=50",
    .draw = draw,
};
