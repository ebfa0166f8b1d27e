/* detour_lines.h - the effect of faults inside the lines of a kns fabric on its routers.
 *
 * Up/down routing inside the lines (Penaranda et al. 2017, section 4.3): in a line packets take the healthy shortest
 * paths of its tree, adaptively. A router that cannot be served in this manner counts as if its link into the line had
 * failed.
 *
 * The selection of these routers. Two routers of a line can reach each other if both links into the line are up and a
 * healthy shortest path joins their switches; this is symmetric, and the same for all routers of one switch. The
 * switches of level 0 that stay in use must all reach each other. While some do not, the one that misses the most
 * routers is given up; among equals the one with the fewest routers that have no other link up, then with the fewest
 * routers, then the last. In the end each switch that was given up and reaches all remaining ones comes back, in order.
 * So all routers with a link in use reach each other, and no further one could be added. Up to `arity` - 1 failed links
 * inside a line never exclude a router: between any two switches of level 0 there are `arity` link-disjoint shortest
 * paths.
 *
 * A RUFT has one path from each router to each other, so no router is excluded: a pair of routers crosses the line when
 * the links of its path are up. */
#ifndef METHODS_INTERMEDIATE_NODES_DETOUR_LINES_H
#define METHODS_INTERMEDIATE_NODES_DETOUR_LINES_H

#include "fabric/kns.h"

typedef struct ripstop_kns_faults {
  ripstop_kns kns;
  const uint8_t *port_up; /* the view's; must outlive this */
  uint8_t *dead;          /* [routers * n], at router * n + d: the link counts as failed */
  uint8_t *deaf;    /* the same for the link by which a router receives from the line; `dead` itself unless the line is
                     * a RUFT */
  uint64_t **reach; /* [n * lines]: NULL if all links inside the line are up; else a row of bits per switch: the places
                     * that it reaches on a healthy shortest path, without the links of routers */
  uint32_t words;   /* words of a row */
} ripstop_kns_faults;

/* `port_up` is that of a view (ripstop_view). Cost: O(ports), and for a line with failed links inside about switches x
 * k x (1 + arity / 64) + (k / arity)^2 steps. */
void ripstop_kns_faults_find(const ripstop_kns *t, const uint8_t *port_up, ripstop_arena *arena,
                             ripstop_kns_faults *out);

static inline bool ripstop_kns_failed(const ripstop_kns_faults *faults, uint32_t router, uint32_t d) {
  return faults->dead[(size_t)router * faults->kns.dimensions + d];
}
static inline bool ripstop_kns_deaf(const ripstop_kns_faults *faults, uint32_t router, uint32_t d) {
  return faults->deaf[(size_t)router * faults->kns.dimensions + d];
}
/* True if a packet can cross from a router to another one of its line of dimension d. */
static inline bool ripstop_kns_crosses(const ripstop_kns_faults *faults, uint32_t from, uint32_t to, uint32_t d) {
  const ripstop_kns *t = &faults->kns;
  uint32_t place = ripstop_kns_digit(t, to, d), entry = ripstop_kns_digit(t, from, d) / t->tree.half;
  if (ripstop_kns_failed(faults, from, d) || ripstop_kns_deaf(faults, to, d)) return false;
  const uint64_t *reach = t->ruft ? faults->reach[ripstop_kns_line(t, from, d)] : NULL;
  return !reach || (reach[(size_t)entry * faults->words + place / 64] >> place % 64 & 1);
}
/* True if the routers of a line with links in use do not all reach each other: a RUFT with faults. */
bool ripstop_kns_uneven(const ripstop_kns_faults *faults, uint32_t line);
/* The candidates from a switch of a line to a place there whose link is in use, as local ports: the only path down, or
 * all up ports from which a healthy shortest path continues; at most ripstop_kns_candidates_max. 0 only if the router
 * that the packet left, or its target router, has no link in use. */
static inline uint32_t ripstop_kns_candidates_max(const ripstop_kns *t) {
  return t->stages > 1 && !t->ruft ? t->tree.half : 1;
}
static inline uint32_t ripstop_kns_candidates(const ripstop_kns_faults *faults, uint32_t node, uint32_t place,
                                              uint16_t *port) {
  const ripstop_kns *t = &faults->kns;
  const ripstop_fabric *f = t->fabric;
  uint32_t line = ripstop_kns_line_of(t, node), first = ripstop_kns_line_node(t, line), base = f->port_base[node],
           count = 0;
  if (t->ruft) {
    port[0] = (uint16_t)ripstop_kns_ruft_port(t, ripstop_kns_stage(t, node), place);
    return faults->port_up[base + port[0]];
  }
  const ripstop_tree_switch *at = &t->tree.at[node - first];
  if (place - at->first < at->span) {
    port[0] = (uint16_t)ripstop_tree_down_port(&t->tree, at->level, place);
    return faults->port_up[base + port[0]];
  }
  const uint64_t *reach = faults->reach[line];
  for (uint32_t up = t->tree.half; up < t->tree.half + at->ups; up++) {
    uint32_t above = f->port_node[f->peer[base + up]] - first;
    bool leads =
        !reach || (faults->port_up[base + up] && reach[(size_t)above * faults->words + place / 64] >> place % 64 & 1);
    if (leads) port[count++] = (uint16_t)up;
  }
  return count;
}

#endif
