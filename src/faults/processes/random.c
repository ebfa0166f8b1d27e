/* random.c - a number of parts fail one after another and stay down, or links continue at a lower rate. */
#include <math.h>
#include <stdlib.h>

#include "ripstop/plugin/process.h"

typedef struct config {
  const char *scope;
  int64_t count;
  int64_t from, every;
  double rate;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, count, 1, 1e6, NULL, "parts that fail", .positional = true),
    RIPSTOP_PROCESS_SCOPE(config, "what fails"),
    RIPSTOP_PROCESS_TIMES(config),
    RIPSTOP_REAL(config, rate, 0, 0.999, "0", "links continue at this fraction of the full rate; 0: they are down",
                 .later = true),
    {0}};

static int sample(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                  ripstop_error *err) {
  const bool switches = ripstop_scope_is_switches(table);
  const config *c = options_;
  const uint16_t rate = (uint16_t)lround(c->rate * RIPSTOP_RATE_FULL);
  if (c->rate > 0 && (switches || rate < RIPSTOP_RATE_LEAST))
    return ripstop_fail(err, "process random: %s",
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

const ripstop_process ripstop_process_random = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "random",
    .summary = "a number of parts fail, one after another, and stay down, or slow; nothing is disconnected",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,from=100,every=50",
    .prepare = ripstop_process_open_scope,
    .sample = sample,
};
