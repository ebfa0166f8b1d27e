/* draw.c - a number of parts fail one after another and stay down, or links continue at a lower rate. */
#include <math.h>
#include <stdlib.h>

#include "ripstop/plugin/process.h"

typedef struct config {
  const char *scope;
  int64_t count;
  int64_t from, every;
  double rate;
} config;

static const ripstop_option options[] = {{.name = "count",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, count),
                                          .min = 1,
                                          .max = 1e6,
                                          .positional = true,
                                          .help = "parts that fail"},
                                         RIPSTOP_PROCESS_SCOPE(config, "what fails"),
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
                                         {.name = "rate",
                                          .type = RIPSTOP_OPTION_REAL,
                                          .offset = offsetof(config, rate),
                                          .min = 0,
                                          .max = 0.999,
                                          .fallback = "0",
                                          .later = true,
                                          .help = "links continue at this fraction of the full rate; 0: they are down"},
                                         {0}};

static int draw(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                ripstop_error *err) {
  const bool switches = ripstop_scope_is_switches(table);
  const config *c = options_;
  const uint16_t rate = (uint16_t)lround(c->rate * RIPSTOP_RATE_FULL);
  if (c->rate > 0 && (switches || rate < RIPSTOP_RATE_LEAST))
    return ripstop_fail(err, "process draw: %s",
                        switches ? "only links can be slow" : "links continue at 0.01 of the full rate at least");
  uint32_t count = (uint32_t)c->count, *id = ripstop_realloc(NULL, count, sizeof *id);
  int status = ripstop_process_parts(at, table, count, false, id, err);
  for (uint32_t i = 0; !status && i < count; i++) {
    const double from = (double)(c->from + i * c->every);
    if (rate)
      ripstop_outages_add_slow(out, id[i], rate, from, INFINITY);
    else
      ripstop_outages_add(out, id[i], switches, from, INFINITY);
  }
  ripstop_free(id);
  return status;
}

const ripstop_process ripstop_process_draw = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "draw",
    .summary = "a number of parts fail, one after another, and stay down, or slow; nothing is disconnected",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,from=100,every=50",
    .prepare = ripstop_process_open_scope,
    .draw = draw,
};
