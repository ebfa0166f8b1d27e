/* frame.c - channel orders: how they begin, how single required turns are added (Pearce and Kelly, 2006), and sweeps
 * that move channels to better places.
 *
 * Invariant: each place[vc] is a permutation, and each required turn goes up in it. */
#include "mend/channel_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"

void mend_orders_make(mend_orders *f, const switch_graph *net, uint32_t lanes, ripstop_arena *arena) {
  *f = (mend_orders){.net = net, .lanes = lanes};
  for (uint32_t lane = 0; lane < lanes; lane++) f->place[lane] = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  f->allow = RIPSTOP_ARRAY(arena, net->turns, uint8_t);
  f->required = RIPSTOP_ARRAY(arena, net->turns, uint8_t);
  f->weight = RIPSTOP_ARRAY(arena, net->turns, double);
  f->stack = RIPSTOP_ARRAY(arena, 2 * (size_t)net->channels, uint32_t);
  f->seen = RIPSTOP_ARRAY(arena, net->channels, uint8_t);
}

/* ------------------------------------------------------------------ the beginning */

typedef struct keyed {
  double key;
  uint32_t channel;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static void number(mend_orders *f, uint32_t lane, keyed *order) {
  qsort(order, f->net->channels, sizeof *order, by_key);
  for (uint32_t i = 0; i < f->net->channels; i++) f->place[lane][order[i].channel] = i;
}

static void mark_allowed(mend_orders *f, uint32_t lane) {
  const switch_graph *net = f->net;
  for (uint32_t c = 0; c < net->channels; c++)
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++) {
      uint32_t d = net->out[i], turn = switch_graph_turn(net, c, d);
      bool up = f->place[lane][c] < f->place[lane][d] && !switch_graph_goes_back(net, c, d);
      f->allow[turn] = (uint8_t)((f->allow[turn] & ~(1u << lane)) | (unsigned)up << lane);
    }
}

void mend_order_begin(mend_orders *f, uint32_t lane, const uint32_t *key, bool keep) {
  const switch_graph *net = f->net;
  keyed *order = ripstop_realloc(NULL, net->channels + 1, sizeof *order);
  for (uint32_t c = 0; c < net->channels; c++) order[c] = (keyed){key[c], c};
  number(f, lane, order);
  ripstop_free(order);
  mark_allowed(f, lane);
  for (uint32_t c = 0; keep && c < net->channels; c++)
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++) {
      uint32_t d = net->out[i];
      if (key[c] < key[d] && !switch_graph_goes_back(net, c, d))
        f->required[switch_graph_turn(net, c, d)] |= (uint8_t)(1u << lane);
    }
}

void mend_order_mark(mend_orders *f) {
  for (; f->moved; f->moved &= f->moved - 1) mark_allowed(f, (uint32_t)__builtin_ctz(f->moved));
}

bool mend_order_settle(mend_orders *f, uint32_t lane) {
  const switch_graph *net = f->net;
  uint32_t *before = f->stack + net->channels, head = 0, tail = 0;
  memset(before, 0, net->channels * sizeof *before);
  for (uint32_t c = 0; c < net->channels; c++)
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++)
      before[net->out[i]] += f->required[switch_graph_turn(net, c, net->out[i])] >> lane & 1;
  for (uint32_t c = 0; c < net->channels; c++)
    if (before[c] == 0) f->stack[tail++] = c;
  for (; head < tail; head++) {
    uint32_t c = f->stack[head];
    f->place[lane][c] = head;
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++) {
      uint32_t d = net->out[i];
      if (f->required[switch_graph_turn(net, c, d)] >> lane & 1 && --before[d] == 0) f->stack[tail++] = d;
    }
  }
  return tail == net->channels;
}

/* ------------------------------------------------------------------ one more required turn */

typedef struct reach {
  mend_orders *f;
  uint32_t lane, bound; /* no place beyond it */
  uint32_t *found, count;
} reach;

static void find(reach *r, uint32_t c) {
  if (r->f->seen[c]) return;
  r->f->seen[c] = 1;
  r->found[r->count++] = c;
}

/* Finds all channels that required turns lead to from d, up to the bound. Stops early at c. */
static void find_after(reach *r, uint32_t d, uint32_t c) {
  const switch_graph *net = r->f->net;
  find(r, d);
  for (uint32_t head = 0; head < r->count && !r->f->seen[c]; head++)
    for (uint32_t at = r->found[head], i = net->out_first[net->to[at]]; i < net->out_first[net->to[at] + 1]; i++)
      if (r->f->required[switch_graph_turn(net, at, net->out[i])] >> r->lane & 1 &&
          r->f->place[r->lane][net->out[i]] <= r->bound)
        find(r, net->out[i]);
}

/* Finds all channels from which required turns lead to c, down to the bound. */
static void find_before(reach *r, uint32_t c) {
  const switch_graph *net = r->f->net;
  find(r, c);
  for (uint32_t head = 0; head < r->count; head++)
    for (uint32_t d = r->found[head], i = net->out_first[net->from[d]]; i < net->out_first[net->from[d] + 1]; i++) {
      uint32_t before = net->out[i] ^ 1;
      if (r->f->required[switch_graph_turn(net, before, d)] >> r->lane & 1 && r->f->place[r->lane][before] >= r->bound)
        find(r, before);
    }
}

static int by_place(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

static void forget(reach *r) {
  for (uint32_t i = 0; i < r->count; i++) r->f->seen[r->found[i]] = 0;
}

/* The channels before the turn get the first of all these places. Each group keeps its old order. */
static void reorder(mend_orders *f, uint32_t lane, const reach *before, const reach *after) {
  uint32_t count = before->count + after->count, *place = ripstop_realloc(NULL, count, sizeof *place);
  keyed *old = ripstop_realloc(NULL, count, sizeof *old);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t c = i < before->count ? before->found[i] : after->found[i - before->count];
    old[i] = (keyed){f->place[lane][c], c};
  }
  qsort(old, before->count, sizeof *old, by_place);
  qsort(old + before->count, after->count, sizeof *old, by_place);
  for (uint32_t i = 0, b = 0, a = before->count; i < count; i++) {
    bool first = a == count || (b < before->count && old[b].key < old[a].key);
    place[i] = (uint32_t)old[first ? b++ : a++].key;
  }
  for (uint32_t i = 0; i < count; i++) f->place[lane][old[i].channel] = place[i];
  ripstop_free(old);
  ripstop_free(place);
}

bool mend_order_add(mend_orders *f, uint32_t lane, uint32_t c, uint32_t d) {
  const uint32_t *place = f->place[lane];
  uint32_t turn = switch_graph_turn(f->net, c, d);
  if (place[c] > place[d]) {
    reach after = {f, lane, place[c], f->stack, 0};
    find_after(&after, d, c);
    bool circle = f->seen[c];
    forget(&after);
    if (circle) return false;
    reach before = {f, lane, place[d], f->stack + f->net->channels, 0};
    find_before(&before, c);
    forget(&before);
    reorder(f, lane, &before, &after);
    f->moved |= 1u << lane;
  }
  f->required[turn] |= (uint8_t)(1u << lane);
  return true;
}

/* ------------------------------------------------------------------ sweeps */

enum { NOISES = 256 };

typedef struct mark {
  double at, gain; /* gain of being above it */
} mark;

typedef struct sweep {
  mend_orders *f;
  uint32_t lane;
  double *at; /* [channels]: places, including those between two whole numbers */
  mark *mark;
  uint32_t marks;
  double low, high; /* range that required turns leave */
  double warm;      /* temperature */
  double noises[NOISES];
  uint64_t drawn; /* random bytes that remain, below a leading one bit; 0: none */
  ripstop_stream *random;
} sweep;

/* Insertion sort: lists are short, and sorted many times. */
static void sort_marks(mark *list, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    mark held = list[i];
    uint32_t j = i;
    for (; j > 0 && list[j - 1].at > held.at; j--) list[j] = list[j - 1];
    list[j] = held;
  }
}

static void add_mark(sweep *s, uint32_t other, uint32_t turn, bool before) {
  mend_orders *f = s->f;
  double at = s->at[other];
  if (f->required[turn] >> s->lane & 1) {
    if (before && at > s->low) s->low = at;
    if (!before && at < s->high) s->high = at;
  }
  if (f->weight[turn] > 0) s->mark[s->marks++] = (mark){at, before ? f->weight[turn] : -f->weight[turn]};
}

static void collect_marks(sweep *s, uint32_t c) {
  const switch_graph *net = s->f->net;
  s->marks = 0;
  s->low = -1;
  s->high = net->channels;
  for (uint32_t i = net->out_first[net->from[c]]; i < net->out_first[net->from[c] + 1]; i++) {
    uint32_t before = net->out[i] ^ 1;
    if (!switch_graph_goes_back(net, before, c)) add_mark(s, before, switch_graph_turn(net, before, c), true);
  }
  for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++)
    if (!switch_graph_goes_back(net, c, net->out[i]))
      add_mark(s, net->out[i], switch_graph_turn(net, c, net->out[i]), false);
}

/* Gumbel noise: the greatest noisy score is then a sample in proportion to the exponentials of the scores. Noises
 * take few values, four to a random word. */
static void make_noises(sweep *s) {
  for (uint32_t i = 0; i < NOISES; i++) s->noises[i] = -log(-log((i + 0.5) / NOISES));
}

static double noise(sweep *s) {
  if (s->warm <= 0) return 0;
  if (s->drawn == 0) s->drawn = ripstop_stream_u32(s->random) | UINT64_C(1) << 32;
  double value = s->noises[s->drawn % NOISES];
  s->drawn = s->drawn / NOISES > 1 ? s->drawn / NOISES : 0;
  return s->warm * value;
}

/* Moves a channel to the gap between marks where most weight is allowed, or nearly most while the temperature is
 * high. */
static void move(sweep *s, uint32_t c) {
  collect_marks(s, c);
  sort_marks(s->mark, s->marks);
  double gain = 0, best = -INFINITY, from = s->low, to = s->high;
  for (uint32_t i = 0; i <= s->marks; i++) {
    double low = i ? s->mark[i - 1].at : -1, high = i < s->marks ? s->mark[i].at : s->f->net->channels;
    if (i) gain += s->mark[i - 1].gain;
    if (low < s->low) low = s->low;
    if (high > s->high) high = s->high;
    if (!(low < high)) continue;
    double score = gain + noise(s);
    if (score > best) best = score, from = low, to = high;
  }
  double at = from + (to - from) * (0.25 + 0.5 * ripstop_stream_unit(s->random));
  if (from < at && at < to) s->at[c] = at;
}

static void shuffle(uint32_t *list, uint32_t count, ripstop_stream *random) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = ripstop_stream_below(random, i), held = list[i - 1];
    list[i - 1] = list[j];
    list[j] = held;
  }
}

/* Sums and samples channel by channel, so that the result does not depend on how turns are laid out in memory. */
static double mean_weight(const mend_orders *f) {
  const switch_graph *net = f->net;
  double sum = 0, count = 0;
  for (uint32_t c = 0; c < net->channels; c++)
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++) {
      double weight = f->weight[switch_graph_turn(net, c, net->out[i])];
      sum += weight, count += weight > 0;
    }
  return count > 0 ? sum / count : 0;
}

static void one_sweep(sweep *s, uint32_t *list, keyed *order) {
  uint32_t channels = s->f->net->channels;
  shuffle(list, channels, s->random);
  for (uint32_t i = 0; i < channels; i++) s->at[i] = s->f->place[s->lane][i];
  for (uint32_t i = 0; i < channels; i++) {
    ripstop_task_progress(NULL, 0, 0);
    move(s, list[i]);
  }
  for (uint32_t i = 0; i < channels; i++) order[i] = (keyed){s->at[i], i};
  number(s->f, s->lane, order);
}

static uint32_t most_neighbours(const switch_graph *net) {
  uint32_t most = 0;
  for (uint32_t s = 0; s < net->switches; s++)
    if (switch_graph_outs(net, s) > most) most = switch_graph_outs(net, s);
  return 2 * most;
}

void mend_order_sweep(mend_orders *f, uint32_t lane, uint32_t sweeps, double left, ripstop_stream *random) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t channels = f->net->channels, *list = RIPSTOP_ARRAY(scratch, channels, uint32_t);
  keyed *order = RIPSTOP_ARRAY(scratch, channels, keyed);
  sweep s = {.f = f, .lane = lane, .random = random};
  s.at = RIPSTOP_ARRAY(scratch, channels, double);
  s.mark = RIPSTOP_ARRAY(scratch, most_neighbours(f->net), mark);
  make_noises(&s);
  double hot = 1.2 * mean_weight(f);
  for (uint32_t c = 0; c < channels; c++) list[c] = c;
  for (uint32_t i = 0; i < sweeps; i++) {
    ripstop_task_progress("orders of channels", i, sweeps);
    double cooled = 1 - i / (0.7 * sweeps);
    s.warm = cooled > 0 ? hot * cooled : 0;
    one_sweep(&s, list, order);
  }
  mark_allowed(f, lane);
  for (uint32_t turn = 0; turn < f->net->turns; turn++)
    if (f->allow[turn] >> lane & 1) f->weight[turn] *= left;
}
