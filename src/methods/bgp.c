/* bgp.c - the tables on which BGP settles in an Ethernet fabric: each switch takes all next hops with the shortest AS
 * path, and refuses paths that have its own AS number (RFC 4271; RFC 7938 for data centres). The hash of a flow commits
 * its packets to one next hop (ECMP).
 *
 * AS numbers follow a plan. If each switch has its own, paths are shortest paths, and after faults packets may turn
 * from down to up (a valley), which can deadlock. If switches share numbers, paths with turns are refused, and pairs
 * are lost instead. With several lossless classes each turn takes the next one.
 *
 * The method's folder: as_numbers.c gives numbers, as_paths.c finds paths, bgp_tables.c makes the tables. */
#include "methods/bgp/bgp.h"

#include "base/local.h"
#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

typedef enum { BY_BGP, BY_NEIGHBOURS } repair_kind;
typedef enum { STAY, LEAVE } beyond_kind;

typedef struct config {
  int64_t maximum_paths, allowas_in, classes;
  int32_t plan, repair, beyond;
} config;

static const char *const plans[] = {[BGP_OWN] = "own", [BGP_SPINES] = "spines", [BGP_RFC7938] = "rfc7938",
                                    [BGP_POD] = "pod", [BGP_TIER] = "tier",     NULL};
static const char *const repairs[] = {[BY_BGP] = "bgp", [BY_NEIGHBOURS] = "local", NULL};
static const char *const beyonds[] = {[STAY] = "stay", [LEAVE] = "leave", NULL};

static const ripstop_option options[] = {
    RIPSTOP_WORD(
        config, plan, plans, "own",
        "which switches share an AS number: none (own); the top tier (spines); the top tier, and the switches of "
        "each pod (rfc7938); the switches of each pod alone (pod); each tier (tier). Switches with end nodes "
        "never do"),
    RIPSTOP_INTEGER(config, maximum_paths, 1, 256, "64", "next hops of an entry; 1: no multipath"),
    RIPSTOP_INTEGER(config, allowas_in, 0, 10, "0", "how often a switch accepts its own AS number in a path"),
    RIPSTOP_WORD(config, repair, repairs, "bgp",
                 "bgp: tables after BGP has settled; local: the tables from before the faults, in which each switch "
                 "leaves out its own failed next hops"),
    RIPSTOP_INTEGER(config, classes, 1, 8, "1", "lossless classes; at a turn from down to up a packet takes the next"),
    RIPSTOP_WORD(
        config, beyond, beyonds, "stay",
        "a packet of the last class that turns again stays in it, or leaves the lossless classes and counts as "
        "lost"),
    {0}};

enum { NO_ROUTE, NO_HOP, LEFT, CUT_OFF };
static const char *const losses[] = {[NO_ROUTE] = "no route",
                                     [NO_HOP] = "all next hops are down",
                                     [LEFT] = "left the lossless classes",
                                     [CUT_OFF] = "source cut off",
                                     NULL};

typedef struct compiled {
  bgp_rules rules;
  const ripstop_forwarding *tables;
} compiled;

static bgp_rules rules_of(const config *c) {
  return (bgp_rules){.plan = (uint32_t)c->plan,
                     .allowed = (uint32_t)c->allowas_in,
                     .most = (uint32_t)c->maximum_paths,
                     .classes = (uint32_t)c->classes,
                     .leaves = c->beyond == LEAVE};
}

/* ------------------------------------------------------------------ does it fit? */

/* The effects of the plan without faults. */
typedef struct survey {
  uint64_t pairs, lost; /* ordered, between end nodes */
  uint32_t turns;
} survey;

static survey look(const bgp_net *net) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const switch_graph *g = &net->graph;
  const uint64_t ends = g->fabric->ends;
  bgp_paths paths;
  survey out = {.pairs = ends * (ends - 1), .lost = ends * (ends - 1)};
  bgp_paths_open(&paths, net, scratch);
  for (uint32_t to = 0; to < g->switches; to++) {
    const uint32_t own = g->end_first[to + 1] - g->end_first[to];
    uint32_t turns;
    if (!own) continue;
    bgp_paths_find(&paths, to);
    out.lost += own;
    for (uint32_t i = 0; i < paths.routed; i++) {
      const uint32_t s = paths.order[i];
      out.lost -= (uint64_t)own * (g->end_first[s + 1] - g->end_first[s]);
    }
    turns = bgp_paths_turns(&paths);
    if (turns > out.turns) out.turns = turns;
  }
  return out;
}

/* Without faults a plan of AS numbers must serve all pairs, and the classes must suffice. */
static ripstop_answer check_whole(const bgp_net *whole, ripstop_error *err) {
  const bgp_rules *rules = whole->rules;
  const char *spec = whole->graph.fabric->spec, *plan = plans[rules->plan];
  if (rules->plan != BGP_OWN && whole->top == 0)
    return ripstop_does_not_apply(err, "bgp: plan=%s is for fabrics with switches above those of the end nodes", plan);
  if (bgp_has_classes(rules) && whole->level)
    return ripstop_does_not_apply(err, "bgp: classes need up and down: in %s a cable joins two switches of one tier",
                                  spec);
  if (rules->plan == BGP_OWN && !rules->leaves) return RIPSTOP_APPLIES;
  const survey found = look(whole);
  if (found.lost)
    return ripstop_does_not_apply(err,
                                  "bgp: plan=%s leaves %llu of %llu pairs of %s without a route, also without faults",
                                  plan, (unsigned long long)found.lost, (unsigned long long)found.pairs, spec);
  if (rules->leaves && found.turns >= rules->classes)
    return ripstop_does_not_apply(
        err, "bgp: packets turn up to %u times in %s, also without faults: beyond=leave needs classes=%u", found.turns,
        spec, found.turns + 1);
  return RIPSTOP_APPLIES;
}

static uint32_t most_ports(const ripstop_fabric *f) {
  uint32_t most = 1;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > most) most = ripstop_node_ports(f, v);
  return most;
}

/* ------------------------------------------------------------------ plan and route */

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  RIPSTOP_LOCAL_ARENA(scratch);
  compiled *data = RIPSTOP_NEW(p->arena, compiled);
  bgp_net whole, now;
  data->rules = rules_of(c);
  bgp_net_open(&whole, p->view, &data->rules, true, scratch);
  const ripstop_answer answer = check_whole(&whole, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  p->candidates_max = most_ports(p->fabric);
  if (p->candidates_max > UINT8_MAX)
    return ripstop_does_not_apply(err, "bgp: a switch of %s has more than %d ports", p->fabric->spec, UINT8_MAX);
  bgp_net_open(&now, p->view, &data->rules, false, scratch);
  const bool settled = c->repair == BY_BGP;
  data->tables = bgp_tables_make(settled ? &now : &whole, !settled, p->arena, err);
  if (!data->tables) return RIPSTOP_DOES_NOT_APPLY;
  p->channels = bgp_lanes(&data->rules);
  p->by_node = !bgp_has_classes(&data->rules);
  p->data = data;
  return RIPSTOP_APPLIES;
}

/* The next hops that are up, each in the class of the packet there. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const compiled *data = p->data;
  const ripstop_forwarding *t = data->tables;
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  ripstop_next_hop hop;
  int count = 0;
  uint32_t hops = 0;
  candidates[0] = (ripstop_candidate){.space = 1};
  if (ripstop_is_end(p->fabric, head->node)) return up[0] ? 1 : -(1 + CUT_OFF);
  if (head->channel >= data->rules.classes) return -(1 + LEFT);
  for (; (hop = ripstop_forwarding_hop(t, head->destination, head->node, hops)).port != RIPSTOP_NO_PORT; hops++) {
    if (!up[hop.port]) continue;
    const unsigned lane = ripstop_forwarding_lane(t, head->node, head->in_port, hop.port, head->channel);
    candidates[count++] = (ripstop_candidate){.port = hop.port, .channel = (uint8_t)lane, .space = 1};
  }
  return count ? count : -(1 + (hops ? NO_HOP : NO_ROUTE));
}

static const ripstop_forwarding *forwarding(const ripstop_plan *p) { return ((const compiled *)p->data)->tables; }

/* ------------------------------------------------------------------ facts about a plan */

static const char *const fact_names[] = {"turns", "ambiguous_entries", NULL};

static void facts(const ripstop_plan *p, uint64_t *value) {
  const config *c = p->config;
  const compiled *data = p->data;
  RIPSTOP_LOCAL_ARENA(scratch);
  bgp_net net;
  bgp_paths paths;
  bgp_net_open(&net, p->view, &data->rules, c->repair == BY_NEIGHBOURS, scratch);
  bgp_paths_open(&paths, &net, scratch);
  value[0] = value[1] = 0;
  for (uint32_t to = 0; to < net.graph.switches; to++) {
    if (net.graph.end_first[to] == net.graph.end_first[to + 1]) continue;
    bgp_paths_find(&paths, to);
    const uint32_t turns = bgp_paths_turns(&paths);
    if (turns > value[0]) value[0] = turns;
    value[1] += bgp_paths_ambiguous(&paths);
  }
  if (net.level) value[0] = RIPSTOP_FACT_NONE;
}

/* ------------------------------------------------------------------ guarantees */

/* Shared numbers of a tier, or of its pods, refuse each path that turns from down to up: the switches before and behind
 * the turn have one number. */
static bool never_turns(const bgp_net *net, const config *c) {
  const bool shares = c->plan == BGP_RFC7938 || c->plan == BGP_TIER || (c->plan == BGP_SPINES && net->top == 1);
  return !net->level && shares && c->allowas_in == 0;
}

/* A whole tree has as many paths up and down between two leaves as a switch has neighbours above, which share no link.
 * Before and after fewer faults the shortest of them are the shortest of all. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  RIPSTOP_LOCAL_ARENA(scratch);
  bgp_net net = {0};
  ripstop_tree tree;
  bgp_net_tiers(&net, fabric, scratch);
  const bool never = never_turns(&net, c);
  *out = (ripstop_guarantees){.deadlock_free = never || (!net.level && c->beyond == LEAVE)};
  if (!ripstop_tree_from(fabric, &tree) || c->repair == BY_NEIGHBOURS) return;
  out->tolerates = tree.half - 1;
  out->deadlock_free = !net.level;
  out->minimal = never;
  out->symmetric = c->maximum_paths >= most_ports(fabric) && (c->plan == BGP_OWN || never);
}

const ripstop_method ripstop_method_bgp = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "bgp",
    .summary = "any fabric: the next hops of equal shortest AS paths on which BGP settles, by the plan of AS numbers",
    .source = "RFC 4271; RFC 7938; FRR 8.4 as measured (docs/methods/bgp.md)",
    .options = options,
    .config_size = sizeof(config),
    .selection = "ecmp",
    .preset = "modern",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .fact_names = fact_names,
    .facts = facts,
    .forwarding = forwarding,
};
