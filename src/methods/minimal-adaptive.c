/* minimal-adaptive.c - fully adaptive minimal routing on tori: any link that leads nearer, in any dimension, in both
 * directions when they are equally long.
 *
 * Without an escape it deadlocks; with one it does not (Duato 1993). A packet takes an adaptive candidate with space,
 * else the escape, which is dimension order:
 *   dateline   on two virtual channels of its own (Dally and Seitz)
 *   bubble     on one virtual channel of its own, with space for two packets to enter a ring (paper 004, section 2)
 *
 * A packet passes by a failed link while another minimal one is up; it takes no detours. */
#include "fabric/torus.h"
#include "ripstop/plugin/method.h"

typedef enum { ESCAPE_NONE, ESCAPE_DATELINE, ESCAPE_BUBBLE } escape_kind;

typedef struct config {
  int32_t escape;
} config;

static const char *const escape_words[] = {
    [ESCAPE_NONE] = "none", [ESCAPE_DATELINE] = "dateline", [ESCAPE_BUBBLE] = "bubble", NULL};
static const uint32_t escape_channels[] = {[ESCAPE_NONE] = 0, [ESCAPE_DATELINE] = 2, [ESCAPE_BUBBLE] = 1};
static const ripstop_option options[] = {
    RIPSTOP_WORD(config, escape, escape_words, "dateline",
                 "the escape that a packet takes when no adaptive candidate has space"),
    {0}};

enum { FAILED_LINKS, CUT_OFF };
static const char *const losses[] = {[FAILED_LINKS] = "no minimal link is alive", [CUT_OFF] = "source cut off", NULL};

typedef struct compiled {
  ripstop_torus torus;
  escape_kind kind;
  ripstop_candidate adaptive, escape[2]; /* candidates without a port; two kinds of escapes: escape_of */
} compiled;

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  compiled *d = RIPSTOP_NEW(p->arena, compiled);
  if (!ripstop_torus_from(p->fabric, &d->torus))
    return ripstop_does_not_apply(err, "minimal-adaptive is for tori, not for %s", p->fabric->spec);
  p->data = d;
  d->kind = (escape_kind)c->escape;
  p->channels = escape_channels[c->escape] + 1; /* the last one is adaptive */
  p->candidates_max = 2 * d->torus.dimensions + 1;
  p->bubble = c->escape == ESCAPE_BUBBLE;
  d->adaptive = (ripstop_candidate){.channel = (uint8_t)(p->channels - 1), .space = 1};
  d->escape[0] = (ripstop_candidate){.rank = 1, .space = c->escape == ESCAPE_BUBBLE ? 2 : 1};
  d->escape[1] = (ripstop_candidate){.rank = 1, .space = 1, .channel = c->escape == ESCAPE_DATELINE};
  return RIPSTOP_APPLIES;
}

/* A candidate like another, through this port. */
static inline ripstop_candidate *set_candidate(ripstop_candidate *candidate, const ripstop_candidate *like,
                                               uint32_t port) {
  *candidate = *like;
  candidate->port = (uint16_t)port;
  return candidate;
}

/* No link leads nearer: the only candidate, or none. Not inlined, so that the usual path through `route` keeps
 * few registers. */
static __attribute__((noinline)) int route_out(const compiled *data, const ripstop_head *head, const uint8_t *alive,
                                               ripstop_candidate *candidate) {
  const bool enters = ripstop_is_end(data->torus.fabric, head->node);
  const uint32_t port = enters ? 0 : ripstop_torus_end_port(&data->torus, head->destination);
  set_candidate(candidate, &data->adaptive, port);
  return alive[port] ? 1 : -(1 + (enters ? CUT_OFF : FAILED_LINKS));
}

/* The kind of escape through a port that a head takes, given the coordinates of its place and goal. Bubble: true if it
 * goes on in its ring. Dateline: true if no wrap-around link lies ahead. */
static inline bool escape_of(const compiled *data, const ripstop_head *head, uint32_t port, uint32_t from,
                             uint32_t to) {
  if (data->kind == ESCAPE_BUBBLE) return ((head->in_port ^ 1) == port) & (head->channel == 0);
  return port % 2 == 0 ? from <= to : from >= to;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const compiled *data = p->data;
  const uint8_t *alive = &p->view->port_up[p->fabric->port_base[head->node]];
  if (ripstop_is_end(p->fabric, head->node)) return route_out(data, head, alive, candidates);
  const uint16_t *from = ripstop_coords(p->fabric, head->node), *to = ripstop_coords(p->fabric, head->destination);
  ripstop_candidate *candidate = candidates;
  uint32_t first = RIPSTOP_NONE; /* the port of dimension order, as in dor:halfway=parity */
  for (uint32_t d = 0; d < data->torus.dimensions; d++) {
    uint32_t up = ripstop_torus_hops(&data->torus, d, from[d], to[d]);
    if (up == 0) continue;
    uint32_t port = ripstop_torus_port(&data->torus, d, up);
    const bool either = 2 * up == data->torus.size[d];
    if (first == RIPSTOP_NONE) first = port + (either && from[d] % 2);
    if (alive[port]) set_candidate(candidate++, &data->adaptive, port);
    if (either && alive[port + 1]) set_candidate(candidate++, &data->adaptive, port + 1);
  }
  if (first == RIPSTOP_NONE) return route_out(data, head, alive, candidates);
  if (data->kind != ESCAPE_NONE && alive[first])
    set_candidate(candidate++, &data->escape[escape_of(data, head, first, from[first / 2], to[first / 2])], first);
  return candidate > candidates ? (int)(candidate - candidates) : -(1 + FAILED_LINKS);
}

/* Duato's theorem of 1993: the escape subfunction is dimension order. */
static int supply_escape(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate, int count) {
  (void)p, (void)head;
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (candidate[i].rank == 1) candidate[kept++] = candidate[i];
  return kept;
}

static const ripstop_subfunction subfunctions[] = {
    {"escape", "the escape channels alone, by dimension order", supply_escape}, {0}};

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  (void)fabric;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = c->escape != ESCAPE_NONE};
}

const ripstop_method ripstop_method_minimal_adaptive = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "minimal-adaptive",
    .summary = "tori: fully adaptive minimal routing, with an escape by datelines or bubbles, or none",
    .source = "Duato 1993; paper 004, section 2",
    .options = options,
    .config_size = sizeof(config),
    .escape = "exhausted",
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .subfunctions = subfunctions,
};
