/* threads.c - one run in several parts, on which one thread works in turn, or several in parallel.
 *
 * Parts meet after every window: the most cycles in which no part can feel what another does. In a window a part writes
 * rows of its own nodes only, and puts events of other parts' nodes into outboxes, which these empty after the window.
 * There are outboxes for even and for odd windows, so that one meeting is enough. All sums are integers and handlers of
 * one cycle commute (wheel.h), so the results of a run do not depend on the number of parts.
 *
 * Work that needs one thread (a change of the fabric, the calls of agents) is done by the calling thread, while the
 * others wait.
 *
 * Packets are rows of one array. A part that delivers many packets collects their rows, and one that sends many runs
 * out of them. When the parts meet, free rows are moved such that each part has as many per stream as can be generated
 * in a window. */
#include "simulate/threads.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "ripstop/plugin/method.h"
#include "simulate/bound_packets.h"
#include "simulate/change.h"
#include "simulate/core.h"
#include "simulate/parts.h"
#include "simulate/plain.h"

enum { WINDOW_MAX = 16 }; /* outboxes and spare rows grow with it */

/* ------------------------------------------------------------------ how many parts */

static bool has_end(const ripstop_fabric *f, uint32_t v) {
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]])) return true;
  return false;
}

/* Switches with end nodes. */
static uint32_t count_leaves(const ripstop_fabric *f) {
  uint32_t leaves = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++) leaves += has_end(f, v);
  return leaves;
}

uint32_t threads_parts(const ripstop_fabric *fabric, uint32_t wanted) {
  if (wanted <= 1) return 1;
  uint32_t leaves = count_leaves(fabric), most = leaves < PARTS_MAX ? leaves : PARTS_MAX;
  if (most == 0) return 1;
  return wanted < most ? wanted : most;
}

uint64_t threads_queues(const ripstop_plan *plan) {
  return (uint64_t)(plan->fabric->ports - 2 * plan->fabric->ends) * plan->channels;
}

/* At least so many queues for each part, however few threads there are. Then what a part touches in a window fits a
 * second-level cache, and a node's decision finds there what an event has loaded. Measured (docs/speed.md). */
enum { PART_QUEUES = 32768 };

/* A multiple of the number of threads. */
static uint32_t fit_parts(const ripstop_plan *plan, uint32_t threads) {
  const uint64_t each = threads_queues(plan) / threads / PART_QUEUES, most = PARTS_MAX / threads;
  return threads * (uint32_t)(each > most ? most : each ? each : 1);
}

/* Features work after every cycle, so that parts would meet in each: several parts per thread do not pay. */
static bool has_work_each_cycle(const ripstop_plan *plan, const ripstop_simulate_settings *scenario) {
  return scenario->agents || scenario->on_delivery ||
         scenario->reconfiguration.model == RIPSTOP_RECONFIGURATION_STATIC || plan->method->proto;
}

/* Rows of control packets come from one list (inband.c): such a run has one part. */
uint32_t threads_parts_of(const ripstop_plan *plan, const ripstop_simulate_settings *scenario) {
  if (plan->control_flits) return 1;
  if (scenario->parts) return threads_parts(plan->fabric, scenario->parts);
  const uint32_t threads = threads_parts(plan->fabric, scenario->threads);
  if (has_work_each_cycle(plan, scenario)) return threads;
  return threads_parts(plan->fabric, fit_parts(plan, threads));
}

uint32_t threads_at_work(const ripstop_simulate_settings *scenario, uint32_t parts) {
  const uint32_t threads = scenario->threads ? scenario->threads : 1;
  return threads < parts ? threads : parts;
}

/* ------------------------------------------------------------------ division of the nodes */

enum { NO_PART = UINT8_MAX };

typedef struct division {
  const ripstop_fabric *fabric;
  uint32_t parts, *nodes; /* [parts]: number of switches */
  uint8_t *owner;
} division;

static void give(division *d, uint32_t v, uint8_t to) {
  d->owner[v] = to;
  d->nodes[to]++;
}

/* Assigns switches with end nodes in the order of these, the same number of end nodes to each part: rows of a torus,
 * sub-trees of a tree. If switches have different numbers of end nodes, no part is skipped, and a switch remains for
 * each remaining part. */
static void divide_ends(division *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t left = count_leaves(f), last = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t v = ripstop_end_switch(f, end), to = (uint32_t)((uint64_t)end * d->parts / f->ends);
    if (d->owner[v] == NO_PART) {
      if (to > last + 1) to = last + 1;
      if (to + left < d->parts) to = d->parts - left;
      give(d, v, (uint8_t)to);
      last = to;
      left--;
    }
    d->owner[end] = d->owner[v];
  }
}

/* The part that most neighbours have, among equals the one with the fewest switches; NO_PART: no neighbour has one. */
static uint8_t neighbours_part(const division *d, uint32_t v) {
  const ripstop_fabric *f = d->fabric;
  uint32_t of[PARTS_MAX] = {0}, best = NO_PART;
  for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
    uint32_t peer = f->peer[port];
    if (peer != RIPSTOP_NONE && d->owner[f->port_node[peer]] != NO_PART) of[d->owner[f->port_node[peer]]]++;
  }
  for (uint32_t i = 0; i < d->parts; i++) {
    if (!of[i]) continue;
    if (best == NO_PART || of[i] > of[best] || (of[i] == of[best] && d->nodes[i] < d->nodes[best])) best = i;
  }
  return (uint8_t)best;
}

/* Assigns the other switches to their neighbours' parts, those next to end nodes first, level by level. `next`: the
 * switches of a level, found before any of them is assigned. */
static bool divide_level(division *d, bool *next) {
  const ripstop_fabric *f = d->fabric;
  bool any = false;
  for (uint32_t v = f->ends; v < f->nodes; v++) next[v] = d->owner[v] == NO_PART && neighbours_part(d, v) != NO_PART;
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
  memset(d.owner, NO_PART, fabric->nodes);
  divide_ends(&d);
  while (divide_level(&d, next)) continue;
  for (uint32_t v = fabric->ends; v < fabric->nodes; v++) /* in components without end nodes */
    if (d.owner[v] == NO_PART) give(&d, v, 0);
  return d.owner;
}

/* ------------------------------------------------------------------ outboxes and free packets */

/* Cycles during which no part needs to know what another does: the fewest that pass from a grant until the head arrives
 * beyond a link to another part, and until its freed space is known there. XON and XOFF leave their queue in the cycle
 * that they are for; pauses of a shared memory take the link. */
uint32_t threads_window(const shape *s) {
  const uint32_t head = s->near + s->pipeline, crossing = (4 * s->shortest + s->quarters - 1) / s->quarters;
  const uint32_t space = s->credit + (s->credits ? crossing : s->pauses ? s->near : 0);
  const uint32_t window = (s->unlimited && !s->pauses) || head < space ? head : space;
  return window < WINDOW_MAX ? window : WINDOW_MAX;
}

/* Packets that a stream can generate in a window: each begins when the last has left. */
uint32_t threads_generations(const shape *s) { return (s->window + s->shortest - 1) / s->shortest; }

uint64_t threads_spare(const shape *s) { return s->parts > 1 ? (uint64_t)s->streams * threads_generations(s) : 0; }

/* Space in outboxes for each cycle: a packet that is granted the link, and credits for each packet that the crossbar
 * can take from a queue of each virtual channel. */
void threads_open(run *r) {
  const shape *s = r->shape;
  const ripstop_fabric *f = r->fabric;
  if (s->parts == 1) return;
  for (uint32_t i = 0; i < s->parts; i++)
    for (int odd = 0; odd < 2; odd++) r->part[i].outboxes[odd] = RIPSTOP_ARRAY(r->arena, s->parts, outbox);
  for (uint32_t port = 0; port < f->ports; port++) {
    if (f->peer[port] == RIPSTOP_NONE) continue;
    uint8_t from = s->owner[f->port_node[port]], to = s->owner[f->port_node[f->peer[port]]];
    for (int odd = 0; odd < 2 && from != to; odd++)
      r->part[from].outboxes[odd][to].room +=
          s->window * (1 + s->channels * ((s->quarters + 3) / 4)) + (r->part->bound ? bound_credits(r, port) : 0);
  }
  for (uint32_t i = 0; i < s->parts; i++) {
    r->part[i].outbox = r->part[i].outboxes[0];
    for (uint32_t to = 0; to < s->parts; to++)
      for (int odd = 0; odd < 2; odd++) {
        outbox *o = &r->part[i].outboxes[odd][to];
        o->posted = ripstop_arena_array(r->arena, o->room, sizeof *o->posted);
      }
  }
}

/* Moves what others have posted in that window for nodes of part `to` into its wheel. */
static void take_in(run *r, uint32_t to, uint32_t window) {
  part *t = &r->part[to];
  for (uint32_t from = 0; from < r->shape->parts; from++) {
    outbox *o = &r->part[from].outboxes[window & 1][to];
    if (t->wheel.distant.room)
      outbox_empty_distant(o, &t->wheel, t->now);
    else
      outbox_empty(o, &t->wheel);
  }
}

/* Rows that never were in use get memory from now on. */
static void move_free(part *from, part *to, uint32_t count) {
  while (count-- > 0) free_packet(to, take_packet(from));
}

/* There are spare rows for every stream (parts.c), so the other parts have what one lacks. */
static void even_out(run *r) {
  const uint32_t each = threads_generations(r->shape);
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    part *poor = &r->part[i];
    for (uint32_t k = 0; k < r->shape->parts && free_rows(poor) < each * poor->streams; k++) {
      part *rich = &r->part[k];
      uint32_t lacks = 2 * each * poor->streams - free_rows(poor), kept = each * rich->streams;
      uint32_t spare = free_rows(rich) > kept ? free_rows(rich) - kept : 0;
      if (k != i && spare) move_free(rich, poor, spare < lacks ? spare : lacks);
    }
  }
}

static void grow(void *run_) { parts_grow(run_); }

void threads_exchange(run *r) {
  parts_grow(r);
  if (r->shape->parts == 1) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) take_in(r, i, r->part->window);
  even_out(r);
}

/* ------------------------------------------------------------------ in parallel */

/* Thread 0 is the caller's and leads: it does what needs one thread while the others wait to be called. */
typedef struct together {
  run *run;
  uint32_t window;      /* cycles between two meetings: 1 if features work after every cycle */
  bool asks;            /* also meet after the arrivals */
  uint32_t until;       /* all work until this cycle, at most */
  uint32_t begin, goal; /* the present plain cycles, as thread 0 has them */
  uint32_t end;         /* the same, or earlier, as all have it: written while they meet */
  bool answers;         /* features have something to answer in this cycle */
  bool over;            /* the other threads may end */
  ripstop_meeting called, arrived, decided;
  atomic_bool out_of_memory;
  double seconds[PARTS_MAX]; /* processor time of each thread but the caller's */
} together;

static void all_called(void *context) {
  together *all = context;
  all->end = all->goal;
}

static void all_arrived(void *context) {
  together *all = context;
  const run *r = all->run;
  const hooks *hook = &r->part->hook;
  all->answers = false;
  if (atomic_load(&all->out_of_memory)) return;
  for (uint32_t i = 0; i < CYCLE_HOOKS && hook->due[i]; i++) all->answers |= hook->due[i](r) <= r->part->now;
}

static void all_decided(void *context) {
  together *all = context;
  if (ripstop_try(grow, all->run, NULL)) atomic_store(&all->out_of_memory, true);
  even_out(all->run);
  uint32_t next = plain_features(all->run);
  if (next < all->end) all->end = next;
  if (plain_idle(all->run)) all->end = 0;
  if (run_failed(all->run) || atomic_load(&all->out_of_memory)) all->end = 0;
}

/* A part's share of a window, and the cycle before which it ends. */
typedef struct share {
  part *part;
  uint32_t until;
} share;

static void arrive(void *share_) {
  part *t = ((const share *)share_)->part;
  take_in(t->run, t->number, t->window - 1);
  arrivals(t);
}

/* The last step of a window. */
static void decide(void *share_) {
  const share *own = share_;
  part *t = own->part;
  if (t->failure.cycle == RIPSTOP_NONE) decisions(t);
  t->now = own->until;
  t->outbox = t->outboxes[++t->window & 1];
}

/* A part that has failed does nothing more. Another part may have failed earlier, or will in this window. */
static void whole_window(void *share_) {
  const share *own = share_;
  part *t = own->part;
  arrive(share_);
  for (; t->now + 1 < own->until && t->failure.cycle == RIPSTOP_NONE; arrivals(t)) {
    decisions(t);
    if (t->failure.cycle != RIPSTOP_NONE) break;
    t->now++;
  }
  decide(share_);
}

/* Calls `act` for the parts of one thread, which are neighbours. */
static void each_own(together *all, unsigned thread, unsigned threads, uint32_t until, void (*act)(void *share)) {
  const uint32_t parts = all->run->shape->parts, end = parts * (thread + 1) / threads;
  for (uint32_t i = parts * thread / threads; i < end; i++)
    if (ripstop_try(act, &(share){&all->run->part[i], until}, NULL)) atomic_store(&all->out_of_memory, true);
}

static void answer(void *run_) {
  run *r = run_;
  call_hooks(r->part->hook.arrived, r);
}

/* Everything has arrived. False: after the answers, one thread must do the rest of this cycle. */
static bool stays_plain(together *all, unsigned thread, unsigned threads, uint32_t cycle) {
  ripstop_meet(&all->arrived, threads);
  if (!all->answers) return true;
  if (thread == 0) {
    if (ripstop_try(answer, all->run, NULL)) atomic_store(&all->out_of_memory, true);
    all->goal = run_failed(all->run) || atomic_load(&all->out_of_memory) ? cycle : plain_until(all->run, all->until);
  }
  ripstop_meet(&all->called, threads);
  return cycle < all->end;
}

/* A thread's share of the present plain cycles. True: they have ended in the middle of one. */
static bool go_on(together *all, unsigned thread, unsigned threads) {
  for (uint32_t cycle = all->begin, until; cycle < all->end; cycle = until) {
    until = all->window < all->end - cycle ? cycle + all->window : all->end;
    each_own(all, thread, threads, until, all->asks ? arrive : whole_window);
    if (all->asks) {
      if (!stays_plain(all, thread, threads, cycle)) return true;
      each_own(all, thread, threads, until, decide);
    }
    ripstop_meet(&all->decided, threads);
  }
  return false;
}

static bool call_all(together *all, unsigned threads) {
  run *r = all->run;
  all->begin = r->part->now;
  ripstop_meet(&all->called, threads);
  bool midst = go_on(all, 0, threads);
  for (uint32_t i = 0; i < r->shape->parts; i++) take_in(r, i, r->part->window - 1);
  return midst;
}

typedef struct leader {
  together *all;
  unsigned threads;
} leader;

static void lead(void *leader_) {
  const leader *own = leader_;
  together *all = own->all;
  run *r = all->run;
  while (r->part->now < all->until && !run_ended(r)) {
    plain_skip(r, all->until);
    if (run_ended(r)) return;
    all->goal = plain_until(r, all->until);
    bool midst = r->part->now < all->goal && call_all(all, own->threads);
    if (atomic_load(&all->out_of_memory) || (!midst && (r->part->now == all->until || run_ended(r)))) return;
    if (!midst) begin_cycle(r);
    end_cycle(r);
  }
}

static void follow(together *all, unsigned thread, unsigned threads) {
  double start = ripstop_thread_seconds();
  for (;;) {
    ripstop_meet(&all->called, threads);
    if (all->over) break;
    go_on(all, thread, threads);
  }
  all->seconds[thread] = ripstop_thread_seconds() - start;
}

static void work(void *context, unsigned thread, unsigned threads) {
  together *all = context;
  if (thread) {
    follow(all, thread, threads);
    return;
  }
  all->run->threads = threads;
  leader own = {.all = all, .threads = threads};
  if (ripstop_try(lead, &own, NULL)) atomic_store(&all->out_of_memory, true);
  all->over = true;
  ripstop_meet(&all->called, threads);
}

/* Sets the clock to where it would be with one part, however far the others have come in the window. */
static void set_back(run *r) {
  const uint32_t cycle = run_first_failure(r)->cycle;
  for (uint32_t i = 0; cycle != RIPSTOP_NONE && i < r->shape->parts; i++) r->part[i].now = cycle + 1;
}

void threads_run(run *r, uint32_t until) {
  const hooks *hook = &r->part->hook;
  together all = {.run = r, .until = until, .asks = hook->due[0]};
  all.window = hook->due[0] || hook->next[0] ? 1 : r->shape->window;
  ripstop_meeting_open(&all.called, all_called, &all);
  ripstop_meeting_open(&all.arrived, all_arrived, &all);
  ripstop_meeting_open(&all.decided, all_decided, &all);
  ripstop_team_together(threads_at_work(r->config, r->shape->parts), work, &all);
  ripstop_meeting_close(&all.called);
  ripstop_meeting_close(&all.arrived);
  ripstop_meeting_close(&all.decided);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->seconds += all.seconds[i];
  set_back(r);
  if (atomic_load(&all.out_of_memory)) ripstop_out_of_memory();
}
