/* intermediate-torus.c - "An Efficient Fault-Tolerant Routing Methodology for Meshes and Tori" (Gomez, Duato, Flich,
 * Lopez, Robles, Nordbotten, Lysne and Skeie 2004; paper 002 has the idea from there, its [20]). On a torus, a packet
 * whose dimension-order path has a failed link travels by dimension order to an intermediate router, and from there to
 * its destination. docs/methods/intermediate-torus.md explains the method and the readings.
 *
 * A dimension-order path crosses a ring for each dimension, in the shorter direction; half-way around an even ring both
 * are possible, and the source picks one that is up. So a router reaches another directly if each ring has an arc that
 * is short enough and up. The rings are independent, and for each router the numbers of consecutive links that are up
 * in both directions answer that.
 *
 * Each subpath has two virtual channels of its own: the first while the wrap-around link of a ring lies ahead, then the
 * second (Dally and Seitz 1987). Subpaths are entered in ascending order, so channel dependencies have no cycle.
 *
 * Routers have numbers 0 .. routers-1, node `ends` + number; the number is the sum of coordinate d times stride d. */
#include "base/bits.h"
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

#include <string.h>

#include "base/mix.h"

enum { NODES_MAX = 2, DIMENSIONS = 8, ROUTERS = 4096, ADDRESS = 12 };

typedef struct config {
  int64_t intermediates;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, intermediates, 0, NODES_MAX, "1", "most intermediate nodes of a packet"), {0}};

enum { NO_NODE, FAILED_AHEAD, CUT_OFF, END_CUT_OFF };
static const char *const losses[] = {[NO_NODE] = "no intermediate node has healthy paths",
                                     [FAILED_AHEAD] = "a link of the packet's path has died",
                                     [CUT_OFF] = "source cut off",
                                     [END_CUT_OFF] = "destination cut off",
                                     NULL};

typedef struct central {
  ripstop_torus torus;
  uint32_t routers, words, most;
  uint32_t stride[DIMENSIONS];
  uint16_t *run[2];                /* [routers * dimensions]: consecutive links that are up, upwards and downwards */
  uint64_t *within[NODES_MAX + 1]; /* [routers * words]: the routers that a router reaches with so many intermediate
                                    * nodes */
  uint32_t *ends;                  /* [routers]: end nodes whose link is up */
} central;

static uint32_t coord_of(const central *m, uint32_t router, uint32_t d) {
  return ripstop_coords(m->torus.fabric, m->torus.fabric->ends + router)[d];
}
static uint32_t up_hops(const central *m, uint32_t d, uint32_t from, uint32_t to) {
  return ripstop_torus_hops(&m->torus, d, coord_of(m, from, d), coord_of(m, to, d));
}
/* The router one hop up or down a ring. */
static uint32_t beside(const central *m, uint32_t router, uint32_t d, bool down) {
  uint32_t last = m->torus.size[d] - 1u, at = coord_of(m, router, d);
  uint32_t next = down ? (at ? at - 1 : last) : at < last ? at + 1 : 0;
  return router + (next - at) * m->stride[d]; /* modulo 2^32 when it goes down */
}
/* The router `from` with the coordinates below d of `to`. */
static uint32_t corner(const central *m, uint32_t from, uint32_t to, uint32_t d) {
  return from - from % m->stride[d] + to % m->stride[d];
}

/* ------------------------------------------------------------------ links that are up */

/* Two rounds: the first fills in the links up to the first failed one, the second those that wrap around. */
static void count_ring(const ripstop_plan *p, central *m, uint32_t first, uint32_t d, bool down) {
  uint32_t size = m->torus.size[d], n = m->torus.dimensions, at = first, row = 0;
  for (uint32_t i = 0; i < 2 * size; i++) { /* against the direction, so that the row behind is known */
    uint32_t before = beside(m, at, d, !down), port = p->fabric->port_base[p->fabric->ends + before] + 2 * d + down;
    row = p->view->port_up[port] ? row + (row < size) : 0;
    m->run[down][before * n + d] = (uint16_t)row;
    at = before;
  }
}

static void count_runs(ripstop_plan *p, central *m) {
  uint32_t n = m->torus.dimensions;
  for (unsigned down = 0; down < 2; down++) {
    m->run[down] = RIPSTOP_ARRAY(p->arena, (size_t)m->routers * n, uint16_t);
    for (uint32_t d = 0; d < n; d++)
      for (uint32_t router = 0; router < m->routers; router++)
        if (coord_of(m, router, d) == 0) count_ring(p, m, router, d, down);
  }
}

/* The directions that a packet may take in the ring of dimension d: bit 0 up, bit 1 down. 0: no arc is up; 3: half-way
 * around, both are. */
static unsigned directions(const central *m, uint32_t from, uint32_t to, uint32_t d) {
  uint32_t up = up_hops(m, d, from, to), size = m->torus.size[d];
  size_t at = (size_t)corner(m, from, to, d) * m->torus.dimensions + d;
  return (unsigned)(2 * up <= size && m->run[0][at] >= up) | (unsigned)(2 * up >= size && m->run[1][at] >= size - up)
                                                                 << 1;
}

static bool is_direct(const central *m, uint32_t from, uint32_t to) {
  for (uint32_t d = 0; d < m->torus.dimensions; d++)
    if (up_hops(m, d, from, to) > 0 && !directions(m, from, to, d)) return false;
  return true;
}

static bool reaches(const central *m, uint32_t nodes, uint32_t from, uint32_t to) {
  return ripstop_bit_test(m->within[nodes] + (size_t)from * m->words, to);
}

static void fill_row(const central *m, uint32_t nodes, uint32_t from) {
  uint64_t *row = m->within[nodes] + (size_t)from * m->words;
  if (nodes == 0) {
    for (uint32_t to = 0; to < m->routers; to++)
      if (is_direct(m, from, to)) ripstop_bit_set(row, to);
    return;
  }
  const uint64_t *before = m->within[nodes - 1] + (size_t)from * m->words;
  for (size_t i = ripstop_bits_next(before, m->words, 0); i < m->routers;
       i = ripstop_bits_next(before, m->words, i + 1))
    for (uint32_t w = 0; w < m->words; w++) row[w] |= m->within[0][i * m->words + w];
}

static void fill_rows(ripstop_plan *p, central *m) {
  for (uint32_t nodes = 0; nodes <= m->most; nodes++) {
    m->within[nodes] = RIPSTOP_ARRAY(p->arena, (size_t)m->routers * m->words, uint64_t);
    for (uint32_t from = 0; from < m->routers; from++) fill_row(m, nodes, from);
  }
}

/* ------------------------------------------------------------------ the header
 *
 * Bits 0-1: the subpath, from 0. Bits 2-3: intermediate nodes left. From bit 4 a bit for each dimension: down, where
 * both directions are equally long. Then for each node left, the next one first, its number and these direction bits of
 * the subpath behind it. */

enum { LEFT_AT = 2, DOWN_AT = 4, NEXT_AT = DOWN_AT + DIMENSIONS, NODE_BITS = ADDRESS + DIMENSIONS };

static uint32_t bits_at(uint64_t header, uint32_t at, uint32_t bits) {
  return (uint32_t)(header >> at) & ((1u << bits) - 1);
}

static uint64_t next_leg(uint64_t header) {
  uint64_t down = bits_at(header, NEXT_AT + ADDRESS, DIMENSIONS), left = bits_at(header, LEFT_AT, 2) - 1;
  return (bits_at(header, 0, 2) + 1) | left << LEFT_AT | down << DOWN_AT | header >> (NEXT_AT + NODE_BITS) << NEXT_AT;
}

/* The direction bits of a subpath that is up. */
static uint64_t pick_down(const central *m, uint32_t from, uint32_t to) {
  uint64_t down = 0, either = ripstop_mix_pair(from, to);
  for (uint32_t d = 0; d < m->torus.dimensions; d++) {
    unsigned candidates = up_hops(m, d, from, to) ? directions(m, from, to, d) : 1;
    down |= (uint64_t)(candidates == 2 || (candidates == 3 && (either >> d & 1))) << d;
  }
  return down;
}

/* ------------------------------------------------------------------ picking nodes */

static uint32_t distance(const central *m, uint32_t from, uint32_t to) {
  uint32_t hops = 0;
  for (uint32_t d = 0; d < m->torus.dimensions; d++) {
    uint32_t up = up_hops(m, d, from, to), down = m->torus.size[d] - up;
    hops += up < down ? up : up ? down : 0;
  }
  return hops;
}

/* The node with `after` others behind it that makes the whole path shortest, by the distances to and from it; among
 * equals the one with the lowest hash. */
static uint32_t choose_node(const central *m, uint32_t at, uint32_t to, uint32_t after) {
  const uint64_t *row = m->within[0] + (size_t)at * m->words;
  uint32_t best = RIPSTOP_NONE, least = UINT32_MAX;
  for (size_t i = ripstop_bits_next(row, m->words, 0); i < m->routers; i = ripstop_bits_next(row, m->words, i + 1)) {
    uint32_t node = (uint32_t)i, hops = distance(m, at, node) + distance(m, node, to);
    if (!reaches(m, after, node, to) || hops > least) continue;
    if (hops == least && ripstop_mix_pair(at, node) >= ripstop_mix_pair(at, best)) continue;
    best = node, least = hops;
  }
  return best;
}

/* Computes the header of the pair's packets; false: it needs too many nodes. */
static bool choose_path(const central *m, uint32_t from, uint32_t to, uint64_t *header) {
  uint32_t nodes = 0;
  while (nodes <= m->most && !reaches(m, nodes, from, to)) nodes++;
  if (nodes > m->most) return false;
  *header = (uint64_t)nodes << LEFT_AT;
  uint32_t at = from;
  for (uint32_t i = 0, place = DOWN_AT; i <= nodes && i <= NODES_MAX; i++, place += NODE_BITS) {
    uint32_t next = i < nodes ? choose_node(m, at, to, nodes - 1 - i) : to;
    *header |= pick_down(m, at, next) << place;
    if (i < nodes) *header |= (uint64_t)next << (place + DIMENSIONS);
    at = next;
  }
  return true;
}

/* ------------------------------------------------------------------ candidates */

static uint32_t router_of(const central *m, uint32_t end) {
  return ripstop_end_switch(m->torus.fabric, end) - m->torus.fabric->ends;
}

static int from_source(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const central *m = p->data;
  *candidate = (ripstop_candidate){.space = 1};
  if (!p->view->port_up[p->fabric->port_base[head->node]]) return -(1 + CUT_OFF);
  uint32_t to = router_of(m, head->destination);
  if (choose_path(m, router_of(m, head->node), to, &candidate->header)) return 1;
  return m->ends[to] ? -(1 + NO_NODE) : -(1 + END_CUT_OFF); /* none of its end nodes is up: it is down */
}

/* The candidate in the ring of dimension d. The wrap-around link is the last on the first virtual channel. */
static void enter_ring(const central *m, uint32_t router, uint32_t target, uint32_t d, ripstop_candidate *candidate) {
  uint32_t up = up_hops(m, d, router, target), size = m->torus.size[d];
  uint32_t from = coord_of(m, router, d), to = coord_of(m, target, d);
  bool down = 2 * up > size || (2 * up == size && (candidate->header >> (DOWN_AT + d) & 1)),
       wraps = down ? from < to : from > to;
  candidate->port = (uint16_t)(2 * d + down);
  candidate->channel = (uint8_t)(2 * bits_at(candidate->header, 0, 2) + !wraps);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate) {
  const central *m = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return from_source(p, head, candidate);
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  uint32_t router = head->node - p->fabric->ends, d = 0;
  *candidate = (ripstop_candidate){.space = 1, .header = head->header};
  while (bits_at(candidate->header, LEFT_AT, 2) && bits_at(candidate->header, NEXT_AT, ADDRESS) == router)
    candidate->header = next_leg(candidate->header);
  bool last = bits_at(candidate->header, LEFT_AT, 2) == 0;
  uint32_t target = last ? router_of(m, head->destination) : bits_at(candidate->header, NEXT_AT, ADDRESS);
  if (router == target) {
    candidate->port = (uint16_t)ripstop_torus_end_port(&m->torus, head->destination);
    candidate->channel = (uint8_t)(2 * bits_at(candidate->header, 0, 2));
    return up[candidate->port] ? 1 : -(1 + END_CUT_OFF);
  }
  while (coord_of(m, router, d) == coord_of(m, target, d)) d++;
  enter_ring(m, router, target, d, candidate);
  return up[candidate->port] ? 1 : -(1 + FAILED_AHEAD);
}

/* ------------------------------------------------------------------ plan */

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  central *m = RIPSTOP_NEW(p->arena, central);
  bool is_torus = ripstop_torus_from(p->fabric, &m->torus);
  m->routers = ripstop_fabric_switches(p->fabric);
  if (!is_torus || m->torus.dimensions > DIMENSIONS || m->routers > ROUTERS)
    return ripstop_does_not_apply(err,
                                  "intermediate-torus is for tori of up to %d dimensions and %d routers, not for %s",
                                  DIMENSIONS, ROUTERS, p->fabric->spec);
  m->words = (m->routers + 63) / 64;
  m->most = (uint32_t)c->intermediates;
  m->ends = RIPSTOP_ARRAY(p->arena, m->routers, uint32_t);
  for (uint32_t d = 0, stride = 1; d < m->torus.dimensions; stride *= m->torus.size[d++]) m->stride[d] = stride;
  for (uint32_t end = 0; end < p->fabric->ends; end++)
    m->ends[router_of(m, end)] += p->view->port_up[p->fabric->port_base[end]];
  count_runs(p, m);
  fill_rows(p, m);
  p->data = m;
  p->channels = 2 * (m->most + 1);
  p->candidates_max = 1;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ together */

/* Ordered pairs of distinct end nodes with links that are up and served by at most so many intermediate nodes. */
static uint64_t served(const central *m, uint32_t nodes) {
  uint64_t pairs = 0;
  for (uint32_t from = 0; from < m->routers; from++) {
    const uint64_t *row = m->within[nodes] + (size_t)from * m->words;
    uint64_t reached = 0;
    for (size_t i = ripstop_bits_next(row, m->words, 0); i < m->routers; i = ripstop_bits_next(row, m->words, i + 1))
      reached += m->ends[i];
    pairs += m->ends[from] * (reached - (m->ends[from] > 0));
  }
  return pairs;
}

static uint64_t lost_pairs(const ripstop_plan *p) {
  uint64_t ends = p->fabric->ends;
  return ends * (ends - 1) - served(p->data, ((const central *)p->data)->most);
}

static const char *const fact_names[] = {"pairs_by_intermediates.0", "pairs_by_intermediates.1",
                                         "pairs_by_intermediates.2", NULL};

static void facts(const ripstop_plan *p, uint64_t *value) {
  const central *m = p->data;
  for (uint32_t nodes = 0; nodes <= NODES_MAX; nodes++)
    value[nodes] = nodes > m->most ? RIPSTOP_FACT_NONE : served(m, nodes) - (nodes ? served(m, nodes - 1) : 0);
}

/* Any one failed link: the other direction of its ring is at most twice the longest direct path, so that a node
 * half-way suffices. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  (void)fabric;
  *out =
      (ripstop_guarantees){.tolerates = c->intermediates > 0, .minimal = c->intermediates == 0, .deadlock_free = true};
}

const ripstop_method ripstop_method_intermediate_torus = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "intermediate-torus",
    .summary = "tori: around failed links via intermediate nodes, by dimension order and two virtual channels for each "
               "subpath",
    .source = "Gomez, Duato, Flich, Lopez, Robles, Nordbotten, Lysne and Skeie 2004",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .lost_pairs = lost_pairs,
    .fact_names = fact_names,
    .facts = facts,
};
