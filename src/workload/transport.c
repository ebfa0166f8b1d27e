/* transport.c - letters of flows, and who hears of them. flow.h has the data; sender.c and receiver.c the two ends. */
#include <stdlib.h>

#include "workload/flow.h"

/* ------------------------------------------------------------------ letters */

static uint32_t place_parcel(transport *t) {
  const uint32_t at = t->spare;
  if (at != RIPSTOP_NONE) {
    t->spare = t->parcel[at].flow;
    return at;
  }
  if (t->parcels == t->parcel_room) {
    t->parcel_room = t->parcel_room ? 2 * t->parcel_room : 1024;
    t->parcel = ripstop_arena_realloc(t->arena, t->parcel, t->parcel_room, sizeof *t->parcel);
  }
  return t->parcels++;
}

void parcel_send(transport *t, ripstop_play *on, parcel p, uint32_t flits, bool back) {
  const uint32_t at = place_parcel(t);
  const flow *f = &t->flow[p.flow];
  const ripstop_letter l = {.source = back ? f->destination : f->source,
                            .destination = back ? f->source : f->destination,
                            .class_ = back && t->config->ack_class == RIPSTOP_ACKS_APART ? t->classes : f->class_,
                            .flits = flits,
                            .tag = at};
  t->parcel[at] = p;
  t->flow[p.flow].under_way += p.kind == PARCEL_DATA;
  ripstop_play_send(on, &l);
}

/* Its letter has come to its end. */
static parcel end_parcel(transport *t, const ripstop_letter *letter) {
  const uint32_t at = (uint32_t)letter->tag;
  const parcel p = t->parcel[at];
  t->flow[p.flow].under_way -= p.kind == PARCEL_DATA;
  t->parcel[at].flow = t->spare;
  t->spare = at;
  return p;
}

/* ------------------------------------------------------------------ what the player hears */

bool transport_taken(transport *t, ripstop_play *on, const ripstop_letter *letter, transport_message *started) {
  const parcel p = t->parcel[letter->tag];
  if (p.kind != PARCEL_DATA) return false;
  t->gate[letter->source].taken++;
  const bool starts = sender_left(t, on, &p, started);
  sender_feed(t, on, letter->source);
  return starts;
}

bool transport_delivered(transport *t, ripstop_play *on, const ripstop_letter *letter, transport_message *there) {
  const parcel p = end_parcel(t, letter);
  if (p.kind == PARCEL_DATA) return receiver_takes(t, on, &p, letter, there);
  sender_answered(t, on, &p);
  return false;
}

/* Nobody is told, but that the letter does not stand in its interface any more: a dead switch takes those with it; and
 * that a switch has discarded the packet where the method's switches inform sources. */
void transport_lost(transport *t, ripstop_play *on, const ripstop_letter *letter) {
  const parcel p = end_parcel(t, letter);
  if (p.kind == PARCEL_DATA && letter->informs) sender_informed(t, on, &p, letter->informs);
  gate *g = &t->gate[letter->source];
  if (p.kind != PARCEL_DATA || (uint16_t)(p.order - g->taken) >= (uint16_t)(g->put - g->taken)) return;
  g->taken++;
  sender_gone(t, on, &p);
  sender_feed(t, on, letter->source);
}

/* ------------------------------------------------------------------ opening */

static int by_pair(const void *a, const void *b) {
  const transport_pair *x = a, *y = b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  return (x->destination > y->destination) - (x->destination < y->destination);
}

static void open_flows(transport *t, transport_pair *pair, size_t pairs) {
  size_t count = 0;
  qsort(pair, pairs, sizeof *pair, by_pair);
  for (size_t i = 0; i < pairs; i++)
    if (!count || by_pair(&pair[count - 1], &pair[i]) != 0) pair[count++] = pair[i];
  t->flow = RIPSTOP_ARRAY(t->arena, count + 1, flow);
  t->flows = (uint32_t)count;
  for (size_t i = 0; i < count; i++)
    t->flow[i] = (flow){.source = pair[i].source,
                        .destination = pair[i].destination,
                        .class_ = pair[i].class_,
                        .rings = FLOW_NEVER,
                        .rate = rate_open(t->config)};
}

transport *transport_open(const ripstop_workload_config *config, uint32_t ends, transport_pair *pair, size_t pairs,
                          uint32_t classes, uint64_t alarms, ripstop_arena *arena) {
  transport *t = RIPSTOP_NEW(arena, transport);
  *t = (transport){.config = config, .classes = classes, .alarms = alarms, .spare = RIPSTOP_NONE, .arena = arena};
  t->gate = RIPSTOP_ARRAY(arena, ends, gate);
  for (uint32_t i = 0; i < ends; i++) t->gate[i].first = RIPSTOP_NONE;
  open_flows(t, pair, pairs);
  return t;
}

void transport_inform(transport *t, uint32_t cycles) { t->hop = cycles; }

bool transport_informs(const transport *t) { return t->hop > 0; }

void transport_widen(const ripstop_workload_config *config, ripstop_player *player) {
  const uint32_t ack = (uint32_t)config->ack;
  if (config->ack_class == RIPSTOP_ACKS_APART) player->classes++;
  player->urgent = config->ack_class == RIPSTOP_ACKS_APART && config->congestion.kind == RIPSTOP_CONGESTION_DCQCN;
  if (ack < player->shortest) player->shortest = ack;
  if (ack > player->longest) player->longest = ack;
}

/* ------------------------------------------------------------------ what came of it */

void transport_know(transport *t, const uint32_t *part, uint64_t settled) {
  t->part = part;
  t->settled = settled;
}

bool transport_gave_up(const transport *t) { return t->given_up; }

bool transport_cut_off(const transport *t, transport_message *message) {
  const flow *f = t->cut_off;
  if (!f) return false;
  for (uint32_t i = f->oldest; i < f->mails; i++)
    if (f->mail[i].missing) {
      *message = f->mail[i].message;
      return true;
    }
  return false;
}
transport_counts transport_count(const transport *t) { return t->counts; }

bool transport_is_right(const transport *t) {
  if (t->disordered) return false;
  for (uint32_t i = 0; i < t->flows; i++) {
    const flow *f = &t->flow[i];
    if (f->handovers != f->end || f->cut != f->handed || f->cut_flits != f->handed_flits) return false;
  }
  return true;
}

mail *mail_of(const flow *f, uint32_t number) {
  uint32_t low = f->oldest, high = f->mails;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    *(f->mail[middle].first <= number ? &low : &high) = middle;
  }
  return &f->mail[low];
}
