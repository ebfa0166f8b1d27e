/* intermediate-nodes.c - "A fault-tolerant routing strategy for k-ary n-direct s-indirect topologies based on
 * intermediate nodes" (paper 002, sections 3 and 4). A packet whose Hybrid-DOR route has a failed link travels by
 * Hybrid-DOR to a first intermediate node, from there to a second, ..., and on to its destination, on the next virtual
 * channel for each subpath. docs/methods/intermediate-nodes.md explains the method and the readings.
 *
 * Central: `plan` computes for all pairs how few intermediate nodes suffice (row_reach.h), and stores no lists. The
 * source computes a pair's list from that when it sends (lists.c), and the list travels in the header. So a plan needs
 * little time and memory on large fabrics, and sending costs about as much as a table lookup.
 *
 * This file has the plan and the candidates, from routers and from switches of lines; plain, or adaptive with an escape
 * channel for each subpath. With lists=all every valid list yields candidates, for proofs. intermediate-nodes.h
 * explains the header (Fig. 2); facts.c counts, and folds the sources' tables (masked.h); full_tables.c has full
 * tables.
 *
 * Intermediate nodes are routers, because packets are not ejected there. */
#include "methods/intermediate-nodes/intermediate-nodes.h"

static const char *const lists_words[] = {[LISTS_CHOSEN] = "chosen", [LISTS_ALL] = "all", NULL};
static const char *const prefer_words[] = {[PREFER_SHORTEST] = "shortest", [PREFER_FEWEST] = "fewest", NULL};
static const char *const pick_words[] = {[PICK_HASH] = "hash", [PICK_FIRST] = "first", NULL};
static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, intermediates, 0, INTERMEDIATES_MAX, "2", "most intermediate nodes of a packet"),
    RIPSTOP_INTEGER(config, channels, 0, RIPSTOP_CHANNELS_MAX, "0",
                    "virtual channels; 0: one for each subpath, and one more with adaptive=on; with fewer the last "
                    "subpaths share one"),
    RIPSTOP_WORD(config, lists, lists_words, "chosen",
                 "chosen: one list for each pair; all: a packet may take any valid one, for proofs"),
    RIPSTOP_WORD(config, prefer, prefer_words, "shortest",
                 "shortest: no extra hops, even for one more intermediate node (section 4.2); fewest: as few "
                 "intermediate nodes as possible (Table I)"),
    RIPSTOP_FLAG(config, adaptive, "off",
                 "packets may correct digits in any order, on one more virtual channel, with Hybrid-DOR as the escape"),
    RIPSTOP_FLAG(config, tables, "off", "proofs and runs report the entries of the sources' tables, which takes time"),
    RIPSTOP_WORD(config, pick, pick_words, "hash",
                 "among equally good intermediate nodes; hash: spreads them over the sources; first: the lowest number",
                 .later = true),
    RIPSTOP_INTEGER(config, entries, 0, RIPSTOP_REACH_ROUTERS, "0",
                    "entries of a source's table, an associative memory: packets to destinations without an entry "
                    "are lost; 0: as many as it needs",
                    .later = true),
    {0}};

static const char *const losses[] = {[NO_LIST] = "no list of intermediate nodes is healthy",
                                     [FAILED_AHEAD] = "a link of the packet's list has died",
                                     [CUT_OFF] = "source cut off",
                                     [END_CUT_OFF] = "destination cut off",
                                     [TABLE_FULL] = "the source's table is full",
                                     NULL};

/* ------------------------------------------------------------------ all lists
 *
 * Where Hybrid-DOR alone does not suffice, the source may pick any valid list. A packet decides one intermediate node
 * ahead: in the first line of a subpath it fixes what comes after that. So a head waits exactly for what its list makes
 * it wait for, as if the source had picked the whole list, and yet there are few states. */

/* Codes of what may follow router `at` in a list that has `used` nodes so far: `direct` for the destination, higher
 * codes for routers. */
static uint32_t follow(const central *m, uint32_t at, uint32_t destination, uint32_t used, uint32_t direct,
                       uint32_t *code) {
  const ripstop_reach *r = &m->reach;
  uint32_t count = 0;
  if (ripstop_reach_directly(r, at, destination)) code[count++] = direct;
  if (used == r->most) return count;
  for (uint32_t node = 0; node < shape_of(m)->routers; node++)
    if (node != at && node != destination && ripstop_reach_directly(r, at, node) &&
        ripstop_reach_within(r, node, destination, r->most - used - 1))
      code[count++] = direct + 1 + node;
  return count;
}

/* ------------------------------------------------------------------ candidates */

/* A packet's head, and its candidates found so far. */
typedef struct query {
  const ripstop_plan *plan;
  const central *m;
  const config *c;
  const ripstop_head *head;
  uint32_t destination; /* the router */
  ripstop_candidate *candidates;
  int count;
} query;

static void add_candidate(query *q, uint32_t port, uint32_t channel, uint8_t rank, uint64_t header) {
  q->candidates[q->count++] = (ripstop_candidate){
      .port = (uint16_t)port, .channel = (uint8_t)channel, .rank = rank, .space = 1, .header = header};
}

/* The virtual channel of Hybrid-DOR in a subpath. */
static inline uint32_t escape_of(const central *m, uint32_t subpath) {
  return subpath < m->escapes ? subpath : m->escapes - 1;
}

static int from_source(query *q) {
  const central *m = q->m;
  uint32_t source = ripstop_kns_router_of(shape_of(m), q->head->node), list[INTERMEDIATES_MAX];
  if (!q->plan->view->port_up[q->plan->fabric->port_base[q->head->node]]) return -(1 + CUT_OFF);
  if (q->c->lists == LISTS_CHOSEN) {
    uint32_t count = ripstop_intermediate_choose_list(m, q->c, source, q->destination, list);
    if (count != RIPSTOP_NONE && count > 0 && !has_entry(m, source, q->destination)) return -(1 + TABLE_FULL);
    if (count != RIPSTOP_NONE) add_candidate(q, 0, 0, 0, pack_list(m, list, count));
  } else {
    uint32_t code[1u << CODE_BITS], codes = follow(m, source, q->destination, 0, TO_DESTINATION, code);
    if (codes > 0 && code[0] == TO_DESTINATION) codes = 1;
    for (uint32_t i = 0; i < codes; i++) add_candidate(q, 0, 0, 0, pack_legs(0, code[i], CODE_UNKNOWN));
  }
  return q->count ? q->count : -(1 + NO_LIST);
}

/* The packet has to cross the line of dimension d, and the port into it is up. */
static bool is_open(const query *q, uint32_t router, uint32_t target, uint32_t d) {
  return digit_of(q->m, router, d) != digit_of(q->m, target, d) &&
         q->plan->view->port_up[q->plan->fabric->port_base[q->head->node] + d];
}

/* Any dimension may come next if Hybrid-DOR leads on from the other side of the line: then the escape is always
 * open. */
static void add_adaptive(query *q, uint32_t router, const leg *l, uint64_t header) {
  const ripstop_reach *r = &q->m->reach;
  for (uint32_t d = 0; d < shape_of(q->m)->dimensions; d++) {
    if (!is_open(q, router, l->target, d)) continue;
    uint32_t beyond = ripstop_kns_move(shape_of(q->m), router, d, digit_of(q->m, l->target, d));
    if (ripstop_reach_crosses(r, router, beyond, d) && ripstop_reach_directly(r, beyond, l->target))
      add_candidate(q, d, q->m->escapes, 0, header);
  }
}

static int from_router(query *q) {
  const central *m = q->m;
  uint32_t router = ripstop_kns_router_at(shape_of(m), q->head->node), d = 0;
  uint64_t header = q->head->header;
  leg l = read_leg(m, (lists_kind)q->c->lists, header, q->destination);
  while (!l.last && l.target == router) {
    header = next_leg(m, (lists_kind)q->c->lists, header);
    l = read_leg(m, (lists_kind)q->c->lists, header, q->destination);
  }
  if (router == l.target) {
    uint32_t port = ripstop_kns_end_port(shape_of(m), q->head->destination);
    if (!q->plan->view->port_up[q->plan->fabric->port_base[q->head->node] + port]) return -(1 + END_CUT_OFF);
    add_candidate(q, port, escape_of(m, l.subpath), 0, header);
    return q->count;
  }
  if (q->c->adaptive) add_adaptive(q, router, &l, header);
  while (digit_of(m, router, d) == digit_of(m, l.target, d)) d++;
  if (is_open(q, router, l.target, d)) add_candidate(q, d, escape_of(m, l.subpath), q->c->adaptive, header);
  return q->count ? q->count : -(1 + FAILED_AHEAD);
}

enum { LINE_CANDIDATES_MAX = 128 }; /* ports up in a line: the square root of RIPSTOP_REACH_ROUTERS */

/* Adds the candidates in a line, with this header. The escape is for packets that are in dimension order. */
static void add_line_candidates(query *q, const leg *l, uint64_t header) {
  const central *m = q->m;
  const ripstop_kns *t = shape_of(m);
  uint32_t line = ripstop_kns_line_of(t, q->head->node), d = ripstop_kns_line_dimension(t, line);
  uint32_t place = digit_of(m, l->target, d), beyond = ripstop_kns_line_router(t, line, place);
  bool in_order = beyond % t->stride[d] == l->target % t->stride[d];
  uint16_t port[LINE_CANDIDATES_MAX] = {0};
  uint32_t ports = ripstop_kns_candidates(&m->reach.faults, q->head->node, place, port);
  for (uint32_t i = 0; i < ports; i++) {
    if (q->c->adaptive) add_candidate(q, port[i], m->escapes, 0, header);
    if (in_order) add_candidate(q, port[i], escape_of(m, l->subpath), q->c->adaptive, header);
  }
}

static int from_line(query *q) {
  uint64_t header = q->head->header;
  leg l = read_leg(q->m, (lists_kind)q->c->lists, header, q->destination);
  if (q->c->lists == LISTS_CHOSEN || l.last || next_code(header) != CODE_UNKNOWN) {
    add_line_candidates(q, &l, header);
  } else {
    uint32_t code[1u << CODE_BITS];
    uint32_t codes = follow(q->m, l.target, q->destination, l.subpath + 1, CODE_DESTINATION, code);
    for (uint32_t i = 0; i < codes; i++) add_line_candidates(q, &l, pack_legs(l.subpath, target_code(header), code[i]));
  }
  return q->count ? q->count : -(1 + FAILED_AHEAD);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const central *m = p->data;
  query q = {.plan = p,
             .m = m,
             .c = p->config,
             .head = head,
             .destination = ripstop_kns_router_of(shape_of(m), head->destination),
             .candidates = candidates};
  if (ripstop_is_end(p->fabric, head->node)) return from_source(&q);
  return ripstop_kns_is_line(shape_of(m), head->node) ? from_line(&q) : from_router(&q);
}

/* ------------------------------------------------------------------ plan */

/* The reason why the method does not apply to this fabric with these options; NULL: it applies. */
static const char *refuse(const ripstop_plan *p, const central *m, uint32_t channels) {
  const config *c = p->config;
  const ripstop_kns *t = shape_of(m);
  if (t->dimensions > DIMENSIONS_MAX) return "it has more than 12 dimensions";
  if (t->routers > RIPSTOP_REACH_ROUTERS) return "it has more than 16384 routers";
  if (channels > RIPSTOP_CHANNELS_MAX) return "so many subpaths need more than 16 virtual channels";
  if (c->adaptive && channels < 2) return "adaptive routing needs at least 2 virtual channels";
  if (p->candidates_max > UINT8_MAX) return "a packet can have more than 255 candidates";
  if (c->lists == LISTS_CHOSEN && LIST_BITS + c->intermediates * m->address > 64)
    return "the header's 64 bits do not hold so many addresses of intermediate nodes";
  return NULL;
}

static uint32_t most_candidates(const config *c, const ripstop_kns *t) {
  uint32_t vcs = c->adaptive ? 2 : 1, in_line = vcs * ripstop_kns_candidates_max(t),
           at_router = c->adaptive ? t->dimensions + 1 : 1;
  if (c->lists == LISTS_ALL && c->intermediates > 0) in_line *= t->routers < UINT8_MAX ? t->routers : UINT8_MAX + 1;
  return in_line > at_router ? in_line : at_router;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  central *m = RIPSTOP_NEW(p->arena, central);
  ripstop_kns kns;
  if (!ripstop_kns_from(p->fabric, &kns))
    return ripstop_does_not_apply(err, "intermediate-nodes is for kns, not for %s", p->fabric->spec);
  if (c->entries && c->lists == LISTS_ALL) {
    ripstop_fail(err, "intermediate-nodes: entries=%lld needs lists=chosen: with lists=all sources have no tables",
                 (long long)c->entries);
    return RIPSTOP_ERROR;
  }
  uint32_t channels = c->channels ? (uint32_t)c->channels : (uint32_t)c->intermediates + 1 + c->adaptive;
  m->reach.kns = kns;
  m->address = ripstop_log2_64(kns.routers - 1) + 1;
  m->escapes = channels - c->adaptive;
  p->data = m;
  p->channels = channels;
  p->candidates_max = most_candidates(c, &kns);
  const char *why = refuse(p, m, channels);
  if (why) return ripstop_does_not_apply(err, "intermediate-nodes does not apply to %s: %s", p->fabric->spec, why);
  ripstop_reach_build(p->arena, &kns, p->view->port_up, (uint32_t)c->intermediates, &m->reach);
  if (c->entries) ripstop_intermediate_limit(p->arena, m, (uint64_t)c->entries);
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ together */

/* One intermediate node tolerates every n - 1 failed links (Lemma 1 of section 4.1); n can disconnect a node. Inside
 * the trees of s > 1, fewer failed links than a switch has up ports change nothing. In RUFTs a failed link disconnects
 * pairs of routers; one is tolerated from two dimensions on. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_kns kns;
  *out = (ripstop_guarantees){.minimal = c->intermediates == 0};
  if (!ripstop_kns_from(fabric, &kns)) return;
  bool crossbars = kns.stages == 1;
  uint32_t escapes = c->channels ? (uint32_t)c->channels - c->adaptive : (uint32_t)c->intermediates + 1;
  out->symmetric = crossbars && (c->lists == LISTS_ALL || c->intermediates == 0);
  out->deadlock_free = escapes > c->intermediates;
  if (c->intermediates == 0 || (c->entries && c->entries < kns.routers)) return;
  if (kns.ruft)
    out->tolerates = kns.dimensions > 1;
  else
    out->tolerates = crossbars || kns.dimensions < kns.tree.half ? kns.dimensions - 1 : kns.tree.half - 1;
}

const ripstop_method ripstop_method_intermediate_nodes = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "intermediate-nodes",
    .summary = "kns: around failed links via intermediate nodes, by Hybrid-DOR with a virtual channel for each subpath",
    .source = "paper 002, section 4",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .one_way = true,
    .lost_pairs = ripstop_intermediate_lost_pairs,
    .fact_names = ripstop_intermediate_fact_names,
    .facts = ripstop_intermediate_facts,
};
