/* turns.h - one way round a ring of routers, up or down by the packet's class, and by its source where the method looks
 * at it; at a dead link the packet turns, once, and is marked, or with turn=off is lost. For the test of kinds of
 * packet. */
#ifndef TEST_TURNS_H
#define TEST_TURNS_H

#include "fabric/torus.h"
#include "ripstop/plan.h"

typedef struct config {
  bool turn;
} config;

static const rs_option options[] = {{.name = "turn",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, turn),
                                     .fallback = "on",
                                     .help = "whether packets turn at a dead link"},
                                    {0}};
static const char *const losses[] = {"may not turn", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  rs_torus *torus = RS_NEW(p->arena, rs_torus);
  if (!rs_torus_from(p->fabric, torus) || torus->dimensions != 1) {
    rs_fail(err, "for rings");
    return RS_DOES_NOT_APPLY;
  }
  p->data = torus;
  p->classes = 2;
  return RS_APPLIES;
}

static int route_turns(const rs_plan *p, const rs_head *head, uint32_t source, rs_way *ways) {
  const rs_torus *torus = p->data;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  ways[0] = (rs_way){.space = 1};
  if (rs_is_end(p->fabric, head->node)) return 1;
  if (rs_torus_up(torus, 0, head->node, head->destination) == 0) {
    ways[0].port = (uint16_t)rs_torus_end_port(torus);
    return 1;
  }
  uint16_t port = (head->class_ + source + (uint32_t)head->header) & 1;
  bool turns = !alive[port];
  const config *c = p->config;
  if (turns && (head->header || !c->turn)) return -1;
  ways[0] = (rs_way){.header = head->header || turns,
                     .port = port ^ turns,
                     .space = 1,
                     .marks = turns ? (port ? RS_MARK_UP : RS_MARK_DOWN) : 0};
  return alive[ways[0].port] ? 1 : -1;
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  (void)fabric, (void)config_;
  *out = (rs_claims){0};
}

#endif
