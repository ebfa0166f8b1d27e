/* test_grudge.c - for test_what_set: shortest routes, repaired as if there were no older tables. It can lose a pair,
 * and the machine can fail it once a link is down. */
#include <errno.h>

#include "ripstop/kit/judge.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool loses, fails;
} config;

static const ripstop_option options[] = {{.name = "loses",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, loses),
                                          .fallback = "off",
                                          .help = "one entry is missing"},
                                         {.name = "fails",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, fails),
                                          .fallback = "off",
                                          .help = "no tables once a link is down"},
                                         {0}};
static const char *const losses[] = {"no candidate", NULL};

static ripstop_forwarding *make(const config *c, const ripstop_view *view, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  if (c->fails && view->failed_links > 0) {
    ripstop_fail_system(err, EMFILE, "grudge");
    return NULL;
  }
  *answer = RIPSTOP_APPLIES;
  ripstop_forwarding *tables = ripstop_forwarding_shortest(view, err);
  if (c->loses) ripstop_forwarding_set(tables, 0, view->fabric->nodes - 1, RIPSTOP_NO_PORT);
  return tables;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding *tables = make(p->config, p->view, &answer, err);
  if (tables) p->data = ripstop_forwarding_copy(p->arena, tables);
  ripstop_forwarding_free(tables);
  p->channels = p->candidates_max = 1;
  return answer;
}

static const ripstop_forwarding *forwarding(const ripstop_plan *p) { return p->data; }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  (void)p;
  (void)head;
  (void)candidates;
  return -1;
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)fabric;
  (void)config_;
  *out = (ripstop_guarantees){0};
}

static ripstop_forwarding *repair(const void *config_, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)old;
  (void)seconds;
  return make(config_, view, answer, err);
}

const ripstop_method ripstop_method_test_grudge = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "test-grudge",
    .summary = "shortest routes",
    .source = "none",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .forwarding = forwarding,
    .repair = repair,
};
