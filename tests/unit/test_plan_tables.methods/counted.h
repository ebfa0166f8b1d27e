/* counted.h - a test's methods for one switch: straight there by a table of ports, and a count of how often that table
 * has been made. */
#ifndef TESTS_COUNTED_H
#define TESTS_COUNTED_H

#include "promises.h"
#include "ripstop/plugin/method.h"

extern int tables_made; /* by all of them, since the test set it to 0 */

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"failed link", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)p, (void)err;
  return RIPSTOP_APPLIES;
}

/* [ends]: the local port of the switch that leads there. */
static ripstop_answer make_table(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint16_t *port = RIPSTOP_ARRAY(p->arena, f->ends, uint16_t);
  (void)err;
  for (uint32_t end = 0; end < f->ends; end++)
    port[end] = (uint16_t)(f->peer[f->port_base[end]] - f->port_base[ripstop_end_switch(f, end)]);
  p->data = port;
  tables_made++;
  return RIPSTOP_APPLIES;
}

static int go(const ripstop_plan *p, const ripstop_head *head, uint16_t port, ripstop_candidate *candidate) {
  *candidate = (ripstop_candidate){.port = port, .space = 1};
  return p->view->port_up[p->fabric->port_base[head->node] + port] ? 1 : -1;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const uint16_t *port = p->data;
  return go(p, head, ripstop_is_end(p->fabric, head->node) ? 0 : port[head->destination], candidates);
}

#define COUNTED(word)                                                                               \
  .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "one switch, by table", .source = "a test", \
  .options = options, .losses = losses, .plan = plan, .tables = make_table, .route = route,         \
  .guarantees = promise_nothing

#endif
