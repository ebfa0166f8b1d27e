/* dor.c - dimension-order routing on tori (Dally and Towles, section 8.4): dimension 0 first, in the direction of fewer
 * hops. Not fault-tolerant: a failed link on a packet's only route loses the packet.
 *
 * Half-way around an even ring both directions are equally long. Such a tie occurs only where a packet enters the ring,
 * because no packet comes from further away. The packet settles there:
 *   either   by a random number of its own, so that both directions carry the same load
 *   parity   up from even coordinates, down from odd ones: one port per destination, as forwarding tables need
 *
 * Without a cure its rings deadlock. Two cures, as options:
 *   dateline   two virtual channels per link; VC 0 while the wrap-around link lies ahead, then VC 1 (Dally and Seitz)
 *   bubble     one virtual channel; entering a ring needs space for two packets, going on in it for one (Carrion et al.
 *             1997, as paper 004 uses it) */
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

typedef enum { HALFWAY_EITHER, HALFWAY_PARITY } halfway_kind;

typedef struct config {
  bool dateline, bubble;
  int32_t halfway;
} config;

static const char *const halfway_words[] = {[HALFWAY_EITHER] = "either", [HALFWAY_PARITY] = "parity", NULL};

static const ripstop_option options[] = {
    RIPSTOP_FLAG(config, dateline, "off", "two virtual channels per link, changed at the wrap-around link"),
    RIPSTOP_FLAG(config, bubble, "off", "entering a ring needs space for two packets"),
    RIPSTOP_WORD(config, halfway, halfway_words, "either",
                 "half-way around: a random direction, or one by the parity of the router's coordinate"),
    {0}};

enum { FAILED_LINK, CUT_OFF };
static const char *const losses[] = {[FAILED_LINK] = "the one link is dead", [CUT_OFF] = "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus))
    return ripstop_does_not_apply(err, "dor is for tori, not for %s", p->fabric->spec);
  if (c->dateline && c->bubble) {
    ripstop_fail(err, "dor: dateline and bubble both prevent deadlock; use one of them");
    return RIPSTOP_ERROR;
  }
  p->data = torus;
  p->channels = c->dateline ? 2 : 1;
  p->bubble = c->bubble;
  p->by_node = !c->bubble;
  for (uint32_t d = 0; d < torus->dimensions; d++)
    p->choose_early |= c->halfway == HALFWAY_EITHER && torus->size[d] % 2 == 0;
  p->candidates_max = p->choose_early ? 2 : 1;
  return RIPSTOP_APPLIES;
}

/* A packet's place in a ring and its goal there: coordinates. */
typedef struct arc {
  uint32_t d, from, to;
} arc;

/* Adds the candidate through a port of the ring, if its link is up. */
static inline int add_candidate(const ripstop_plan *p, const ripstop_head *head, const uint8_t *alive, const arc *a,
                                uint32_t port, ripstop_candidate *candidate) {
  const config *c = p->config;
  bool goes_on = (head->in_port ^ 1) == port, wraps = port % 2 == 0 ? a->from > a->to : a->from < a->to;
  *candidate = (ripstop_candidate){
      .port = (uint16_t)port, .channel = c->dateline && !wraps, .space = c->bubble && !goes_on ? 2 : 1};
  return alive[port];
}

static int ring_candidates(const ripstop_plan *p, const ripstop_head *head, const uint8_t *alive, const arc *a,
                           ripstop_candidate *candidates) {
  const ripstop_torus *torus = p->data;
  const config *c = p->config;
  uint32_t up = ripstop_torus_hops(torus, a->d, a->from, a->to), port = ripstop_torus_port(torus, a->d, up);
  bool halfway = 2 * up == torus->size[a->d], both = halfway && c->halfway == HALFWAY_EITHER;
  if (halfway && !both) port += a->from % 2;
  int count = add_candidate(p, head, alive, a, port, candidates);
  if (both) count += add_candidate(p, head, alive, a, port + 1, &candidates[count]);
  return count ? count : -(1 + FAILED_LINK);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_torus *torus = p->data;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  candidates[0] = (ripstop_candidate){.space = 1};
  if (ripstop_is_end(p->fabric, head->node)) return alive[0] ? 1 : -(1 + CUT_OFF);
  const uint16_t *from = ripstop_coords(p->fabric, head->node), *to = ripstop_coords(p->fabric, head->destination);
  for (uint32_t d = 0; d < torus->dimensions; d++)
    if (from[d] != to[d]) return ring_candidates(p, head, alive, &(arc){d, from[d], to[d]}, candidates);
  candidates[0].port = (uint16_t)ripstop_torus_end_port(torus, head->destination);
  return alive[candidates[0].port] ? 1 : -(1 + FAILED_LINK);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_torus torus;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = c->dateline || c->bubble};
  if (!ripstop_torus_from(fabric, &torus)) return;
  /* no ring fills with at most one hop per dimension, or two from every other router */
  uint16_t harmless = c->halfway == HALFWAY_PARITY ? 4 : 3;
  bool chains = false;
  for (uint32_t d = 0; d < torus.dimensions; d++) chains |= torus.size[d] > harmless;
  out->deadlock_free |= !chains;
}

const ripstop_method ripstop_method_dor = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dor",
    .summary = "tori: dimension order, plain or with datelines or bubbles",
    .source = "Dally and Towles, section 8.4; Carrion et al. 1997",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
