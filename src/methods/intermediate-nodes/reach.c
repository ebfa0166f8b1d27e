/* reach.c - rows of routers by shifting, classes of routers, and pairs of classes. */
#include "methods/intermediate-nodes/reach.h"

#include <string.h>

enum { WORD = 64, BLOCK = 4 /* words that rows are compared by; they have a multiple of it */ };

/* ------------------------------------------------------------------ one step of dimension order */

/* A stretch of words low .. high-1 of a set; all shifts stay inside. */
typedef struct stretch {
  uint32_t low, high;
} stretch;

/* to = from >> bits. */
static void shift_down(uint64_t *to, const uint64_t *from, stretch at, uint32_t bits) {
  uint32_t words = bits / WORD, rest = bits % WORD;
  for (uint32_t i = at.low; i < at.high; i++) {
    uint32_t j = i + words;
    uint64_t word = j < at.high ? from[j] >> rest : 0;
    if (rest && j + 1 < at.high) word |= from[j + 1] << (WORD - rest);
    to[i] = word;
  }
}

/* set |= set << bits; from the top, so that what is read has not been changed. */
static void spread_up(uint64_t *set, stretch at, uint32_t bits) {
  uint32_t words = bits / WORD, rest = bits % WORD;
  for (uint32_t i = at.high; i-- > at.low + words;) {
    uint32_t j = i - words;
    uint64_t word = set[j] << rest;
    if (rest && j > at.low) word |= set[j - 1] >> (WORD - rest);
    set[i] |= word;
  }
}

/* Adds what the routers of `set`, all of which have this digit d, reach in one step of dimension d (or are reached
 * from, which is the same). `scratch` has a set's words. */
static void step(const ripstop_reach *r, uint64_t *set, uint64_t *scratch, uint32_t d, uint32_t digit, stretch at) {
  const uint64_t *alive = r->alive + (size_t)d * r->words;
  uint32_t stride = r->kns.stride[d], k = r->kns.k, copies = 1;
  uint64_t *source = scratch + r->words;
  for (uint32_t i = at.low; i < at.high; i++) source[i] = set[i] & alive[i];
  shift_down(scratch, source, at, digit * stride);
  for (; 2 * copies <= k; copies *= 2) spread_up(scratch, at, copies * stride);
  if (copies < k) spread_up(scratch, at, (k - copies) * stride);
  for (uint32_t i = at.low; i < at.high; i++) set[i] |= scratch[i] & alive[i];
}

/* The words in which a router's fellows lie, those that differ from it in digits 0 .. d alone. */
static stretch fellows(const ripstop_reach *r, uint32_t router, uint32_t d) {
  uint32_t count = r->kns.stride[d] * r->kns.k, first = router - router % count;
  return (stretch){.low = first / WORD, .high = (first + count - 1) / WORD + 1};
}

/* ------------------------------------------------------------------ classes */

static uint64_t *row_of(const ripstop_reach *r, const ripstop_reach_side *side, uint32_t class_) {
  return side->row + (size_t)class_ * r->words;
}

/* A class of a line of dimension d: its row begins with the routers that are one step away from it. */
static uint32_t open_class(const ripstop_reach *r, ripstop_reach_side *side, uint32_t d, uint32_t router) {
  uint32_t class_ = side->classes++;
  uint64_t *row = row_of(r, side, class_);
  side->first[class_] = RIPSTOP_NONE;
  side->dimension[class_] = d;
  ripstop_bit_set(row, router);
  if (d == RIPSTOP_NONE) return class_;
  uint32_t fellow = ripstop_kns_move(&r->kns, router, d, 0);
  for (uint32_t place = 0; place < r->kns.k; place++, fellow += r->kns.stride[d])
    if (ripstop_reach_alive(r, fellow, d)) ripstop_bit_set(row, fellow);
  return class_;
}

static void join_class(const ripstop_reach *r, ripstop_reach_side *side, uint32_t class_, uint32_t router) {
  side->of[router] = class_;
  side->next[router] = side->first[class_];
  side->first[class_] = router;
  side->weight[class_] += r->ends[router];
}

/* The first dimension, upwards or downwards, that a router can cross. */
static uint32_t first_dimension(const ripstop_reach *r, uint32_t router, bool upwards) {
  uint32_t n = r->kns.dimensions;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = upwards ? i : n - 1 - i;
    if (ripstop_reach_alive(r, router, d)) return d;
  }
  return RIPSTOP_NONE;
}

static void divide(ripstop_arena *arena, const ripstop_reach *r, bool upwards, ripstop_reach_side *out) {
  const ripstop_kns *t = &r->kns;
  uint32_t d = upwards ? 0 : t->dimensions - 1, lines = t->dimensions * t->lines;
  uint32_t alive = (uint32_t)ripstop_bits_count(r->alive + (size_t)d * r->words, r->words);
  uint32_t room = t->lines + t->routers - alive;
  uint32_t *of_line = RIPSTOP_ARRAY(arena, lines, uint32_t);
  *out = (ripstop_reach_side){.of = RIPSTOP_ARRAY(arena, t->routers, uint32_t),
                              .next = RIPSTOP_ARRAY(arena, t->routers, uint32_t),
                              .first = RIPSTOP_ARRAY(arena, room, uint32_t),
                              .dimension = RIPSTOP_ARRAY(arena, room, uint32_t),
                              .row = RIPSTOP_ARRAY(arena, (size_t)room * r->words, uint64_t),
                              .low = RIPSTOP_ARRAY(arena, room, uint32_t),
                              .high = RIPSTOP_ARRAY(arena, room, uint32_t),
                              .weight = RIPSTOP_ARRAY(arena, room, uint64_t)};
  memset(of_line, 0xff, lines * sizeof *of_line);
  for (uint32_t router = 0; router < t->routers; router++) {
    d = first_dimension(r, router, upwards);
    uint32_t none = RIPSTOP_NONE, *class_ = d == RIPSTOP_NONE ? &none : &of_line[ripstop_kns_line(t, router, d)];
    if (*class_ == RIPSTOP_NONE) *class_ = open_class(r, out, d, router);
    join_class(r, out, *class_, router);
  }
}

static void bound_row(const ripstop_reach *r, ripstop_reach_side *side, uint32_t class_) {
  const uint64_t *row = row_of(r, side, class_);
  uint32_t low = 0, high = r->words;
  while (low < high && !row[low]) low++;
  while (high > low && !row[high - 1]) high--;
  side->low[class_] = low / BLOCK * BLOCK;
  side->high[class_] = high;
}

/* R of each class of sources: the next dimensions upwards. What has been reached so far lies among the fellows. */
static void fill_from(ripstop_reach *r, uint64_t *scratch) {
  ripstop_reach_side *side = &r->from;
  for (uint32_t c = 0; c < side->classes; c++) {
    uint32_t router = side->first[c];
    for (uint32_t d = side->dimension[c]; d != RIPSTOP_NONE && ++d < r->kns.dimensions;)
      step(r, row_of(r, side, c), scratch, d, ripstop_kns_digit(&r->kns, router, d), fellows(r, router, d));
    bound_row(r, side, c);
  }
}

/* T of each class of destinations: the next dimensions downwards. */
static void fill_to(ripstop_reach *r, uint64_t *scratch) {
  ripstop_reach_side *side = &r->to;
  stretch all = {.low = 0, .high = (r->kns.routers + WORD - 1) / WORD};
  for (uint32_t c = 0; c < side->classes; c++) {
    uint32_t router = side->first[c];
    for (uint32_t d = side->dimension[c]; d != RIPSTOP_NONE && d-- > 0;)
      step(r, row_of(r, side, c), scratch, d, ripstop_kns_digit(&r->kns, router, d), all);
    bound_row(r, side, c);
  }
}

/* ------------------------------------------------------------------ pairs of classes */

static uint64_t *pairs_of(const ripstop_reach *r, uint32_t j, uint32_t from) {
  return r->within[j] + (size_t)from * r->to_words;
}

static bool have_common(const uint64_t *a, const uint64_t *b, const uint64_t *end) {
  for (; a < end; a += BLOCK, b += BLOCK)
    if ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3])) return true;
  return false;
}

/* One intermediate node: what `from` reaches and what reaches `to` have a router in common. For all `to`. */
static void fill_row(const ripstop_reach *r, uint32_t from, uint64_t *pairs) {
  const uint64_t *row = row_of(r, &r->from, from), *other = r->to.row;
  const uint32_t *lows = r->to.low, *highs = r->to.high;
  uint32_t low = r->from.low[from], high = r->from.high[from];
  for (uint32_t to = 0; to < r->to.classes; to++, other += r->words) {
    uint32_t first = lows[to] > low ? lows[to] : low, end = highs[to] < high ? highs[to] : high;
    if (have_common(row + first, other + first, row + end)) ripstop_bit_set(pairs, to);
  }
}

static void fill_one(ripstop_reach *r) {
  for (uint32_t from = 0; from < r->from.classes; from++) fill_row(r, from, pairs_of(r, 1, from));
}

/* Whether a row has a router of a class of sources. */
static bool meets_class(const ripstop_reach *r, const uint64_t *row, uint32_t class_) {
  uint32_t router = r->from.first[class_];
  while (router != RIPSTOP_NONE && !ripstop_bit_test(row, router)) router = r->from.next[router];
  return router != RIPSTOP_NONE;
}

/* The classes of destinations that are ever reached from elsewhere. */
static void find_goals(const ripstop_reach *r, uint64_t *goals) {
  memset(goals, 0, r->to_words * sizeof *goals);
  for (uint32_t from = 0; from < r->from.classes; from++)
    for (uint32_t w = 0; w < r->to_words; w++) goals[w] |= pairs_of(r, 1, from)[w];
  for (uint32_t to = 0; to < r->to.classes; to++)
    if (r->to.dimension[to] == RIPSTOP_NONE) ripstop_bit_clear(goals, to);
}

/* Adds the pairs of a class of sources with j - 1 intermediate nodes, as far as they are not there. */
static void take_over(const ripstop_reach *r, uint64_t *pairs, const uint64_t *more) {
  for (uint32_t w = 0; w < r->to_words; w++) pairs[w] |= more[w];
}

/* Goals that are left: not in `pairs`; those of them in `in`, where that is not NULL. */
static bool any_left(const ripstop_reach *r, const uint64_t *goals, const uint64_t *pairs, const uint64_t *in) {
  uint64_t left = 0;
  for (uint32_t w = 0; w < r->to_words; w++) left |= goals[w] & ~pairs[w] & (in ? in[w] : UINT64_MAX);
  return left != 0;
}

/* j intermediate nodes: a class that is reached directly does it with j - 1. Most classes reach all goals from the
 * start, or after a few others have been asked. False: nothing is new. */
static bool fill_more(ripstop_reach *r, uint32_t j, const uint64_t *goals) {
  bool news = false;
  size_t bytes = r->to_words * sizeof *goals;
  for (uint32_t from = 0; from < r->from.classes; from++) {
    ripstop_under_way("pairs reached by lists", from, r->from.classes);
    uint64_t *pairs = pairs_of(r, j, from);
    const uint64_t *row = row_of(r, &r->from, from), *before = pairs_of(r, j - 1, from);
    memcpy(pairs, before, bytes);
    if (r->from.dimension[from] == RIPSTOP_NONE) continue;
    for (uint32_t c = 0; c < r->from.classes && any_left(r, goals, pairs, NULL); c++)
      if (any_left(r, goals, pairs, pairs_of(r, j - 1, c)) && meets_class(r, row, c))
        take_over(r, pairs, pairs_of(r, j - 1, c));
    news |= memcmp(pairs, before, bytes) != 0;
  }
  return news;
}

static void fill_pairs(ripstop_arena *arena, ripstop_reach *r) {
  size_t words = (size_t)r->from.classes * r->to_words;
  uint64_t *goals = RIPSTOP_ARRAY(arena, r->to_words, uint64_t);
  bool news = true;
  r->within = RIPSTOP_ARRAY(arena, r->most + 1, uint64_t *);
  for (uint32_t j = 1; j <= r->most; j++) {
    r->within[j] = news ? RIPSTOP_ARRAY(arena, words, uint64_t) : r->within[j - 1];
    if (j == 2) find_goals(r, goals);
    if (j == 1)
      fill_one(r);
    else if (news)
      news = fill_more(r, j, goals);
  }
}

/* ------------------------------------------------------------------ all of it */

static void know_links(ripstop_arena *arena, const uint8_t *port_up, ripstop_reach *r) {
  const ripstop_kns *t = &r->kns;
  r->alive = RIPSTOP_ARRAY(arena, (size_t)t->dimensions * r->words, uint64_t);
  r->ends = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  r->uniform = true;
  for (uint32_t router = 0; router < t->routers; router++) {
    for (uint32_t d = 0; d < t->dimensions; d++)
      if (!ripstop_kns_dead(&r->faults, router, d)) ripstop_bit_set(r->alive + (size_t)d * r->words, router);
    for (uint32_t i = 0; i < t->concentration; i++)
      r->ends[router] += port_up[t->fabric->port_base[router * t->concentration + i]];
    r->uniform &= r->ends[router] == t->concentration;
  }
}

bool ripstop_reach_build(ripstop_arena *arena, const ripstop_kns *kns, const uint8_t *port_up, uint32_t most,
                         ripstop_reach *out) {
  if (kns->routers > RIPSTOP_REACH_ROUTERS) return false;
  *out = (ripstop_reach){.kns = *kns, .most = most};
  out->words = ((kns->routers + WORD - 1) / WORD + BLOCK - 1) / BLOCK * BLOCK;
  ripstop_kns_faults_find(kns, port_up, arena, &out->faults);
  know_links(arena, port_up, out);
  divide(arena, out, true, &out->from);
  divide(arena, out, false, &out->to);
  out->to_words = (out->to.classes + WORD - 1) / WORD;
  uint64_t *scratch = RIPSTOP_ARRAY(arena, 2 * (size_t)out->words, uint64_t);
  fill_from(out, scratch);
  fill_to(out, scratch);
  fill_pairs(arena, out);
  return true;
}

/* ------------------------------------------------------------------ counting */

static uint64_t ends_in_row(const ripstop_reach *r, const uint64_t *row) {
  uint64_t ends = 0;
  if (r->uniform) return ripstop_bits_count(row, r->words) * r->kns.concentration;
  for (size_t i = ripstop_bits_next(row, r->words, 0); i < r->kns.routers; i = ripstop_bits_next(row, r->words, i + 1))
    ends += r->ends[i];
  return ends;
}

/* End nodes of the classes of destinations that are not in a set, which are few. */
static uint64_t ends_not_in(const ripstop_reach *r, const uint64_t *set) {
  uint64_t ends = 0;
  for (uint32_t w = 0; w < r->to_words; w++) {
    uint32_t left = r->to.classes - w * WORD;
    uint64_t missing = ~set[w] & (left < WORD ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
    for (; missing; missing &= missing - 1) ends += r->to.weight[w * WORD + ripstop_ctz64(missing)];
  }
  return ends;
}

uint64_t ripstop_reach_pairs(const ripstop_reach *r, uint32_t intermediates) {
  uint64_t all = 0, pairs = 0;
  for (uint32_t c = 0; c < r->to.classes; c++) all += r->to.weight[c];
  for (uint32_t c = 0; c < r->from.classes; c++) {
    if (r->from.weight[c] == 0) continue;
    uint64_t reached =
        intermediates ? all - ends_not_in(r, pairs_of(r, intermediates, c)) : ends_in_row(r, row_of(r, &r->from, c));
    pairs += r->from.weight[c] * reached;
  }
  return pairs - all; /* each end node has been paired with itself */
}
