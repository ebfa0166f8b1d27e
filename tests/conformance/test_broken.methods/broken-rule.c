/* broken-rule.c - breaks the rules of method.h, one at a time; else shortest candidates. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

typedef enum { FAILED_PORT, NO_PORT, WRONG_END, CHANNEL, NO_SPACE, MUCH_SPACE, NO_CANDIDATES, MANY_CANDIDATES } rule;

typedef struct config {
  int32_t rule;
} config;

static const char *const words[] = {
    [FAILED_PORT] = "dead-port", [NO_PORT] = "no-port",           [WRONG_END] = "wrong-end",
    [CHANNEL] = "channel",       [NO_SPACE] = "no-space",         [MUCH_SPACE] = "much-space",
    [NO_CANDIDATES] = "no-ways", [MANY_CANDIDATES] = "many-ways", NULL};
static const ripstop_option options[] = {{.name = "rule",
                                          .type = RIPSTOP_OPTION_WORD,
                                          .offset = offsetof(config, rule),
                                          .words = words,
                                          .positional = true,
                                          .help = "the rule to break"},
                                         {0}};
static const char *const losses[] = {NEARER_LOSSES, NULL};

static int first_port(const ripstop_plan *plan, const ripstop_head *head, bool dead, bool end,
                      ripstop_candidate *candidate) {
  const ripstop_fabric *f = plan->fabric;
  for (uint32_t port = f->port_base[head->node]; port < f->port_base[head->node + 1]; port++) {
    uint32_t next = f->port_node[f->peer[port]];
    if (plan->view->port_up[port] == dead || ripstop_is_end(f, next) != end || next == head->destination) continue;
    *candidate = (ripstop_candidate){.port = (uint16_t)(port - f->port_base[head->node]), .space = 1};
    return 1;
  }
  return 0;
}

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = plan->config;
  int count = nearer_candidates(plan, head, candidates);
  if (head->in_port == RIPSTOP_NONE || count < 0) return count;
  ripstop_candidate other;
  switch ((rule)c->rule) {
  case FAILED_PORT:
    if (first_port(plan, head, true, false, &other)) candidates[0] = other;
    break;
  case NO_PORT:
    candidates[0].port = (uint16_t)ripstop_node_ports(plan->fabric, head->node);
    break;
  case WRONG_END:
    if (first_port(plan, head, false, true, &other)) candidates[0] = other;
    break;
  case CHANNEL:
    candidates[0].channel = (uint8_t)plan->channels;
    break;
  case NO_SPACE:
    candidates[0].space = 0;
    break;
  case MUCH_SPACE:
    candidates[0].space = 3;
    break;
  case NO_CANDIDATES:
    return 0;
  case MANY_CANDIDATES:
    return (int)plan->candidates_max + 1;
  }
  return count;
}

const ripstop_method ripstop_method_broken_rule = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-rule",
    .summary = "breaks the rules of method.h",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
