/* immunet.c - "Immunet: A Cheap and Robust Fault-Tolerant Packet Routing Mechanism" (paper 004): adaptive bubble
 * routing. After any faults its switches agree on a new safe network and new tables while packets wait in their queues.
 * docs/methods/immunet.md explains the method, the readings of the paper and the repairs.
 *
 * VC 0 is the safe network, the others are adaptive and minimal. The safe network of a healthy torus is dimension
 * order; a bubble keeps each ring of a dimension from filling. Elsewhere it is one ring under the same rule: the tour
 * of a spanning tree, which passes each of its links once in each direction. A packet that enters by one tree port
 * leaves by the next lower one, cyclically (the paper's SS table is the set of tree ports). VC 0 of links outside the
 * tree is adaptive too.
 *
 * The method's folder has two independent constructions of trees and tables:
 *   settle.c     searches from each router over the links that are up: `route` and the proofs use it
 *   protocol.c   the switches' state machines, with queue.c (messages that wait for a table module) and packets.c
 *               (candidates meanwhile); printed.c has their result as printed
 * and one of the candidates that follow from them (candidates.c). In every run check.c compares the switches' results
 * with searches over the remaining fabric. component.c and print.c print them. */
#include "methods/immunet/immunet.h"
#include "methods/shared/connected.h"

static const char *const inject_words[] = {[INJECT_ONE] = "one",
                                           [INJECT_TWO] = "two",
                                           [INJECT_ONE_ADAPTIVE] = "one-adaptive",
                                           [INJECT_TWO_ADAPTIVE] = "two-adaptive",
                                           NULL};
static const char *const order_words[] = {
    [ORDER_ARRIVAL] = "arrival", [ORDER_PORT] = "port", [ORDER_NEWEST] = "newest", NULL};
static const char *const path_words[] = {[PATH_OWN] = "own", [PATH_LINK] = "link", [PATH_SAFE] = "safe", NULL};
static const char *const tables_words[] = {[TABLES_EMPTY] = "empty", [TABLES_STALE] = "stale", NULL};
static const char *const protocol_words[] = {[PROTOCOL_REPAIRED] = "repaired", [PROTOCOL_PRINTED] = "printed", NULL};
static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, adaptive, 1, 4, "1", "adaptive virtual channels, beside the safe one"),
    RIPSTOP_INTEGER(
        config, changes, 0, CHANGES_MAX, "4",
        "times that a packet may leave the safe ring for an adaptive channel; afterwards it stays in the ring"),
    RIPSTOP_WORD(
        config, inject, inject_words, "two",
        "free places that a new packet needs in an adaptive queue; -adaptive: it may not enter the safe network"),
    RIPSTOP_INTEGER(config, emergency_cycles, 1, 1e9, "100",
                    "cycles that a router needs to handle and forward an emergency"),
    RIPSTOP_INTEGER(config, ack_cycles, 1, 1e9, "5", "cycles until the parent has the acknowledgement of an emergency"),
    RIPSTOP_INTEGER(config, control_cycles, 1, 1e9, "1000",
                    "cycles that a router needs to handle and forward a control packet"),
    RIPSTOP_INTEGER(config, control_flits, 0, 1023, "3",
                    "flits of a message, which occupies its link, or of a control packet; 0: messages have a "
                    "virtual channel of their own"),
    RIPSTOP_INTEGER(
        config, drain_cycles, 0, 1e9, "1000",
        "cycles after an emergency in which network interfaces take in-transit packets out of a blocked ring"),
    RIPSTOP_INTEGER(config, forget_cycles, 0, 1e9, "0",
                    "cycles after an emergency from which packets to routers without an update are dropped; 0: never"),
    RIPSTOP_INTEGER(config, control_handling, 0, 1e9, "0",
                    "cycles that a router's only table module needs for each control packet, while others wait",
                    .later = true),
    RIPSTOP_WORD(config, order, order_words, "arrival",
                 "which control packet the table module takes next: the oldest, that of the lowest port, or the newest",
                 .later = true),
    RIPSTOP_WORD(
        config, control_path, path_words, "link",
        "how control packets travel: on a virtual channel of their own, before all packets of their link, or as "
        "packets of the safe virtual channel",
        .later = true),
    RIPSTOP_FLAG(config, control_first, "off",
                 "control_path=safe: control packets take a free output before all other packets", .later = true),
    RIPSTOP_INTEGER(config, own_cycles, -1, 1e9, "-1",
                    "cycles that a router needs for its own first control packets; -1: 0 with control_path=safe, else "
                    "control_cycles",
                    .later = true),
    RIPSTOP_WORD(config, tables, tables_words, "empty",
                 "rows of the adaptive table in a new emergency: emptied, or kept, without failed ports, until a "
                 "new distance arrives",
                 .later = true),
    RIPSTOP_WORD(config, protocol, protocol_words, "repaired",
                 "repaired, or as printed: an ACK has no EPL, children are those that answer before a time-out, and "
                 "EPLs count a router's own emergencies from 0",
                 .later = true),
    RIPSTOP_INTEGER(config, epl_bits, 0, 64, "0",
                    "bits of an EPL, all ones being the ACK (section 5); an EPL that does not fit wraps, which ends "
                    "the run with an error; 0: they never wrap",
                    .later = true),
    {0}};

static const char *const losses[] = {
    [NO_PATH] = "no path is left", [END_CUT_OFF] = "destination cut off", [CUT_OFF] = "source cut off", NULL};

/* ------------------------------------------------------------------ the plan */

static bool all_up(const ripstop_plan *p) {
  for (uint32_t port = p->fabric->port_base[p->fabric->ends]; port < p->fabric->ports; port++)
    if (leads_to_router(p->fabric, port) && !p->view->port_up[port]) return false;
  return true;
}

/* All ports, and one candidate each into the ring and to an end node. */
static uint32_t most_candidates(const ripstop_plan *p) {
  uint32_t most = ripstop_most_ports(p->fabric);
  return most == RIPSTOP_NONE ? most : most * p->channels + 2;
}

static ripstop_answer check_size(const ripstop_plan *p, uint32_t routers, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint64_t bytes = (uint64_t)routers * routers * (sizeof(uint64_t) + 1), states = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    states += ripstop_immunet_state_bytes(p->config, routers, ripstop_node_ports(f, v));
  return ripstop_check_tables(p, most_candidates(p), bytes, states, err);
}

static const ripstop_control_order module_order[] = {[ORDER_ARRIVAL] = RIPSTOP_CONTROL_ARRIVAL,
                                                     [ORDER_PORT] = RIPSTOP_CONTROL_PORT,
                                                     [ORDER_NEWEST] = RIPSTOP_CONTROL_NEWEST};

/* Control packets that travel as packets need a length. Only these can wait behind other packets. */
static int check_options(const config *c, ripstop_error *err) {
  if (c->control_path == PATH_SAFE && c->control_flits == 0)
    return ripstop_fail(err,
                        "immunet: control_path=safe needs control_flits of at least 1: a control packet is a packet");
  if (c->control_first && c->control_path != PATH_SAFE)
    return ripstop_fail(err, "immunet: control_first=on needs control_path=safe: elsewhere control packets are first");
  return 0;
}

/* Each router needs an EPL for its first emergency, below the value of all ones. */
static ripstop_answer check_width(const config *c, uint32_t routers, ripstop_error *err) {
  const uint64_t last = 2 * (uint64_t)routers - 1, ones = UINT64_MAX >> (64 - c->epl_bits) % 64;
  if (c->epl_bits == 0 || last < ones) return RIPSTOP_APPLIES;
  return ripstop_does_not_apply(err,
                                "immunet: epl_bits=%lld has no number for the first emergency of each of %u routers",
                                (long long)c->epl_bits, routers);
}

/* On other fabrics routers begin with an emergency each. As printed, router 0's would have EPL 0, which means no
 * emergency. */
static ripstop_answer check_protocol(const ripstop_plan *p, const tables *t, ripstop_error *err) {
  const config *c = p->config;
  if (c->protocol == PROTOCOL_REPAIRED || t->is_torus) return RIPSTOP_APPLIES;
  return ripstop_does_not_apply(
      err,
      "immunet: protocol=printed is for tori, not for %s, where routers begin with an emergency: router 0's "
      "would have the EPL that means none",
      p->fabric->spec);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  if (check_options(c, err)) return RIPSTOP_DOES_NOT_APPLY;
  tables *t = RIPSTOP_NEW(p->arena, tables);
  t->routers = ripstop_fabric_switches(p->fabric);
  p->channels = (uint32_t)c->adaptive + 1;
  p->bubble = t->routers > 1; /* into the safe ring */
  if (check_size(p, t->routers, err) != RIPSTOP_APPLIES || check_width(c, t->routers, err) != RIPSTOP_APPLIES)
    return RIPSTOP_DOES_NOT_APPLY;
  t->is_torus = ripstop_torus_from(p->fabric, &t->torus);
  t->healthy = t->is_torus && all_up(p);
  if (check_protocol(p, t, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  p->data = t;
  p->candidates_max = most_candidates(p);
  p->transit_packets = c->drain_cycles > 0 && p->fabric->links > p->fabric->link_ends;
  p->control_flits = c->control_path == PATH_SAFE ? (uint32_t)c->control_flits : 0;
  p->control_first = c->control_first;
  p->control_order = module_order[c->order];
  return RIPSTOP_APPLIES;
}

/* A healthy torus needs no tables. The protocol's routers compute their own. */
static ripstop_answer settle(ripstop_plan *p, ripstop_error *err) {
  tables *t = (tables *)p->data;
  if (t->healthy) return RIPSTOP_APPLIES;
  if (((const config *)p->config)->protocol == PROTOCOL_PRINTED)
    return ripstop_immunet_settle_printed(p, t, err) ? RIPSTOP_DOES_NOT_APPLY : RIPSTOP_APPLIES;
  ripstop_immunet_settle(p, t);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  int count = end_candidates(p, head, candidates);
  if (count) return count;
  if (t->healthy) return ripstop_immunet_torus_candidates(p, head, candidates);
  size_t router = head->node - f->ends, to = ripstop_end_switch(f, head->destination) - f->ends,
         place = router * t->routers + to;
  if (!t->nearer[place]) return -(1 + NO_PATH);
  return ripstop_immunet_tour_candidates(
      p, head, &(knowledge){.tree = t->tree[router], .nearer = t->nearer[place], .entry = t->entry[place]}, candidates);
}

/* ------------------------------------------------------------------ together */

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = ripstop_immunet_flits,
    .kinds = ripstop_immunet_kinds,
    .kind = ripstop_immunet_kind,
    .settled = true,
    .interfaces = true,
    .state_size = ripstop_immunet_state_size,
    .step = ripstop_immunet_step,
    .candidates = ripstop_immunet_protocol_candidates,
    .delay = ripstop_immunet_delay,
    .control_space = ripstop_immunet_control_space,
    .print = ripstop_immunet_print,
    .json = ripstop_immunet_json,
    .report = ripstop_immunet_report,
    .check = ripstop_immunet_check,
};

/* The printed protocol breaks the rings of some single links (docs/methods/immunet.md). */
static void guarantees(const ripstop_fabric *fabric, const void *c, ripstop_guarantees *out) {
  ripstop_connected_guarantees(fabric, c, out);
  if (((const config *)c)->protocol == PROTOCOL_PRINTED) out->tolerates = 0;
}

const ripstop_method ripstop_method_immunet = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "immunet",
    .summary = "any fabric: adaptive bubble routing that rebuilds its safe network and tables after any faults",
    .source = "paper 004",
    .options = options,
    .config_size = sizeof(config),
    .escape = "exhausted",
    .losses = losses,
    .plan = plan,
    .tables = settle,
    .route = route,
    .guarantees = guarantees,
    .proto = &proto,
};
