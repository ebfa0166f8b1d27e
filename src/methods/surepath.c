/* surepath.c - SurePath on HyperX (Camarero, Cano, Martinez and Beivide 2024): the routes of a known adaptive routing
 * on most virtual channels, and an escape up and then down on virtual channel 0 (shared/updown_escape.h). Where faults
 * leave the routing without a candidate a packet takes the escape too, so every connected pair is served.
 *
 *   omni       any dimension whose coordinate is wrong, straight or by a deroute; as many deroutes as dimensions
 *              (McDonald et al. 2019)
 *   polarized  any hop that leads away from the source or nearer to the destination, and not back in the other
 *              (Camarero, Martinez and Beivide 2021), by distances in what is up
 *
 * The header has the number of deroutes above the phase of the escape. Central: a new plan after each fault. */
#include <string.h>

#include "fabric/digits.h"
#include "mend/mend_tables.h"
#include "methods/shared/updown_escape.h"
#include "ripstop/plugin/family.h"

typedef struct config {
  int64_t adaptive, root;
  int32_t routes;
} config;

enum { OMNI, POLARIZED };
static const char *const routes_words[] = {[OMNI] = "omni", [POLARIZED] = "polarized", NULL};

static const ripstop_option options[] = {
    RIPSTOP_WORD(config, routes, routes_words, "omni", "the routing whose routes packets take outside of the escape",
                 .positional = true),
    RIPSTOP_INTEGER(config, adaptive, 1, RIPSTOP_CHANNELS_MAX - 1, "3", "virtual channels of these routes"),
    RIPSTOP_INTEGER(config, root, 0, RIPSTOP_FABRIC_MAX_PORTS, "0",
                    "number of the switch from which the search starts"),
    {0}};

enum { NO_PATH, CUT_OFF };
static const char *const losses[] = {[NO_PATH] = "no path is left", [CUT_OFF] = "source cut off", NULL};

static bool is_hyperx(const ripstop_fabric *f) { return strcmp(f->family->name, "hyperx") == 0; }

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  updown_escape *escape = RIPSTOP_NEW(p->arena, updown_escape);
  if (!is_hyperx(p->fabric)) return ripstop_does_not_apply(err, "surepath is for HyperX, not for %s", p->fabric->spec);
  p->data = escape;
  p->channels = (uint32_t)c->adaptive + 1;
  return ripstop_updown_escape_plan(p, escape, (uint32_t)c->root, p->channels, err);
}

/* ------------------------------------------------------------------ routes */

/* A hop of the routing: whether it may be taken, and the links from here on if it is. */
typedef struct hop {
  bool possible, deroute;
  uint16_t weight;
} hop;

/* The last coordinate is an end node's number. */
static hop omni_hop(const ripstop_fabric *f, const ripstop_head *head, const uint16_t *there, uint32_t next) {
  const uint16_t *here = ripstop_coords(f, head->node), *to = ripstop_coords(f, next);
  const uint32_t dimensions = f->coords - 1;
  uint32_t wrong = 0, d = 0;
  for (uint32_t i = 0; i < dimensions; i++) wrong += here[i] != there[i];
  while (d + 1 < dimensions && here[d] == to[d]) d++;
  const bool straight = to[d] == there[d], left = head->header / ESCAPE_PHASES < dimensions;
  return (hop){.possible = here[d] != there[d] && (straight || left),
               .deroute = !straight,
               .weight = (uint16_t)(wrong + !straight)};
}

/* Away from the source and the destination while the source is nearer, towards both after that; or farther from the
 * source, or nearer to the destination, and not back in the other. */
static hop polarized_hop(const ripstop_plan *p, const ripstop_head *head, uint32_t next) {
  const ripstop_fabric *f = p->fabric;
  const updown_escape *e = p->data;
  const uint16_t *from = e->hops + ripstop_updown_escape_row(e, f, head->source);
  const uint16_t *to = e->hops + ripstop_updown_escape_row(e, f, head->destination);
  const uint32_t a = head->node - f->ends, b = next - f->ends;
  const int away = from[b] - from[a], nearer = to[a] - to[b], sum = away + nearer;
  const bool early = from[a] < to[a];
  return (hop){.possible = sum > 0 || (sum == 0 && away != 0 && (away > 0) == early), .weight = (uint16_t)(to[b] + 1)};
}

static int base_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  const uint16_t *there = ripstop_coords(f, ripstop_end_switch(f, head->destination));
  const uint32_t base = f->port_base[head->node];
  int count = 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    const uint32_t next = f->port_node[f->peer[port]];
    if (!p->view->port_up[port] || ripstop_is_end(f, next)) continue;
    const hop h = c->routes == OMNI ? omni_hop(f, head, there, next) : polarized_hop(p, head, next);
    for (uint32_t channel = 1; channel < p->channels && h.possible; channel++)
      candidates[count++] = (ripstop_candidate){.header = head->header + (h.deroute ? ESCAPE_PHASES : 0),
                                                .port = (uint16_t)(port - base),
                                                .channel = (uint8_t)channel,
                                                .space = 1,
                                                .weight = h.weight};
  }
  return count;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const updown_escape *e = p->data;
  int count = ripstop_updown_escape_ends(p, head, CUT_OFF, candidates);
  if (count) return count;
  if (e->hops[ripstop_updown_escape_row(e, f, head->destination) + head->node - f->ends] == ESCAPE_FAR)
    return -(1 + NO_PATH);
  const bool first = ripstop_is_end(f, f->port_node[f->peer[f->port_base[head->node] + head->in_port]]);
  if (head->header % ESCAPE_PHASES == ESCAPE_OUTSIDE) count = base_candidates(p, head, candidates);
  if (!first || count == 0) count += ripstop_updown_escape_candidates(p, e, head, head->header, candidates + count);
  return count ? count : -(1 + NO_PATH);
}

/* It serves every connected pair. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.deadlock_free = true};
  if (is_hyperx(fabric)) out->tolerates = ripstop_mend_tolerates(fabric, RIPSTOP_NONE);
}

const ripstop_method ripstop_method_surepath = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "surepath",
    .summary = "HyperX: adaptive routes with deroutes, and an escape up and then down for congestion and faults",
    .source = "Camarero, Cano, Martinez and Beivide 2024 (SurePath)",
    .options = options,
    .config_size = sizeof(config),
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .by_source = true,
};
