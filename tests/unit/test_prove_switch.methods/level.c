/* level.c - for test_prove_switch: one-way rings in which packets may take two adaptive channels, 0 and 1, or an escape
 * with a dateline, 2 while the wrap-around link lies ahead and 3 behind it. `escape` gives the escape's rank: with
 * `higher` the selection function binds a packet to an adaptive channel and leaves it the escape, with `same` the
 * packet can be bound to an adaptive channel alone. */
#include "promises.h"
#include "ripstop/plugin/method.h"

enum { SAME, HIGHER };
typedef struct config {
  int32_t escape;
} config;

static const char *const escape_words[] = {"same", "higher", NULL};
static const ripstop_option options[] = {{.name = "escape",
                                          .type = RIPSTOP_OPTION_WORD,
                                          .offset = offsetof(config, escape),
                                          .fallback = "higher",
                                          .words = escape_words},
                                         {0}};
static const char *const losses[] = {"none", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->channels = 4;
  p->candidates_max = 3;
  return RIPSTOP_APPLIES;
}

/* Switches are numbered along the ring; port 0 of each leads to the next one. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t last = ripstop_end_switch(f, head->destination);
  const config *c = p->config;
  if (ripstop_is_end(f, head->node) || head->node == last) {
    const uint32_t port = ripstop_is_end(f, head->node) ? 0 : ripstop_end_switch_port(f, head->destination);
    candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
    return 1;
  }
  const ripstop_candidate ahead = {.port = 0, .space = 1};
  candidates[0] = candidates[1] = candidates[2] = ahead;
  candidates[1].channel = 1;
  candidates[2].channel = last < head->node ? 2 : 3;
  candidates[2].rank = c->escape == HIGHER;
  return 3;
}

const ripstop_method ripstop_method_level = {.abi = RIPSTOP_METHOD_ABI,
                                             .name = "level",
                                             .summary = "a one-way ring with an escape",
                                             .options = options,
                                             .config_size = sizeof(config),
                                             .losses = losses,
                                             .plan = plan,
                                             .route = route,
                                             .guarantees = promise_nothing};
