/* broken-deadlock.c - shortest ways on one channel: every packet is delivered, but where the ways make a ring its
 * queues can wait for each other. With `early` a packet settles on one way as it becomes the head of its queue. */
#include "nearer.h"

typedef struct config {
  bool early;
} config;

static const rs_option options[] = {{.name = "early",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, early),
                                     .fallback = "off",
                                     .help = "settle on one way"},
                                    {0}};
static const char *const losses[] = {NEARER_LOSSES, NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  const config *c = p->config;
  p->choose_early = c->early;
  return nearer_plan(p, err);
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
    .route = nearer_ways,
    .claims = nearer_claims,
};
