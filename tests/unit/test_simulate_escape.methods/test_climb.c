/* test_climb.c - updown that prefers its up ports in their order: the candidate through the i-th port that is up has
 * rank i. `back` lists the candidates in reverse order. */
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool back;
} config;

extern const ripstop_method ripstop_method_updown;

static const ripstop_option options[] = {{.name = "back",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, back),
                                          .fallback = "off",
                                          .help = "the candidates in reverse order"},
                                         {0}};
static const char *const losses[] = {"no healthy up link", "the one down link is dead", "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_method_updown.plan(p, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const config *c = p->config;
  int count = ripstop_method_updown.route(p, head, ways);
  if (count > 0) count = ripstop_ways_expand(ways, count, p->ways_max);
  for (int i = 0; i < count; i++) ways[i].rank = (uint8_t)i;
  for (int i = 0; c->back && i < count / 2; i++) {
    ripstop_way way = ways[i];
    ways[i] = ways[count - 1 - i];
    ways[count - 1 - i] = way;
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
