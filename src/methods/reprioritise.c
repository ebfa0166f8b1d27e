/* reprioritise.c - quality of service while packets are rerouted around failed links (paper 003, sections 4 and 5).
 * Three traffic classes have a virtual channel each, a fourth one keeps the network free of deadlock. By rules, a
 * packet that meets a fault changes its virtual channel, and with it its priority, until it is on its original path
 * again or to its end. methods/shared/uturn.c decides on the hops, as for the method `uturn`; this file gives them
 * virtual channels.
 *
 * The arbiter decides on the weights of the virtual channels (`arbiter=weighted:shares=1/35/54/10`).
 *
 * Invariant: the header's bit MOVED is set while the packet travels on the virtual channel of misrouted packets,
 * including its hops on the fourth one in between. The hops are those of `uturn`, and VCs 0 to 2 together and VC 3
 * correspond to its two: nothing can deadlock here that could not there (docs/methods/reprioritise.md). */
#include "methods/shared/uturn.h"
#include "ripstop/plugin/method.h"

enum { CLASSES = 3, DEADLOCK_FREEDOM = CLASSES, CHANNELS };
#define MOVED (UINT64_C(1) << RIPSTOP_UTURN_HEADER_BITS)
#define DRAW  (UINT64_MAX << RIPSTOP_UTURN_DRAW_BIT)

/* The paper counts from 1: VC1 is virtual channel 0. */
typedef enum misroute_vc { KEEP, VC1, VC2, VC3 } misroute_vc;
typedef enum extent { LOCAL, TO_END } extent;

/* When a packet changes its virtual channel, to which, and for how long. */
typedef struct rules {
  int32_t misroute_vc, until;
  bool up, down;
} rules;

/* Table 1 without its weights; docs/methods/reprioritise.md has them. */
static const rules table_1[] = {
    {VC1, LOCAL, true, true},    /*  1 */
    {KEEP, LOCAL, false, false}, /*  2 */
    {VC3, LOCAL, true, true},    /*  3 */
    {KEEP, LOCAL, false, false}, /*  4 */
    {VC1, LOCAL, true, true},    /*  5 */
    {VC3, LOCAL, true, true},    /*  6 */
    {VC1, TO_END, true, true},   /*  7 */
    {VC3, TO_END, true, true},   /*  8 */
    {VC1, TO_END, true, true},   /*  9 */
    {VC3, TO_END, true, true},   /* 10 */
    {VC1, LOCAL, false, true},   /* 11 */
    {VC3, LOCAL, false, true},   /* 12 */
    {VC1, LOCAL, false, true},   /* 13 */
    {VC3, LOCAL, false, true},   /* 14 */
};
enum { APPROACHES = sizeof table_1 / sizeof *table_1 };

typedef struct config {
  int64_t approach;
  rules own;
  int32_t order, up_order, base;
} config;

static const char *const vc_words[] = {[KEEP] = "none", [VC1] = "1", [VC2] = "2", [VC3] = "3", NULL};
static const char *const until_words[] = {[LOCAL] = "local", [TO_END] = "end", NULL};
static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, approach, 0, APPROACHES, "0",
                    "a row of the paper's Table 1, whose rules override the next four options; 0: none"),
    {.name = "misroute_vc",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, own.misroute_vc),
     .words = vc_words,
     .fallback = "none",
     .help = "virtual channel, 1 to 3, that a packet takes when it is misrouted; none: it keeps its own"},
    {.name = "until",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, own.until),
     .words = until_words,
     .fallback = "local",
     .help = "how far it keeps that virtual channel: until it is on its original path again, or to its end"},
    {.name = "up",
     .type = RIPSTOP_OPTION_FLAG,
     .offset = offsetof(config, own.up),
     .fallback = "on",
     .help = "packets change their virtual channel at a failed up link"},
    {.name = "down",
     .type = RIPSTOP_OPTION_FLAG,
     .offset = offsetof(config, own.down),
     .fallback = "on",
     .help = "packets change their virtual channel at a failed down link"},
    RIPSTOP_UTURN_ORDERS(config),
    RIPSTOP_WORD(config, base, ripstop_uturn_base_words, "deterministic",
                 "routing without faults: one path for each pair, any up port, or a random path fixed at the source",
                 .later = true),
    {0}};

typedef struct data {
  ripstop_uturn uturn;
  rules rules;
} data;

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  data *d = RIPSTOP_NEW(p->arena, data);
  ripstop_answer answer = ripstop_uturn_prepare(p, "reprioritise", (ripstop_uturn_order)c->order,
                                                (ripstop_uturn_up_order)c->up_order, 1, &d->uturn, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  d->uturn.base = (ripstop_uturn_base)c->base;
  if (c->base == RIPSTOP_UTURN_SOURCE) p->random_headers = ripstop_uturn_headers(&d->uturn);
  if (!p->random_headers)
    return ripstop_does_not_apply(
        err, "reprioritise: base=source needs more upward paths on %s than the %d that the header can encode",
        p->fabric->spec, RIPSTOP_UTURN_HEADERS_MAX);
  d->rules = c->approach > 0 ? table_1[c->approach - 1] : c->own;
  p->data = d;
  p->channels = CHANNELS;
  p->classes = CLASSES;
  p->candidates_max = d->uturn.hops_max;
  return RIPSTOP_APPLIES;
}

/* The packet travels on the virtual channel of misrouted packets after this hop, or would if the hop did not need the
 * fourth one. `moved`: it did so when it arrived, and has not reached its original path. */
static bool moves(const rules *r, bool moved, ripstop_uturn_step step) {
  if (r->misroute_vc == KEEP) return false;
  return moved || (step == RIPSTOP_UTURN_ASIDE && r->up) || (step == RIPSTOP_UTURN_AWAY && r->down);
}

static uint8_t channel_of(const rules *r, const ripstop_head *head, ripstop_uturn_step step, bool moved) {
  if (step == RIPSTOP_UTURN_RISE || step == RIPSTOP_UTURN_FALL || step == RIPSTOP_UTURN_BACK) return DEADLOCK_FREEDOM;
  return moved ? (uint8_t)(r->misroute_vc - VC1) : head->class_;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  static const uint8_t marks[] = {
      [RIPSTOP_UTURN_ASIDE] = RIPSTOP_MARK_UP,  [RIPSTOP_UTURN_AWAY] = RIPSTOP_MARK_DOWN,
      [RIPSTOP_UTURN_RISE] = RIPSTOP_MARK_DOWN, [RIPSTOP_UTURN_FALL] = RIPSTOP_MARK_DOWN,
      [RIPSTOP_UTURN_BACK] = RIPSTOP_MARK_DOWN,
  };
  const data *d = p->data;
  const rules *r = &d->rules;
  ripstop_uturn_hop hops[RIPSTOP_UTURN_HOPS_MAX];
  int count = ripstop_uturn_hops(p, &d->uturn, head, hops);
  /* A new packet's header is its random number. */
  const uint64_t draw =
      ripstop_is_end(p->fabric, head->node) ? head->header << RIPSTOP_UTURN_DRAW_BIT : head->header & DRAW;
  bool moved = !ripstop_is_end(p->fabric, head->node) && (head->header & MOVED);
  if (moved && r->until == LOCAL) moved = !ripstop_uturn_on_original_path(p, &d->uturn, head);
  for (int i = 0; i < count; i++) {
    bool moves_on = moves(r, moved, hops[i].step);
    candidates[i] = (ripstop_candidate){.header = hops[i].header | (moves_on ? MOVED : 0) | draw,
                                        .port = hops[i].port,
                                        .channel = channel_of(r, head, hops[i].step, moves_on),
                                        .space = 1,
                                        .marks = marks[hops[i].step]};
  }
  return count;
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.tolerates = ripstop_uturn_tolerates(fabric), .deadlock_free = true};
}

const ripstop_method ripstop_method_reprioritise = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "reprioritise",
    .summary = "fat trees: uturn with three traffic classes, where packets that meet a fault change their priority",
    .source = "paper 003, sections 4 to 6",
    .options = options,
    .config_size = sizeof(config),
    .losses = ripstop_uturn_losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
