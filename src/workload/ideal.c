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

/* ------------------------------------------------------------------ path lengths
 * Breadth-first search over switches, from 64 of them at a time: a node has a bit for each that has reached it.
 * Messages of a switch's end nodes wait in a list until the bit is at the switch of their destination. */

enum { SOURCES = 64 };

typedef struct search {
  const ripstop_fabric *fabric;
  const job *job;
  uint32_t *first, *next;              /* sends by the node next to their source, [nodes] and [tasks] */
  uint64_t *reached, *front, *advance; /* [nodes]: bits of the sources */
  uint32_t *list, *later;              /* nodes with bits in `front`, and in `advance` */
  uint32_t listed, laters;
} search;

static uint32_t beside(const ripstop_fabric *f, uint32_t end) { return f->port_node[f->peer[f->port_base[end]]]; }

static void list_sends(search *s) {
  const ripstop_tasks *t = s->job->tasks;
  for (uint32_t i = t->count; i-- > 0;) {
    if (t->task[i].kind != TASK_SEND) continue;
    uint32_t *head = &s->first[beside(s->fabric, s->job->end[t->task[i].rank])];
    s->next[i] = *head;
    *head = i;
  }
}

static void open_search(search *s, const ripstop_fabric *f, const job *j, ripstop_arena *scratch) {
  *s = (search){.fabric = f, .job = j};
  s->first = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  s->next = RIPSTOP_ARRAY(scratch, (size_t)j->tasks->count + 1, uint32_t);
  s->reached = RIPSTOP_ARRAY(scratch, f->nodes, uint64_t);
  s->front = RIPSTOP_ARRAY(scratch, f->nodes, uint64_t);
  s->advance = RIPSTOP_ARRAY(scratch, f->nodes, uint64_t);
  s->list = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  s->later = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  for (uint32_t node = 0; node < f->nodes; node++) s->first[node] = RIPSTOP_NONE;
  list_sends(s);
}

/* Sends of a source whose destination is beside a reached node get their number of links, and leave the list. */
static void settle(search *s, uint32_t source, uint64_t bit, uint32_t distance) {
  enum { OWN = 2 }; /* links of end nodes */
  for (uint32_t *at = &s->first[source]; *at != RIPSTOP_NONE;) {
    task *one = &s->job->tasks->task[*at];
    if (s->reached[beside(s->fabric, s->job->end[one->peer])] & bit) {
      one->links = (uint16_t)(distance + OWN);
      *at = s->next[*at];
    } else {
      at = &s->next[*at];
    }
  }
}

static void reach(search *s, uint32_t node, uint64_t bits) {
  bits &= ~s->reached[node];
  if (!bits) return;
  if (!s->advance[node]) s->later[s->laters++] = node;
  s->advance[node] |= bits;
}

/* One link further. End nodes pass nothing on. */
static void advance(search *s) {
  const ripstop_fabric *f = s->fabric;
  uint32_t *list = s->list;
  s->laters = 0;
  for (uint32_t i = 0; i < s->listed; i++)
    for (uint32_t p = f->port_base[list[i]]; p < f->port_base[list[i] + 1]; p++)
      if (ripstop_port_sends(f, p) && !ripstop_is_end(f, f->port_node[f->peer[p]]))
        reach(s, f->port_node[f->peer[p]], s->front[list[i]]);
  for (uint32_t i = 0; i < s->listed; i++) s->front[list[i]] = 0;
  for (uint32_t i = 0; i < s->laters; i++) {
    const uint32_t node = s->later[i];
    s->reached[node] |= s->front[node] = s->advance[node];
    s->advance[node] = 0;
  }
  s->list = s->later, s->listed = s->laters;
  s->later = list;
}

static void search_from(search *s, const uint32_t *source, uint32_t count) {
  memset(s->reached, 0, s->fabric->nodes * sizeof *s->reached);
  s->listed = 0;
  for (uint32_t i = 0; i < count; i++) {
    s->reached[source[i]] |= s->front[source[i]] = UINT64_C(1) << i;
    s->list[s->listed++] = source[i];
  }
  for (uint32_t distance = 0; s->listed && distance < UINT16_MAX - 2; distance++) {
    for (uint32_t i = 0; i < count; i++) settle(s, source[i], UINT64_C(1) << i, distance);
    advance(s);
  }
  for (uint32_t i = 0; i < s->listed; i++) s->front[s->list[i]] = 0;
}

static int fail_apart(const search *s, uint32_t number, ripstop_error *err) {
  const task *one = &s->job->tasks->task[number];
  return ripstop_fail(err, "workload.jobs: no path leads from end node %u to %u", s->job->end[one->rank],
                      s->job->end[one->peer]);
}

static int find_links(const ripstop_fabric *fabric, const job *j, ripstop_arena *scratch, ripstop_error *err) {
  uint32_t source[SOURCES], count = 0;
  search s;
  open_search(&s, fabric, j, scratch);
  for (uint32_t node = 0; node < fabric->nodes; node++) {
    if (s.first[node] != RIPSTOP_NONE) source[count++] = node;
    if (count < SOURCES && node + 1 < fabric->nodes) continue;
    search_from(&s, source, count);
    for (uint32_t i = 0; i < count; i++)
      if (s.first[source[i]] != RIPSTOP_NONE) return fail_apart(&s, s.first[source[i]], err);
    count = 0;
  }
  return 0;
}

int ideal_links(const ripstop_fabric *fabric, job *all, size_t count, ripstop_error *err) {
  int status = 0;
  for (size_t i = 0; i < count && !status; i++) {
    RIPSTOP_LOCAL_ARENA(scratch);
    status = find_links(fabric, &all[i], scratch, err);
  }
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

int ideal_paths(const ripstop_workload_config *config, const stage_wires *wires, job *all, size_t count,
                ripstop_error *err) {
  for (size_t i = 0; i < count; i++)
    if (tasks_walk(all[i].tasks, latency, &(costs){config, wires, &all[i]}, &all[i].path, err))
      return jobs_fail(&all[i], i, err);
  return 0;
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
    uint64_t path = all[i].at + all[i].path;
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
