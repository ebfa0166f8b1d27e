/* minimal-adaptive.c - fully adaptive minimal routing on tori: any link that leads nearer, in any dimension, both ways
 * round when they are equally long.
 *
 * Alone it deadlocks; with an escape it does not (Duato 1993): a packet takes an adaptive way when one has space, else
 * the escape, which is dimension order
 *   dateline  on two channels of its own (Dally and Seitz)
 *   bubble    on one channel of its own, with space for two packets to enter a ring (paper 004, section 2)
 * Dead links are passed by as long as another minimal one is alive; there is no way round beyond that. */
#include "fabric/torus.h"
#include "ripstop/plan.h"

typedef enum { ESCAPE_NONE, ESCAPE_DATELINE, ESCAPE_BUBBLE } escape_kind;

typedef struct config {
  int32_t escape;
} config;

static const char *const escape_words[] = {
    [ESCAPE_NONE] = "none", [ESCAPE_DATELINE] = "dateline", [ESCAPE_BUBBLE] = "bubble", NULL};
static const uint32_t escape_channels[] = {[ESCAPE_NONE] = 0, [ESCAPE_DATELINE] = 2, [ESCAPE_BUBBLE] = 1};
static const rs_option options[] = {{.name = "escape",
                                     .type = RS_OPTION_WORD,
                                     .offset = offsetof(config, escape),
                                     .words = escape_words,
                                     .fallback = "dateline",
                                     .help = "what a packet falls back on when no adaptive way has space"},
                                    {0}};

enum { DEAD_LINKS, CUT_OFF };
static const char *const losses[] = {[DEAD_LINKS] = "no minimal link is alive", [CUT_OFF] = "source cut off", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  const config *c = p->config;
  rs_torus *torus = RS_NEW(p->arena, rs_torus);
  if (!rs_torus_from(p->fabric, torus)) {
    rs_fail(err, "minimal-adaptive is for tori, not for %s", p->fabric->spec);
    return RS_DOES_NOT_APPLY;
  }
  p->data = torus;
  p->channels = escape_channels[c->escape] + 1; /* the last one is adaptive */
  p->ways_max = 2 * torus->dimensions + 1;
  return RS_APPLIES;
}

static rs_way escape_way(const rs_torus *torus, const rs_head *head, escape_kind escape, uint32_t port) {
  bool goes_on = (head->in_port ^ 1) == port && head->channel == 0;
  bool late = escape == ESCAPE_DATELINE && !rs_torus_wraps(torus, port, head->node, head->destination);
  return (rs_way){
      .port = (uint16_t)port, .channel = late, .rank = 1, .space = escape == ESCAPE_BUBBLE && !goes_on ? 2 : 1};
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_torus *torus = p->data;
  const config *c = p->config;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  uint8_t adaptive = (uint8_t)(p->channels - 1);
  if (rs_is_end(p->fabric, head->node)) {
    ways[0] = (rs_way){.channel = adaptive, .space = 1};
    return alive[0] ? 1 : -(1 + CUT_OFF);
  }
  int count = 0;
  uint32_t first = RS_NONE; /* the port of dimension order */
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = rs_torus_up(torus, d, head->node, head->destination);
    if (up == 0) continue;
    uint32_t port = rs_torus_port(torus, d, up);
    if (first == RS_NONE) first = port;
    if (alive[port]) ways[count++] = (rs_way){.port = (uint16_t)port, .channel = adaptive, .space = 1};
    if (2 * up == torus->size[d] && alive[port + 1])
      ways[count++] = (rs_way){.port = (uint16_t)(port + 1), .channel = adaptive, .space = 1};
  }
  if (first == RS_NONE) {
    uint32_t port = rs_torus_end_port(torus);
    ways[count++] = (rs_way){.port = (uint16_t)port, .channel = adaptive, .space = 1};
    return alive[port] ? count : -(1 + DEAD_LINKS);
  }
  if (c->escape != ESCAPE_NONE && alive[first]) ways[count++] = escape_way(torus, head, (escape_kind)c->escape, first);
  return count ? count : -(1 + DEAD_LINKS);
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  const config *c = config_;
  (void)fabric;
  *out = (rs_claims){.minimal = true, .deadlock_free = c->escape != ESCAPE_NONE};
}

const rs_method rs_method_minimal_adaptive = {
    .abi = RS_METHOD_ABI,
    .name = "minimal-adaptive",
    .summary = "tori: fully adaptive minimal routing, with an escape by datelines or bubbles, or none",
    .source = "Duato 1993; paper 004, section 2",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = claims,
};
