/* valleys.c - adaptive routing in fat trees on one virtual channel, which serves every connected pair: packets may go
 * up again after down, through a valley. docs/methods/valleys.md explains the method and proves it.
 *
 * The allowed turns (frame.c) depend only on which links are up. For most fault sets they are the fixed turns, which a
 * switch decides by its two ports alone: from an up port into a higher one. If these do not serve all pairs, the
 * switches of the component agree on more turns by messages. The network stays free of deadlock meanwhile. With
 * frame=fixed they keep the fixed turns, wait for no other switch, and lose packets that these do not serve.
 *
 * The method's folder:
 *   frame.c        turns and distances, from the links of a component that are up
 *   settle.c       those of a view: `route` and the proofs use it
 *   protocol.c     the switches' state machines
 *   candidates.c   the candidates that follow from tables of either construction
 *   check.c        checks a quiet network; print.c prints states */
#include "methods/valleys/valleys.h"

#include "methods/shared/connected.h"

static const char *const frame_words[] = {[AGREED_TURNS] = "agreed", [FIXED_TURNS] = "fixed", NULL};

static const ripstop_option options[] = {
    RIPSTOP_MESSAGE_OPTIONS,
    RIPSTOP_INTEGER(config, guests, 0, 4096, "64",
                    "packets with forbidden turns that a network interface can hold in transit"),
    RIPSTOP_INTEGER(config, hold_cycles, 1, 1e9, "1000",
                    "cycles without updates after which a packet without a physical path is dropped"),
    RIPSTOP_INTEGER(config, stale_cycles, 1, 1e9, "10000",
                    "cycles without updates after which a packet with a forbidden turn is dropped"),
    RIPSTOP_WORD(
        config, frame, frame_words, "agreed",
        "allowed turns: those agreed on by messages, which serve every connected pair; or the fixed turns alone",
        .later = true),
    {0}};

static const char *const losses[] = {[NO_PATH] = "no path is left",
                                     [END_CUT_OFF] = "destination cut off",
                                     [CUT_OFF] = "source cut off",
                                     [STALE] = "no turn is left",
                                     NULL};

/* ------------------------------------------------------------------ the plan */

static void measure_tree(chart *c, const ripstop_fabric *f) {
  c->fabric = f;
  c->switches = ripstop_fabric_switches(f);
  c->channels = f->ports - f->port_base[f->ends];
  while (c->leaves < c->switches && ripstop_tree_level(&c->tree, f->ends + c->leaves) == 0) c->leaves++;
  c->words = (c->leaves + 63) / 64;
}

static ripstop_answer check_size(const ripstop_plan *p, const chart *c, ripstop_error *err) {
  uint64_t bytes = (uint64_t)c->channels * (c->leaves + 1) * sizeof(int16_t), states = 0;
  for (uint32_t s = 0; s < c->switches; s++) states += ripstop_valleys_state_bytes(c, s);
  if (2 * c->tree.half > PORTS_MAX || c->tree.top_ports > PORTS_MAX)
    return ripstop_does_not_apply(err, "valleys: a switch of %s has more than %d ports", c->fabric->spec, PORTS_MAX);
  return ripstop_check_tables(p, 0, bytes, states, err);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  tables *t = RIPSTOP_NEW(p->arena, tables);
  chart *c = &t->chart;
  if (!ripstop_tree_from(p->fabric, &c->tree))
    return ripstop_does_not_apply(err, "valleys is for fat trees, not for %s", p->fabric->spec);
  if (ripstop_check_message_times(p, err) != RIPSTOP_APPLIES) return RIPSTOP_ERROR;
  measure_tree(c, p->fabric);
  c->keeps_fixed = ((const config *)p->config)->frame == FIXED_TURNS;
  if (check_size(p, c, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  p->data = t;
  p->bubble = c->switches > 1;
  p->candidates_max = c->tree.top_ports > 2 * c->tree.half ? c->tree.top_ports : 2 * c->tree.half;
  p->transit_packets = c->switches > 1 && !c->keeps_fixed ? (uint32_t)((const config *)p->config)->guests : 0;
  return RIPSTOP_APPLIES;
}

static ripstop_answer settle(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  ripstop_valleys_settle(p, (tables *)p->data, p->arena);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const tables *t = p->data;
  const chart *c = &t->chart;
  int count = end_candidates(p, head, candidates);
  if (count) return count;
  uint32_t at = head->node - c->fabric->ends, to = ripstop_end_switch(c->fabric, head->destination) - c->fabric->ends;
  bool is_new = is_injected(p, head) || !(t->live[at] & bit(head->in_port));
  uint64_t ports = is_new ? t->live[at] : t->turn[channel_back(c, channel_from(c, at, head->in_port))];
  return ripstop_valleys_candidates(p, head,
                                    &(trace){.chart = c,
                                             .permitted = ports,
                                             .agreed = ports,
                                             .left = rows_of(t, at),
                                             .connected = t->component[at] == t->component[to],
                                             .calm = true,
                                             .settled = true},
                                    candidates);
}

/* ------------------------------------------------------------------ facts about a plan */

static uint64_t ends_up(const ripstop_plan *p, uint32_t leaf) {
  return (uint64_t)__builtin_popcountll(ports_to(p->fabric, p->fabric->ends + leaf, TO_ENDS, p->view->port_up));
}

static bool leads_to(const tables *t, uint32_t leaf, uint32_t to) {
  const int16_t *left = rows_of(t, leaf) + (size_t)to * ports_of(&t->chart, leaf);
  for (uint64_t ports = t->live[leaf]; ports; ports &= ports - 1)
    if (left[lowest(ports)] != FAR) return true;
  return leaf == to;
}

/* A packet with a route from its leaf has one at every switch on it. */
static uint64_t lost_pairs(const ripstop_plan *p) {
  const tables *t = p->data;
  uint64_t pairs = (uint64_t)p->fabric->ends * (p->fabric->ends - 1);
  for (uint32_t leaf = 0; leaf < t->chart.leaves; leaf++) {
    uint64_t ends = ends_up(p, leaf), reached = 0;
    for (uint32_t to = 0; ends && to < t->chart.leaves; to++)
      if (leads_to(t, leaf, to)) reached += ends_up(p, to);
    pairs -= ends ? ends * (reached - 1) : 0;
  }
  return pairs;
}

static const char *const fact_names[] = {"frame", NULL};

static void facts(const ripstop_plan *p, uint64_t *value) { value[0] = ((const tables *)p->data)->kind; }

/* ------------------------------------------------------------------ together */

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = ripstop_message_flits,
    .kinds = ripstop_valleys_kinds,
    .kind = ripstop_valleys_kind,
    .settled = true,
    .needs_space = true,
    .state_size = ripstop_valleys_state_size,
    .step = ripstop_valleys_step,
    .candidates = ripstop_valleys_protocol_candidates,
    .delay = ripstop_message_delay,
    .print = ripstop_valleys_print,
    .json = ripstop_valleys_json,
    .check = ripstop_valleys_check,
};

const ripstop_method ripstop_method_valleys = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "valleys",
    .summary =
        "fat trees: adaptive on one virtual channel, up again after down where needed; serves every connected pair",
    .source = "docs/methods/valleys.md",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .tables = settle,
    .route = route,
    .guarantees = ripstop_connected_guarantees,
    .lost_pairs = lost_pairs,
    .fact_names = fact_names,
    .facts = facts,
    .proto = &proto,
};
