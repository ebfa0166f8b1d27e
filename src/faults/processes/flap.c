/* flap.c - links that fail and return repeatedly.
 *
 * Each part is up and down in turn for exponential times with the means `up` and `down`, beginning with an up time at
 * `from`. So it is down for the share down / (up + down) of a long time. The parts are independent of each other. */
#include <math.h>
#include <stdlib.h>

#include "ripstop/plugin/process.h"

typedef struct config {
  const char *scope;
  int64_t count;
  double up, down;
  int64_t from, until;
  bool cut;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, count, 1, 1e6, NULL, "parts that flap", .positional = true),
    RIPSTOP_REAL(config, up, 1, 1e9, NULL, "cycles from a repair to the next failure, mean"),
    RIPSTOP_REAL(config, down, 1, 1e9, NULL, "cycles from a failure to its repair, mean"),
    RIPSTOP_INTEGER(config, from, 0, 1e9, "0", "cycle in which the first up times begin"),
    RIPSTOP_PROCESS_UNTIL(config),
    RIPSTOP_PROCESS_SCOPE(config, "what flaps"),
    RIPSTOP_PROCESS_CUT(config),
    {0}};

static void flap(const ripstop_process_case *at, const void *options_, uint32_t id, bool is_switch,
                 ripstop_outages *out) {
  const config *c = options_;
  ripstop_stream stream = ripstop_process_stream(at, id, is_switch);
  double now = (double)c->from;
  for (;;) {
    now += ripstop_process_exponential(&stream, c->up);
    if (now >= (double)c->until) return;
    double repaired = now + ripstop_process_exponential(&stream, c->down);
    if (!ripstop_outages_add(out, id, is_switch, now, repaired)) return;
    now = repaired;
  }
}

static int sample(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                  ripstop_error *err) {
  const config *c = options_;
  return ripstop_process_each(at, table, (uint32_t)c->count, c->cut, flap, c, out, err);
}

const ripstop_process ripstop_process_flap = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "flap",
    .summary = "parts that go down and come back, for exponential times",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,up=300,down=40,until=2000",
    .prepare = ripstop_process_open_scope,
    .sample = sample,
};
