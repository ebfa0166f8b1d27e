/* mend.c - forwarding tables for any fabric with anything dead, whose lanes cannot deadlock: src/mend makes them, here
 * packets follow them. A packet's channel is its lane, which it is given at its birth and keeps. */
#include "ripstop/mend.h"

#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t lanes, seed;
  int32_t sl;
} config;

enum { TOLERATES = 2 }; /* it delivers what is connected, but more need not be said */
enum { BY_DESTINATION, BY_PAIR };
static const char *const sl_words[] = {[BY_DESTINATION] = "destination", [BY_PAIR] = "pair", NULL};

static const ripstop_option options[] = {
    {.name = "lanes",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, lanes),
     .min = 1,
     .max = RIPSTOP_MEND_LANES,
     .fallback = "4",
     .help = "virtual channels of each link; packets keep theirs"},
    {.name = "sl",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, sl),
     .words = sl_words,
     .fallback = "destination",
     .help = "what the lane depends on: the destination, or source and destination"},
    {.name = "seed",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, seed),
     .min = 0,
     .max = UINT32_MAX,
     .fallback = "1",
     .help = "of what is drawn while tables are made"},
    {0}};

enum { NO_WAY, CUT_OFF };
static const char *const losses[] = {[NO_WAY] = "no way is left", [CUT_OFF] = "source cut off", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  ripstop_mend_options wanted = {.lanes = (uint32_t)c->lanes, .by_pair = c->sl == BY_PAIR, .seed = (uint64_t)c->seed};
  ripstop_mend *mend = ripstop_mend_open(p->view, &wanted, err);
  if (!mend) return RIPSTOP_ERROR;
  p->channels = wanted.lanes;
  p->data = ripstop_forwarding_copy(p->arena, mend->tables);
  ripstop_mend_free(mend);
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_forwarding *tables = p->data;
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  uint16_t port = 0;
  ways[0] = (ripstop_way){.channel = head->channel, .space = 1};
  if (ripstop_is_end(p->fabric, head->node)) {
    if (!up[0]) return -(1 + CUT_OFF);
    ways[0].channel = (uint8_t)ripstop_forwarding_level(tables, head->source, head->destination);
  } else {
    port = ripstop_forwarding_port(tables, head->destination, head->node);
  }
  ways[0].port = port;
  return port != RIPSTOP_NO_PORT && up[port] ? 1 : -(1 + NO_WAY);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.tolerates = ripstop_mend_tolerates(fabric, TOLERATES), .deadlock_free = true};
}

static const ripstop_forwarding *forwarding(const ripstop_plan *p) { return p->data; }

static ripstop_forwarding *repair(const void *config_, const ripstop_view *view, const ripstop_forwarding *old,
                                  ripstop_answer *answer, ripstop_error *err) {
  const config *c = config_;
  return ripstop_mend_repair(view, old, (uint64_t)c->seed, answer, err);
}

const ripstop_method ripstop_method_mend = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "mend",
    .summary = "any fabric, anything dead: balanced forwarding tables, every connected pair, no deadlock",
    .source = "docs/methods/mend.md",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .forwarding = forwarding,
    .repair = repair,
    .by_source = true,
};
