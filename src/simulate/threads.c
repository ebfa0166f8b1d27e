/* threads.c - one run in several parts, which several threads work on.
 *
 * Parts meet after every cycle. In a cycle a part writes rows of its own nodes only, and what concerns others' it puts
 * into outboxes, which they empty when the cycle is over: outboxes of even and of odd cycles, so that one meeting a
 * cycle is enough. Everything that is summed is an integer and handlers of one cycle commute (wheel.h), so the rows of
 * a run do not depend on the number of parts.
 *
 * Packets are rows of one array. A part that has delivered many keeps their rows, one that sends many runs out of
 * them; when the parts meet, free rows are moved such that each part has one for every stream of its own, which is the
 * most that can be born in a cycle. */
#include "simulate/threads.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "ripstop/plugin/method.h"
#include "simulate/core.h"

/* ------------------------------------------------------------------ what can be divided */

uint32_t threads_parts(const ripstop_plan *plan, const ripstop_scenario *s, uint32_t wished, const char **why) {
  const char *reason = NULL;
  if (plan->method->proto) reason = "its method has a protocol";
  if (s->players) reason = "players send its packets";
  if (s->reaction.model != RIPSTOP_REACTION_DYNAMIC) reason = "it stops at changes";
  if (s->on_delivery) reason = "somebody hears of every delivery";
  if (why) *why = reason;
  uint32_t switches = plan->fabric->nodes - plan->fabric->ends, most = switches < PARTS_MAX ? switches : PARTS_MAX;
  if (reason || wished < 1) return 1;
  return wished < most ? wished : most;
}

/* ------------------------------------------------------------------ whose a node is */

enum { NOBODY = UINT8_MAX };

typedef struct division {
  const ripstop_fabric *fabric;
  uint32_t parts, *nodes; /* [parts]: how many switches each has */
  uint8_t *owner;
} division;

static void give(division *d, uint32_t v, uint8_t to) {
  d->owner[v] = to;
  d->nodes[to]++;
}

/* Switches with end nodes in the order of these, the same number of end nodes for each part: rows of a torus, sub-trees
 * of a tree. */
static void divide_ends(division *d) {
  const ripstop_fabric *f = d->fabric;
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t v = ripstop_end_switch(f, end);
    if (d->owner[v] == NOBODY) give(d, v, (uint8_t)((uint64_t)end * d->parts / f->ends));
    d->owner[end] = d->owner[v];
  }
}

/* The part that most neighbours have, of those the one with the fewest switches; NOBODY: no neighbour has one. */
static uint8_t neighbours_part(const division *d, uint32_t v) {
  const ripstop_fabric *f = d->fabric;
  uint32_t of[PARTS_MAX] = {0}, best = NOBODY;
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
    uint32_t peer = f->peer[port];
    if (peer != RIPSTOP_NONE && d->owner[f->port_node[peer]] != NOBODY) of[d->owner[f->port_node[peer]]]++;
  }
  for (uint32_t i = 0; i < d->parts; i++) {
    if (!of[i]) continue;
    if (best == NOBODY || of[i] > of[best] || (of[i] == of[best] && d->nodes[i] < d->nodes[best])) best = i;
  }
  return (uint8_t)best;
}

/* The others follow their neighbours, those next to end nodes first, level by level: `next` are the switches of a
 * level, found before any of them is given. */
static bool divide_level(division *d, bool *next) {
  const ripstop_fabric *f = d->fabric;
  bool any = false;
  for (uint32_t v = f->ends; v < f->nodes; v++) next[v] = d->owner[v] == NOBODY && neighbours_part(d, v) != NOBODY;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    if (next[v]) give(d, v, neighbours_part(d, v));
    any |= next[v];
  }
  return any;
}

uint8_t *threads_divide(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t parts) {
  division d = {.fabric = fabric,
                .parts = parts,
                .nodes = RIPSTOP_ARRAY(arena, parts, uint32_t),
                .owner = RIPSTOP_ARRAY(arena, fabric->nodes, uint8_t)};
  bool *next = RIPSTOP_ARRAY(arena, fabric->nodes, bool);
  memset(d.owner, NOBODY, fabric->nodes);
  divide_ends(&d);
  while (divide_level(&d, next)) continue;
  for (uint32_t v = fabric->ends; v < fabric->nodes; v++) /* where no end node is */
    if (d.owner[v] == NOBODY) give(&d, v, 0);
  return d.owner;
}

/* ------------------------------------------------------------------ outboxes and free packets */

/* Of one cycle: a packet that is granted the link, and the space of a queue of each channel that has been left. */
void threads_open(run *r) {
  const shape *s = r->shape;
  const ripstop_fabric *f = r->fabric;
  if (s->parts == 1) return;
  for (uint32_t i = 0; i < s->parts; i++)
    for (int odd = 0; odd < 2; odd++) r->part[i].outbox[odd] = RIPSTOP_ARRAY(r->arena, s->parts, outbox);
  for (uint32_t port = 0; port < f->ports; port++) {
    if (f->peer[port] == RIPSTOP_NONE) continue;
    uint8_t from = s->owner[f->port_node[port]], to = s->owner[f->port_node[f->peer[port]]];
    for (int odd = 0; odd < 2 && from != to; odd++) r->part[from].outbox[odd][to].room += 1 + s->channels;
  }
  for (uint32_t i = 0; i < s->parts; i++)
    for (uint32_t to = 0; to < s->parts; to++)
      for (int odd = 0; odd < 2; odd++) {
        outbox *o = &r->part[i].outbox[odd][to];
        o->posted = ripstop_arena_array(r->arena, o->room, sizeof *o->posted);
      }
}

/* What others have posted in this cycle for nodes of part `to`. */
static void take_in(run *r, uint32_t to, uint32_t cycle) {
  for (uint32_t from = 0; from < r->shape->parts; from++)
    outbox_empty(&r->part[from].outbox[cycle & 1][to], &r->part[to].wheel);
}

static void move_free(part *from, part *to, uint32_t count) {
  from->free_packets -= count;
  memcpy(&to->free_packet[to->free_packets], &from->free_packet[from->free_packets], count * sizeof(uint32_t));
  to->free_packets += count;
}

/* There is a row for every stream beyond those that can be in use (open.c), so the others have what one lacks. */
static void even_out(run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    part *poor = &r->part[i];
    for (uint32_t k = 0; k < r->shape->parts && poor->free_packets < poor->streams; k++) {
      part *rich = &r->part[k];
      uint32_t lacks = 2 * poor->streams - poor->free_packets;
      uint32_t spare = rich->free_packets > rich->streams ? rich->free_packets - rich->streams : 0;
      if (k != i && spare) move_free(rich, poor, spare < lacks ? spare : lacks);
    }
  }
}

void threads_exchange(run *r) {
  if (r->shape->parts == 1) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) take_in(r, i, r->part->now);
  even_out(r);
}

/* ------------------------------------------------------------------ side by side */

typedef struct together {
  run *run;
  uint32_t cycles;
  ripstop_meeting meeting;
  atomic_bool out_of_memory;
  double seconds[PARTS_MAX]; /* of processor time, in each thread but the caller's */
  bool over;                 /* somebody has failed: written by the last who comes, while all others wait */
} together;

static void all_met(void *context) {
  together *all = context;
  even_out(all->run);
  all->over = run_failed(all->run) || atomic_load(&all->out_of_memory);
}

static void cycle_of(void *part_) {
  part *t = part_;
  arrivals(t);
  if (t->failure.cycle == RIPSTOP_NONE) decisions(t);
}

/* The parts of one thread: all of them, where there is only one thread. */
static void work(void *context, unsigned thread, unsigned threads) {
  together *all = context;
  run *r = all->run;
  double start = ripstop_thread_seconds();
  for (uint32_t cycle = 0; cycle < all->cycles && !all->over; cycle++) {
    for (uint32_t i = thread; i < r->shape->parts; i += threads) {
      part *t = &r->part[i];
      if (cycle) take_in(r, i, t->now - 1);
      if (ripstop_try(cycle_of, t, NULL)) atomic_store(&all->out_of_memory, true);
      t->now++;
    }
    ripstop_meet(&all->meeting, threads);
  }
  if (thread) all->seconds[thread] = ripstop_thread_seconds() - start;
}

void threads_run(run *r, uint32_t cycles) {
  together all = {.run = r, .cycles = cycles};
  ripstop_meeting_open(&all.meeting, all_met, &all);
  ripstop_team_together(r->shape->parts, work, &all);
  ripstop_meeting_close(&all.meeting);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->seconds += all.seconds[i];
  if (atomic_load(&all.out_of_memory)) ripstop_out_of_memory();
  for (uint32_t i = 0; i < r->shape->parts; i++) take_in(r, i, r->part->now - 1);
}
