/* dependencies.c - the extended channel dependency graph of a routing subfunction (Duato 1996), built from the states.
 *
 * The routing function R is the method's `route`, the subfunction R1 supplies some of its candidates. Queue a depends
 * on queue b if a head that can be in `a` is supplied `b` by R1. The dependency is direct if R1 had also supplied `a`
 * to that packet, and a cross dependency if the packet came to `a` by R alone. Virtual cut-through keeps a packet in
 * one queue, so there are no indirect dependencies over several queues.
 *
 * A head to which R1 supplies nothing is starved. It takes part with all candidates of R: the graph is then that of
 * the completed subfunction, which supplies what R1 does or else what R does.
 *
 * Soundness: without a cycle some queue that is not empty has all queues after it empty. Its head is supplied one of
 * them, or is delivered or discarded, so it can move.
 *
 * Invariant: an arc is in the direct bits or in the cross bits or in both; then it counts as direct. */
#include <string.h>

#include "base/memory.h"
#include "prove/proof.h"
#include "prove/states.h"
#include "ripstop/plugin/method.h"

enum { DIRECT, CROSS, ARC_KINDS };
enum { SEARCHES = 64 }; /* queues from which a short cycle is searched */

static const ripstop_subfunction whole = {.name = "all", .help = "every candidate of the routing function"};

const ripstop_subfunction *ripstop_subfunction_find(const ripstop_method *method, const char *name,
                                                    ripstop_error *err) {
  ripstop_text list = {0};
  if (strcmp(name, whole.name) == 0) return &whole;
  RIPSTOP_GUARD(err, NULL);
  ripstop_text_add(&list, "%s", whole.name);
  for (const ripstop_subfunction *s = method->subfunctions; s && s->name; s++) {
    if (strcmp(name, s->name) == 0) {
      ripstop_text_free(&list);
      return s;
    }
    ripstop_text_add(&list, ", %s", s->name);
  }
  ripstop_fail(err, "method %s has no subfunction '%.60s'; it has %s", method->name, name, list.data);
  ripstop_text_free(&list);
  return NULL;
}

/* ------------------------------------------------------------------ collecting */

static bool is_wanted(const ripstop_prover *p) { return p->subfunction && !p->mixing.versions; }

/* The arcs of an output VC, as bits over the output VCs of the switch that it leads to. */
static uint64_t *arcs_of(const ripstop_prover *p, int kind, uint32_t lane) {
  return p->arc + ((size_t)kind * p->lanes + lane) * p->arc_words;
}

void dependencies_reset(ripstop_prover *p) {
  if (!is_wanted(p)) return;
  p->arc_words = (p->fan + 63) / 64;
  const size_t words = (size_t)ARC_KINDS * p->lanes * p->arc_words;
  p->arc = ripstop_arena_realloc(p->keep, p->arc, words, sizeof *p->arc);
  memset(p->arc, 0, words * sizeof *p->arc);
  p->starved = 0;
}

static ripstop_head head_of(const ripstop_prover *p, uint32_t number, uint32_t destination) {
  const state *s = &p->state[number];
  return prover_head(p, s->place, s->header, p->source, destination);
}

static bool is_delivered(const ripstop_prover *p, const ripstop_head *head, int candidates) {
  for (int i = 0; i < candidates; i++)
    if (p->arrival[p->first_lane[head->node] + lane_of_candidate(p, &p->candidate[i])].node == head->destination)
      return true;
  return false;
}

/* The candidates of R that states.c follows, to p->way. */
static int contenders(ripstop_prover *p, const ripstop_head *head) {
  const int candidates = ripstop_route(p->plan, head, p->candidate);
  return candidates > 0 && p->early ? states_keep_lowest_rank(p->candidate, candidates) : candidates;
}

/* Writes the candidates that the completed subfunction supplies to a state's head to p->way. It always supplies
 * delivery. */
static int supply(ripstop_prover *p, const ripstop_head *head, bool *starved) {
  const int candidates = contenders(p, head);
  *starved = false;
  if (candidates <= 0 || head->node < p->ends || !p->subfunction->supply || is_delivered(p, head, candidates))
    return candidates;
  const int kept = p->subfunction->supply(p->plan, head, p->candidate, candidates);
  *starved = kept <= 0;
  return kept > 0 ? kept : contenders(p, head);
}

/* Marks the states to which the subfunction has brought a packet. */
static void mark_supplied(ripstop_prover *p, uint32_t number, uint32_t destination) {
  bool starved;
  const ripstop_head head = head_of(p, number, destination);
  const int candidates = supply(p, &head, &starved);
  for (int i = 0; i < candidates; i++) {
    const uint32_t lane = p->first_lane[head.node] + lane_of_candidate(p, &p->candidate[i]);
    if (p->arrival[lane].node == destination) continue;
    p->supplied[*states_find_number(p, lane, p->candidate[i].header) - p->before] = true;
  }
}

static void add_arcs(ripstop_prover *p, uint32_t number, uint32_t destination) {
  bool starved;
  const ripstop_head head = head_of(p, number, destination);
  const int candidates = supply(p, &head, &starved);
  uint64_t *arcs = arcs_of(p, p->supplied[number] ? DIRECT : CROSS, p->state[number].place);
  p->starved += starved;
  for (int i = 0; i < candidates; i++) {
    const uint32_t local = lane_of_candidate(p, &p->candidate[i]);
    if (p->arrival[p->first_lane[head.node] + local].node == destination) continue;
    arcs[local / 64] |= UINT64_C(1) << (local % 64);
  }
}

void dependencies_add(ripstop_prover *p, uint32_t destination) {
  if (!is_wanted(p)) return;
  p->supplied = ripstop_arena_realloc(p->keep, p->supplied, p->states + 1, sizeof *p->supplied);
  memset(p->supplied, 0, p->states * sizeof *p->supplied);
  for (uint32_t i = 0; i < p->states; i++) mark_supplied(p, i, destination);
  for (uint32_t i = 0; i < p->states; i++)
    if (p->state[i].place < p->lanes) add_arcs(p, i, destination);
}

void dependencies_merge(ripstop_prover *p, const ripstop_prover *from) {
  if (!is_wanted(p)) return;
  for (size_t i = 0; i < (size_t)ARC_KINDS * p->lanes * p->arc_words; i++) p->arc[i] |= from->arc[i];
  p->starved += from->starved;
}

/* ------------------------------------------------------------------ the graph */

typedef struct graph {
  const ripstop_prover *p;
  uint8_t *in;    /* [lanes]: it is a vertex */
  uint8_t *left;  /* [lanes]: it remains when vertices without a successor or a predecessor are removed */
  uint32_t *list; /* [lanes] scratch */
  uint32_t *before;
} graph;

static uint32_t receiver(const ripstop_prover *p, uint32_t lane) {
  return p->fabric->port_node[p->fabric->peer[lane / p->channels]];
}
static uint32_t sender(const ripstop_prover *p, uint32_t lane) { return p->fabric->port_node[lane / p->channels]; }

/* The output VC of bit `local` of another output VC's arcs. */
static uint32_t successor(const ripstop_prover *p, uint32_t lane, uint32_t local) {
  return p->first_lane[receiver(p, lane)] + local;
}

/* True if the output VC has an arc to `to`, of either kind. */
static bool has_arc(const ripstop_prover *p, uint32_t lane, uint32_t to) {
  const uint32_t local = to - p->first_lane[sender(p, to)];
  return (arcs_of(p, DIRECT, lane)[local / 64] | arcs_of(p, CROSS, lane)[local / 64]) >> (local % 64) & 1;
}

/* The next successor of a vertex after the one at bit `local`, both kinds together; false: that was the last. Begin
 * with UINT32_MAX. */
static bool next_arc(const graph *g, uint32_t lane, uint32_t *local) {
  const ripstop_prover *p = g->p;
  for (uint32_t i = *local + 1; i < 64 * p->arc_words; i++) {
    const uint64_t both = (arcs_of(p, DIRECT, lane)[i / 64] | arcs_of(p, CROSS, lane)[i / 64]) >> (i % 64);
    if (!both) {
      i |= 63;
      continue;
    }
    *local = i + (uint32_t)__builtin_ctzll(both);
    return true;
  }
  return false;
}

static bool leads_on(const graph *g, uint32_t lane) {
  for (uint32_t local = UINT32_MAX; next_arc(g, lane, &local);)
    if (g->left[successor(g->p, lane, local)]) return true;
  return false;
}

/* Calls `visit` for the remaining vertices among the output VCs into the switch that sends into this output VC. */
static void visit_predecessors(graph *g, uint32_t lane, void (*visit)(graph *g, uint32_t from, uint32_t *count),
                               uint32_t *count) {
  const ripstop_prover *p = g->p;
  const ripstop_fabric *f = p->fabric;
  const uint32_t node = sender(p, lane);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (f->peer[port] == RIPSTOP_NONE) continue;
    for (uint32_t from = f->peer[port] * p->channels; from < (f->peer[port] + 1) * p->channels; from++)
      if (g->left[from] && has_arc(p, from, lane)) visit(g, from, count);
  }
}

static void drop_end(graph *g, uint32_t lane, uint32_t *count) {
  if (!g->left[lane] || leads_on(g, lane)) return;
  g->left[lane] = false;
  g->list[(*count)++] = lane;
}

/* Removes vertices without successors, until all have one. */
static void drop_ends(graph *g) {
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < g->p->lanes; lane++) drop_end(g, lane, &count);
  for (uint32_t i = 0; i < count; i++) visit_predecessors(g, g->list[i], drop_end, &count);
}

static void count_predecessor(graph *g, uint32_t from, uint32_t *count) {
  (void)g, (void)from;
  ++*count;
}

static bool is_led_to(graph *g, uint32_t lane) {
  uint32_t count = 0;
  visit_predecessors(g, lane, count_predecessor, &count);
  return count > 0;
}

static void drop_start(graph *g, uint32_t lane, uint32_t *count) {
  if (!g->left[lane] || is_led_to(g, lane)) return;
  g->left[lane] = false;
  g->list[(*count)++] = lane;
}

/* The same for vertices without predecessors. */
static void drop_starts(graph *g) {
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < g->p->lanes; lane++) drop_start(g, lane, &count);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t local = UINT32_MAX; next_arc(g, g->list[i], &local);)
      drop_start(g, successor(g->p, g->list[i], local), &count);
}

/* ------------------------------------------------------------------ a short cycle */

/* A shortest cycle through `start` over remaining vertices: its length, 0: there is none. g->before has it, from the
 * last vertex on. */
static uint32_t search_back(graph *g, uint32_t start, uint32_t *last) {
  uint32_t head = 0, tail = 0;
  memset(g->before, 0xff, g->p->lanes * sizeof *g->before);
  g->list[tail++] = start;
  while (head < tail) {
    const uint32_t at = g->list[head++];
    for (uint32_t local = UINT32_MAX; next_arc(g, at, &local);) {
      const uint32_t next = successor(g->p, at, local);
      if (next == start) {
        *last = at;
        uint32_t length = 1;
        for (uint32_t i = at; i != start; i = g->before[i]) length++;
        return length;
      }
      if (!g->left[next] || g->before[next] != RIPSTOP_NONE) continue;
      g->before[next] = at;
      g->list[tail++] = next;
    }
  }
  return 0;
}

static ripstop_deadlocked_packet queue_at(const ripstop_prover *p, uint32_t lane) {
  return (ripstop_deadlocked_packet){.port = lane / p->channels, .channel = (uint8_t)(lane % p->channels)};
}

/* A vertex on a cycle to which this one leads. Each remaining vertex leads to another one, so a walk of as many steps
 * as there are vertices enters a cycle. */
static uint32_t walk_to_cycle(const graph *g, uint32_t lane) {
  const ripstop_prover *p = g->p;
  for (uint32_t step = 0; step < p->lanes; step++) {
    uint32_t local = UINT32_MAX;
    while (next_arc(g, lane, &local) && !g->left[successor(p, lane, local)]) continue;
    lane = successor(p, lane, local);
  }
  return lane;
}

/* The shortest of the cycles through the first remaining vertices, or through the vertices that they lead to. */
static void find_cycle(graph *g, ripstop_arena *arena, ripstop_dependencies *out) {
  const ripstop_prover *p = g->p;
  uint32_t best = 0, from = 0, last = 0, searches = 0;
  for (uint32_t lane = 0; lane < p->lanes && searches < SEARCHES; lane++) {
    if (!g->left[lane]) continue;
    uint32_t start = lane, length = search_back(g, start, &last);
    if (!length) length = search_back(g, start = walk_to_cycle(g, lane), &last);
    searches++;
    if (!best || length < best) best = length, from = start;
  }
  ripstop_deadlocked_packet *cycle = RIPSTOP_ARRAY(arena, best, ripstop_deadlocked_packet);
  out->length = search_back(g, from, &last);
  for (uint32_t i = out->length; i-- > 0; last = g->before[last]) cycle[i] = queue_at(p, last);
  out->cycle = cycle;
}

/* ------------------------------------------------------------------ the report */

static void count_arcs(const graph *g, ripstop_dependencies *out) {
  const ripstop_prover *p = g->p;
  for (uint32_t lane = 0; lane < p->lanes; lane++)
    for (uint32_t w = 0; g->in[lane] && w < p->arc_words; w++) {
      const uint64_t direct = arcs_of(p, DIRECT, lane)[w], cross = arcs_of(p, CROSS, lane)[w] & ~direct;
      out->direct += (uint64_t)__builtin_popcountll(direct);
      out->cross += (uint64_t)__builtin_popcountll(cross);
    }
}

static void list_arcs(const graph *g, ripstop_arena *arena, ripstop_dependencies *out) {
  const ripstop_prover *p = g->p;
  ripstop_dependency *arc = RIPSTOP_ARRAY(arena, out->direct + out->cross + 1, ripstop_dependency), *next = arc;
  for (uint32_t lane = 0; lane < p->lanes; lane++)
    for (uint32_t local = UINT32_MAX; g->in[lane] && next_arc(g, lane, &local);) {
      const uint32_t to = successor(p, lane, local);
      *next++ = (ripstop_dependency){.from = queue_at(p, lane),
                                     .to = queue_at(p, to),
                                     .cross = !(arcs_of(p, DIRECT, lane)[local / 64] >> (local % 64) & 1),
                                     .in_cycle = g->left[lane] && g->left[to]};
    }
  out->arc = arc;
}

void dependencies_decide(ripstop_prover *p, ripstop_dependencies *out) {
  if (!is_wanted(p)) return;
  *out = (ripstop_dependencies){.of = p->subfunction, .starved = p->starved};
  graph g = {.p = p,
             .in = RIPSTOP_ARRAY(p->arena, p->lanes, uint8_t),
             .left = RIPSTOP_ARRAY(p->arena, p->lanes, uint8_t),
             .list = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t),
             .before = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t)};
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    g.in[lane] = g.left[lane] = p->arrival[lane].used && !ripstop_is_end(p->fabric, sender(p, lane));
    out->queues += g.in[lane];
  }
  count_arcs(&g, out);
  drop_ends(&g);
  drop_starts(&g);
  for (uint32_t lane = 0; lane < p->lanes; lane++) out->cyclic += g.left[lane];
  if (out->cyclic) find_cycle(&g, p->arena, out);
  list_arcs(&g, p->arena, out);
}
