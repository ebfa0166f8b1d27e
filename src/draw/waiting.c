/* waiting.c - a deadlock drawn: the fabric with what is down, and the queues of which each waits for the next. A proof
 * has the queues that can only wait for each other; a cycle is looked for among them. */
#include "draw/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/kit/picture.h"
#include "ripstop/plugin/method.h"

static const char *name_of(ripstop_arena *arena, const ripstop_fabric *f, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  return ripstop_arena_text(arena, name);
}

picture_wait draw_queue(ripstop_arena *arena, const ripstop_fabric *f, uint32_t port, unsigned channel,
                        const char *packet) {
  picture_wait w = {.from = f->port_node[port], .to = f->port_node[f->peer[port]]};
  w.text = ripstop_arena_printf(arena, "%s > %s, channel %u: packet %s", name_of(arena, f, w.from),
                                name_of(arena, f, w.to), channel, packet);
  return w;
}

void draw_deadlock(ripstop_arena *arena, const ripstop_view *view, const picture_wait *wait, uint32_t waits,
                   uint32_t cycle, ripstop_text *out) {
  ripstop_recognised recognised;
  picture o = {.fabric = view->fabric, .view = view, .recognised = &recognised};
  const char **text = RIPSTOP_ARRAY(arena, view->fabric->nodes, const char *);
  for (uint32_t i = 0; i < view->fabric->nodes; i++) text[i] = "";
  o.text = text, o.wait = wait, o.waits = waits, o.cycle = cycle;
  ripstop_recognise(view->fabric, arena, &recognised);
  recognised.odd.count = 0; /* failed parts are drawn anyway */
  ripstop_error no_layout;  /* then they stand in a ring */
  (void)picture_draw(&o, out, &no_layout);
}

static int by_port(const void *a, const void *b) {
  const ripstop_deadlocked_packet *x = a, *y = b;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  return (x->channel > y->channel) - (x->channel < y->channel);
}

/* A queue of the set that the packet in this one waits for; `queues`: none. `queue` by port and channel. */
static uint32_t next_of(ripstop_arena *arena, const ripstop_plan *plan, const ripstop_deadlocked_packet *queue,
                        uint32_t queues, uint32_t at) {
  const ripstop_fabric *f = plan->fabric;
  const ripstop_deadlocked_packet *q = &queue[at];
  const uint32_t node = f->port_node[f->peer[q->port]];
  ripstop_head head = {.node = node,
                       .in_port = f->peer[q->port] - f->port_base[node],
                       .source = q->source,
                       .destination = q->destination,
                       .header = q->header,
                       .channel = q->channel,
                       .class_ = q->class_};
  ripstop_candidate *candidates = RIPSTOP_ARRAY(arena, plan->candidates_max, ripstop_candidate);
  int count = ripstop_route(plan, &head, candidates);
  for (int i = 0; i < count; i++) {
    const ripstop_deadlocked_packet key = {.port = f->port_base[node] + candidates[i].port,
                                           .channel = candidates[i].channel};
    const ripstop_deadlocked_packet *found = bsearch(&key, queue, queues, sizeof key, by_port);
    if (found) return (uint32_t)(found - queue);
  }
  return queues;
}

/* Queues of which each waits for the next and the last for the first, to `cycle` ([queues]); how many. */
static uint32_t find_cycle(ripstop_arena *arena, const ripstop_plan *plan, const ripstop_deadlocked_packet *queue,
                           uint32_t queues, uint32_t *cycle) {
  uint32_t *seen = RIPSTOP_ARRAY(arena, queues, uint32_t); /* 0: not yet; else 1 + its index on the walk from `start` */
  for (uint32_t start = 0, base = 0; start < queues; start++) {
    uint32_t at = start, length = 0;
    for (; at < queues && !seen[at]; at = next_of(arena, plan, queue, queues, at)) {
      seen[at] = base + length + 1;
      cycle[length++] = at;
    }
    if (at < queues && seen[at] > base) {
      uint32_t first = seen[at] - base - 1;
      memmove(cycle, cycle + first, (length - first) * sizeof *cycle);
      return length - first;
    }
    base += length;
  }
  return 0;
}

static const char *packet_of(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_deadlocked_packet *q) {
  return ripstop_arena_printf(arena, "%s > %s", name_of(arena, f, q->source), name_of(arena, f, q->destination));
}

void ripstop_deadlock_svg(const ripstop_plan *plan, const ripstop_deadlocked_packet *queue, uint32_t queues,
                          ripstop_text *out) {
  const ripstop_fabric *f = plan->fabric;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_deadlocked_packet *sorted = RIPSTOP_ARRAY(arena, queues, ripstop_deadlocked_packet);
  uint32_t *cycle = RIPSTOP_ARRAY(arena, queues, uint32_t), waits = 0;
  picture_wait *wait = RIPSTOP_ARRAY(arena, 2 * (size_t)queues, picture_wait);
  if (queues) memcpy(sorted, queue, queues * sizeof *queue);
  qsort(sorted, queues, sizeof *sorted, by_port);
  uint32_t length = find_cycle(arena, plan, sorted, queues, cycle);
  for (uint32_t i = 0; i < length + queues; i++) {
    const ripstop_deadlocked_packet *q = &sorted[i < length ? cycle[i] : i - length];
    wait[waits++] = draw_queue(arena, f, q->port, q->channel, packet_of(arena, f, q));
  }
  draw_deadlock(arena, plan->view, wait, waits, length, out);
}
