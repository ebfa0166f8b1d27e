/* alike.c - decides whether two graphs are the same: by colour refinement, then by a search among switches of one
 * colour.
 *
 * A switch's first colour is made of its cables and of the short cycles through it. Refinement mixes into each colour
 * those of its neighbours (Weisfeiler and Leman 1968), in both graphs alike, until no more colours appear. Equal sorted
 * colours then suggest a mapping, which is accepted only if every cable agrees. Otherwise one switch of the smallest
 * class with several members gets a colour of its own, and each member of the other graph's class is tried for it. */
#include "recognise/alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/mix.h"

/* ------------------------------------------------------------------ short cycles */

static void count_around(const recognised_graph *net, uint32_t v, uint32_t *common, const uint8_t *near,
                         ripstop_cycles *out) {
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    for (uint32_t u = net->near[i].node, j = net->first[u]; j < net->first[u + 1]; j++) {
      const uint32_t x = net->near[j].node;
      if (x == v) continue;
      out->triangles += near[x];
      out->squares += common[x]++; /* with each earlier common neighbour one square */
    }
  out->triangles /= 2;
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
    for (uint32_t u = net->near[i].node, j = net->first[u]; j < net->first[u + 1]; j++) common[net->near[j].node] = 0;
}

static uint64_t sum_of_squares(const recognised_graph *net) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < net->switches; v++) sum += (uint64_t)recognised_degree(net, v) * recognised_degree(net, v);
  return sum;
}

ripstop_cycles recognised_cycles(const recognised_graph *net, ripstop_cycles *each, uint64_t *work) {
  if (!ripstop_work_spend(work, 2 * sum_of_squares(net))) return (ripstop_cycles){0};
  uint32_t *common = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint8_t *near = RIPSTOP_ARRAY(net->arena, net->switches, uint8_t);
  ripstop_cycles all = {0};
  for (uint32_t v = 0; v < net->switches; v++) {
    each[v] = (ripstop_cycles){0};
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) near[net->near[i].node] = 1;
    count_around(net, v, common, near, &each[v]);
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) near[net->near[i].node] = 0;
    all.triangles += each[v].triangles;
    all.squares += each[v].squares;
  }
  return (ripstop_cycles){all.triangles / 3, all.squares / 4};
}

void recognised_cycles_beyond(const recognised_graph *net, ripstop_cycles others, int64_t *triangles, int64_t *squares,
                              uint64_t *work) {
  const ripstop_cycles all = recognised_cycles(net, RIPSTOP_ARRAY(net->arena, net->switches, ripstop_cycles), work);
  *triangles = (int64_t)all.triangles - (int64_t)others.triangles;
  *squares = (int64_t)all.squares - (int64_t)others.squares;
}

/* ------------------------------------------------------------------ colours */

typedef struct side {
  const recognised_graph *net;
  uint64_t *colour, *next; /* [slots] */
  uint64_t slots;          /* a power of two, at least twice the switches */
  uint32_t *order;         /* [switches]: by colour */
} side;

typedef struct pairing {
  side a, b;
  bool symmetric; /* switches of b with one colour are alike, so that one of them is enough to try */
  ripstop_arena *arena;
  uint64_t *work;
} pairing;

static side open_side(const recognised_graph *net, ripstop_arena *arena) {
  side s = {.net = net, .slots = 2};
  while (s.slots < 2 * (uint64_t)net->switches) s.slots *= 2;
  s.colour = RIPSTOP_ARRAY(arena, s.slots, uint64_t);
  s.next = RIPSTOP_ARRAY(arena, s.slots, uint64_t);
  s.order = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  return s;
}

static void first_colours(side *s, bool hosted, uint64_t *work) {
  const recognised_graph *net = s->net;
  ripstop_cycles *each = RIPSTOP_ARRAY(net->arena, net->switches, ripstop_cycles);
  recognised_cycles(net, each, work);
  for (uint32_t v = 0; v < net->switches; v++) {
    s->colour[v] = ripstop_mix(each[v].squares + ripstop_mix(each[v].triangles + 1) + (hosted && net->hosts[v] > 0));
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) s->colour[v] += ripstop_mix(net->near[i].cables);
  }
}

static void recolour(side *s) {
  const recognised_graph *net = s->net;
  for (uint32_t v = 0; v < net->switches; v++) {
    uint64_t sum = 0;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      sum += ripstop_mix(s->colour[net->near[i].node] + net->near[i].cables);
    s->next[v] = ripstop_mix(s->colour[v] ^ ripstop_mix(sum));
  }
  uint64_t *was = s->colour;
  s->colour = s->next;
  s->next = was;
}

/* The number of different colours; *sum is the same for the same colours in any order. The array `next` becomes a table
 * of them, half full at most. */
static uint32_t count_colours(const side *s, uint64_t *sum) {
  const uint64_t mask = s->slots - 1;
  uint32_t count = 0;
  memset(s->next, 0, s->slots * sizeof *s->next);
  *sum = 0;
  for (uint32_t v = 0; v < s->net->switches; v++) {
    const uint64_t colour = s->colour[v] | 1; /* 0: empty */
    uint64_t at = colour >> 20 & mask;
    while (s->next[at] != 0 && s->next[at] != colour) at = (at + 1) & mask;
    count += s->next[at] == 0;
    s->next[at] = colour;
    *sum += ripstop_mix(colour);
  }
  return count;
}

static bool spend(const pairing *p) {
  return ripstop_work_spend(p->work, 4 * ((uint64_t)p->a.net->cables + p->a.net->switches));
}

/* Refines both sides until no more colours appear. False: they differ, or the work is spent. */
static bool refine(pairing *p) {
  for (uint32_t before = 0;;) {
    uint64_t sum_a, sum_b;
    const uint32_t now = count_colours(&p->a, &sum_a);
    if (now != count_colours(&p->b, &sum_b) || sum_a != sum_b || !spend(p)) return false;
    if (now == before) return true;
    before = now;
    recolour(&p->a);
    recolour(&p->b);
  }
}

/* ------------------------------------------------------------------ a mapping */

typedef struct coloured {
  uint64_t colour;
  uint32_t node;
} coloured;

static int by_colour(const void *a_, const void *b_) {
  const coloured *a = a_, *b = b_;
  if (a->colour != b->colour) return a->colour < b->colour ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

static void sort_nodes(side *s, ripstop_arena *arena) {
  coloured *list = RIPSTOP_ARRAY(arena, s->net->switches, coloured);
  for (uint32_t v = 0; v < s->net->switches; v++) list[v] = (coloured){s->colour[v], v};
  qsort(list, s->net->switches, sizeof *list, by_colour);
  for (uint32_t v = 0; v < s->net->switches; v++) s->order[v] = list[v].node;
}

/* True if the switches, paired in the order of their colours, have the same cables. */
static bool agrees(const pairing *p) {
  const recognised_graph *a = p->a.net, *b = p->b.net;
  uint32_t *image = RIPSTOP_ARRAY(p->arena, a->switches, uint32_t);
  for (uint32_t i = 0; i < a->switches; i++) image[p->a.order[i]] = p->b.order[i];
  for (uint32_t v = 0; v < a->switches; v++) {
    if (recognised_degree(a, v) != recognised_degree(b, image[v])) return false;
    for (uint32_t i = a->first[v]; i < a->first[v + 1]; i++)
      if (recognised_between(b, image[v], image[a->near[i].node]) != a->near[i].cables) return false;
  }
  return true;
}

/* The smallest class with several members, as a range in the order; false: each class has one. */
static bool smallest_class(const side *s, uint32_t *from, uint32_t *to) {
  const uint32_t n = s->net->switches;
  *from = *to = 0;
  for (uint32_t i = 0, j; i < n; i = j) {
    for (j = i; j < n && s->colour[s->order[j]] == s->colour[s->order[i]];) j++;
    if (j - i > 1 && (*to == *from || j - i < *to - *from)) *from = i, *to = j;
  }
  return *to > *from;
}

static bool search(pairing *p);

/* The search where v of a and w of b have a colour of their own. */
static bool search_with(const pairing *p, uint32_t v, uint32_t w) {
  RIPSTOP_LOCAL_ARENA(arena);
  pairing q = {open_side(p->a.net, arena), open_side(p->b.net, arena), p->symmetric, arena, p->work};
  memcpy(q.a.colour, p->a.colour, p->a.net->switches * sizeof *q.a.colour);
  memcpy(q.b.colour, p->b.colour, p->b.net->switches * sizeof *q.b.colour);
  q.a.colour[v] = q.b.colour[w] = ripstop_mix(q.a.colour[v] + 1);
  return search(&q);
}

static bool search(pairing *p) {
  uint32_t from, to;
  if (!refine(p)) return false;
  sort_nodes(&p->a, p->arena);
  sort_nodes(&p->b, p->arena);
  if (agrees(p)) return true;
  if (!smallest_class(&p->a, &from, &to)) return false;
  for (uint32_t i = from; i < (p->symmetric ? from + 1 : to) && *p->work > 0; i++)
    if (search_with(p, p->a.order[from], p->b.order[i])) return true;
  return false;
}

bool recognised_alike(const recognised_graph *a, const recognised_graph *b, bool hosted, bool symmetric,
                      uint64_t *work) {
  if (a->switches != b->switches || a->cables != b->cables) return false;
  pairing p = {open_side(a, a->arena), open_side(b, a->arena), symmetric, a->arena, work};
  first_colours(&p.a, hosted, work);
  first_colours(&p.b, hosted, work);
  return *work > 0 && search(&p);
}
