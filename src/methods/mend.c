/* mend.c - forwarding tables for any fabric with anything dead, whose lanes cannot deadlock: src/mend makes them, here
 * packets follow them. A packet's channel is its lane, which it is given at its birth and keeps. */
#include "ripstop/mend.h"

#include "methods/shared/entries.h"

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

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.tolerates = ripstop_mend_tolerates(fabric, TOLERATES), .deadlock_free = true};
}

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
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
    .by_source = true,
};
