/* link-fault-messages.c - "Distributed Dynamic Fault-Tolerant Routing in Fat Tree" (paper 001, section 5): the switch
 * above a failed link notifies the others, which then use on the up path only ports that still lead to the destination.
 * Paths stay minimal, and one virtual channel is enough. docs/methods/link-fault-messages.md explains the method and
 * the readings.
 *
 * A fact is a link that must not be taken downwards, by number: the upward link fault message ULFM<l,c,k> names the
 * link of switch <l,c> at up port k. A switch of level l stores the facts of its own level in its link fault table, one
 * entry <c',f> for each lower switch <l,c'>, with a bit of f for each up port. The states PS_k of its own up ports say
 * that the link is down (level l) or that the path up ends at level PS_k.l (downward message DLFM). Its table can name
 * only switches whose digits below l are its own, so entries are stored by position, c' / half^l.
 *
 * The method's folder has two independent constructions of the tables:
 *   settle.c     level by level from the top, where a message would arrive: `route` and the proofs use it
 *   protocol.c   the switches' state machines
 * and one of the candidate that follows from them (candidates.c, and the rules in link-fault-messages.h). count.c
 * counts the pairs that are delivered; print.c prints tables. */
#include "methods/link-fault-messages/link-fault-messages.h"
#include "methods/shared/limits.h"

static const char *const case3_words[] = {[CASE3_PAPER] = "paper", [CASE3_PER_PORT] = "per-port", NULL};
static const char *const phase_words[] = {[PHASE_TOGETHER] = "together", [PHASE_APART] = "apart", NULL};
static const char *const relay_words[] = {[RELAY_AT_ONCE] = "at-once", [RELAY_POLL] = "poll", NULL};
static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, capacity, 0, RIPSTOP_FABRIC_MAX_PORTS, "32",
                    "entries of a switch's link fault table; 0: as many as it needs"),
    RIPSTOP_WORD(config, case3, case3_words, "paper",
                 "flagged up ports whose level counts in the third case: all of them, or those that the entry lacks"),
    RIPSTOP_FLAG(config, withdraw, "on",
                 "switches withdraw facts that are no longer true; off: as printed, for permanent faults"),
    RIPSTOP_MESSAGE_OPTIONS,
    RIPSTOP_INTEGER(config, probe, 0, 1e9, "0",
                    "cycles between two probes of a link; 0: a switch detects its own failed links immediately"),
    RIPSTOP_INTEGER(config, timeout, 1, 1e9, "50", "cycles that a probe waits for its answer; more than two delays"),
    RIPSTOP_INTEGER(config, retries, 0, 100, "2", "probes repeated without an answer before a link counts as failed"),
    RIPSTOP_INTEGER(config, poll, 0, 1e9, "0",
                    "cycles between two polls of a switch's port states; messages about a port leave at the next poll "
                    "(section 5.2); 0: at once",
                    .later = true),
    RIPSTOP_WORD(config, poll_phase, phase_words, "together", "with poll: whether all switches poll in the same cycles",
                 .later = true),
    RIPSTOP_WORD(config, relay, relay_words, "at-once",
                 "with poll: when a switch forwards a received report: at once, or at its next poll", .later = true),
    {0}};

static const char *const losses[] = {
    [NO_PORT_LEFT] = "no up port is left", [NO_DOWN] = "the one down link is dead", [CUT_OFF] = "source cut off", NULL};

/* ------------------------------------------------------------------ the plan */

static void measure_tree(shape *s, const ripstop_fabric *f) {
  s->half = s->tree.half;
  s->top = s->tree.levels - 1;
  s->all = s->half == HALF_MAX ? UINT64_MAX : (UINT64_C(1) << s->half) - 1;
  s->facts = f->links - f->link_ends;
  s->words = (s->facts + 63) / 64;
  uint32_t node = f->ends, twins = 1;
  for (uint32_t level = 0; level <= s->top; level++, twins *= s->half) {
    s->first[level] = node;
    while (node < f->nodes && ripstop_tree_level(&s->tree, node) == level) node++;
    s->count[level] = node - s->first[level];
    s->twins[level] = twins;
    s->positions[level] = s->count[level] / twins;
    if (level < s->top) s->fact[level] = f->port_link[f->port_base[s->first[level]] + s->half] - f->link_ends;
  }
  s->fact[s->top] = s->facts;
}

/* Checks that the options fit together. */
static ripstop_answer check_options(const ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  if (!c->probe || c->timeout > 2 * c->message.delay) return ripstop_check_message_times(p, err);
  ripstop_fail(err, "link-fault-messages: timeout=%lld, but probe and answer take %lld cycles", (long long)c->timeout,
               (long long)(2 * c->message.delay));
  return RIPSTOP_ERROR;
}

/* Checks that the tables fit into memory. */
static ripstop_answer check_size(const ripstop_plan *p, const shape *s, ripstop_error *err) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < s->top; level++)
    bytes += (uint64_t)s->count[level] * s->positions[level] * sizeof(uint64_t);
  return ripstop_check_tables(p, 0, bytes, ripstop_lfm_protocol_bytes(s, p->config), err);
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  tables *t = RIPSTOP_NEW(p->arena, tables);
  shape *s = &t->shape;
  if (!ripstop_tree_from(p->fabric, &s->tree))
    return ripstop_does_not_apply(err, "link-fault-messages is for fat trees, not for %s", p->fabric->spec);
  ripstop_answer answer = check_options(p, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  if (s->tree.half > HALF_MAX)
    return ripstop_does_not_apply(err, "link-fault-messages: %u up ports are more than an entry's %d bits",
                                  s->tree.half, HALF_MAX);
  measure_tree(s, p->fabric);
  answer = check_size(p, s, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  p->data = t;
  p->channels = 1;
  p->by_node = true;
  p->candidates_max = 1;
  return RIPSTOP_APPLIES;
}

/* The tables that `route` reads on the path up. The protocol's switches compute their own. */
static ripstop_answer settle(ripstop_plan *p, ripstop_error *err) {
  tables *t = (tables *)p->data;
  const shape *s = &t->shape;
  (void)err;
  for (uint32_t level = 0; level < s->top; level++) {
    t->entry[level] = RIPSTOP_ARRAY(p->arena, (size_t)s->count[level] * s->positions[level], uint64_t);
    t->level[level] = RIPSTOP_ARRAY(p->arena, (size_t)s->count[level] * s->half, uint8_t);
    t->flagged[level] = RIPSTOP_ARRAY(p->arena, s->count[level], uint64_t);
  }
  ripstop_lfm_settle(p, t);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const tables *t = p->data;
  const shape *s = &t->shape;
  int down = go_down(p, s, head, candidate);
  if (down < 0 || ripstop_is_end(p->fabric, head->node)) return down;
  if (down) return p->view->port_up[p->fabric->port_base[head->node] + candidate->port] ? 1 : -(1 + NO_DOWN);
  uint32_t level = ripstop_tree_level(&s->tree, head->node), number = number_of(s, level, head->node);
  ups u = ups_of(t, level, number);
  uint64_t entry = t->entry[level][(size_t)number * s->positions[level] + position_above(s, level, head->destination)];
  return ripstop_lfm_go_up(s, level, number / s->twins[level], head->destination, &u, entry, candidate);
}

/* ------------------------------------------------------------------ together */

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = ripstop_message_flits,
    .settled = true,
    .state_size = ripstop_lfm_state_size,
    .step = ripstop_lfm_step,
    .candidates = ripstop_lfm_protocol_candidates,
    .delay = ripstop_message_delay,
    .print = ripstop_lfm_print,
    .json = ripstop_lfm_json,
};

/* Fewer failed links than up ports fill no entry, alone or with port states, so no fact is derived: each fault excludes
 * at most one up port, and takes at most one table entry. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_tree tree;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = true};
  if (!ripstop_tree_from(fabric, &tree)) return;
  out->tolerates = tree.half - 1;
  if (c->capacity && c->capacity < out->tolerates) out->tolerates = (uint32_t)c->capacity;
}

const ripstop_method ripstop_method_link_fault_messages = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "link-fault-messages",
    .summary = "fat trees: switches notify each other of failed links; shortest paths, decided at each up hop",
    .source = "paper 001, section 5",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .tables = settle,
    .route = route,
    .guarantees = guarantees,
    .proto = &proto,
    .lost_pairs = ripstop_lfm_lost_pairs,
    .fact_names = ripstop_lfm_fact_names,
    .facts = ripstop_lfm_facts,
};
