/* turns.h - one direction of a ring of routers, up or down by the packet's class, and in one method by its source too;
 * at a failed link the packet turns, once, and is marked, or with turn=off is lost. For the test of kinds of packet. */
#ifndef TEST_TURNS_H
#define TEST_TURNS_H

#include "fabric/torus.h"
#include "promises.h"
#include "ripstop/plugin/plan.h"

typedef struct config {
  bool turn;
} config;

static const ripstop_option options[] = {{.name = "turn",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, turn),
                                          .fallback = "on",
                                          .help = "whether packets turn at a failed link"},
                                         {0}};
static const char *const losses[] = {"may not turn", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus) || torus->dimensions != 1) {
    ripstop_fail(err, "for rings");
    return RIPSTOP_DOES_NOT_APPLY;
  }
  p->data = torus;
  p->classes = 2;
  return RIPSTOP_APPLIES;
}

static int route_turns(const ripstop_plan *p, const ripstop_head *head, uint32_t source,
                       ripstop_candidate *candidates) {
  const ripstop_torus *torus = p->data;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  candidates[0] = (ripstop_candidate){.space = 1};
  if (ripstop_is_end(p->fabric, head->node)) return 1;
  if (ripstop_torus_up(torus, 0, head->node, head->destination) == 0) {
    candidates[0].port = (uint16_t)ripstop_torus_end_port(torus, head->destination);
    return 1;
  }
  uint16_t port = (head->class_ + source + (uint32_t)head->header) & 1;
  bool turns = !alive[port];
  const config *c = p->config;
  if (turns && (head->header || !c->turn)) return -1;
  candidates[0] = (ripstop_candidate){.header = head->header || turns,
                                      .port = port ^ turns,
                                      .space = 1,
                                      .marks = turns ? (port ? RIPSTOP_MARK_UP : RIPSTOP_MARK_DOWN) : 0};
  return alive[candidates[0].port] ? 1 : -1;
}

#endif
