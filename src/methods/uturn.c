/* uturn.c - deterministic dynamic rerouting in fat trees (paper 003, section 3, after Sem-Jacobsen, Skeie and Lysne,
 * PDPTA 2005). There is one path for each pair. At a failed up link a packet takes another up link; at a failed down
 * link it makes a U-turn, whose two hops, up from the U-turn switch and down again, use a virtual channel of their own.
 * methods/shared/uturn.c decides on the hops; this file gives them virtual channels.
 *
 * If the hop back down to the U-turn switch uses that virtual channel too (`return_channel=extra`), fewer than half
 * failed links cannot deadlock, in any order of tries. With the cyclic order or order=any this holds even without the
 * extra virtual channel. The other combinations can deadlock (docs/methods/uturn.md). */
#include "methods/shared/uturn.h"
#include "ripstop/plugin/method.h"

enum { NORMAL, EXTRA, CHANNELS };
typedef enum { RETURN_EXTRA, RETURN_NORMAL } return_channel;

typedef struct config {
  bool extra_channel;
  int32_t return_channel, order, up_order;
  int64_t rounds;
} config;

static const char *const return_words[] = {[RETURN_EXTRA] = "extra", [RETURN_NORMAL] = "normal", NULL};
static const ripstop_option options[] = {
    RIPSTOP_FLAG(config, extra_channel, "on",
                 "a second virtual channel for the hop up from the U-turn switch and the hop down after it"),
    RIPSTOP_WORD(config, return_channel, return_words, "extra",
                 "virtual channel of the hop back down to the U-turn switch after a failed try"),
    RIPSTOP_UTURN_ORDERS(config),
    RIPSTOP_UTURN_ROUNDS(config),
    {0}};

typedef struct hop_kind {
  uint8_t channel, marks;
} hop_kind;

typedef struct data {
  ripstop_uturn uturn;
  hop_kind kind[RIPSTOP_UTURN_BACK + 1]; /* for each step */
} data;

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  data *d = RIPSTOP_NEW(p->arena, data);
  uint8_t extra = c->extra_channel ? EXTRA : NORMAL;
  ripstop_answer answer =
      ripstop_uturn_prepare(p, "uturn", (ripstop_uturn_order)c->order, (ripstop_uturn_up_order)c->up_order,
                            (uint32_t)c->rounds, &d->uturn, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  d->kind[RIPSTOP_UTURN_PLAIN] = (hop_kind){NORMAL, 0};
  d->kind[RIPSTOP_UTURN_ASIDE] = (hop_kind){NORMAL, RIPSTOP_MARK_UP};
  d->kind[RIPSTOP_UTURN_AWAY] = (hop_kind){NORMAL, RIPSTOP_MARK_DOWN};
  d->kind[RIPSTOP_UTURN_RISE] = (hop_kind){extra, RIPSTOP_MARK_DOWN};
  d->kind[RIPSTOP_UTURN_FALL] = (hop_kind){extra, RIPSTOP_MARK_DOWN};
  d->kind[RIPSTOP_UTURN_BACK] = (hop_kind){c->return_channel == RETURN_EXTRA ? extra : NORMAL, RIPSTOP_MARK_DOWN};
  p->data = d;
  p->channels = c->extra_channel ? CHANNELS : 1;
  p->candidates_max = d->uturn.hops_max;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const data *d = p->data;
  ripstop_uturn_hop hops[RIPSTOP_UTURN_HOPS_MAX];
  int count = ripstop_uturn_hops(p, &d->uturn, head, hops);
  for (int i = 0; i < count; i++) {
    const hop_kind *kind = &d->kind[hops[i].step];
    candidates[i] = (ripstop_candidate){
        .header = hops[i].header, .port = hops[i].port, .channel = kind->channel, .space = 1, .marks = kind->marks};
  }
  return count;
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  bool turns_alone = c->extra_channel && c->return_channel == RETURN_EXTRA;
  bool order_suffices = c->order == RIPSTOP_UTURN_CYCLIC || c->order == RIPSTOP_UTURN_ANY;
  *out = (ripstop_guarantees){.tolerates = ripstop_uturn_tolerates(fabric),
                              .deadlock_free = turns_alone || order_suffices};
}

const ripstop_method ripstop_method_uturn = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "uturn",
    .summary = "fat trees: one path for each pair; around failed links by U-turns on a virtual channel of their own",
    .source = "paper 003, section 3",
    .options = options,
    .config_size = sizeof(config),
    .losses = ripstop_uturn_losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
