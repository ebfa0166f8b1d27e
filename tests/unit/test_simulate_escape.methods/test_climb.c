/* test_climb.c - updown that prefers its up ports in their order: the candidate through the i-th port that is up has
 * rank i. `back` lists the candidates in reverse order. With `pairs` two ports share each rank, with headers of their
 * own, so that the engine keeps them in two bundles. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool back, pairs;
} config;

extern const ripstop_method ripstop_method_updown;

static const ripstop_option options[] = {{.name = "back",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, back),
                                          .fallback = "off",
                                          .help = "the candidates in reverse order"},
                                         {.name = "pairs",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, pairs),
                                          .fallback = "off",
                                          .help = "two candidates of each rank"},
                                         {0}};
static const char *const losses[] = {"no healthy up link", "the one down link is dead", "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_method_updown.plan(p, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  int count = ripstop_method_updown.route(p, head, candidates);
  if (count > 0) count = ripstop_candidates_expand(candidates, count, p->candidates_max);
  for (int i = 0; i < count; i++) candidates[i].rank = (uint8_t)(c->pairs ? i / 2 : i);
  for (int i = 0; i < count && c->pairs; i++) candidates[i].header = (uint64_t)i % 2;
  for (int i = 0; c->back && i < count / 2; i++) {
    ripstop_candidate candidate = candidates[i];
    candidates[i] = candidates[count - 1 - i];
    candidates[count - 1 - i] = candidate;
  }
  return count;
}

const ripstop_method ripstop_method_test_climb = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-climb",
                                                  .summary = "updown with ranks, for tests",
                                                  .source = "none",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = promise_no_deadlock};
