/* port_load.c - the units that are on their candidate through an output port of a node, on all of its channels:
 *
 *   - those behind the link that the sender has not got back (credits; none for an end node or with XON/XOFF)
 *   - those in the port's output queues, and those bound to the port, that the link has not taken; not those in queues
 *     without a bound, which the sender has not got back either
 *   - those of waiting heads all of whose candidates lead through the port; with several lines, of all packets behind
 *     such a head
 *
 * A packet that may still go elsewhere counts nowhere. */
#include "simulate/port_load.h"

#include <string.h>

#include "simulate/bound_packets.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/pools.h"

#include "base/no_heap.h"

static int64_t taken_beyond(const shape *s, uint32_t port) {
  int64_t sum = 0;
  if (!s->credits || s->output[port].to_end) return 0;
  for (uint32_t vc = port * s->channels; vc < (port + 1) * s->channels; vc++)
    sum += s->pools ? s->pools->taken[vc] : s->capacity - s->space[vc];
  return sum;
}

/* The port of all candidates of a head; RIPSTOP_NONE: there are several. */
static uint32_t only_port(const shape *s, const queue *q) {
  const uint32_t port = port_of_vc(s, first_vc(&q->candidates, q->candidates.vcs));
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint64_t set = b->vcs; set; set &= set - 1)
      if (port_of_vc(s, first_vc(b, set)) != port) return RIPSTOP_NONE;
  return port;
}

static void add_lines(const part *t, const queue *q, int64_t *load) {
  const shape *s = &t->shape;
  for (const line *own = lines_of(t, q); own; own = own->next) {
    if (own->head.state != WAITING || !any_candidate(&own->head)) continue;
    const uint32_t port = only_port(s, &own->head);
    for (uint32_t slot = port == RIPSTOP_NONE ? 0 : own->head.head; slot;
         slot = is_fifo(t) ? 0 : t->lines->next[q->slot + slot])
      load[port] += units_of(s, &t->packet[s->slot[q->slot + slot].packet]);
  }
}

/* Adds the heads that wait for one port each. */
static void add_heads(const part *t, const sim_node *n, int64_t *load) {
  const shape *s = &t->shape;
  for (const queue *q = &s->queue[n->queue]; q < &s->queue[n->queue + n->queues]; q++) {
    if (has_lines(t, q)) add_lines(t, q, load);
    if (q->state != WAITING || !any_candidate(q)) continue;
    const uint32_t port = only_port(s, q);
    if (port != RIPSTOP_NONE) load[port] += units(s, q->flits);
  }
}

/* Units in output queues that count nowhere else. */
static int64_t queued(const part *t, uint32_t port) {
  const bool beyond = t->out_queues && t->out_queues->unlimited && !t->shape.output[port].to_end;
  return beyond ? 0 : out_queues_waiting(t, port);
}

/* The load of a port without waiting heads. */
static int64_t beside_heads(const part *t, uint32_t port) {
  return taken_beyond(&t->shape, port) + queued(t, port) + (t->bound ? t->bound->port[port].units : 0);
}

void port_loads(const part *t, const sim_node *n, const open_list *list, int64_t *load) {
  memset(t->port_load, 0, n->ports * sizeof *t->port_load);
  add_heads(t, n, t->port_load);
  for (uint32_t i = 0; i < list->count; i++) {
    const uint32_t local = list->candidate[i].port;
    load[i] = t->port_load[local] + beside_heads(t, n->port + local);
  }
}

void port_loads_of_node(const part *t, const sim_node *n, int64_t *load) {
  for (uint32_t local = 0; local < n->ports; local++) load[local] = beside_heads(t, n->port + local);
  add_heads(t, n, load);
}
