/* congestion_marks.c - explicit congestion notification. A mark is a byte beside the packet's row; the part that has
 * the packet writes it. The random number of a mark depends on the packet and its hop alone, so the order of work has
 * no influence. */
#include "simulate/congestion_marks.h"

#include <string.h>

#include "simulate/core.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/slow.h"

struct marks {
  uint8_t *marked; /* [packets] */
};

/* True if a waiting head may leave by this port of its node. */
static bool wants_port(const shape *s, const queue *q, uint32_t local) {
  const uint32_t first = local * s->channels;
  if (q->state != WAITING) return false;
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint32_t vc = first; vc < first + s->channels; vc++)
      if (b->word == vc / 64 && b->vcs & bit(vc)) return true;
  return false;
}

static int32_t units_in(const part *t, const queue *q) {
  int32_t sum = 0;
  packet_walk walk = {0};
  for (const sim_slot *slot; (slot = next_packet(t, q, &walk));) sum += units_of(&t->shape, &t->packet[slot->packet]);
  return sum;
}

/* The packets of the lines whose heads may leave by this port. */
static int32_t units_in_lines(const part *t, const queue *q, uint32_t local) {
  const shape *s = &t->shape;
  int32_t sum = 0;
  for (const line *own = lines_of(t, q); own; own = own->next)
    for (uint32_t slot = wants_port(s, &own->head, local) ? own->head.head : 0; slot;
         slot = t->lines->next[q->slot + slot])
      sum += units_of(s, &t->packet[s->slot[q->slot + slot].packet]);
  return sum;
}

/* The units that wait in a node for one of its ports. A queue counts for the ports of its head's candidates. */
static int32_t length_of(const part *t, const sim_node *n, uint32_t local) {
  const shape *s = &t->shape;
  int32_t sum = 0;
  for (const queue *q = &s->queue[n->queue]; q < &s->queue[n->queue + n->queues]; q++)
    if (has_lines(t, q))
      sum += units_in_lines(t, q, local);
    else if (wants_port(s, q, local))
      sum += units_in(t, q);
  return sum + (int32_t)out_queues_length(t, n->port + local) + slow_waiting(t, n->port + local);
}

static bool is_marked_now(const part *t, const packet *p, int32_t length) {
  const ripstop_marks *m = &t->run->config->marks;
  uint32_t word[4];
  if (length <= m->kmin) return false;
  if (length > m->kmax) return true;
  const double share = m->pmax * (double)(length - m->kmin) / (double)(m->kmax - m->kmin);
  ripstop_random_block(t->shape.seed, RIPSTOP_RANDOM_MARK, serial_of(&t->shape, p), p->hops, word);
  return (double)word[0] < share * 4294967296.0;
}

void marks_note(part *t, uint32_t packet_index, int32_t length) {
  t->run->marks->marked[packet_index] |= is_marked_now(t, &t->packet[packet_index], length);
}

/* Called when a head is granted this output VC of its node. */
static void mark(part *t, const queue *q, uint32_t vc) {
  if (is_interface(&t->shape, q->node)) return;
  const sim_node *n = &t->shape.node[q->node];
  marks_note(t, (uint32_t)(head_of(t, q) - t->packet), length_of(t, n, port_of_vc(&t->shape, vc)));
}

void marks_clear(const run *r, uint32_t packet_index) {
  if (r->marks) r->marks->marked[packet_index] = 0;
}

void marks_grow(run *r, uint32_t before) {
  if (!r->marks) return;
  uint8_t *marked = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
  memcpy(marked, r->marks->marked, before);
  r->marks->marked = marked;
}

bool marks_has(const run *r, uint32_t packet_index) { return r->marks && r->marks->marked[packet_index]; }

int marks_open(run *r, ripstop_error *err) {
  const ripstop_marks *m = &r->config->marks;
  if (m->kmax == 0) return 0;
  if (m->kmin < 0 || m->kmax < m->kmin || !(m->pmax >= 0 && m->pmax <= 1))
    return ripstop_fail(err, "marks: from %lld to %lld units with probability %g", (long long)m->kmin,
                        (long long)m->kmax, m->pmax);
  r->marks = RIPSTOP_NEW(r->arena, struct marks);
  r->marks->marked = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
  r->part->hook.leaving = mark;
  return 0;
}
