/* ordered.c - adaptive routing with an escape that follows an order of the routers, which they repair where it breaks.
 * docs/methods/ordered.md explains the method and proves it.
 *
 * VC 0 is the escape, the others are adaptive and minimal. Every router has a place in an order; a link leads up
 * towards the smaller place. In the escape packets go up, then down: a queue that leads down has only down candidates.
 * One router of a component, the root, has no router above it. A router that loses its last link up takes a place below
 * a neighbour that has another. Traffic continues meanwhile.
 *
 * The method's folder:
 *   order.c        the first places, and the place below a neighbour
 *   settle.c       computes places and tables of a view by searches: `route` and the proofs use it
 *   protocol.c     the routers' state machines
 *   candidates.c   the candidates that follow from tables of either construction
 *   check.c        checks a quiet network; print.c prints states */
#include "methods/ordered/ordered.h"
#include "methods/shared/connected.h"

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, adaptive, 1, 4, "1", "adaptive virtual channels, beside the escape"),
    RIPSTOP_INTEGER(config, detours, 0, DETOURS_MAX, "15",
                    "hops of a packet that lead no nearer; afterwards it stays in the escape"),
    RIPSTOP_FLAG(config, dimension_order, "off",
                 "of the shortest links the one with the lowest port comes first; in-transit packets alone may take "
                 "another, when that one's queue is full",
                 .later = true),
    RIPSTOP_INTEGER(config, near, 0, UINT16_MAX, "4",
                    "distance from which new packets may enter the escape downwards; farther ones enter it upwards, "
                    "or wait for an adaptive virtual channel"),
    RIPSTOP_INTEGER(config, guests, 0, 4096, "64", "stale packets that a network interface can hold in transit"),
    RIPSTOP_INTEGER(config, rank_cycles, 1, 1e9, "100",
                    "cycles that a router needs to handle and forward a place in the order"),
    RIPSTOP_INTEGER(config, entry_cycles, 1, 1e9, "1000",
                    "cycles that a router needs to handle and forward a table entry"),
    RIPSTOP_INTEGER(config, control_flits, 0, 1023, "3",
                    "flits of a message, which occupies its link; 0: messages have a virtual channel of their own"),
    RIPSTOP_INTEGER(
        config, grace_cycles, 0, 1e9, "3000",
        "cycles before a router that has lost its route down reports that to routers below; a new root waits longer"),
    RIPSTOP_INTEGER(config, hold_cycles, 1, 1e9, "6000",
                    "cycles that a packet waits for a candidate before it is dropped"),
    {0}};

static const char *const losses[] = {[NO_PATH] = "no path is left",
                                     [END_CUT_OFF] = "destination cut off",
                                     [CUT_OFF] = "source cut off",
                                     [STALE] = "no room for guests",
                                     NULL};

/* ------------------------------------------------------------------ the plan */

/* All virtual channels of all ports, and the NICs. */
static uint32_t most_candidates(const ripstop_plan *p) {
  uint32_t most = ripstop_most_ports(p->fabric);
  return most == RIPSTOP_NONE ? most : most * p->channels;
}

static ripstop_answer check_size(const ripstop_plan *p, uint32_t routers, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint64_t bytes = (uint64_t)routers * (routers + 1) * sizeof(row), states = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    states += ripstop_ordered_state_bytes(routers, ripstop_node_ports(f, v));
  return ripstop_check_tables(p, most_candidates(p), routers < FAR ? bytes : UINT64_MAX, states, err);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  tables *t = RIPSTOP_NEW(p->arena, tables);
  t->routers = ripstop_fabric_switches(p->fabric);
  p->channels = (uint32_t)c->adaptive + 1;
  p->bubble = t->routers > 1; /* new packets, and entering the escape */
  if (check_size(p, t->routers, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  ripstop_ordered_first_places(p, t);
  p->data = t;
  p->candidates_max = most_candidates(p);
  p->transit_packets = t->routers > 1 ? (uint32_t)c->guests : 0;
  return RIPSTOP_APPLIES;
}

static ripstop_answer settle(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  ripstop_ordered_settle(p, (tables *)p->data);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  int count = end_candidates(p, head, candidates);
  if (count) return count;
  uint32_t router = head->node - f->ends, to = ripstop_end_switch(f, head->destination) - f->ends;
  const row *rows = t->row + (size_t)router * (t->routers + 1);
  if (!rows[to].own.alive) return -(1 + NO_PATH);
  bool leads_down = !is_injected(p, head) && p->view->port_up[f->port_base[head->node] + head->in_port] &&
                    is_above(&t->place[router_behind(f, router, head->in_port)], &t->place[router]);
  count = ripstop_ordered_candidates(
      p, head, &(trace){.to = &rows[to], .any = &rows[t->routers], .leads_down = leads_down}, candidates);
  return count ? count : -(1 + STALE);
}

/* ------------------------------------------------------------------ together */

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = ripstop_ordered_flits,
    .kinds = ripstop_ordered_kinds,
    .kind = ripstop_ordered_kind,
    .settled = true,
    .needs_space = true,
    .interfaces = true,
    .state_size = ripstop_ordered_state_size,
    .step = ripstop_ordered_step,
    .candidates = ripstop_ordered_protocol_candidates,
    .delay = ripstop_ordered_delay,
    .print = ripstop_ordered_print,
    .json = ripstop_ordered_json,
    .report = ripstop_ordered_report,
    .check = ripstop_ordered_check,
};

const ripstop_method ripstop_method_ordered = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "ordered",
    .summary = "any fabric: adaptive routing whose escape follows an order of routers, repaired where it breaks",
    .source = "docs/methods/ordered.md",
    .options = options,
    .config_size = sizeof(config),
    .escape = "exhausted",
    .losses = losses,
    .plan = plan,
    .tables = settle,
    .route = route,
    .guarantees = ripstop_connected_guarantees,
    .proto = &proto,
};
