/* adaptive-updown.c - minimal adaptive routing with an up/down escape, on any fabric (Silla and Duato 2000): every link
 * that leads nearer, on the adaptive virtual channels; where none of these has space, a shortest path up and then down
 * on virtual channel 0, where the packet stays (shared/updown_escape.h).
 *
 * Central: a new plan after each fault, from the whole view. It serves every pair that is connected. */
#include "methods/shared/connected.h"
#include "methods/shared/updown_escape.h"

typedef struct config {
  int64_t adaptive, root;
  int32_t inject;
} config;

enum { INJECT_ADAPTIVE, INJECT_ANY };
static const char *const inject_words[] = {[INJECT_ADAPTIVE] = "adaptive", [INJECT_ANY] = "any", NULL};

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, adaptive, 1, RIPSTOP_CHANNELS_MAX - 1, "1", "adaptive virtual channels, beside the escape"),
    RIPSTOP_INTEGER(config, root, 0, RIPSTOP_FABRIC_MAX_PORTS, "0",
                    "number of the switch from which the search starts"),
    RIPSTOP_WORD(config, inject, inject_words, "adaptive",
                 "what a packet may take at its first switch: adaptive channels alone, or the escape too"),
    {0}};

enum { NO_PATH, CUT_OFF };
static const char *const losses[] = {[NO_PATH] = "no path is left", [CUT_OFF] = "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  updown_escape *escape = RIPSTOP_NEW(p->arena, updown_escape);
  p->data = escape;
  p->channels = (uint32_t)c->adaptive + 1;
  return ripstop_updown_escape_plan(p, escape, (uint32_t)c->root, p->channels, err);
}

/* Candidates on adaptive channels: every port that leads nearer. */
static int adaptive_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const updown_escape *e = p->data;
  const uint32_t base = f->port_base[head->node];
  const uint16_t *hops = e->hops + ripstop_updown_escape_row(e, f, head->destination);
  const uint16_t left = hops[head->node - f->ends];
  int count = 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1] && left != ESCAPE_FAR; port++) {
    const uint32_t next = p->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
    if (!p->view->port_up[port] || ripstop_is_end(f, next) || hops[next - f->ends] + 1 != left) continue;
    for (uint32_t channel = 1; channel < p->channels; channel++)
      candidates[count++] =
          (ripstop_candidate){.port = (uint16_t)(port - base), .channel = (uint8_t)channel, .space = 1, .weight = left};
  }
  return count;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  int count = ripstop_updown_escape_ends(p, head, CUT_OFF, candidates);
  if (count) return count;
  const bool first = ripstop_is_end(f, f->port_node[f->peer[f->port_base[head->node] + head->in_port]]);
  if (head->header == ESCAPE_OUTSIDE) count = adaptive_candidates(p, head, candidates);
  if (!first || c->inject == INJECT_ANY)
    count += ripstop_updown_escape_candidates(p, p->data, head, 0, candidates + count);
  return count ? count : -(1 + NO_PATH);
}

const ripstop_method ripstop_method_adaptive_updown = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "adaptive-updown",
    .summary = "any fabric: minimal adaptive routing with an escape that goes up and then down",
    .source = "Silla and Duato 2000 (MA-2vc); Schroeder et al. 1991",
    .options = options,
    .config_size = sizeof(config),
    .escape = "exhausted",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_connected_guarantees,
};
