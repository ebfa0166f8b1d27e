/* candidates.c - the candidate that link-fault-messages computes from a switch's table and port states. */

#include "methods/link-fault-messages/link-fault-messages.h"

/* Steps 2 to 4. */
int ripstop_lfm_go_up(const shape *s, uint32_t level, uint32_t position, uint32_t destination, const ups *u,
                      uint64_t entry, ripstop_candidate *candidate) {
  uint64_t ports = allowed(s, u, entry, meet(s, level, position, position_above(s, level, destination)));
  if (!ports) return -(1 + NO_PORT_LEFT);
  candidate->port = (uint16_t)(s->half + next_allowed(ports, ripstop_tree_down_port(&s->tree, level, destination)));
  return 1;
}
