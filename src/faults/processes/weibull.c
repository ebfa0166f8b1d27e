/* weibull.c - parts whose lifetimes have a Weibull distribution: P(lifetime > t) = exp(-(t/scale)^shape).
 *
 * A shape below 1 is infant mortality, 1 a constant rate, above 1 wear. If there is a repair time, a repaired part is
 * as new, and fails again. */
#include <math.h>
#include <stdlib.h>

#include "ripstop/plugin/process.h"

typedef struct config {
  const char *scope;
  int64_t count;
  double shape, scale, repair;
  int64_t from, until;
  bool cut;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, count, 1, 1e6, NULL, "parts that wear", .positional = true),
    RIPSTOP_REAL(config, shape, 0.1, 100, NULL,
                 "shape of the lifetimes: below 1 early failures, 1 a constant rate, above 1 wear"),
    RIPSTOP_REAL(config, scale, 1, 1e12, NULL, "cycles that a share 1/e of the parts outlives"),
    RIPSTOP_REAL(config, repair, 0, 1e9, "0", "cycles after which a part that failed is as new; 0: never"),
    RIPSTOP_INTEGER(config, from, 0, 1e9, "0", "cycle in which all parts are new"),
    RIPSTOP_PROCESS_UNTIL(config),
    RIPSTOP_PROCESS_SCOPE(config, "what wears"),
    RIPSTOP_PROCESS_CUT(config),
    {0}};

/* The exponential variable of mean 1 is (life / scale) ^ shape. */
static void wear(const ripstop_process_case *at, const void *options_, uint32_t id, bool is_switch,
                 ripstop_outages *out) {
  const config *c = options_;
  ripstop_stream stream = ripstop_process_stream(at, id, is_switch);
  double now = (double)c->from;
  for (;;) {
    now += c->scale * pow(ripstop_process_exponential(&stream, 1), 1 / c->shape);
    if (now >= (double)c->until) return;
    double repaired = c->repair > 0 ? now + c->repair : INFINITY;
    if (!ripstop_outages_add(out, id, is_switch, now, repaired)) return;
    now = repaired;
  }
}

static int sample(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                  ripstop_error *err) {
  const config *c = options_;
  return ripstop_process_each(at, table, (uint32_t)c->count, c->cut, wear, c, out, err);
}

const ripstop_process ripstop_process_weibull = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "weibull",
    .summary = "parts that wear: lifetimes with Weibull's distribution, repaired or not",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,shape=2,scale=500,repair=100,until=2000",
    .prepare = ripstop_process_open_scope,
    .sample = sample,
};
