/* to_mend.c - which cables to mend first: those at whose ends the next fault does most. */
#include <stdlib.h>
#include <string.h>

#include "draw/picture.h"

bool outlook_is_host_cable(const outlook *o, uint32_t part) {
  const ripstop_faults *set = &o->set[part];
  return set->links == 1 && set->switches == 0 && set->link[0] < o->fabric->link_ends;
}

/* ------------------------------------------------------------------ names in places */

/* The switch of `id[port]`, `id` or an end node's name; RIPSTOP_NONE: it is neither. */
static uint32_t switch_of(const ripstop_names *names, const char *text, size_t length) {
  const char *bracket = memchr(text, '[', length);
  size_t id = bracket ? (size_t)(bracket - text) : length;
  uint32_t node = ripstop_names_switch(names, text, id);
  if (node != RIPSTOP_NONE) return node;
  node = ripstop_names_end(names, text, length);
  return node == RIPSTOP_NONE ? node : ripstop_end_switch(ripstop_names_fabric(names), node);
}

/* One switch, or the two without the second where that is the first again. */
static unsigned differ(const uint32_t node[2]) { return node[0] == node[1] ? 1 : 2; }

/* `a-b` of two ends. A name may have hyphens of its own, so each is tried, those behind a port first. */
static unsigned both_ends(const ripstop_names *names, const char *place, uint32_t node[2]) {
  for (unsigned any = 0; any < 2; any++)
    for (const char *c = place; (c = strchr(c, '-')) != NULL; c++) {
      if (!any && (c == place || c[-1] != ']')) continue;
      node[0] = switch_of(names, place, (size_t)(c - place));
      if (node[0] != RIPSTOP_NONE) node[1] = switch_of(names, c + 1, strlen(c + 1));
      if (node[0] != RIPSTOP_NONE && node[1] != RIPSTOP_NONE) return differ(node);
    }
  return 0;
}

unsigned outlook_switches(const ripstop_names *names, const char *place, uint32_t node[2]) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  unsigned count = both_ends(names, place, node);
  if (count > 0) return count;
  node[0] = switch_of(names, place, strlen(place));
  if (node[0] != RIPSTOP_NONE) return 1;
  const uint32_t link = ripstop_names_link(names, place, strlen(place));
  if (link == RIPSTOP_NONE) return 0;
  for (unsigned side = 0; side < 2; side++) {
    node[side] = ripstop_link_node(f, link, side);
    if (ripstop_is_end(f, node[side])) node[side] = ripstop_end_switch(f, node[side]);
  }
  return differ(node);
}

/* ------------------------------------------------------------------ what the next fault does */

/* Of the cables between switches at a switch: what the worst of them does. */
typedef struct danger {
  uint64_t parted, worst, on_it;
  bool loop;
  double share;
  uint32_t more;
} danger;

static void fear(danger *d, const ripstop_what_if *e) {
  if (e->disconnected > d->parted) d->parted = e->disconnected;
  if (e->worst > d->worst) d->worst = e->worst;
  if (e->on_it > d->on_it) d->on_it = e->on_it;
  d->loop |= e->credit_loop;
}

static danger *find_dangers(ripstop_arena *arena, const outlook *o) {
  const ripstop_fabric *f = o->fabric;
  danger *of = RIPSTOP_ARRAY(arena, f->nodes, danger);
  for (uint32_t node = 0; node < f->nodes; node++) of[node].share = 1;
  for (uint32_t i = 0; i < o->leaves; i++)
    of[o->leaf[i].node].share = (double)o->leaf[i].have / (double)o->leaf[i].need;
  for (uint32_t i = 0; i < o->parts; i++) {
    const ripstop_faults *set = &o->set[i];
    for (unsigned side = 0; side < 2 && set->links == 1 && !outlook_is_host_cable(o, i); side++)
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
  const outlook_mend *x = a, *y = b;
  if (x->parted != y->parted) return x->parted > y->parted ? -1 : 1;
  if (x->loop != y->loop) return x->loop ? -1 : 1;
  if (x->worst != y->worst) return x->worst > y->worst ? -1 : 1;
  if (x->share != y->share) return x->share < y->share ? -1 : 1;
  if (x->more != y->more) return x->more > y->more ? -1 : 1;
  return strcmp(x->where, y->where);
}

/* Calls for each place with a cable between switches; `list` NULL: counts alone. */
static void each_place(const ripstop_names *names, const ripstop_odds *odds, danger *of, outlook_mend *list,
                       uint32_t *count) {
  uint32_t node[2];
  for (uint32_t i = 0; odds && i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    for (uint32_t k = 0; k < odd->places && is_to_be_mended(odd->what); k++) {
      if (outlook_switches(names, odd->where[k], node) < 2) continue;
      const danger *a = &of[node[0]], *b = &of[node[1]], *worse = a->share <= b->share ? a : b;
      if (!list) of[node[0]].more++, of[node[1]].more++;
      if (list)
        list[*count] = (outlook_mend){.what = odd->what,
                                      .text = odd->text,
                                      .where = odd->where[k],
                                      .parted = a->parted > b->parted ? a->parted : b->parted,
                                      .loop = a->loop || b->loop,
                                      .worst = a->worst > b->worst ? a->worst : b->worst,
                                      .on_it = a->on_it > b->on_it ? a->on_it : b->on_it,
                                      .share = worse->share,
                                      .more = worse->more};
      ++*count;
    }
  }
}

void outlook_find_mends(ripstop_arena *arena, outlook *o) {
  danger *of = find_dangers(arena, o);
  ripstop_names *names = ripstop_names_new(o->fabric);
  uint32_t count = 0;
  each_place(names, &o->recognised->odd, of, NULL, &count);
  each_place(names, o->told, of, NULL, &count);
  outlook_mend *list = RIPSTOP_ARRAY(arena, count, outlook_mend);
  each_place(names, &o->recognised->odd, of, list, &o->mends);
  each_place(names, o->told, of, list, &o->mends);
  qsort(list, count, sizeof *list, first_to_mend);
  o->mend = list;
  ripstop_names_free(names);
}
