/* broken-deadlock.c - shortest routes with a single virtual channel: every packet is delivered, but if the candidates
 * make a ring its queues can wait for each other. With `early` a packet settles on one candidate as it becomes the head
 * of its queue; `idle` adds every link that is up to the candidates, at a higher rank, which a packet that settles
 * early never takes. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool early, idle;
} config;

static const ripstop_option options[] = {{.name = "early",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, early),
                                          .fallback = "off",
                                          .help = "settle on one candidate"},
                                         {.name = "idle",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, idle),
                                          .fallback = "off",
                                          .help = "permit candidates that are never taken"},
                                         {0}};
static const char *const losses[] = {NEARER_LOSSES, NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  p->choose_early = c->early;
  ripstop_answer answer = nearer_plan(p, err);
  p->candidates_max *= 2;
  return answer;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  int count = nearer_candidates(p, head, candidates);
  if (!c->idle || count < 0 || head->in_port == RIPSTOP_NONE) return count;
  int more = nearer_anywhere(p, head, candidates + count);
  for (int i = count; i < count + more; i++) candidates[i].rank = 1;
  return more < 0 ? count : count + more;
}

const ripstop_method ripstop_method_broken_deadlock = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-deadlock",
    .summary = "shortest routes with a single virtual channel",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
