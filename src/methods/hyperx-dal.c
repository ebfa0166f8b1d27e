/* hyperx-dal.c - dimensionally adaptive, load-balanced routing of HyperX (Ahn et al. 2009, "DAL"): dimensions in any
 * order, in each directly to the destination's coordinate, or first to any other one, once per dimension.
 *
 * Packets do so on virtual channel 1. VC 0 is the escape: dimension order without detours. A head always has an escape
 * candidate, also from VC 1, and may return to VC 1. Packets in VC 0 wait for higher dimensions alone, so the escape
 * has no cyclic dependency (Duato 1993). Every hop corrects a coordinate or spends a detour, so there is no livelock.
 *
 * The header has a bit for each dimension whose detour is spent. The method knows of faults by the router's own ports
 * alone. */
#include <string.h>

#include "fabric/digits.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/method.h"

enum { ESCAPE, ADAPTIVE, CHANNELS };
enum { NO_CANDIDATE, CUT_OFF };
static const char *const losses[] = {[NO_CANDIDATE] = "no way is left", [CUT_OFF] = "cut off from its router", NULL};

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  if (strcmp(f->family->name, "hyperx") != 0)
    return ripstop_does_not_apply(err, "hyperx-dal is for HyperX, not for %s", f->spec);
  uint32_t ports = ripstop_node_ports(f, f->nodes - 1); /* each may be a candidate on both virtual channels */
  if (2 * ports > UINT8_MAX)
    return ripstop_does_not_apply(err, "hyperx-dal: a router of %s has more than %d ports", f->spec, UINT8_MAX / 2);
  p->channels = CHANNELS;
  p->candidates_max = 2 * ports;
  return RIPSTOP_APPLIES;
}

/* The dimension in which two adjacent routers differ. The last coordinate is an end node's number. */
static uint32_t dimension_of(const ripstop_fabric *f, const uint16_t *a, const uint16_t *b) {
  uint32_t d = 0;
  while (d + 2 < f->coords && a[d] == b[d]) d++;
  return d;
}

/* The candidates over one port that is up, to a coordinate of a dimension that is wrong here. `left`: the number of
 * wrong coordinates. */
static int over(const ripstop_head *head, uint32_t local, uint32_t d, bool straight, bool escape, uint32_t left,
                ripstop_candidate *candidates) {
  uint64_t spent = UINT64_C(1) << d;
  int count = 0;
  if (!straight && head->header & spent) return 0;
  candidates[count++] = (ripstop_candidate){.header = straight ? head->header : head->header | spent,
                                            .port = (uint16_t)local,
                                            .channel = ADAPTIVE,
                                            .space = 1,
                                            .weight = (uint16_t)(left + !straight)};
  if (straight && escape)
    candidates[count++] = (ripstop_candidate){.header = head->header,
                                              .port = (uint16_t)local,
                                              .channel = ESCAPE,
                                              .rank = 1,
                                              .space = 1,
                                              .weight = (uint16_t)left};
  return count;
}

static int between_routers(const ripstop_plan *p, const ripstop_head *head, uint32_t router,
                           ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint16_t *here = ripstop_coords(f, head->node), *there = ripstop_coords(f, router);
  uint32_t left = 0, first = RIPSTOP_NONE, base = f->port_base[head->node];
  for (uint32_t d = 0; d + 1 < f->coords; d++) {
    if (here[d] == there[d]) continue;
    if (left++ == 0) first = d;
  }
  int count = 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    uint32_t next = f->port_node[f->peer[port]];
    if (ripstop_is_end(f, next) || !p->view->port_up[port]) continue;
    uint32_t d = dimension_of(f, here, ripstop_coords(f, next));
    bool straight = ripstop_coords(f, next)[d] == there[d];
    if (here[d] != there[d]) count += over(head, port - base, d, straight, d == first, left, candidates + count);
  }
  if (count) return count;
  return -(1 + (p->view->port_up[f->port_base[head->destination]] ? NO_CANDIDATE : CUT_OFF));
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint32_t router = ripstop_end_switch(f, head->destination), local = 0;
  if (!ripstop_is_end(f, head->node)) {
    if (router != head->node) return between_routers(p, head, router, candidates);
    local = ripstop_end_switch_port(f, head->destination);
  }
  candidates[0] = (ripstop_candidate){.port = (uint16_t)local, .space = 1};
  return p->view->port_up[f->port_base[head->node] + local] ? 1 : -(1 + CUT_OFF);
}

/* The fewest parallel cables between two routers; all routers are equal in this. */
static uint32_t fewest_cables(const ripstop_fabric *f) {
  uint32_t least = RIPSTOP_NONE, first = f->port_base[f->ends], end = f->port_base[f->ends + 1];
  for (uint32_t port = first; port < end; port++) {
    uint32_t cables = 0;
    if (ripstop_is_end(f, f->port_node[f->peer[port]])) continue;
    for (uint32_t like = first; like < end; like++)
      cables += f->port_node[f->peer[like]] == f->port_node[f->peer[port]];
    if (cables < least) least = cables;
  }
  return least;
}

/* One remaining cable between every two routers is enough. */
static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)config;
  bool applies = strcmp(fabric->family->name, "hyperx") == 0;
  *out = (ripstop_guarantees){
      .tolerates = applies ? fewest_cables(fabric) - 1 : 0, .minimal = false, .deadlock_free = true};
}

const ripstop_method ripstop_method_hyperx_dal = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "hyperx-dal",
    .summary = "HyperX: dimensions in any order, in each directly or once via another router",
    .source = "Ahn, Binkert, Davis, McLaren and Schreiber 2009, section 5 (DAL); Duato 1993",
    .options = options,
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
