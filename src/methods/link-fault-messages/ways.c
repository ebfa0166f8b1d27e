/* ways.c - the way on that link-fault-messages chooses, from a switch's table and port states. */

#include "methods/link-fault-messages/link-fault-messages.h"

/* Step 1, and whether it is all: 1 or a loss when the way is down or from the source; 0: a way up is to be found. */
int ripstop_lfm_go_down(const ripstop_plan *p, const shape *s, const ripstop_head *head, ripstop_way *way) {
  *way = (ripstop_way){.port = 0, .space = 1};
  if (ripstop_is_end(p->fabric, head->node))
    return p->view->port_up[p->fabric->port_base[head->node]] ? 1 : -(1 + CUT_OFF);
  if (!ripstop_tree_above(&s->tree, head->node, head->destination)) return 0;
  way->port = (uint16_t)ripstop_tree_down_port(&s->tree, ripstop_tree_level(&s->tree, head->node), head->destination);
  return 1;
}

/* Steps 2 to 4. */
int ripstop_lfm_go_up(const shape *s, uint32_t level, uint32_t position, uint32_t destination, const ups *u,
                      uint64_t entry, ripstop_way *way) {
  uint64_t ports = allowed(s, u, entry, meet(s, level, position, position_above(s, level, destination)));
  if (!ports) return -(1 + NO_PORT_LEFT);
  way->port = (uint16_t)(s->half + next_allowed(ports, ripstop_tree_down_port(&s->tree, level, destination)));
  return 1;
}
