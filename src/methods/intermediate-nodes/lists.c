/* lists.c - the rule of section 4.2: the intermediate nodes of a pair.
 *
 * The shortest list without extra hops if there is one; else the fewest intermediate nodes, with as few hops as they
 * allow. Among equally good nodes at a place of the list, each source prefers the one with the lowest hash of both. So
 * the detours of different sources spread over all nodes that can carry them; detours of one source that can share a
 * node do, which keeps its table small; and a node that fails changes only the lists through it. With pick=first all
 * sources prefer the lowest number. */
#include <string.h>

#include "base/mix.h"
#include "methods/intermediate-nodes/intermediate-nodes.h"

/* The best so far: the fewest hops, and among equals the source's preference. */
typedef struct best {
  pick_kind pick;
  uint32_t source, node, hops;
  uint64_t preference;
} best;

static void consider(best *b, uint32_t node, uint32_t hops) {
  if (hops > b->hops) return;
  uint64_t own = b->pick == PICK_FIRST ? node : ripstop_mix_pair(b->source, node);
  if (hops == b->hops && own >= b->preference) return;
  b->node = node, b->hops = hops, b->preference = own;
}

/* The routers between two others: each digit is as in the one or as in the other. Corner c has the second one's digits
 * where its bit is set; bit i of a corner stands for the i-th digit in which the two differ. */
typedef struct box {
  uint32_t dimensions, corners; /* corners: 2^dimensions */
  uint32_t dimension[DIMENSIONS_MAX];
  uint32_t router[1 << DIMENSIONS_MAX];
  uint16_t within[1 << DIMENSIONS_MAX]; /* bit j: reaches the last corner via at most j intermediate corners */
} box;

static void open_box(const central *m, uint32_t from, uint32_t to, box *b) {
  b->dimensions = 0;
  b->corners = 1;
  b->router[0] = from;
  for (uint32_t d = 0; d < shape_of(m)->dimensions; d++) {
    uint32_t digit = digit_of(m, to, d);
    if (digit_of(m, from, d) == digit) continue;
    b->dimension[b->dimensions++] = d;
    for (uint32_t c = 0; c < b->corners; c++)
      b->router[b->corners + c] = ripstop_kns_move(shape_of(m), b->router[c], d, digit);
    b->corners *= 2;
  }
}

/* Fills `within` for j = 0, 1, ... until the first corner has bit j. A subpath without extra hops goes from corner to
 * corner in dimension order; the search follows it backwards. Returns that j, or RIPSTOP_NONE if there is none up to
 * `limit`. */
static uint32_t search_box(const central *m, box *b, uint32_t limit) {
  const ripstop_reach *r = &m->reach;
  memset(b->within, 0, b->corners * sizeof *b->within);
  b->within[b->corners - 1] = 1;
  for (uint32_t j = 0; j <= limit && j < b->dimensions; j++) {
    for (uint32_t c = 0; j > 0 && c < b->corners; c++) b->within[c] |= (uint16_t)(b->within[c] << 1 & 1u << j);
    for (uint32_t i = b->dimensions; i-- > 0;)
      for (uint32_t c = 0, bit = 1u << i; c < b->corners; c++)
        if (!(c & bit) && (b->within[c | bit] >> j & 1) &&
            ripstop_reach_crosses(r, b->router[c], b->router[c | bit], b->dimension[i]))
          b->within[c] |= (uint16_t)(1u << j);
    if (b->within[0] >> j & 1) return j;
  }
  return RIPSTOP_NONE;
}

/* Picks the list, after search_box has found its length. */
static void choose_in_box(const central *m, const box *b, pick_kind pick, uint32_t count, uint32_t *list) {
  for (uint32_t at = 0; count-- > 0;) {
    best chosen = {.pick = pick, .source = b->router[0], .hops = UINT32_MAX};
    uint32_t corner = at;
    for (uint32_t c = at + 1; c + 1 < b->corners; c++) {
      if ((c & at) != at || !(b->within[c] >> count & 1)) continue;
      if (!ripstop_reach_directly(&m->reach, b->router[at], b->router[c])) continue;
      consider(&chosen, b->router[c], 0);
      if (chosen.node == b->router[c]) corner = c;
    }
    *list++ = b->router[corner];
    at = corner;
  }
}

enum { TOO_FAR = UINT8_MAX };

/* The least hops of a router of an uneven line: its own, or one more than those of a router that it crosses to. */
static uint8_t least_beyond(const ripstop_reach *r, uint32_t line, uint32_t router, const uint8_t *hops) {
  const ripstop_kns *t = &r->kns;
  uint8_t least = hops[router];
  for (uint32_t place = 0, d = ripstop_kns_line_dimension(t, line); place < t->k; place++) {
    uint32_t other = ripstop_kns_line_router(t, line, place);
    if (other != router && hops[other] + 1 < least && ripstop_reach_crosses(r, router, other, d))
      least = (uint8_t)(hops[other] + 1);
  }
  return least;
}

/* Computes all before it stores the first. */
static void measure_uneven(const ripstop_reach *r, uint32_t line, uint8_t *hops) {
  uint8_t next[RIPSTOP_REACH_ROUTERS];
  for (uint32_t place = 0; place < r->kns.k; place++)
    next[place] = least_beyond(r, line, ripstop_kns_line_router(&r->kns, line, place), hops);
  for (uint32_t place = 0; place < r->kns.k; place++) hops[ripstop_kns_line_router(&r->kns, line, place)] = next[place];
}

/* Hops to the destination from each router with at most `intermediates` intermediate nodes. One subpath is dimension
 * order backwards: in each dimension a router has its own number or one more than the least of its line. */
static void measure(const central *m, uint32_t destination, uint32_t intermediates, uint8_t *hops) {
  const ripstop_reach *r = &m->reach;
  const ripstop_kns *t = shape_of(m);
  const uint64_t *row = ripstop_reach_to(r, destination);
  memset(hops, TOO_FAR, t->routers);
  for (size_t i = ripstop_bits_next(row, r->words, 0); i < t->routers; i = ripstop_bits_next(row, r->words, i + 1))
    hops[i] = (uint8_t)ripstop_reach_hops(r, (uint32_t)i, destination);
  for (uint32_t steps = intermediates * t->dimensions; steps-- > 0;) {
    uint32_t d = steps % t->dimensions, stride = t->stride[d];
    for (uint32_t line = d * t->lines; line < (d + 1) * t->lines; line++) {
      uint32_t first = ripstop_kns_line_router(t, line, 0), end = first + t->k * stride, least = TOO_FAR - 1;
      if (r->uneven[line]) {
        measure_uneven(r, line, hops);
        continue;
      }
      for (uint32_t i = first; i < end; i += stride)
        if (hops[i] < least && ripstop_reach_alive(r, i, d)) least = hops[i];
      for (uint32_t i = first; i < end; i += stride)
        if (hops[i] > least + 1 && ripstop_reach_alive(r, i, d)) hops[i] = (uint8_t)(least + 1);
    }
  }
}

/* The next intermediate node, with `after` more behind it. */
static uint32_t choose_next(const central *m, pick_kind pick, uint32_t source, uint32_t at, uint32_t destination,
                            uint32_t after) {
  const ripstop_reach *r = &m->reach;
  const uint64_t *from = ripstop_reach_from(r, at), *to = ripstop_reach_to(r, destination);
  best chosen = {.pick = pick, .source = source, .hops = UINT32_MAX};
  uint8_t hops[RIPSTOP_REACH_ROUTERS];
  if (after > 0) measure(m, destination, after, hops);
  for (uint32_t w = 0; w < r->words; w++)
    for (uint64_t set = after ? from[w] : from[w] & to[w]; set; set &= set - 1) {
      uint32_t node = 64 * w + ripstop_ctz64(set);
      uint32_t rest = after ? hops[node] : ripstop_reach_hops(r, node, destination);
      if (rest != TOO_FAR) consider(&chosen, node, ripstop_reach_hops(r, at, node) + rest);
    }
  return chosen.node;
}

/* The number of intermediate nodes by the rule, between two routers that need at least `fewest`, 1 or more. *b becomes
 * the box between them; *inside: the list stays in it. */
static uint32_t measure_list(const central *m, const config *c, uint32_t source, uint32_t destination, uint32_t fewest,
                             box *b, bool *inside) {
  open_box(m, source, destination, b);
  uint32_t count = search_box(m, b, c->prefer == PREFER_SHORTEST ? m->reach.most : fewest);
  *inside = count != RIPSTOP_NONE;
  return *inside ? count : fewest;
}

uint32_t ripstop_intermediate_list_length(const central *m, const config *c, uint32_t source, uint32_t destination,
                                          uint32_t fewest) {
  box b;
  bool inside;
  return measure_list(m, c, source, destination, fewest, &b, &inside);
}

uint32_t ripstop_intermediate_choose_list(const central *m, const config *c, uint32_t source, uint32_t destination,
                                          uint32_t *list) {
  uint32_t fewest = ripstop_reach_fewest(&m->reach, source, destination);
  if (fewest == RIPSTOP_NONE || fewest == 0) return fewest;
  box b;
  bool inside;
  uint32_t count = measure_list(m, c, source, destination, fewest, &b, &inside);
  if (inside) choose_in_box(m, &b, (pick_kind)c->pick, count, list);
  for (uint32_t i = 0, at = source; i < count && !inside; i++)
    at = list[i] = choose_next(m, (pick_kind)c->pick, source, at, destination, count - 1 - i);
  return count;
}
