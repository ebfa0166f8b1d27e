/* to_mend.c - which cables to mend first: those at whose ends the next fault does most. */
#include <stdlib.h>
#include <string.h>

#include "recognise/odd_rows.h"
#include "report/what_if.h"

/* ------------------------------------------------------------------ effects of the next fault */

/* The worst effect of any cable between switches at a switch. */
typedef struct danger {
  uint64_t disconnected, worst, on_it;
  bool loop;
  double share;
  uint32_t more;
} danger;

static void fear(danger *d, const ripstop_what_if *e) {
  if (e->disconnected > d->disconnected) d->disconnected = e->disconnected;
  if (e->worst > d->worst) d->worst = e->worst;
  if (e->on_it > d->on_it) d->on_it = e->on_it;
  d->loop |= e->credit_loop;
}

static danger *find_dangers(ripstop_arena *arena, const picture *o) {
  const ripstop_fabric *f = o->fabric;
  danger *of = RIPSTOP_ARRAY(arena, f->nodes, danger);
  for (uint32_t node = 0; node < f->nodes; node++) of[node].share = 1;
  for (uint32_t i = 0; i < o->leaves; i++)
    of[o->leaf[i].node].share = (double)o->leaf[i].have / (double)o->leaf[i].need;
  for (uint32_t i = 0; i < o->parts; i++) {
    const ripstop_faults *set = &o->set[i];
    for (unsigned side = 0; side < 2 && set->links == 1 && !picture_is_host_cable(o, i); side++)
      fear(&of[ripstop_link_node(f, set->link[0], side)], &o->effect[i]);
  }
  return of;
}

static bool is_to_be_mended(const char *what) {
  static const char *const kinds[] = {"missing uplink", "missing cable", "unequal planes", "narrow cable",
                                      "slow cable"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(what, kinds[i])) return true;
  return false;
}

static int first_to_mend(const void *a, const void *b) {
  const what_if_mend *x = a, *y = b;
  if (x->disconnected != y->disconnected) return x->disconnected > y->disconnected ? -1 : 1;
  if (x->loop != y->loop) return x->loop ? -1 : 1;
  if (x->worst != y->worst) return x->worst > y->worst ? -1 : 1;
  if (x->share != y->share) return x->share < y->share ? -1 : 1;
  if (x->more != y->more) return x->more > y->more ? -1 : 1;
  return strcmp(x->where, y->where);
}

/* Calls for each place with a cable between switches; `list` NULL: counts alone. */
static void each_place(const ripstop_names *names, const ripstop_odds *odds, danger *of, what_if_mend *list,
                       uint32_t *count) {
  uint32_t node[2];
  for (uint32_t i = 0; odds && i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    for (uint32_t k = 0; k < odd->places && is_to_be_mended(odd->what); k++) {
      if (ripstop_odd_switches(names, odd->where[k], node) < 2) continue;
      const danger *a = &of[node[0]], *b = &of[node[1]], *worse = a->share <= b->share ? a : b;
      if (!list) of[node[0]].more++, of[node[1]].more++;
      if (list)
        list[*count] =
            (what_if_mend){.what = odd->what,
                           .text = odd->text,
                           .where = odd->where[k],
                           .disconnected = a->disconnected > b->disconnected ? a->disconnected : b->disconnected,
                           .loop = a->loop || b->loop,
                           .worst = a->worst > b->worst ? a->worst : b->worst,
                           .on_it = a->on_it > b->on_it ? a->on_it : b->on_it,
                           .share = worse->share,
                           .more = worse->more};
      ++*count;
    }
  }
}

void what_if_find_mends(ripstop_arena *arena, what_if *w) {
  const picture *o = &w->drawn;
  danger *of = find_dangers(arena, o);
  ripstop_names *names = ripstop_names_new(o->fabric);
  uint32_t count = 0;
  each_place(names, &o->recognised->odd, of, NULL, &count);
  each_place(names, o->told, of, NULL, &count);
  what_if_mend *list = RIPSTOP_ARRAY(arena, count, what_if_mend);
  each_place(names, &o->recognised->odd, of, list, &w->mends);
  each_place(names, o->told, of, list, &w->mends);
  qsort(list, count, sizeof *list, first_to_mend);
  w->mend = list;
  ripstop_names_free(names);
}
