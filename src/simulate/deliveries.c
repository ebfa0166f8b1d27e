/* deliveries.c - reports every delivery to ripstop_simulate_settings.on_delivery. The calls of a cycle follow its
 * arrivals, sorted by end node; an end node receives at most one packet in a cycle. So the order does not depend on the
 * engine's order of work or on the number of threads. */
#include "simulate/deliveries.h"

#include "base/growing.h"
#include "base/sort.h"

typedef struct delivery {
  uint64_t packet;
  uint32_t source, destination, generated_at;
} delivery;

typedef struct delivery_list { /* the deliveries of a cycle */
  delivery *at;
  size_t count, room;
} delivery_list;

struct deliveries {
  delivery_list all, *of; /* [parts]: not reported yet */
  ripstop_sort_key *key;  /* [keys]: scratch */
  size_t keys;
};

static void note(part *t, const packet *p) {
  delivery_list *own = &t->run->deliveries->of[t->number];
  RIPSTOP_GROW_IN(t->more, own->at, own->count, own->room);
  own->at[own->count++] = (delivery){.packet = serial_of(&t->shape, p),
                                     .source = p->source,
                                     .destination = p->destination,
                                     .generated_at = p->generated_at};
}

static uint64_t next_report(const run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++)
    if (r->deliveries->of[i].count) return r->part->now;
  return UINT64_MAX;
}

static void collect(run *r) {
  delivery_list *all = &r->deliveries->all;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    delivery_list *own = &r->deliveries->of[i];
    RIPSTOP_ROOM_IN(r->arena, all->at, all->count + own->count, all->room);
    for (size_t k = 0; k < own->count; k++) all->at[all->count++] = own->at[k];
    own->count = 0;
  }
}

static void sort(const run *r, struct deliveries *d) {
  if (d->all.count > d->keys) {
    d->keys = d->all.room;
    d->key = ripstop_arena_realloc(r->arena, d->key, d->keys, sizeof *d->key);
  }
  for (size_t i = 0; i < d->all.count; i++) d->key[i] = (ripstop_sort_key){d->all.at[i].destination, i};
  ripstop_sort_keys(d->key, d->all.count);
}

static void report(run *r) {
  const ripstop_simulate_settings *s = r->config;
  struct deliveries *all = r->deliveries;
  collect(r);
  sort(r, all);
  for (size_t i = 0; i < all->all.count; i++) {
    const delivery *d = &all->all.at[all->key[i].of];
    s->on_delivery(s->context, d->packet, d->source, d->destination, d->generated_at, r->part->now);
  }
  all->all.count = 0;
}

void deliveries_open(run *r) {
  if (!r->config->on_delivery) return;
  r->deliveries = RIPSTOP_NEW(r->arena, struct deliveries);
  r->deliveries->of = RIPSTOP_ARRAY(r->arena, r->shape->parts, delivery_list);
  r->part->hook.delivered[r->agents ? 1 : 0] = note;
  hook_arrived(&r->part->hook, report, next_report);
}
