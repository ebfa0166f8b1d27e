/* broken-class.c - shortest candidates that are sound for traffic class 0, which takes the next channel with each hop,
 * and not for class 1, which stays on channel 0: where candidates make a ring only its packets can wait for each other.
 * With `lose` packets of class 1 are discarded at the switch of their destination. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

enum { CLASSES = 2, CHANNELS = 8 }; /* hops: at most as many */

typedef struct config {
  bool lose;
} config;

static const ripstop_option options[] = {{.name = "lose",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, lose),
                                          .fallback = "off",
                                          .help = "discard packets of class 1"},
                                         {0}};
enum { DISLIKED = NEARER_CUT_OFF + 1 };
static const char *const losses[] = {NEARER_LOSSES, [DISLIKED] = "not this class", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  p->channels = CHANNELS;
  p->classes = CLASSES;
  return nearer_plan(p, err);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  if (c->lose && head->class_ == 1 && nearer_arrived(p, head)) return -(1 + DISLIKED);
  int count = nearer_candidates(p, head, candidates);
  for (int i = 0; i < count && head->class_ == 0 && head->in_port != RIPSTOP_NONE; i++) {
    candidates[i].header = (head->header + 1) % CHANNELS;
    candidates[i].channel = (uint8_t)head->header;
  }
  return count;
}

const ripstop_method ripstop_method_broken_class = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-class",
    .summary = "shortest routes that are sound for one of two classes",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
