/* broken-deadlock.c - shortest ways on one channel: every packet is delivered, but where the ways make a ring its
 * queues can wait for each other. With `early` a packet settles on one way as it becomes the head of its queue; `idle`
 * adds every living link to the ways, at a higher rank, which a packet that settles early never takes. */
#include "nearer.h"

typedef struct config {
  bool early, idle;
} config;

static const rs_option options[] = {{.name = "early",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, early),
                                     .fallback = "off",
                                     .help = "settle on one way"},
                                    {.name = "idle",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, idle),
                                     .fallback = "off",
                                     .help = "permit ways that are never taken"},
                                    {0}};
static const char *const losses[] = {NEARER_LOSSES, NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  const config *c = p->config;
  p->choose_early = c->early;
  rs_answer answer = nearer_plan(p, err);
  p->ways_max *= 2;
  return answer;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const config *c = p->config;
  int count = nearer_ways(p, head, ways);
  if (!c->idle || count < 0 || head->in_port == RS_NONE) return count;
  int more = nearer_anywhere(p, head, ways + count);
  for (int i = count; i < count + more; i++) ways[i].rank = 1;
  return more < 0 ? count : count + more;
}

const rs_method rs_method_broken_deadlock = {
    .abi = RS_METHOD_ABI,
    .name = "broken-deadlock",
    .summary = "shortest ways on one channel",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = nearer_claims,
};
