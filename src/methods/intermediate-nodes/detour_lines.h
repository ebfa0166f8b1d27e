/* detour_lines.h - what faults inside the lines of a kns fabric mean for its routers.
 *
 * Up/down routing of the lines by itself (Penaranda et al. 2017, section 4.3): in a line packets take the shortest
 * candidates of its tree that are healthy, adaptively, and whoever cannot be served so counts as if its link into the
 * line were dead.
 *
 * Which routers these are. Two routers of a line are in touch when both links into the line are up and a healthy
 * shortest way joins the switches that these lead to; that is mutual, and the same for all routers of one switch. What
 * stays in use is a set of switches of level 0 that are all in touch. As long as some in use are not, the one is given
 * up that misses the most routers; of several the one with the fewest routers that have no other live link, then with
 * the fewest routers, then the last. In the end each that was given up and is in touch with all that are left comes
 * back, in order. So all routers with a link in use reach each other, and no further one could be added. To take
 * `arity` - 1 links from inside a line never gives anybody up: from each switch of level 0 to each other there are
 * `arity` shortest candidates without a common link.
 *
 * A RUFT has one path from each router to each other, so no router is given up: a pair of routers crosses the line when
 * the links of that path are up. */
#ifndef METHODS_INTERMEDIATE_NODES_DETOUR_LINES_H
#define METHODS_INTERMEDIATE_NODES_DETOUR_LINES_H

#include "fabric/kns.h"

typedef struct ripstop_kns_faults {
  ripstop_kns kns;
  const uint8_t *port_up; /* of the view; must outlive this */
  uint8_t *dead;          /* [routers * n], at router * n + d: the link counts as dead */
  uint8_t *deaf;    /* the same for the link by which a router receives from the line; `dead` unless that is a RUFT */
  uint64_t **reach; /* [n * lines]: NULL where all links inside the line are up; else a row of bits per switch: the
                       places that it has a healthy shortest way to, the links of routers aside */
  uint32_t words;   /* of a row */
} ripstop_kns_faults;

/* `port_up` is that of a view (ripstop_view). Cost: O(ports), and for a line with dead links inside about
 * switches x k x (1 + arity / 64) + (k / arity)^2 steps. */
void ripstop_kns_faults_find(const ripstop_kns *t, const uint8_t *port_up, ripstop_arena *arena,
                             ripstop_kns_faults *out);

static inline bool ripstop_kns_dead(const ripstop_kns_faults *faults, uint32_t router, uint32_t d) {
  return faults->dead[(size_t)router * faults->kns.dimensions + d];
}
static inline bool ripstop_kns_deaf(const ripstop_kns_faults *faults, uint32_t router, uint32_t d) {
  return faults->deaf[(size_t)router * faults->kns.dimensions + d];
}
/* True if a packet gets from a router to another one of its line of dimension d. */
static inline bool ripstop_kns_crosses(const ripstop_kns_faults *faults, uint32_t from, uint32_t to, uint32_t d) {
  const ripstop_kns *t = &faults->kns;
  uint32_t place = ripstop_kns_digit(t, to, d), entry = ripstop_kns_digit(t, from, d) / t->tree.half;
  if (ripstop_kns_dead(faults, from, d) || ripstop_kns_deaf(faults, to, d)) return false;
  const uint64_t *reach = t->ruft ? faults->reach[ripstop_kns_line(t, from, d)] : NULL;
  return !reach || (reach[(size_t)entry * faults->words + place / 64] >> place % 64 & 1);
}
/* True if the routers of a line with links in use do not all reach each other: a RUFT with faults. */
bool ripstop_kns_uneven(const ripstop_kns_faults *faults, uint32_t line);
/* The candidates from a switch of a line to a place there whose link is in use, as local ports: the one way down, or
 * all candidates up that a healthy shortest way leads on from; at most ripstop_kns_candidates_max. 0 only if the router
 * that the packet left, or the one that it is to reach, has no link in use. */
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
