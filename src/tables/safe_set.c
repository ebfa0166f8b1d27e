/* safe_set.c - searches cables that may be taken out together. The definition is in ripstop/kit/safe_set.h.
 *
 * Most cables are refused by reach or capacity, which cost a search between two switches and a few sums. Only the
 * others are removed from the tables (repair.h), and put back if a channel then carries too much, or the tables cannot
 * be written under traffic.
 *
 * A second search spreads shortest paths from scratch for each cable (path_balance.h). It finds a larger set now and
 * then, since repairs keep entries that are in the way, but costs more. So it is made only while the first set is
 * smaller than the upper bound, and up to a limit of work, which depends on nothing but the question. */
#include "ripstop/kit/safe_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/local.h"
#include "base/memory.h"
#include "tables/addresses.h"
#include "tables/leaf_flow.h"
#include "tables/method_tables.h"
#include "tables/path_balance.h"
#include "tables/repair.h"
#include "tables/switch_graph.h"
#include "tables/transient.h"

const char *const ripstop_harm_words[RIPSTOP_HARMS] = {"none",   "pairs", "capacity", "flow",
                                                       "groups", "load",  "order",    "incomplete"};

/* ------------------------------------------------------------------ bars */

/* The channels of a part: out of it or into it, to another level or to another leaf. */
enum { SIDES = 4, INTO = 1, LEVEL = 2 };

/* The sides of the parts whose cable a channel is: SIDES * part + one of these. */
static unsigned sides_of(const ripstop_capacity *c, uint32_t port, uint32_t side[2]) {
  const ripstop_fabric *f = c->view->fabric;
  const uint32_t from = f->port_node[port], to = f->port_node[f->peer[port]];
  uint32_t part[3];
  const unsigned count = ripstop_capacity_owners(c, from, to, part);
  for (unsigned i = 0; i < count; i++) {
    const uint32_t below = c->level[from - f->ends], above = c->level[to - f->ends];
    const bool level = below == above, out = level ? c->part[part[i]].node == from : below < above;
    side[i] = SIDES * part[i] + (level ? LEVEL : 0) + (out ? 0 : INTO);
  }
  return count;
}

static const double ROUNDING = 1e-6; /* paths; a bar is a number of paths, divided and multiplied by rates */

typedef struct bars {
  double *role, *port; /* [roles], [ports] */
} bars;

/* Paths into a part or out of it for each unit of rate, if they were spread evenly over its cables, and one bundle: the
 * packets of one leaf for one address take one path, so no tables can be more even than that in general. */
typedef struct even {
  double hosts, bundle; /* in the fabric, and at most at a leaf; both times the addresses of a host */
} even;

static even find_even(const ripstop_safe_question *q) {
  const double addresses = q->before->pairs ? (double)q->before->paths / (double)q->before->pairs : 1;
  even e = {0};
  for (uint32_t i = 0; i < q->capacity->parts; i++) {
    const ripstop_capacity_part *p = &q->capacity->part[i];
    if (p->level > 0) continue;
    e.hosts += p->hosts * addresses;
    e.bundle = fmax(e.bundle, p->hosts * addresses);
  }
  return e;
}

static double even_share(const ripstop_capacity *c, const even *e, const ripstop_capacity_part *p) {
  return p->capacity ? p->hosts * (e->hosts - p->hosts) * (double)c->fastest / (double)p->capacity + e->bundle : 0;
}

/* The bars of all channels under tables of such a load. */
static bars find_bars(ripstop_arena *arena, const ripstop_safe_question *q, const uint64_t *load) {
  const ripstop_capacity *c = q->capacity;
  const ripstop_fabric *f = c->view->fabric;
  const even e = find_even(q);
  const bars b = {RIPSTOP_ARRAY(arena, c->roles, double), RIPSTOP_ARRAY(arena, f->ports, double)};
  double *own = RIPSTOP_ARRAY(arena, SIDES * (size_t)c->parts, double);
  uint32_t side[2];
  for (uint32_t port = 0; port < f->ports; port++) {
    if (c->role[port] == RIPSTOP_NONE) continue;
    double use = ripstop_capacity_use(c, port, load[port]);
    const unsigned sides = sides_of(c, port, side);
    bool whole = true;
    for (unsigned i = 0; i < sides; i++) {
      const ripstop_capacity_part *p = &c->part[side[i] / SIDES];
      whole &= p->capacity >= p->like;
      use = fmax(use, even_share(c, &e, p));
    }
    for (unsigned i = 0; i < sides; i++) own[side[i]] = fmax(own[side[i]], use);
    if (whole) b.role[c->role[port]] = fmax(b.role[c->role[port]], use);
  }
  for (uint32_t port = 0; port < f->ports; port++) {
    if (c->role[port] == RIPSTOP_NONE) continue;
    b.port[port] = b.role[c->role[port]];
    for (unsigned i = sides_of(c, port, side); i-- > 0;) b.port[port] = fmax(b.port[port], own[side[i]]);
  }
  return b;
}

/* The most paths that each channel may carry; any number where there is no bar. */
static const uint64_t *limits_of(ripstop_arena *arena, const ripstop_capacity *c, const double *bar) {
  const ripstop_fabric *f = c->view->fabric;
  uint64_t *limit = RIPSTOP_ARRAY(arena, f->ports, uint64_t);
  for (uint32_t port = 0; port < f->ports; port++) {
    const double rate = c->role[port] == RIPSTOP_NONE ? 0 : (double)c->rate[f->port_link[port]];
    limit[port] = rate > 0 ? (uint64_t)(bar[port] * rate / (double)c->fastest + ROUNDING) : UINT64_MAX;
  }
  return limit;
}

/* The first channel that carries more than its limit; RIPSTOP_NONE: there is none. */
static uint32_t find_over(const ripstop_fabric *f, const uint64_t *limit, const uint64_t *load) {
  uint32_t port = 0;
  while (port < f->ports && load[port] <= limit[port]) port++;
  return port < f->ports ? port : RIPSTOP_NONE;
}

/* True if one bar is lower somewhere and higher nowhere. */
static bool are_lower(const ripstop_capacity *c, const double *one, const double *other) {
  bool lower = false, higher = false;
  for (uint32_t port = 0; port < c->view->fabric->ports; port++) {
    lower |= one[port] < other[port];
    higher |= one[port] > other[port];
  }
  return lower && !higher;
}

/* ------------------------------------------------------------------ the tables with which the proof begins */

/* The given tables with the entries of others for end nodes; NULL: one of both has service levels, several addresses of
 * an end node, or none. */
static const ripstop_forwarding *replace_entries(ripstop_arena *arena, const ripstop_forwarding *given,
                                                 const ripstop_forwarding *other) {
  const size_t row = ripstop_fabric_switches(given->fabric);
  if (given->level || given->lane || other->level || other->lane || ripstop_forwarding_most(given) > 1) return NULL;
  ripstop_forwarding *out = ripstop_forwarding_copy(arena, given);
  for (uint32_t a = 0; a < ripstop_forwarding_ends(given); a++) {
    const uint32_t from = ripstop_first_address(other, given->node[a]);
    if (from == other->addresses || other->node[from] != given->node[a]) return NULL;
    memcpy(out->port + a * row, other->port + from * row, row * sizeof *out->port);
  }
  return out;
}

/* Finds in how many writes tables can take the place of the given ones. Returns the first of two; NULL: there is
 * none. */
static const ripstop_forwarding *count_steps(ripstop_arena *arena, const ripstop_safe_question *q,
                                             const ripstop_forwarding *tables, uint32_t *steps) {
  ripstop_update update;
  transient_judge_data(q->view, q->tables, tables, &update);
  *steps = update.steps;
  const ripstop_forwarding *between = update.between ? ripstop_forwarding_copy(arena, update.between) : NULL;
  ripstop_forwarding_free(update.between);
  return between;
}

/* The condition "order". It does not count if the given tables can deadlock already. */
static bool are_written_safely(const ripstop_safe_question *q, uint32_t steps) {
  return q->before->credit_loop || steps != RIPSTOP_NONE;
}

/* True if these tables can take the place of the given ones, under traffic. */
static bool are_usable(ripstop_arena *arena, const ripstop_safe_question *q, const ripstop_forwarding *tables,
                       ripstop_table_verdict *v) {
  ripstop_error err;
  uint32_t steps;
  if (ripstop_judge(arena, q->view, tables, NULL, v, &err) || v->unreached != v->disconnected) return false;
  count_steps(arena, q, tables, &steps);
  return are_written_safely(q, steps);
}

/* Raises bars to those of another way to spread shortest paths, but not above the worst link now. */
static void raise_bars(ripstop_arena *arena, const ripstop_safe_question *q, bars *now) {
  const ripstop_capacity *c = q->capacity;
  const uint32_t ports = c->view->fabric->ports;
  uint64_t *none = RIPSTOP_ARRAY(arena, ports, uint64_t), *load = RIPSTOP_ARRAY(arena, ports, uint64_t);
  memset(none, 0xFF, ports * sizeof *none);
  path_balance *b = path_balance_new(arena, q->view, c, q->tables);
  (void)path_balance_make(b, none);
  path_balance_loads(b, load);
  const bars other = find_bars(arena, q, load);
  double worst = 0;
  for (uint32_t port = 0; port < ports; port++)
    if (c->role[port] != RIPSTOP_NONE) worst = fmax(worst, ripstop_capacity_use(c, port, q->before->load[port]));
  for (uint32_t i = 0; i < c->roles; i++) now->role[i] = fmax(now->role[i], fmin(other.role[i], worst));
  for (uint32_t port = 0; port < ports; port++) now->port[port] = fmax(now->port[port], fmin(other.port[port], worst));
}

/* Fills in the tables with which the proof begins, and the bars. Returns the load of these tables. */
static const uint64_t *begin(ripstop_arena *arena, const ripstop_safe_question *q, ripstop_safe_set *out) {
  const ripstop_capacity *c = q->capacity;
  const ripstop_forwarding *other = q->other ? replace_entries(arena, q->tables, q->other) : NULL;
  bars now = find_bars(arena, q, q->before->load);
  ripstop_table_verdict v = {0};
  out->from = q->tables;
  if (other && are_usable(arena, q, other, &v)) {
    const bars then = find_bars(arena, q, v.load);
    out->fresh = are_lower(c, then.port, now.port);
    if (out->fresh) out->from = other, now = then;
  }
  if (q->assumed) raise_bars(arena, q, &now);
  out->limit = limits_of(arena, c, now.port);
  out->role = RIPSTOP_ARRAY(arena, c->roles, ripstop_role_use);
  for (uint32_t i = 0; i < c->roles; i++) out->role[i].bar = now.role[i];
  return out->fresh ? v.load : q->before->load;
}

/* ------------------------------------------------------------------ one cable */

typedef struct search {
  const ripstop_safe_question *q;
  const ripstop_capacity *capacity;
  const uint64_t *limit; /* [ports] */
  repair *repair;        /* NULL: tables are made from scratch: */
  path_balance *balance;
  switch_graph net; /* describes `left` */
  ripstop_view *left;
  uint64_t *have;         /* [parts]: their capacity without the set */
  uint64_t *load;         /* [ports]: scratch */
  const uint64_t *copied; /* [ports]: a bit for each port in a mask of a multicast group */
  uint64_t disconnected;
  leaf_flow *flow;      /* describes `left`; NULL: the condition does not apply */
  ripstop_flow_gap gap; /* the last one that a cable made */
} search;

/* The ports that send copies of multicast packets. The tables of the proof keep all masks. */
static const uint64_t *find_copied(ripstop_arena *arena, const ripstop_forwarding *t) {
  const size_t words = ripstop_bits_words(t->fabric->ports);
  uint64_t *copied = RIPSTOP_ARRAY(arena, words, uint64_t);
  for (uint32_t i = 0; t->groups && i < t->groups->groups; i++)
    for (size_t w = 0; w < words; w++) copied[w] |= t->groups->group[i].mask[w];
  return copied;
}

static void open_search(search *s, ripstop_arena *scratch, const ripstop_safe_question *q, const ripstop_safe_set *out,
                        bool from_scratch) {
  const ripstop_capacity *c = q->capacity;
  *s = (search){.q = q, .capacity = c, .limit = out->limit, .left = ripstop_view_copy(q->view)};
  if (from_scratch)
    s->balance = path_balance_new(scratch, s->left, c, q->tables);
  else
    s->repair = repair_new(q->view, out->from);
  s->have = RIPSTOP_ARRAY(scratch, c->parts, uint64_t);
  for (uint32_t i = 0; i < c->parts; i++) s->have[i] = c->part[i].capacity;
  s->load = RIPSTOP_ARRAY(scratch, q->view->fabric->ports, uint64_t);
  s->copied = find_copied(scratch, q->tables);
  s->disconnected = ripstop_view_disconnected_pairs(s->left);
  switch_graph_make(&s->net, s->left, (switch_graph_kind){.whole = true, .by_port = true}, scratch);
  s->flow = leaf_flow_new(scratch, c);
}

static void close_search(search *s) {
  if (s->repair) repair_free(s->repair);
  ripstop_view_free(s->left);
}

static void put_cable(search *s, uint32_t link, bool up) {
  const ripstop_fabric *f = s->q->view->fabric;
  uint32_t part[3];
  unsigned count =
      ripstop_capacity_left(s->capacity, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), part);
  while (count-- > 0)
    up ? (s->have[part[count]] += s->capacity->rate[link]) : (s->have[part[count]] -= s->capacity->rate[link]);
  ripstop_view_set_faults(s->left, &(ripstop_faults){.links = 1, .link = &link}, up);
  if (s->flow) leaf_flow_set(s->flow, link, up);
}

/* The cable is out already. */
static bool parts_pairs(search *s, uint32_t link) {
  const ripstop_fabric *f = s->q->view->fabric;
  return !switch_graph_joined(&s->net, ripstop_link_node(f, link, 0) - f->ends,
                              ripstop_link_node(f, link, 1) - f->ends) &&
         ripstop_view_disconnected_pairs(s->left) > s->disconnected;
}

/* The first part that keeps too little; RIPSTOP_NONE: there is none. */
static uint32_t find_lacking(const search *s, uint32_t link) {
  const ripstop_fabric *f = s->q->view->fabric;
  uint32_t part[3];
  const unsigned count =
      ripstop_capacity_left(s->capacity, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), part);
  for (unsigned i = 0; i < count; i++)
    if (s->have[part[i]] < s->capacity->part[part[i]].floor) return part[i];
  return RIPSTOP_NONE;
}

/* The part whose cable it is; RIPSTOP_NONE: of none. */
static uint32_t part_of(const ripstop_capacity *c, uint32_t a, uint32_t b) {
  uint32_t part[3];
  return ripstop_capacity_owners(c, a, b, part) ? part[0] : RIPSTOP_NONE;
}

/* The harm of a channel that carries more than its limit; RIPSTOP_NONE: no channel does. */
static ripstop_harm harm_of_load(const search *s, uint32_t over, uint32_t *hurts) {
  const ripstop_fabric *f = s->q->view->fabric;
  *hurts = over == RIPSTOP_NONE ? RIPSTOP_NONE : part_of(s->capacity, f->port_node[over], f->port_node[f->peer[over]]);
  return over == RIPSTOP_NONE ? RIPSTOP_HARM_NONE : RIPSTOP_HARM_LOAD;
}

/* The first condition that the cable breaks in the repaired tables, from which it is out already. */
static ripstop_harm find_harm_to_repaired(search *s, bool alone, uint32_t *hurts) {
  const bool within = repair_spread(s->repair, s->limit);
  repair_loads(s->repair, s->load);
  const uint32_t over = within ? RIPSTOP_NONE : find_over(s->q->view->fabric, s->limit, s->load);
  if (harm_of_load(s, over, hurts) != RIPSTOP_HARM_NONE) return RIPSTOP_HARM_LOAD;
  const bool waits = !s->q->before->credit_loop && repair_written_loop(s->repair);
  return waits && (!alone || repair_credit_loop(s->repair)) ? RIPSTOP_HARM_ORDER : RIPSTOP_HARM_NONE;
}

static bool carries_copies(const search *s, uint32_t link) {
  const uint32_t *port = &s->q->view->fabric->link_port[2 * (size_t)link];
  return ripstop_bit_test(s->copied, port[0]) || ripstop_bit_test(s->copied, port[1]);
}

/* The first condition that the cable breaks whatever the unicast tables are. It is out already. */
static ripstop_harm find_harm_to_fabric(search *s, uint32_t link, uint32_t *hurts) {
  const ripstop_fabric *f = s->q->view->fabric;
  *hurts = part_of(s->capacity, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1));
  if (parts_pairs(s, link)) return RIPSTOP_HARM_PAIRS;
  *hurts = find_lacking(s, link);
  if (*hurts != RIPSTOP_NONE) return RIPSTOP_HARM_CAPACITY;
  if (s->flow && !leaf_flow_keeps(s->flow, link, &s->gap)) return *hurts = s->gap.part[0], RIPSTOP_HARM_FLOW;
  return carries_copies(s, link) ? RIPSTOP_HARM_GROUPS : RIPSTOP_HARM_NONE;
}

static ripstop_harm find_harm_to_tables(search *s, uint32_t link, bool alone, uint32_t *hurts) {
  ripstop_what_if ignored;
  if (!s->repair) return harm_of_load(s, path_balance_make(s->balance, s->limit), hurts);
  repair_kill(s->repair, &(ripstop_faults){.links = 1, .link = &link}, &ignored);
  const ripstop_harm harm = find_harm_to_repaired(s, alone, hurts);
  if (harm != RIPSTOP_HARM_NONE || alone) repair_undo(s->repair);
  return harm;
}

/* Takes the cable out, unless that does harm; `alone`: puts it back in any case. */
static ripstop_harm try_cable(search *s, uint32_t link, bool alone, uint32_t *hurts) {
  put_cable(s, link, false);
  ripstop_harm harm = find_harm_to_fabric(s, link, hurts);
  if (harm == RIPSTOP_HARM_NONE) harm = find_harm_to_tables(s, link, alone, hurts);
  if (harm != RIPSTOP_HARM_NONE || alone) put_cable(s, link, true);
  return harm;
}

/* ------------------------------------------------------------------ all cables */

typedef struct candidate {
  uint64_t load;
  uint32_t link;
} candidate;

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->load != y->load) return x->load < y->load ? -1 : 1;
  return (x->link > y->link) - (x->link < y->link);
}

/* Cables between switches that work, the least loaded first. */
static uint32_t list_candidates(const ripstop_safe_question *q, const uint64_t *load, candidate *list) {
  const ripstop_fabric *f = q->view->fabric;
  uint32_t count = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    if (q->view->port_up[port[0]]) list[count++] = (candidate){.load = load[port[0]] + load[port[1]], .link = link};
  }
  qsort(list, count, sizeof *list, compare_candidates);
  return count;
}

/* The work so far, of two or three rounds over all cables. */
static void report(const search *s, uint32_t done, uint32_t count) {
  const ripstop_progress *p = s->q->progress;
  if (p) p->tell(p->context, done, (s->q->from_scratch ? 3 : 2) * count);
}

static void try_alone(ripstop_arena *arena, search *s, const candidate *list, uint32_t count, ripstop_safe_set *out) {
  const ripstop_fabric *f = s->q->view->fabric;
  const uint32_t links = f->links;
  const uint64_t *load = s->q->before->load;
  uint8_t *why_not = RIPSTOP_ARRAY(arena, links, uint8_t);
  ripstop_flow_gap *gap = s->flow ? RIPSTOP_ARRAY(arena, links, ripstop_flow_gap) : NULL;
  uint32_t *hurts = RIPSTOP_ARRAY(arena, links, uint32_t), *idle = RIPSTOP_ARRAY(arena, count, uint32_t);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t link = list[i].link;
    why_not[link] = try_cable(s, link, true, &hurts[link]);
    if (gap && why_not[link] == RIPSTOP_HARM_FLOW) gap[link] = s->gap;
    if (s->q->incomplete && why_not[link] == RIPSTOP_HARM_NONE) why_not[link] = RIPSTOP_HARM_INCOMPLETE;
    out->unsafe[why_not[link]]++;
    const uint32_t *port = &f->link_port[2 * (size_t)link];
    if (load[port[0]] + load[port[1]] == 0 && !carries_copies(s, link)) idle[out->idle++] = link;
    report(s, i + 1, count);
  }
  if (s->q->incomplete) out->idle = 0; /* paths of hosts that are not known may use these */
  out->why_not = why_not;
  out->hurts = hurts;
  out->gap = gap;
  out->flow = s->flow != NULL;
  out->idle_link = idle;
}

/* Reach, capacity and flow do not return while more cables go, nor do masks of groups change. So cables that break
 * these conditions alone are not tried again. */
static bool is_lasting(ripstop_harm harm) { return harm >= RIPSTOP_HARM_PAIRS && harm <= RIPSTOP_HARM_GROUPS; }

static void try_together(ripstop_arena *arena, search *s, const candidate *list, uint32_t count,
                         ripstop_safe_set *out) {
  const uint32_t links = s->q->view->fabric->links;
  uint32_t *link = RIPSTOP_ARRAY(arena, count, uint32_t), *hurts = RIPSTOP_ARRAY(arena, links, uint32_t);
  uint8_t *beside = RIPSTOP_ARRAY(arena, links, uint8_t);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t one = list[i].link;
    const ripstop_harm alone = out->why_not[one];
    beside[one] = is_lasting(alone) || s->q->incomplete ? alone : try_cable(s, one, false, &hurts[one]);
    if (beside[one] == RIPSTOP_HARM_NONE) link[out->links++] = one;
    report(s, (s->repair ? 1 : 2) * count + i + 1, count);
  }
  out->why_not_beside = beside;
  out->hurts_beside = hurts;
  out->link = link;
  out->refused = count - out->links;
}

/* ------------------------------------------------------------------ the proof */

static void fill_roles(const ripstop_safe_question *q, const ripstop_safe_set *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const double *before = ripstop_capacity_worst_of_roles(scratch, q->capacity, q->before->load);
  const double *after = ripstop_capacity_worst_of_roles(scratch, q->capacity, out->after.load);
  for (uint32_t i = 0; i < q->capacity->roles; i++) out->role[i].before = before[i], out->role[i].after = after[i];
}

/* The switch that a local port leads to in a view; RIPSTOP_NONE: to none. */
static uint32_t beyond_port(const ripstop_view *v, uint32_t s, uint32_t local) {
  const ripstop_fabric *f = v->fabric;
  const uint32_t port = f->port_base[f->ends + s] + local;
  if (port >= f->port_base[f->ends + s + 1] || !v->port_up[port]) return RIPSTOP_NONE;
  const uint32_t other = f->port_node[f->peer[port]];
  return other < f->ends ? RIPSTOP_NONE : other - f->ends;
}

/* True if packets get from one switch to another by a row of tables. */
static bool arrives(const ripstop_view *v, const uint16_t *row, uint32_t s, uint32_t target) {
  for (uint32_t hops = ripstop_fabric_switches(v->fabric); hops > 0 && s != target && s != RIPSTOP_NONE; hops--)
    s = beyond_port(v, s, row[s]);
  return s == target;
}

/* The entry of a switch from which packets do not arrive any more: towards a neighbour from which they do. */
static uint16_t to_arriving(const ripstop_view *v, const bool *arrive, uint32_t s) {
  const uint32_t ports = ripstop_node_ports(v->fabric, v->fabric->ends + s);
  for (uint32_t local = 0; local < ports; local++) {
    const uint32_t other = beyond_port(v, s, local);
    if (other != RIPSTOP_NONE && arrive[other]) return (uint16_t)local;
  }
  return RIPSTOP_NO_PORT;
}

/* The repair leaves out addresses of switches, by which a manager reaches them; the tables must not use the set for
 * these either. A switch that cannot reach such an address over a neighbour drops it: then packets loop under no
 * transient state. */
static void lead_to_switches(const search *s, ripstop_forwarding *t) {
  const uint32_t switches = s->net.switches;
  RIPSTOP_LOCAL_ARENA(scratch);
  bool *arrive = RIPSTOP_ARRAY(scratch, switches, bool), *arrived = RIPSTOP_ARRAY(scratch, switches, bool);
  for (uint32_t a = ripstop_forwarding_ends(t); a < t->addresses; a++) {
    const uint32_t target = t->node[a] - t->fabric->ends;
    uint16_t *row = t->port + (size_t)a * switches;
    for (uint32_t i = 0; i < switches; i++) {
      arrived[i] = arrives(s->q->view, row, i, target);
      arrive[i] = arrives(s->left, row, i, target);
    }
    for (uint32_t i = 0; i < switches; i++)
      if (arrived[i] && !arrive[i]) row[i] = to_arriving(s->left, arrive, i);
  }
}

/* The tables of the search, from which the set is out. */
static ripstop_forwarding *tables_of(ripstop_arena *arena, const search *s) {
  ripstop_forwarding *t =
      s->repair ? ripstop_forwarding_copy(arena, repair_tables(s->repair)) : path_balance_tables(arena, s->balance);
  lead_to_switches(s, t);
  return t;
}

/* Judges the rest of the fabric with tables from which the set is out, and the tables together with the given ones
 * while all cables work. */
static int prove(ripstop_arena *arena, const search *s, ripstop_safe_set *out, ripstop_error *err) {
  const ripstop_safe_question *q = s->q;
  uint64_t *have = RIPSTOP_ARRAY(arena, s->capacity->parts, uint64_t);
  const uint64_t ends = q->view->fabric->ends;
  out->proved = tables_of(arena, s);
  if (ripstop_judge(arena, s->left, out->proved, NULL, &out->after, err) ||
      ripstop_judge_transient(arena, q->view, q->tables, out->proved, &out->transient, err))
    return -1;
  out->between = count_steps(arena, q, out->proved, &out->steps);
  if (!are_written_safely(q, out->steps))
    return ripstop_fail(err, "no order of writes is safe for the repaired tables");
  memcpy(have, s->have, s->capacity->parts * sizeof *have);
  out->capacity_after = have;
  out->connected_now = ends * (ends - 1) - s->disconnected;
  out->connected_then = ends * (ends - 1) - ripstop_view_disconnected_pairs(s->left);
  fill_roles(q, out);
  return 0;
}

/* ------------------------------------------------------------------ with tables from scratch */

/* About 10 s of a processor. */
static const uint64_t MOST_WORK = UINT64_C(4000000000);

/* True if the second search may find more, and is not too much work. The tables must have what path_balance.h makes:
 * one address of each end node, and one service level. */
static bool is_worth_more(const ripstop_safe_question *q, const search *s, const ripstop_safe_set *out) {
  const ripstop_forwarding *t = q->tables;
  uint64_t cables = out->unsafe[RIPSTOP_HARM_NONE];
  for (unsigned harm = RIPSTOP_HARM_NONE + 1; harm < RIPSTOP_HARMS; harm++)
    if (!is_lasting((ripstop_harm)harm)) cables += out->unsafe[harm];
  if (q->incomplete || out->links == out->at_most || t->level || t->lane || ripstop_forwarding_most(t) > 1)
    return false;
  return cables <= MOST_WORK / (path_balance_work(s->balance) + 1);
}

/* Reduces a set of the second search to the longest part of it, in the order in which it grew, whose tables can be
 * written under traffic. Each such part keeps the other conditions. Not below `least` cables. */
static void keep_writable(ripstop_arena *arena, search *s, const ripstop_safe_question *q, uint32_t least,
                          ripstop_safe_set *more) {
  const uint32_t links = q->view->fabric->links;
  uint8_t *beside = memcpy(RIPSTOP_ARRAY(arena, links, uint8_t), more->why_not_beside, links);
  more->why_not_beside = beside;
  for (; more->links > least; more->links--, more->refused++) {
    RIPSTOP_LOCAL_ARENA(scratch);
    uint32_t steps;
    (void)path_balance_make(s->balance, s->limit);
    count_steps(scratch, q, tables_of(scratch, s), &steps);
    if (are_written_safely(q, steps)) return;
    put_cable(s, more->link[more->links - 1], true);
    beside[more->link[more->links - 1]] = RIPSTOP_HARM_ORDER;
  }
}

/* Replaces the set if the second search finds a larger one. */
static int try_from_scratch(ripstop_arena *arena, const ripstop_safe_question *q, const candidate *list, uint32_t count,
                            ripstop_safe_set *out, ripstop_error *err) {
  search s;
  RIPSTOP_LOCAL_ARENA(scratch);
  open_search(&s, scratch, q, out, true);
  ripstop_safe_set more = *out;
  int status = 0;
  more.links = 0;
  if (is_worth_more(q, &s, out)) {
    try_together(arena, &s, list, count, &more);
    keep_writable(arena, &s, q, out->links, &more);
    more.from_scratch = true;
    if (more.links > out->links) status = prove(arena, &s, &more, err);
    if (more.links > out->links) *out = more;
  }
  close_search(&s);
  return status;
}

int ripstop_judge_safe_set(ripstop_arena *arena, const ripstop_safe_question *q, ripstop_safe_set *out,
                           ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  search s;
  RIPSTOP_LOCAL_ARENA(scratch);
  if (forwarding_check_simple(q->tables, "what-if", err)) return -1;
  candidate *list = RIPSTOP_ARRAY(scratch, q->view->fabric->links, candidate);
  *out = (ripstop_safe_set){.at_most = ripstop_capacity_at_most(q->capacity)};
  const uint32_t count = list_candidates(q, begin(arena, q, out), list);
  open_search(&s, scratch, q, out, false);
  try_alone(arena, &s, list, count, out);
  try_together(arena, &s, list, count, out);
  const int status = prove(arena, &s, out, err);
  close_search(&s);
  return status || !q->from_scratch ? status : try_from_scratch(arena, q, list, count, out, err);
}

/* ------------------------------------------------------------------ for a method's tables as well */

ripstop_forwarding *ripstop_judge_tables_of(const ripstop_view *view, const char *method,
                                            const ripstop_forwarding *tables, uint64_t limit, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return method_tables_after(view, method, tables, limit, err);
}

typedef struct proof {
  ripstop_arena *arena;
  const ripstop_safe_question *q;
  const char *method;
  uint64_t limit;
  ripstop_safe_set *set;
} proof;

/* Judges the method's tables for the rest, with the masks of the given ones. */
static int judge_method(const proof *p, const ripstop_view *left, const ripstop_forwarding *made, ripstop_error *err) {
  const ripstop_safe_question *q = p->q;
  ripstop_forwarding with_groups = *made, *const tables = &with_groups;
  ripstop_safe_set *s = p->set;
  with_groups.groups = q->tables->groups;
  if (ripstop_judge(p->arena, left, tables, NULL, &s->rerouted_after, err) ||
      ripstop_judge_transient(p->arena, q->view, q->tables, tables, &s->rerouted_transient, err))
    return -1;
  s->rerouted_between = count_steps(p->arena, q, tables, &s->rerouted_steps);
  s->rerouted_tables = ripstop_forwarding_copy(p->arena, tables);
  return 0;
}

/* Judges the method's tables without the first links of the set; -1: it has none. */
static int try_without(const proof *p, uint32_t links, ripstop_error *err) {
  const ripstop_safe_question *q = p->q;
  ripstop_view *left = ripstop_view_copy(q->view);
  ripstop_view_set_faults(left, &(ripstop_faults){.links = links, .link = p->set->link}, false);
  ripstop_forwarding *tables = method_tables_after(left, p->method, q->tables, p->limit, err);
  const int status = tables ? judge_method(p, left, tables, err) : -1;
  ripstop_forwarding_free(tables);
  ripstop_view_free(left);
  return status;
}

/* The first condition that the method's tables break. Tables with a credit loop are safe in no number of writes. */
static ripstop_harm find_harm_to_method(const proof *p) {
  const ripstop_table_verdict *v = &p->set->rerouted_after;
  if (v->unreached != v->disconnected) return RIPSTOP_HARM_PAIRS;
  if (find_over(p->q->view->fabric, p->set->limit, v->load) != RIPSTOP_NONE) return RIPSTOP_HARM_LOAD;
  return are_written_safely(p->q, p->set->rerouted_steps) ? RIPSTOP_HARM_NONE : RIPSTOP_HARM_ORDER;
}

/* 1, or 0, also if the method has no tables; -1: the machine failed, and the answer is unknown. */
static int holds(const proof *p, uint32_t links, ripstop_error *err) {
  ripstop_error why = {0};
  if (try_without(p, links, &why) == 0) return find_harm_to_method(p) == RIPSTOP_HARM_NONE;
  if (!why.machine) return 0;
  *err = why;
  return -1;
}

/* Finds the longest prefix that is known to be safe, as the empty one is. One more link, where it was tried, is not
 * safe. */
static int find_most(const proof *p, uint32_t *good, ripstop_error *err) {
  const ripstop_progress *progress = p->q->progress;
  uint32_t bad = p->set->links + 1;
  for (uint32_t next = p->set->links; bad - *good > 1; next = *good + (bad - *good) / 2) {
    int held = holds(p, next, err);
    if (held < 0) return -1;
    *(held ? good : &bad) = next;
    if (progress) progress->tell(progress->context, p->set->links + 1 - (bad - *good), p->set->links);
  }
  return 0;
}

/* Shortens the set to its first links, and proves it again by repairs. */
static int keep_first(const proof *p, uint32_t links, ripstop_error *err) {
  ripstop_safe_set *set = p->set;
  search s;
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_what_if ignored;
  open_search(&s, scratch, p->q, set, false);
  for (uint32_t i = 0; i < links; i++) {
    put_cable(&s, set->link[i], false);
    repair_kill(s.repair, &(ripstop_faults){.links = 1, .link = &set->link[i]}, &ignored);
    (void)repair_spread(s.repair, set->limit); /* it did before */
  }
  set->refused += set->links - links;
  set->links = links;
  int status = prove(p->arena, &s, set, err);
  close_search(&s);
  return status ? status : try_without(p, links, err);
}

static void fill_rerouted_roles(const proof *p) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const double *worst = ripstop_capacity_worst_of_roles(scratch, p->q->capacity, p->set->rerouted_after.load);
  for (uint32_t i = 0; i < p->q->capacity->roles; i++) p->set->role[i].rerouted = worst[i];
}

int ripstop_judge_safe_reroute(ripstop_arena *arena, const ripstop_safe_question *question, const char *method,
                               uint64_t limit, ripstop_safe_set *set, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  proof p = {.arena = arena, .q = question, .method = method, .limit = limit, .set = set};
  if (try_without(&p, 0, err) != 0) return -1;
  set->worst_now = set->rerouted_after.worst;
  set->rerouted_harm = find_harm_to_method(&p);
  set->rerouted = set->rerouted_harm == RIPSTOP_HARM_NONE;
  uint32_t most = 0;
  if (set->rerouted && find_most(&p, &most, err) != 0) return -1;
  /* The whole set was the last one tried, and is proved already. */
  if (most < set->links && keep_first(&p, most, err)) return -1;
  fill_rerouted_roles(&p);
  return 0;
}
