/* ideal.c - lower bounds.
 *
 * The bisection: end nodes are halved by their number, and switches join the side of most of their neighbours, in
 * rounds. All traffic between the sides has to pass the links between them. Any such division gives a bound; it is
 * the best one where the halves of a fabric have neighbouring numbers, as in trees and meshes. */
#include "workload/ideal.h"

#include <string.h>

#include "base/local.h"
#include "fabric/inner.h"

enum { ROUNDS = 64 }; /* rounds in which switches change sides: the bound holds after any number */

/* ------------------------------------------------------------------ path lengths */

/* Lists sends by rank: first[r] is the first of rank r, next[] the one after each. */
static uint32_t *list_sends(const ripstop_tasks *t, ripstop_arena *scratch, uint32_t **next) {
  uint32_t *first = RIPSTOP_ARRAY(scratch, t->ranks, uint32_t);
  *next = RIPSTOP_ARRAY(scratch, (size_t)t->count + 1, uint32_t);
  for (uint32_t r = 0; r < t->ranks; r++) first[r] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->task[i].kind == TASK_SEND) (*next)[i] = first[t->task[i].rank], first[t->task[i].rank] = i;
  return first;
}

static int find_links(const ripstop_fabric *fabric, const job *j, ripstop_arena *scratch, ripstop_error *err) {
  uint32_t *next, *distance = RIPSTOP_ARRAY(scratch, fabric->nodes, uint32_t);
  const ripstop_tasks *t = j->tasks;
  const uint32_t *first = list_sends(t, scratch, &next);
  for (uint32_t r = 0; r < t->ranks; r++) {
    if (first[r] == RIPSTOP_NONE) continue;
    ripstop_fabric_distances(fabric, j->end[r], distance);
    for (uint32_t i = first[r]; i != RIPSTOP_NONE; i = next[i]) {
      uint32_t links = distance[j->end[t->task[i].peer]];
      if (links > UINT16_MAX)
        return ripstop_fail(err, "workload.jobs: no path leads from end node %u to %u", j->end[r],
                            j->end[t->task[i].peer]);
      t->task[i].links = (uint16_t)links;
    }
  }
  return 0;
}

int ideal_links(const ripstop_fabric *fabric, job *all, size_t count, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  int status = 0;
  for (size_t i = 0; i < count && !status; i++) status = find_links(fabric, &all[i], scratch, err);
  return status;
}

/* ------------------------------------------------------------------ paths and ports */

typedef struct costs { /* costs of a job */
  const ripstop_workload_config *config;
  const stage_wires *wires;
  const job *job;
} costs;

static uint64_t alone(const costs *c, const task *send, uint64_t flits) {
  return stage_latency(c->wires, c->job->end[send->rank], c->job->end[send->peer], send->links, flits);
}

static uint64_t latency(const void *context, const task *send) {
  const costs *c = context;
  uint64_t packets;
  return alone(c, send, stage_flits(c->config, send->amount, &packets));
}

uint64_t ideal_path(const ripstop_workload_config *config, const stage_wires *wires, const job *j) {
  ripstop_error never;
  uint64_t last = 0;
  tasks_walk(j->tasks, latency, &(costs){config, wires, j}, &last, &never);
  return last;
}

typedef struct side { /* the sends or the receives of an end node */
  uint64_t flits;
  uint64_t nearest; /* the fewest cycles to or from the other end of its link, for the flit with the shortest path */
} side;

static void add_message(side *s, uint64_t flits, uint64_t beyond) {
  if (!s->flits || beyond < s->nearest) s->nearest = beyond;
  s->flits += flits;
}

/* All flits at the rate of the end node's own link, and the path of the last. */
static uint64_t longest(const costs *c, const side *list) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < c->job->tasks->ranks; i++) {
    const uint64_t pace = stage_pace(c->wires->fabric, c->job->end[i], list[i].flits);
    if (list[i].flits && pace - 1 + list[i].nearest > most) most = pace - 1 + list[i].nearest;
  }
  return most;
}

static uint64_t ports_of(const costs *c) {
  const ripstop_tasks *t = c->job->tasks;
  RIPSTOP_LOCAL_ARENA(scratch);
  side *sent = RIPSTOP_ARRAY(scratch, t->ranks, side), *received = RIPSTOP_ARRAY(scratch, t->ranks, side);
  for (uint32_t i = 0; i < t->count; i++) {
    const task *one = &t->task[i];
    if (one->kind != TASK_SEND) continue;
    uint64_t packets, flits = stage_flits(c->config, one->amount, &packets);
    const uint64_t beyond = alone(c, one, 0) + 1; /* cycles of one flit at full rate; its own link is counted already */
    add_message(&sent[one->rank], flits, beyond);
    add_message(&received[one->peer], flits, beyond);
  }
  uint64_t out = longest(c, sent), in = longest(c, received);
  return out > in ? out : in;
}

/* The work of the busiest processor. */
static uint64_t compute_of(const job *j) {
  const ripstop_tasks *t = j->tasks;
  uint32_t width = 1;
  uint64_t most = 0;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->task[i].processor >= width) width = t->task[i].processor + 1u;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint64_t *sum = RIPSTOP_ARRAY(scratch, (size_t)t->ranks * width, uint64_t);
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->task[i].kind != TASK_COMPUTE) continue;
    uint64_t *own = &sum[(size_t)t->task[i].rank * width + t->task[i].processor];
    *own += t->task[i].amount;
    if (*own > most) most = *own;
  }
  return most;
}

/* ------------------------------------------------------------------ bisection */

/* The side of most of a node's neighbours; its own if they are even. */
static bool majority(const ripstop_fabric *f, const int8_t *of, uint32_t node, int8_t *out) {
  int32_t sum = 0;
  for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
    if (f->peer[p] != RIPSTOP_NONE) sum += of[f->port_node[f->peer[p]]];
  *out = sum ? (int8_t)(sum > 0 ? 1 : -1) : of[node];
  return *out != of[node];
}

/* -1 and 1; switches without a majority stay at 0, and count for the second half. */
static int8_t *divide(const ripstop_fabric *f, ripstop_arena *scratch) {
  int8_t *of = RIPSTOP_ARRAY(scratch, f->nodes, int8_t);
  bool changed = true;
  for (uint32_t end = 0; end < f->ends; end++) of[end] = end < f->ends / 2 ? -1 : 1;
  for (int round = 0; round < ROUNDS && changed; round++) {
    changed = false;
    for (uint32_t node = f->ends; node < f->nodes; node++) changed |= majority(f, of, node, &of[node]);
  }
  for (uint32_t node = f->ends; node < f->nodes; node++) of[node] = of[node] ? of[node] : 1;
  return of;
}

static uint64_t bisection_of(const ripstop_fabric *f, const ripstop_workload_config *config, const job *all,
                             size_t count) {
  ripstop_arena *scratch = ripstop_arena_new();
  const int8_t *of = divide(f, scratch);
  uint64_t crossing[2] = {0}, rates = 0;
  for (uint32_t l = 0; l < f->links; l++)
    if (of[ripstop_link_node(f, l, 0)] != of[ripstop_link_node(f, l, 1)]) rates += ripstop_fabric_rate(f, l);
  for (size_t j = 0; j < count; j++)
    for (uint32_t i = 0; i < all[j].tasks->count; i++) {
      const task *one = &all[j].tasks->task[i];
      uint64_t packets;
      if (one->kind != TASK_SEND || of[all[j].end[one->rank]] == of[all[j].end[one->peer]]) continue;
      crossing[of[all[j].end[one->rank]] > 0] += stage_flits(config, one->amount, &packets);
    }
  ripstop_arena_free(scratch);
  uint64_t most = crossing[0] > crossing[1] ? crossing[0] : crossing[1];
  return rates ? (most * RIPSTOP_RATE_FULL + rates - 1) / rates : 0;
}

ideal ideal_of(const ripstop_workload_config *config, const stage_wires *wires, const job *all, size_t count) {
  ideal out = {.bisection = bisection_of(wires->fabric, config, all, count)};
  for (size_t i = 0; i < count; i++) {
    uint64_t path = all[i].at + ideal_path(config, wires, &all[i]);
    uint64_t ports = all[i].at + ports_of(&(costs){config, wires, &all[i]});
    const uint64_t compute = all[i].at + compute_of(&all[i]);
    if (path > out.path) out.path = path;
    if (compute > out.compute) out.compute = compute;
    if (ports > out.ports) out.ports = ports;
  }
  return out;
}

double ideal_largest(const ideal *i) {
  const uint64_t bound[] = {i->path, i->compute, i->ports, i->bisection};
  uint64_t most = 0;
  for (size_t k = 0; k < sizeof bound / sizeof *bound; k++)
    if (bound[k] > most) most = bound[k];
  return (double)most;
}
