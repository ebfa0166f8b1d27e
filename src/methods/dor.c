/* dor.c - dimension order on tori (Dally and Towles, section 8.4): dimension 0 first, the shorter way round, half-way
 * round upwards. Faults are not tolerated: a dead link on the one way loses the packet.
 *
 * As it stands its rings deadlock. Two cures, as options:
 *   dateline  two channels per link; channel 0 while the wrap-around link lies ahead, then channel 1 (Dally and Seitz)
 *   bubble    one channel; entering a ring needs space for two packets, going on in it for one (Carrion et al. 1997,
 *             as paper 004 uses it) */
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  bool dateline, bubble;
} config;

static const ripstop_option options[] = {{.name = "dateline",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, dateline),
                                          .fallback = "off",
                                          .help = "two channels per link, changed where a ring closes"},
                                         {.name = "bubble",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, bubble),
                                          .fallback = "off",
                                          .help = "entering a ring needs space for two packets"},
                                         {0}};

enum { DEAD_LINK, CUT_OFF };
static const char *const losses[] = {[DEAD_LINK] = "the one link is dead", [CUT_OFF] = "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  ripstop_torus *torus = RIPSTOP_NEW(p->arena, ripstop_torus);
  if (!ripstop_torus_from(p->fabric, torus)) {
    ripstop_fail(err, "dor is for tori, not for %s", p->fabric->spec);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  if (c->dateline && c->bubble) {
    ripstop_fail(err, "dor: dateline and bubble are two cures for one thing; take one");
    return RIPSTOP_ERROR;
  }
  p->data = torus;
  p->channels = c->dateline ? 2 : 1;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_torus *torus = p->data;
  const config *c = p->config;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  if (ripstop_is_end(p->fabric, head->node)) {
    ways[0] = (ripstop_way){.space = 1};
    return alive[0] ? 1 : -(1 + CUT_OFF);
  }
  uint32_t port = ripstop_torus_end_port(torus);
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = ripstop_torus_up(torus, d, head->node, head->destination);
    if (up == 0) continue;
    port = ripstop_torus_port(torus, d, up);
    break;
  }
  bool ring = port != ripstop_torus_end_port(torus), goes_on = (head->in_port ^ 1) == port;
  bool late = ring && c->dateline && !ripstop_torus_wraps(torus, port, head->node, head->destination);
  ways[0] = (ripstop_way){.port = (uint16_t)port, .channel = late, .space = c->bubble && ring && !goes_on ? 2 : 1};
  return alive[port] ? 1 : -(1 + DEAD_LINK);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_torus torus;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = c->dateline || c->bubble};
  if (!ripstop_torus_from(fabric, &torus)) return;
  bool chains = false; /* with at most one hop a dimension no ring fills */
  for (uint32_t d = 0; d < torus.dimensions; d++) chains |= torus.size[d] > 3;
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
