/* to_mend.c - which cables to mend first, by what changes: the pairs that the next failed cable would disconnect and
 * then does not, and else the capacity of the part (ripstop/kit/capacity.h) that this failure leaves. A cable that
 * would change neither comes last. Of a cable that is not there only the switches at its ends are known, so it belongs
 * to the part that it would leave. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recognise/odd_rows.h"
#include "report/what_if.h"

/* ------------------------------------------------------------------ the next failed cable */

/* The worst effect of the failure of any cable that leaves a part. */
typedef struct danger {
  uint64_t disconnected, fastest; /* fastest: the rate of its fastest cable */
  bool loop;
  double worst;
} danger;

static void fear(danger *d, const ripstop_what_if *e, uint64_t rate) {
  if (e->disconnected > d->disconnected) d->disconnected = e->disconnected;
  if (rate > d->fastest) d->fastest = rate;
  d->loop |= e->credit_loop;
  d->worst = fmax(d->worst, e->role_worst);
}

static danger *find_dangers(ripstop_arena *arena, const what_if *w) {
  const ripstop_fabric *f = w->drawn.fabric;
  danger *of = RIPSTOP_ARRAY(arena, w->capacity->parts, danger);
  for (uint32_t i = 0; i < w->drawn.parts; i++) {
    const ripstop_faults *set = &w->drawn.set[i];
    uint32_t part[3];
    if (set->links != 1 || picture_is_host_cable(&w->drawn, i)) continue;
    const uint32_t one = ripstop_link_node(f, set->link[0], 0), other = ripstop_link_node(f, set->link[0], 1);
    for (unsigned k = ripstop_capacity_left(w->capacity, one, other, part); k-- > 0;)
      fear(&of[part[k]], &w->drawn.effect[i], w->capacity->rate[set->link[0]]);
  }
  return of;
}

/* ------------------------------------------------------------------ one row for each place */

static bool is_to_be_mended(const char *what) {
  static const char *const kinds[] = {"missing uplink", "missing cable", "unequal planes", "narrow cable",
                                      "slow cable"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(what, kinds[i])) return true;
  return false;
}

static int first_to_mend(const void *a, const void *b) {
  const what_if_mend *x = a, *y = b;
  if (x->saved != y->saved) return x->saved > y->saved ? -1 : 1;
  if (x->helps != y->helps) return x->helps ? -1 : 1;
  if (x->share_next != y->share_next) return x->share_next < y->share_next ? -1 : 1;
  if (x->share != y->share) return x->share < y->share ? -1 : 1;
  return strcmp(x->where, y->where);
}

typedef struct lister {
  ripstop_arena *arena;
  const what_if *w;
  const danger *danger; /* [parts] */
  ripstop_names *names;
  what_if_mend *list;
  uint32_t count;
} lister;

/* "0.625", "1.0" */
static const char *share_words(ripstop_arena *arena, double share) {
  char text[32];
  int length = snprintf(text, sizeof text, "%.3f", share);
  while (length > 2 && text[length - 1] == '0' && text[length - 2] != '.') text[--length] = '\0';
  return ripstop_arena_text(arena, text);
}

/* "leaf-05 has 5 of 8 uplinks: 0.625 of its hosts' rate (its like: 1.0); 0.5 after the next failure there" */
static const char *words_of(const lister *l, const what_if_mend *m) {
  const ripstop_capacity_part *p = m->part;
  const char *name = what_if_part_name(l->arena, l->w->drawn.fabric, p);
  const uint32_t like = p->uplinks > p->like_uplinks ? p->uplinks : p->like_uplinks;
  if (p->inside == 0)
    return ripstop_arena_printf(l->arena, "%s has %u of %u uplinks, and no hosts", name, p->uplinks, like);
  return ripstop_arena_printf(l->arena,
                              "%s has %u of %u uplinks: %s of its hosts' rate (its like: %s); %s after the next "
                              "failure there",
                              name, p->uplinks, like, share_words(l->arena, m->share),
                              share_words(l->arena, p->like_share), share_words(l->arena, m->share_next));
}

static double share_of(const ripstop_capacity_part *p, uint64_t capacity) {
  return p->inside ? (double)capacity / (double)p->inside : INFINITY;
}

/* True if a cable leaves a part. */
static bool leaves(const ripstop_capacity *c, uint32_t link, uint32_t part) {
  const ripstop_fabric *f = c->view->fabric;
  uint32_t left[3];
  unsigned count = ripstop_capacity_left(c, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), left);
  while (count > 0 && left[count - 1] != part) count--;
  return count > 0;
}

/* The most pairs that a failed cable of a part disconnects now, and would not with a cable between two switches: that
 * joins its two sides. */
static uint64_t count_saved(const lister *l, uint32_t part, const uint32_t node[2]) {
  const picture *o = &l->w->drawn;
  ripstop_view *left = ripstop_view_copy(o->view);
  uint32_t *component = ripstop_realloc(NULL, o->fabric->nodes, sizeof *component);
  uint64_t most = 0;
  for (uint32_t i = 0; i < o->parts; i++) {
    const ripstop_faults *set = &o->set[i];
    if (set->links != 1 || picture_is_host_cable(o, i) || o->effect[i].disconnected <= most) continue;
    if (!leaves(l->w->capacity, set->link[0], part)) continue;
    ripstop_view_set_faults(left, set, false);
    ripstop_view_components(left, component);
    if (component[node[0]] != component[node[1]]) most = o->effect[i].disconnected;
    ripstop_view_set_faults(left, set, true);
  }
  ripstop_free(component);
  ripstop_view_free(left);
  return most;
}

/* True if the cable is not there. */
static bool is_missing(const char *what) {
  return strcmp(what, "narrow cable") != 0 && strcmp(what, "slow cable") != 0;
}

static what_if_mend mend_for(const lister *l, const ripstop_odd *odd, uint32_t place, uint32_t part,
                             const uint32_t node[2]) {
  const ripstop_capacity_part *p = &l->w->capacity->part[part];
  const danger *d = &l->danger[part];
  what_if_mend m = {.what = odd->what,
                    .where = odd->where[place],
                    .text = odd->text,
                    .part = p,
                    .disconnected = d->disconnected,
                    .saved = d->disconnected && is_missing(odd->what) ? count_saved(l, part, node) : 0,
                    .helps = p->capacity < p->need + d->fastest,
                    .loop = d->loop,
                    .worst = d->worst,
                    .share = share_of(p, p->capacity),
                    .share_next = share_of(p, p->capacity - d->fastest)};
  m.words = words_of(l, &m);
  return m;
}

/* Adds a row for the part that the cable leaves; between two leaves, for the one that comes first. */
static void add_place(lister *l, const ripstop_odd *odd, uint32_t place) {
  uint32_t node[2], part[3];
  if (ripstop_odd_switches(l->names, odd->where[place], node) < 2) return;
  const unsigned parts = ripstop_capacity_owners(l->w->capacity, node[0], node[1], part);
  if (parts == 0) return;
  what_if_mend *m = &l->list[l->count++];
  *m = mend_for(l, odd, place, part[0], node);
  if (parts < 2) return;
  const what_if_mend other = mend_for(l, odd, place, part[1], node);
  if (first_to_mend(&other, m) < 0) *m = other;
}

static uint32_t count_places(const ripstop_odds *odds) {
  uint32_t count = 0;
  for (uint32_t i = 0; odds && i < odds->count; i++)
    if (is_to_be_mended(odds->list[i].what)) count += odds->list[i].places;
  return count;
}

static void add_places(lister *l, const ripstop_odds *odds) {
  for (uint32_t i = 0; odds && i < odds->count; i++)
    for (uint32_t k = 0; k < odds->list[i].places && is_to_be_mended(odds->list[i].what); k++)
      add_place(l, &odds->list[i], k);
}

void what_if_find_mends(ripstop_arena *arena, what_if *w) {
  const picture *o = &w->drawn;
  lister l = {.arena = arena, .w = w, .danger = find_dangers(arena, w), .names = ripstop_names_new(o->fabric)};
  l.list = RIPSTOP_ARRAY(arena, count_places(&o->recognised->odd) + count_places(o->told), what_if_mend);
  add_places(&l, &o->recognised->odd);
  add_places(&l, o->told);
  qsort(l.list, l.count, sizeof *l.list, first_to_mend);
  w->mend = l.list;
  w->mends = l.count;
  ripstop_names_free(l.names);
}
