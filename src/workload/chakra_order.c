/* chakra_order.c - runs a rank's trace alone, with a queue of events: nodes that may begin, and processors that become
 * free. */
#include "workload/chakra_order.h"

#include "base/binary_heap.h"
#include "base/growing.h"
#include "base/local.h"

enum { PROCESSORS = 2 };

typedef struct moment {
  uint64_t time;
  uint32_t node; /* by id; RIPSTOP_NONE - p: processor p is free, which comes last in its moment */
} moment;

static bool before(const moment *a, const moment *b) {
  return a->time != b->time ? a->time < b->time : a->node < b->node;
}

static bool lower(const uint32_t *a, const uint32_t *b) { return *a < *b; }

RIPSTOP_HEAP(moments, moment, before)
RIPSTOP_HEAP(numbers, uint32_t, lower)

typedef struct processor {
  uint32_t *node; /* a heap: those that wait for it */
  size_t count, room;
  bool is_taken;
} processor;

typedef struct player {
  const chakra_trace *trace;
  bool control;
  uint32_t *waits;        /* [nodes] */
  uint64_t *ready;        /* [nodes]: when the last of those before it is done */
  uint32_t *base, *after; /* [nodes + 1]: the nodes that come after node i are after[base[i]] ... */
  moment *event;
  size_t events, room;
  processor processor[PROCESSORS];
  uint32_t *out, count;
  ripstop_arena *arena;
} player;

static void post(player *p, uint64_t time, uint32_t node) {
  RIPSTOP_GROW_IN(p->arena, p->event, p->events, p->room);
  moments_up(p->event, p->events++, (moment){time, node});
}

/* Calls for each pair of nodes of which one waits for the other. */
static void for_each_pair(const player *p, void (*then)(const player *p, uint32_t earlier, uint32_t later)) {
  for (uint32_t i = 0; i < p->trace->nodes; i++) {
    const chakra_list lists[] = {p->trace->node[i].data, p->trace->node[i].control};
    for (unsigned k = 0; k < 1u + p->control; k++)
      for (uint32_t d = 0; d < lists[k].count; d++) then(p, (uint32_t)p->trace->number[lists[k].first + d], i);
  }
}

static void count_pair(const player *p, uint32_t earlier, uint32_t later) {
  p->base[earlier + 1]++;
  p->waits[later]++;
}

static void add_pair(const player *p, uint32_t earlier, uint32_t later) { p->after[p->base[earlier]++] = later; }

static void list_pairs(player *p) {
  const uint32_t nodes = p->trace->nodes;
  p->base = RIPSTOP_ARRAY(p->arena, (size_t)nodes + 2, uint32_t);
  p->waits = RIPSTOP_ARRAY(p->arena, (size_t)nodes + 1, uint32_t);
  p->ready = RIPSTOP_ARRAY(p->arena, (size_t)nodes + 1, uint64_t);
  for_each_pair(p, count_pair);
  for (uint32_t i = 0; i < nodes; i++) p->base[i + 1] += p->base[i];
  p->after = RIPSTOP_ARRAY(p->arena, (size_t)p->base[nodes] + 1, uint32_t);
  for_each_pair(p, add_pair);
  for (uint32_t i = nodes; i > 0; i--) p->base[i] = p->base[i - 1]; /* filling moved each to the next one's place */
  p->base[0] = 0;
}

static void end_node(player *p, uint32_t node, uint64_t time) {
  for (uint32_t i = p->base[node]; i < p->base[node + 1]; i++) {
    const uint32_t next = p->after[i];
    if (time > p->ready[next]) p->ready[next] = time;
    if (--p->waits[next] == 0) post(p, p->ready[next], next);
  }
}

/* The processor is free: the first node that waits for it may begin. */
static void post_waiting(player *p, processor *on, uint64_t time) {
  if (on->count > 0) post(p, time, numbers_take(on->node, &on->count));
}

static void begin_node(player *p, uint32_t node, uint64_t time) {
  const chakra_node *n = &p->trace->node[node];
  processor *on = &p->processor[n->is_host];
  if (n->type == CHAKRA_COMPUTE && on->is_taken) {
    RIPSTOP_GROW_IN(p->arena, on->node, on->count, on->room);
    numbers_up(on->node, on->count++, node);
    return;
  }
  p->out[p->count++] = node;
  if (n->type == CHAKRA_COMPUTE && n->micros > 0) {
    on->is_taken = true;
    post(p, time + n->micros, RIPSTOP_NONE - n->is_host);
    end_node(p, node, time + n->micros);
  } else {
    end_node(p, node, time);
    if (n->type == CHAKRA_COMPUTE) post_waiting(p, on, time); /* it takes no time, so the processor stays free */
  }
}

static void free_processor(player *p, uint32_t number, uint64_t time) {
  processor *on = &p->processor[number];
  on->is_taken = false;
  post_waiting(p, on, time);
}

uint32_t *chakra_order(ripstop_arena *arena, const chakra_trace *trace, bool control, uint32_t *stuck) {
  RIPSTOP_LOCAL_ARENA(scratch);
  player p = {.trace = trace, .control = control, .arena = scratch};
  p.out = RIPSTOP_ARRAY(arena, (size_t)trace->nodes + 1, uint32_t);
  list_pairs(&p);
  for (uint32_t i = 0; i < trace->nodes; i++)
    if (p.waits[i] == 0) post(&p, 0, i);
  while (p.events > 0) {
    const moment now = moments_take(p.event, &p.events);
    if (now.node > RIPSTOP_NONE - PROCESSORS)
      free_processor(&p, RIPSTOP_NONE - now.node, now.time);
    else
      begin_node(&p, now.node, now.time);
  }
  for (*stuck = 0; *stuck < trace->nodes && p.waits[*stuck] == 0;) ++*stuck;
  return p.count == trace->nodes ? p.out : NULL;
}
