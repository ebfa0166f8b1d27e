/* intermediate-nodes.c - "A fault-tolerant routing strategy for k-ary n-direct s-indirect topologies based on
 * intermediate nodes" (paper 002, sections 3 and 4): a packet whose way by Hybrid-DOR is dead goes by Hybrid-DOR to a
 * first intermediate node, from there to a second, ..., and on to its destination, each time on the next virtual
 * channel. docs/methods/intermediate-nodes.md explains the method and the readings.
 *
 * Central: `plan` finds for all pairs at once how few intermediate nodes do (route/kns_reach.h), and keeps no lists.
 * The list of a pair is computed from that when it is asked for, at the source; it then travels in the header. So a
 * plan takes little time and memory on large fabrics, and the source pays as much as it would for a look into a table.
 *
 * The parts of the file
 *   header     64 bits: which subpath, how many intermediate nodes are left, which (Fig. 2)
 *   lists      the rule of section 4.2: which list a pair uses
 *   ways       from routers and switches of lines; plain, or adaptive with an escape channel for each subpath
 *   any list   lists=all: every valid list is a way, for proofs
 *   facts      pairs by number of intermediate nodes; entries of the sources' tables
 *
 * Routers have numbers (fabric/kns.h); an intermediate node is a router, since packets are not ejected there. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "route/kns_reach.h"
#include "route/masked.h"

typedef enum { LISTS_CHOSEN, LISTS_ALL } lists_kind;
typedef enum { PREFER_SHORTEST, PREFER_FEWEST } prefer_kind;

typedef struct config {
  int64_t intermediates, channels;
  int32_t lists, prefer;
  bool adaptive, tables;
} config;

enum { INTERMEDIATES_MAX = 15, DIMENSIONS_MAX = 12 };

static const char *const lists_words[] = {[LISTS_CHOSEN] = "chosen", [LISTS_ALL] = "all", NULL};
static const char *const prefer_words[] = {[PREFER_SHORTEST] = "shortest", [PREFER_FEWEST] = "fewest", NULL};
static const ripstop_option options[] = {
    {.name = "intermediates",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, intermediates),
     .min = 0,
     .max = INTERMEDIATES_MAX,
     .fallback = "2",
     .help = "most intermediate nodes of a packet"},
    {.name = "channels",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, channels),
     .min = 0,
     .max = RIPSTOP_CHANNELS_MAX,
     .fallback = "0",
     .help = "virtual channels; 0: one for each subpath, and one more with adaptive=on; with fewer the last subpaths "
             "share one"},
    {.name = "lists",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, lists),
     .words = lists_words,
     .fallback = "chosen",
     .help = "chosen: one list for each pair; all: a packet may take any valid one, for proofs"},
    {.name = "prefer",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, prefer),
     .words = prefer_words,
     .fallback = "shortest",
     .help = "shortest: no extra hops, even for one more intermediate node (section 4.2); fewest: as few intermediate "
             "nodes as possible (Table I)"},
    {.name = "adaptive",
     .type = RIPSTOP_OPTION_FLAG,
     .offset = offsetof(config, adaptive),
     .fallback = "off",
     .help = "whether packets may correct digits in any order, on one channel more, with Hybrid-DOR as the escape"},
    {.name = "tables",
     .type = RIPSTOP_OPTION_FLAG,
     .offset = offsetof(config, tables),
     .fallback = "off",
     .help = "whether proofs and runs tell how many entries the sources' tables have, which takes time"},
    {0}};

enum { NO_LIST, DEAD_AHEAD, CUT_OFF, END_CUT_OFF };
static const char *const losses[] = {[NO_LIST] = "no list of intermediate nodes is healthy",
                                     [DEAD_AHEAD] = "a link of the packet's list has died",
                                     [CUT_OFF] = "source cut off",
                                     [END_CUT_OFF] = "destination cut off",
                                     NULL};

typedef struct central {
  ripstop_reach reach;
  uint32_t address; /* bits of a router's number */
  uint32_t escapes; /* channels for subpaths; with adaptive=on the channel of this number is the adaptive one */
} central;

static inline const ripstop_kns *shape_of(const central *m) { return &m->reach.kns; }
static inline uint32_t digit_of(const central *m, uint32_t router, uint32_t d) {
  return ripstop_kns_digit(shape_of(m), router, d);
}

/* ------------------------------------------------------------------ header
 * Bits 0-3: the subpath, 0 first. A packet without list has the word 0 all the way.
 * chosen: bits 4-7 how many intermediate nodes are left (the field I), then their addresses, the next one lowest.
 * all: the router that the subpath leads to, and the one that the next subpath leads to, each as a code. */

enum { COUNT_BITS = 4, LIST_BITS = 8, CODE_BITS = 9 };
enum { TO_DESTINATION = 0, CODE_UNKNOWN = 0, CODE_DESTINATION = 1 };

/* Where a packet is on its list. */
typedef struct leg {
  uint32_t subpath, target;
  bool last; /* the target is the destination's router */
} leg;

static inline uint32_t bits_at(uint64_t header, uint32_t at, uint32_t bits) {
  return (uint32_t)(header >> at) & ((1u << bits) - 1);
}

static inline uint64_t subpath_of(uint64_t header) { return bits_at(header, 0, COUNT_BITS); }

/* lists=all. `target` is TO_DESTINATION or a router's number + 1; `next` is CODE_UNKNOWN as long as it is not decided,
 * CODE_DESTINATION, or a router's number + 2. */
static inline uint64_t pack_legs(uint64_t subpath, uint32_t target, uint32_t next) {
  return subpath | (uint64_t)target << COUNT_BITS | (uint64_t)next << (COUNT_BITS + CODE_BITS);
}
static inline uint32_t target_code(uint64_t header) { return bits_at(header, COUNT_BITS, CODE_BITS); }
static inline uint32_t next_code(uint64_t header) { return bits_at(header, COUNT_BITS + CODE_BITS, CODE_BITS); }

static inline leg read_leg(const central *m, lists_kind lists, uint64_t header, uint32_t destination) {
  leg out = {.subpath = (uint32_t)subpath_of(header), .target = destination, .last = true};
  if (lists == LISTS_ALL && target_code(header) != TO_DESTINATION) {
    out.target = target_code(header) - 1;
    out.last = false;
  } else if (lists == LISTS_CHOSEN && bits_at(header, COUNT_BITS, COUNT_BITS) > 0) {
    out.target = bits_at(header, LIST_BITS, m->address);
    out.last = false;
  }
  return out;
}

/* At an intermediate node its address goes, and the next subpath begins. */
static inline uint64_t next_leg(const central *m, lists_kind lists, uint64_t header) {
  uint64_t subpath = subpath_of(header) + 1;
  if (lists == LISTS_ALL) return pack_legs(subpath, next_code(header) - CODE_DESTINATION, CODE_UNKNOWN);
  uint64_t left = bits_at(header, COUNT_BITS, COUNT_BITS) - 1;
  return subpath | left << COUNT_BITS | header >> (LIST_BITS + m->address) << LIST_BITS;
}

static uint64_t pack_list(const central *m, const uint32_t *list, uint32_t count) {
  uint64_t header = (uint64_t)count << COUNT_BITS;
  for (uint32_t i = 0; i < count; i++) header |= (uint64_t)list[i] << (LIST_BITS + i * m->address);
  return header;
}

/* ------------------------------------------------------------------ lists
 * Section 4.2: a list without extra hops if there is one, the shortest of these; else the fewest intermediate nodes,
 * with as few hops as they can do. Of several nodes that are equally good at a place of the list each source prefers
 * another one: the one of the lowest hash of both. So the detours of different sources spread over all that can carry
 * them, those of one source that can share a node do (which keeps its table small), and a node that dies changes the
 * lists through it alone. */

static uint64_t preference(uint32_t source, uint32_t node) {
  uint64_t x = ((uint64_t)source << 32 | node) + UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9); /* the finaliser of splitmix64 */
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  return x ^ x >> 31;
}

/* The best so far: the fewest hops, and of these whom the source prefers. */
typedef struct best {
  uint32_t source, node, hops;
  uint64_t preference;
} best;

static void consider(best *b, uint32_t node, uint32_t hops) {
  if (hops > b->hops) return;
  uint64_t own = preference(b->source, node);
  if (hops == b->hops && own >= b->preference) return;
  *b = (best){.source = b->source, .node = node, .hops = hops, .preference = own};
}

/* The routers between two: each digit is as in the one or as in the other. Corner c has the digits of the second where
 * its bit is set; bit i of a corner is the i-th digit in which the two differ. */
typedef struct box {
  uint32_t dimensions, corners; /* corners: 2^dimensions */
  uint32_t dimension[DIMENSIONS_MAX];
  uint32_t router[1 << DIMENSIONS_MAX];
  uint16_t within[1 << DIMENSIONS_MAX]; /* bit j: goes on to the last corner over j intermediate corners or fewer */
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

/* Fills `within` for j = 0, 1, ... until the first corner has it, which no extra hops allow from one corner to the
 * next: dimension order, backwards. Returns that j; RIPSTOP_NONE: not with `limit`. */
static uint32_t search_box(const central *m, box *b, uint32_t limit) {
  const ripstop_reach *r = &m->reach;
  memset(b->within, 0, b->corners * sizeof *b->within);
  b->within[b->corners - 1] = 1;
  for (uint32_t j = 0; j <= limit && j < b->dimensions; j++) {
    for (uint32_t c = 0; j > 0 && c < b->corners; c++) b->within[c] |= (uint16_t)(b->within[c] << 1 & 1u << j);
    for (uint32_t i = b->dimensions; i-- > 0;)
      for (uint32_t c = 0, bit = 1u << i; c < b->corners; c++)
        if (!(c & bit) && (b->within[c | bit] >> j & 1) && ripstop_reach_alive(r, b->router[c], b->dimension[i]) &&
            ripstop_reach_alive(r, b->router[c | bit], b->dimension[i]))
          b->within[c] |= (uint16_t)(1u << j);
    if (b->within[0] >> j & 1) return j;
  }
  return RIPSTOP_NONE;
}

/* The list, once search_box has found how long it is. */
static void choose_in_box(const central *m, const box *b, uint32_t count, uint32_t *list) {
  for (uint32_t at = 0; count-- > 0;) {
    best chosen = {.source = b->router[0], .hops = UINT32_MAX};
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

/* Hops to the destination from each router with `intermediates` intermediate nodes at most. One subpath is dimension
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
      for (uint32_t i = first; i < end; i += stride)
        if (hops[i] < least && ripstop_reach_alive(r, i, d)) least = hops[i];
      for (uint32_t i = first; i < end; i += stride)
        if (hops[i] > least + 1 && ripstop_reach_alive(r, i, d)) hops[i] = (uint8_t)(least + 1);
    }
  }
}

/* The next intermediate node, with so many after it. */
static uint32_t choose_next(const central *m, uint32_t source, uint32_t at, uint32_t destination, uint32_t after) {
  const ripstop_reach *r = &m->reach;
  const uint64_t *from = ripstop_reach_from(r, at), *to = ripstop_reach_to(r, destination);
  best chosen = {.source = source, .hops = UINT32_MAX};
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

/* How many intermediate nodes the rule wants between two routers of which `fewest`, 1 or more, are needed. *b is the
 * box between them; *inside: the list stays in it. */
static uint32_t list_length(const central *m, const config *c, uint32_t source, uint32_t destination, uint32_t fewest,
                            box *b, bool *inside) {
  open_box(m, source, destination, b);
  uint32_t count = search_box(m, b, c->prefer == PREFER_SHORTEST ? m->reach.most : fewest);
  *inside = count != RIPSTOP_NONE;
  return *inside ? count : fewest;
}

/* The pair's list; returns how long it is, RIPSTOP_NONE: it has none. */
static uint32_t choose_list(const central *m, const config *c, uint32_t source, uint32_t destination, uint32_t *list) {
  uint32_t fewest = ripstop_reach_fewest(&m->reach, source, destination);
  if (fewest == RIPSTOP_NONE || fewest == 0) return fewest;
  box b;
  bool inside;
  uint32_t count = list_length(m, c, source, destination, fewest, &b, &inside);
  if (inside) choose_in_box(m, &b, count, list);
  for (uint32_t i = 0, at = source; i < count && !inside; i++)
    at = list[i] = choose_next(m, source, at, destination, count - 1 - i);
  return count;
}

/* ------------------------------------------------------------------ any list
 * Every valid list is a choice of the source where Hybrid-DOR alone does not do. A packet decides one intermediate node
 * ahead: in the first line of a subpath it takes up what comes after that. So a head waits for what its list makes it
 * wait for, no more, as if the source had chosen the whole list, and yet states are few. */

/* Codes of what may follow a router when a list has `used` nodes up to there: `direct` for the destination, from the
 * next code on for routers. */
static uint32_t follow(const central *m, uint32_t at, uint32_t destination, uint32_t used, uint32_t direct,
                       uint32_t *code) {
  const ripstop_reach *r = &m->reach;
  uint32_t count = 0;
  if (ripstop_reach_directly(r, at, destination)) code[count++] = direct;
  if (used == r->most) return count;
  for (uint32_t node = 0; node < shape_of(m)->routers; node++)
    if (node != at && node != destination && ripstop_reach_directly(r, at, node) &&
        ripstop_reach_within(r, node, destination, r->most - used - 1))
      code[count++] = direct + 1 + node;
  return count;
}

/* ------------------------------------------------------------------ ways */

/* A packet's head, and the ways found for it. */
typedef struct asked {
  const ripstop_plan *plan;
  const central *m;
  const config *c;
  const ripstop_head *head;
  uint32_t destination; /* the router */
  ripstop_way *ways;
  int count;
} asked;

static void add_way(asked *q, uint32_t port, uint32_t channel, uint8_t rank, uint64_t header) {
  q->ways[q->count++] =
      (ripstop_way){.port = (uint16_t)port, .channel = (uint8_t)channel, .rank = rank, .space = 1, .header = header};
}

/* The channel that Hybrid-DOR has in a subpath. */
static inline uint32_t escape_of(const central *m, uint32_t subpath) {
  return subpath < m->escapes ? subpath : m->escapes - 1;
}

static int from_source(asked *q) {
  const central *m = q->m;
  uint32_t source = ripstop_kns_router_of(shape_of(m), q->head->node), list[INTERMEDIATES_MAX];
  if (!q->plan->view->port_up[q->plan->fabric->port_base[q->head->node]]) return -(1 + CUT_OFF);
  if (q->c->lists == LISTS_CHOSEN) {
    uint32_t count = choose_list(m, q->c, source, q->destination, list);
    if (count != RIPSTOP_NONE) add_way(q, 0, 0, 0, pack_list(m, list, count));
  } else {
    uint32_t code[1u << CODE_BITS], codes = follow(m, source, q->destination, 0, TO_DESTINATION, code);
    if (codes > 0 && code[0] == TO_DESTINATION) codes = 1;
    for (uint32_t i = 0; i < codes; i++) add_way(q, 0, 0, 0, pack_legs(0, code[i], CODE_UNKNOWN));
  }
  return q->count ? q->count : -(1 + NO_LIST);
}

/* The port into the line of a dimension, where the packet has to cross it and its link is alive. */
static bool is_open(const asked *q, uint32_t router, uint32_t target, uint32_t d) {
  return digit_of(q->m, router, d) != digit_of(q->m, target, d) &&
         q->plan->view->port_up[q->plan->fabric->port_base[q->head->node] + d];
}

/* Any dimension may come next, provided that Hybrid-DOR leads on from the other side of the line: then the escape is
 * always open. */
static void add_adaptive(asked *q, uint32_t router, const leg *l, uint64_t header) {
  const ripstop_reach *r = &q->m->reach;
  for (uint32_t d = 0; d < shape_of(q->m)->dimensions; d++) {
    if (!is_open(q, router, l->target, d)) continue;
    uint32_t beyond = ripstop_kns_move(shape_of(q->m), router, d, digit_of(q->m, l->target, d));
    if (ripstop_reach_alive(r, router, d) && ripstop_reach_alive(r, beyond, d) &&
        ripstop_reach_directly(r, beyond, l->target))
      add_way(q, d, q->m->escapes, 0, header);
  }
}

static int from_router(asked *q) {
  const central *m = q->m;
  uint32_t router = ripstop_kns_router_at(shape_of(m), q->head->node), d = 0;
  uint64_t header = q->head->header;
  leg l = read_leg(m, (lists_kind)q->c->lists, header, q->destination);
  while (!l.last && l.target == router) {
    header = next_leg(m, (lists_kind)q->c->lists, header);
    l = read_leg(m, (lists_kind)q->c->lists, header, q->destination);
  }
  if (router == l.target) {
    uint32_t port = ripstop_kns_end_port(shape_of(m), q->head->destination);
    if (!q->plan->view->port_up[q->plan->fabric->port_base[q->head->node] + port]) return -(1 + END_CUT_OFF);
    add_way(q, port, escape_of(m, l.subpath), 0, header);
    return q->count;
  }
  if (q->c->adaptive) add_adaptive(q, router, &l, header);
  while (digit_of(m, router, d) == digit_of(m, l.target, d)) d++;
  if (is_open(q, router, l.target, d)) add_way(q, d, escape_of(m, l.subpath), q->c->adaptive, header);
  return q->count ? q->count : -(1 + DEAD_AHEAD);
}

enum { LINE_WAYS_MAX = 128 }; /* up ports in a line: the square root of RIPSTOP_REACH_ROUTERS */

/* The ways on in a line, with this word. The escape is for packets that are in dimension order. */
static void add_line_ways(asked *q, const leg *l, uint64_t header) {
  const central *m = q->m;
  const ripstop_kns *t = shape_of(m);
  uint32_t line = ripstop_kns_line_of(t, q->head->node), d = ripstop_kns_line_dimension(t, line);
  uint32_t place = digit_of(m, l->target, d), beyond = ripstop_kns_line_router(t, line, place);
  bool in_order = beyond % t->stride[d] == l->target % t->stride[d];
  uint16_t port[LINE_WAYS_MAX] = {0};
  uint32_t ports = ripstop_kns_ways(&m->reach.faults, q->head->node, place, port);
  for (uint32_t i = 0; i < ports; i++) {
    if (q->c->adaptive) add_way(q, port[i], m->escapes, 0, header);
    if (in_order) add_way(q, port[i], escape_of(m, l->subpath), q->c->adaptive, header);
  }
}

static int from_line(asked *q) {
  uint64_t header = q->head->header;
  leg l = read_leg(q->m, (lists_kind)q->c->lists, header, q->destination);
  if (q->c->lists == LISTS_CHOSEN || l.last || next_code(header) != CODE_UNKNOWN) {
    add_line_ways(q, &l, header);
  } else {
    uint32_t code[1u << CODE_BITS];
    uint32_t codes = follow(q->m, l.target, q->destination, l.subpath + 1, CODE_DESTINATION, code);
    for (uint32_t i = 0; i < codes; i++) add_line_ways(q, &l, pack_legs(l.subpath, target_code(header), code[i]));
  }
  return q->count ? q->count : -(1 + DEAD_AHEAD);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const central *m = p->data;
  asked q = {.plan = p,
             .m = m,
             .c = p->config,
             .head = head,
             .destination = ripstop_kns_router_of(shape_of(m), head->destination),
             .ways = ways};
  if (ripstop_is_end(p->fabric, head->node)) return from_source(&q);
  return ripstop_kns_is_line(shape_of(m), head->node) ? from_line(&q) : from_router(&q);
}

/* ------------------------------------------------------------------ plan */

/* Why the method is not for this fabric with these options; NULL: it is. */
static const char *refuse(const ripstop_plan *p, const central *m, uint32_t channels) {
  const config *c = p->config;
  const ripstop_kns *t = shape_of(m);
  if (t->dimensions > DIMENSIONS_MAX) return "it has more than 12 dimensions";
  if (t->routers > RIPSTOP_REACH_ROUTERS) return "it has more than 16384 routers";
  if (channels > RIPSTOP_CHANNELS_MAX) return "so many subpaths need more than 16 channels";
  if (c->adaptive && channels < 2) return "adaptive routing needs 2 channels or more";
  if (p->ways_max > UINT8_MAX) return "a packet can have more than 255 ways";
  if (c->lists == LISTS_CHOSEN && LIST_BITS + c->intermediates * m->address > 64)
    return "the header's 64 bits do not hold so many addresses of intermediate nodes";
  return NULL;
}

static uint32_t most_ways(const config *c, const ripstop_kns *t) {
  uint32_t lanes = c->adaptive ? 2 : 1, in_line = lanes * ripstop_kns_ways_max(t),
           at_router = c->adaptive ? t->dimensions + 1 : 1;
  if (c->lists == LISTS_ALL && c->intermediates > 0) in_line *= t->routers < UINT8_MAX ? t->routers : UINT8_MAX + 1;
  return in_line > at_router ? in_line : at_router;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  central *m = RIPSTOP_NEW(p->arena, central);
  ripstop_kns kns;
  if (!ripstop_kns_from(p->fabric, &kns)) {
    ripstop_fail(err, "intermediate-nodes is for kns, not for %s", p->fabric->spec);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  uint32_t channels = c->channels ? (uint32_t)c->channels : (uint32_t)c->intermediates + 1 + c->adaptive;
  m->reach.kns = kns;
  m->address = ripstop_log2_64(kns.routers - 1) + 1;
  m->escapes = channels - c->adaptive;
  p->data = m;
  p->channels = channels;
  p->ways_max = most_ways(c, &kns);
  const char *why = refuse(p, m, channels);
  if (why) {
    ripstop_fail(err, "intermediate-nodes does not apply to %s: %s", p->fabric->spec, why);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  ripstop_reach_build(p->arena, &kns, p->view->port_up, (uint32_t)c->intermediates, &m->reach);
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ what plans tell */

static uint64_t lost_pairs(const ripstop_plan *p) {
  const central *m = p->data;
  uint64_t ends = p->fabric->ends;
  return ends * (ends - 1) - ripstop_reach_pairs(&m->reach, m->reach.most);
}

enum { PAIRS_FACTS = 4 }; /* 0, 1, 2, and 3 or more intermediate nodes */
enum { TABLE_ENTRIES = PAIRS_FACTS, TABLE_MOST, MASKED_ENTRIES, MASKED_MOST };
static const char *const fact_names[] = {"pairs_by_intermediates.0",
                                         "pairs_by_intermediates.1",
                                         "pairs_by_intermediates.2",
                                         "pairs_by_intermediates.3",
                                         [TABLE_ENTRIES] = "table_entries",
                                         [TABLE_MOST] = "table_entries_most",
                                         [MASKED_ENTRIES] = "masked_entries",
                                         [MASKED_MOST] = "masked_entries_most",
                                         NULL};

static uint32_t fact_of(uint32_t intermediates) {
  return intermediates < PAIRS_FACTS ? intermediates : PAIRS_FACTS - 1;
}

/* Pairs by their fewest intermediate nodes. */
static void count_fewest(const central *m, uint64_t *pairs) {
  uint64_t before = 0;
  for (uint32_t j = 0; j <= m->reach.most; j++) {
    uint64_t now = ripstop_reach_pairs(&m->reach, j);
    pairs[fact_of(j)] += now - before;
    before = now;
  }
}

/* Where a list without extra hops needs more of them, the pair moves. That takes two at least, which can be without
 * extra hops from three dimensions on. */
static void count_shortest(const central *m, const config *c, uint64_t *pairs) {
  const ripstop_reach *r = &m->reach;
  box b;
  bool inside;
  count_fewest(m, pairs);
  if (r->most < 2 || shape_of(m)->dimensions < 3) return;
  for (uint32_t source = 0; source < shape_of(m)->routers; source++)
    for (uint32_t destination = 0; destination < shape_of(m)->routers; destination++) {
      uint32_t fewest = ripstop_reach_fewest(r, source, destination);
      if (fewest == 0 || fewest == RIPSTOP_NONE) continue;
      uint64_t ends = (uint64_t)r->ends[source] * r->ends[destination];
      pairs[fact_of(fewest)] -= ends;
      pairs[fact_of(list_length(m, c, source, destination, fewest, &b, &inside))] += ends;
    }
}

/* The table of each source: a list for each router that needs one. */
static void count_tables(const central *m, const config *c, uint64_t *value) {
  uint32_t routers = shape_of(m)->routers, list[INTERMEDIATES_MAX];
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, shape_of(m)->k, shape_of(m)->dimensions);
  uint64_t *table = RIPSTOP_ARRAY(arena, routers, uint64_t);
  memset(value + TABLE_ENTRIES, 0, 4 * sizeof *value);
  for (uint32_t source = 0; source < routers; source++) {
    uint64_t full = 0;
    for (uint32_t destination = 0; destination < routers; destination++) {
      uint32_t count = choose_list(m, c, source, destination, list);
      table[destination] = count == RIPSTOP_NONE || count == 0 ? 0 : pack_list(m, list, count);
      full += table[destination] != 0;
    }
    uint64_t masked = ripstop_masked_fold(folder, table, source)->entries;
    value[TABLE_ENTRIES] += full;
    value[MASKED_ENTRIES] += masked;
    if (full > value[TABLE_MOST]) value[TABLE_MOST] = full;
    if (masked > value[MASKED_MOST]) value[MASKED_MOST] = masked;
  }
  ripstop_arena_free(arena);
}

static void facts(const ripstop_plan *p, uint64_t *value) {
  const central *m = p->data;
  const config *c = p->config;
  for (uint32_t i = 0; fact_names[i]; i++) value[i] = RIPSTOP_FACT_NONE;
  for (uint32_t j = 0; j <= m->reach.most && j < PAIRS_FACTS; j++) value[j] = 0;
  if (c->prefer == PREFER_SHORTEST)
    count_shortest(m, c, value);
  else
    count_fewest(m, value);
  if (c->tables && c->lists == LISTS_CHOSEN) count_tables(m, c, value);
}

/* One intermediate node tolerates every n - 1 dead links (Lemma 1 of section 4.1); n can cut a node off. Inside the
 * trees of s > 1 fewer dead links than a switch has up ports change nothing. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_kns kns;
  *out = (ripstop_guarantees){.minimal = c->intermediates == 0};
  if (!ripstop_kns_from(fabric, &kns)) return;
  bool crossbars = kns.stages == 1;
  uint32_t escapes = c->channels ? (uint32_t)c->channels - c->adaptive : (uint32_t)c->intermediates + 1;
  out->symmetric = crossbars && (c->lists == LISTS_ALL || c->intermediates == 0);
  out->deadlock_free = escapes > c->intermediates;
  if (c->intermediates == 0) return;
  out->tolerates = crossbars || kns.dimensions < kns.tree.half ? kns.dimensions - 1 : kns.tree.half - 1;
}

const ripstop_method ripstop_method_intermediate_nodes = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "intermediate-nodes",
    .summary = "kns: round dead links over intermediate nodes, by Hybrid-DOR and a channel for each subpath",
    .source = "paper 002, section 4",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .lost_pairs = lost_pairs,
    .fact_names = fact_names,
    .facts = facts,
};
