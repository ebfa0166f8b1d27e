/* uturn.c - deterministic dynamic rerouting in fat trees (paper 003, section 3, after Sem-Jacobsen, Skeie and Lysne,
 * PDPTA 2005): one path for each pair; at a dead link upward another up link; at a dead link downward a U-turn, whose
 * two hops, up from the U-turn switch and down again, take place on a channel of their own. Which hops there are is
 * decided in route/uturn.c; this file gives them channels.
 *
 * With the hop back down to the U-turn switch on that channel too (`return_channel=extra`), fewer than half dead links
 * cannot deadlock whatever the order of tries; with the cyclic order or a free choice not even without the channel. The
 * other combinations can (docs/methods/uturn.md). */
#include "route/uturn.h"

enum { NORMAL, EXTRA, CHANNELS };
typedef enum { RETURN_EXTRA, RETURN_NORMAL } return_channel;

typedef struct config {
  bool extra_channel;
  int32_t return_channel, order;
  int64_t rounds;
} config;

static const char *const return_words[] = {[RETURN_EXTRA] = "extra", [RETURN_NORMAL] = "normal", NULL};
static const rs_option options[] = {
    {.name = "extra_channel",
     .type = RS_OPTION_FLAG,
     .offset = offsetof(config, extra_channel),
     .fallback = "on",
     .help = "a second channel for the hop up from the U-turn switch and the hop down after it"},
    {.name = "return_channel",
     .type = RS_OPTION_WORD,
     .offset = offsetof(config, return_channel),
     .words = return_words,
     .fallback = "extra",
     .help = "channel of the hop back down to the U-turn switch when a try has failed"},
    {.name = "uturn_order",
     .type = RS_OPTION_WORD,
     .offset = offsetof(config, order),
     .words = rs_uturn_order_words,
     .fallback = "cyclic",
     .help = "up port that the U-turn switch tries next: the next in cyclic order, the lowest, from the destination's "
             "digit on, or any untried one"},
    {.name = "rounds",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(config, rounds),
     .min = 1,
     .max = 255,
     .fallback = "1",
     .help = "times that a U-turn switch tries all up links before it discards; above 1 for fabrics with repairs"},
    {0}};

typedef struct hop_kind {
  uint8_t channel, marks;
} hop_kind;

typedef struct data {
  rs_uturn uturn;
  hop_kind kind[RS_UTURN_BACK + 1]; /* of each step */
} data;

static rs_answer plan(rs_plan *p, rs_error *err) {
  const config *c = p->config;
  data *d = RS_NEW(p->arena, data);
  uint8_t extra = c->extra_channel ? EXTRA : NORMAL;
  rs_answer answer = rs_uturn_prepare(p, "uturn", (rs_uturn_order)c->order, (uint32_t)c->rounds, &d->uturn, err);
  if (answer != RS_APPLIES) return answer;
  d->kind[RS_UTURN_PLAIN] = (hop_kind){NORMAL, 0};
  d->kind[RS_UTURN_ASIDE] = (hop_kind){NORMAL, RS_MARK_UP};
  d->kind[RS_UTURN_AWAY] = (hop_kind){NORMAL, RS_MARK_DOWN};
  d->kind[RS_UTURN_RISE] = (hop_kind){extra, RS_MARK_DOWN};
  d->kind[RS_UTURN_FALL] = (hop_kind){extra, RS_MARK_DOWN};
  d->kind[RS_UTURN_BACK] = (hop_kind){c->return_channel == RETURN_EXTRA ? extra : NORMAL, RS_MARK_DOWN};
  p->data = d;
  p->channels = c->extra_channel ? CHANNELS : 1;
  p->ways_max = d->uturn.hops_max;
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const data *d = p->data;
  rs_uturn_hop hops[RS_UTURN_HOPS_MAX];
  int count = rs_uturn_hops(p, &d->uturn, head, hops);
  for (int i = 0; i < count; i++) {
    const hop_kind *kind = &d->kind[hops[i].step];
    ways[i] = (rs_way){
        .header = hops[i].header, .port = hops[i].port, .channel = kind->channel, .space = 1, .marks = kind->marks};
  }
  return count;
}

static void claims(const rs_fabric *fabric, const void *config_, rs_claims *out) {
  const config *c = config_;
  bool turns_alone = c->extra_channel && c->return_channel == RETURN_EXTRA;
  bool order_suffices = c->order == RS_UTURN_CYCLIC || c->order == RS_UTURN_ANY;
  *out = (rs_claims){.tolerates = rs_uturn_tolerates(fabric), .deadlock_free = turns_alone || order_suffices};
}

const rs_method rs_method_uturn = {
    .abi = RS_METHOD_ABI,
    .name = "uturn",
    .summary = "fat trees: one path for each pair; round dead links by U-turns on a channel of their own",
    .source = "paper 003, section 3",
    .options = options,
    .config_size = sizeof(config),
    .losses = rs_uturn_losses,
    .plan = plan,
    .route = route,
    .claims = claims,
};
