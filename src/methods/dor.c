/* dor.c - dimension order on tori (Dally and Towles, section 8.4): dimension 0 first, the shorter way round, half-way
 * round upwards. Faults are not tolerated: a dead link on the one way loses the packet.
 *
 * As it stands its rings deadlock. Two cures, as options:
 *   dateline  two channels per link; channel 0 while the wrap-around link lies ahead, then channel 1 (Dally and Seitz)
 *   bubble    one channel; entering a ring needs space for two packets, going on in it for one (Carrion et al. 1997,
 *             as paper 004 uses it) */
#include "fabric/torus.h"
#include "ripstop/plan.h"

typedef struct config {
  bool dateline, bubble;
} config;

static const rs_option options[] = {{.name = "dateline",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, dateline),
                                     .fallback = "off",
                                     .help = "two channels per link, changed where a ring closes"},
                                    {.name = "bubble",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, bubble),
                                     .fallback = "off",
                                     .help = "entering a ring needs space for two packets"},
                                    {0}};

enum { DEAD_LINK, CUT_OFF };
static const char *const losses[] = {[DEAD_LINK] = "the one link is dead", [CUT_OFF] = "source cut off", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  const config *c = p->config;
  rs_torus *torus = RS_NEW(p->arena, rs_torus);
  if (!rs_torus_from(p->fabric, torus)) {
    rs_fail(err, "dor is for tori, not for %s", p->fabric->spec);
    return RS_DOES_NOT_APPLY;
  }
  if (c->dateline && c->bubble) {
    rs_fail(err, "dor: dateline and bubble are two cures for one thing; take one");
    return RS_ERROR;
  }
  p->data = torus;
  p->channels = c->dateline ? 2 : 1;
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_torus *torus = p->data;
  const config *c = p->config;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  if (rs_is_end(p->fabric, head->node)) {
    ways[0] = (rs_way){.space = 1};
    return alive[0] ? 1 : -(1 + CUT_OFF);
  }
  uint32_t port = rs_torus_end_port(torus);
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = rs_torus_up(torus, d, head->node, head->destination);
    if (up == 0) continue;
    port = rs_torus_port(torus, d, up);
    break;
  }
  bool ring = port != rs_torus_end_port(torus), goes_on = (head->in_port ^ 1) == port;
  bool late = ring && c->dateline && !rs_torus_wraps(torus, port, head->node, head->destination);
  ways[0] = (rs_way){.port = (uint16_t)port, .channel = late, .space = c->bubble && ring && !goes_on ? 2 : 1};
  return alive[port] ? 1 : -(1 + DEAD_LINK);
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  const config *c = config_;
  rs_torus torus;
  *out = (rs_claims){.minimal = true, .deadlock_free = c->dateline || c->bubble};
  if (!rs_torus_from(fabric, &torus)) return;
  bool chains = false; /* with at most one hop a dimension no ring fills */
  for (uint32_t d = 0; d < torus.dimensions; d++) chains |= torus.size[d] > 3;
  out->deadlock_free |= !chains;
}

const rs_method rs_method_dor = {
    .abi = RS_METHOD_ABI,
    .name = "dor",
    .summary = "tori: dimension order, plain or with datelines or bubbles",
    .source = "Dally and Towles, section 8.4; Carrion et al. 1997",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = claims,
};
