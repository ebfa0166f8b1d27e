/* share.c - shares destinations among VCs by their places.
 * Boxes: each VC gets a box of places, made by halving one dimension after the other. Packets to half of a ring never
 * go all the way around it. So the ring can be cut where they have all left it (start.c), and every route in
 * dimension order is allowed.
 * Spread: each VC has equally many destinations in every line of places, so that its channels carry equal load
 * whichever dimension comes first there. */
#include "mend/share.h"

#include <stdlib.h>

typedef struct member {
  uint32_t place, v;
} member;

typedef struct sharing {
  const switch_graph *net;
  const ripstop_recognised *shape;
  uint8_t *share;
} sharing;

static int by_place(const void *a, const void *b) {
  const member *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}

/* The position between two places before which the first `part` of `all` end nodes lie. */
static uint32_t cut_at(const sharing *s, const member *list, uint32_t count, uint32_t part, uint32_t all) {
  uint64_t hosts = 0, here = 0;
  uint32_t cut = 0;
  for (uint32_t i = 0; i < count; i++) hosts += s->net->hosts[list[i].v];
  while (cut < count && here * all < hosts * part) here += s->net->hosts[list[cut++].v];
  while (cut > 0 && cut < count && list[cut].place == list[cut - 1].place) cut++;
  return cut;
}

static void share_out(sharing *s, member *list, uint32_t count, uint32_t first, uint32_t lanes, uint32_t depth) {
  uint32_t dims = s->shape->dims, half = lanes / 2;
  for (uint32_t i = 0; i < count; i++) {
    s->share[list[i].v] = (uint8_t)first;
    list[i].place = s->shape->place[(size_t)list[i].v * dims + depth % dims];
  }
  if (lanes == 1 || !count) return;
  qsort(list, count, sizeof *list, by_place);
  uint32_t cut = cut_at(s, list, count, half, lanes);
  share_out(s, list, cut, first, half, depth + 1);
  share_out(s, list + cut, count - cut, first + half, lanes - half, depth + 1);
}

static void spread(sharing *s, uint32_t lanes) {
  for (uint32_t v = 0; v < s->net->switches; v++) {
    uint32_t sum = 0;
    for (uint32_t d = 0; d < s->shape->dims; d++) sum += s->shape->place[(size_t)v * s->shape->dims + d];
    s->share[v] = (uint8_t)(1 + sum % (lanes - 1));
  }
}

void mend_share(const switch_graph *net, const ripstop_recognised *shape, mend_sharing kind, uint32_t lanes,
                uint8_t *share, ripstop_arena *scratch) {
  sharing s = {.net = net, .shape = shape, .share = share};
  member *list = RIPSTOP_ARRAY(scratch, net->switches, member);
  for (uint32_t v = 0; v < net->switches; v++) list[v].v = v;
  if (kind == MEND_SHARE_BOXES) share_out(&s, list, net->switches, 0, lanes, 0);
  if (kind == MEND_SHARE_SPREAD) spread(&s, lanes);
}
