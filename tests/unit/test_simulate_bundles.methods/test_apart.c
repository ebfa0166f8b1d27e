/* test_apart.c - minimal-adaptive with a bubble escape, but no two candidates of a head are alike: each has a header of
 * its own, which no code reads. `back` proposes them in reverse order, `times` each so often. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  int32_t escape; /* the same as minimal-adaptive's: bubble */
  bool alike, back;
  int64_t times;
} config;

extern const ripstop_method ripstop_method_minimal_adaptive;

static const ripstop_option options[] = {{.name = "alike",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, alike),
                                          .fallback = "off",
                                          .help = "all headers are the same"},
                                         {.name = "back",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, back),
                                          .fallback = "off",
                                          .help = "the candidates in reverse order"},
                                         {.name = "times",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, times),
                                          .min = 1,
                                          .max = 10,
                                          .fallback = "1",
                                          .help = "each candidate so often"},
                                         {0}};
static const char *const losses[] = {"dead", "cut off", NULL};

enum { BUBBLE = 2 };

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  config *c = (config *)p->config;
  c->escape = BUBBLE;
  ripstop_answer answer = ripstop_method_minimal_adaptive.plan(p, err);
  p->candidates_max *= (uint32_t)c->times;
  return answer;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  int count = ripstop_method_minimal_adaptive.route(p, head, candidates);
  for (int i = 0; c->back && i < count / 2; i++) {
    ripstop_candidate candidate = candidates[i];
    candidates[i] = candidates[count - 1 - i];
    candidates[count - 1 - i] = candidate;
  }
  for (int i = count; i < count * (int)c->times; i++) candidates[i] = candidates[i - count];
  if (count > 0) count *= (int)c->times;
  for (int i = 0; i < count; i++) candidates[i].header = c->alike ? 0 : ((uint64_t)head->node << 32) + (uint64_t)i;
  return count;
}

const ripstop_method ripstop_method_test_apart = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-apart",
                                                  .summary = "minimal-adaptive with candidates that differ, for tests",
                                                  .source = "none",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = promise_no_deadlock};
