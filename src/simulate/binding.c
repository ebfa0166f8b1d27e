/* binding.c - calls of the selection function, and heads that keep one candidate.
 *
 * A selection function that binds is called once for each packet and node: in the decisions step of the cycle in which
 * the packet becomes the head of its queue, before any node decides, in the order of the node's queues. Arrivals come
 * in no order, so binding at the arrival would let the order of work decide. The head keeps the chosen candidate and
 * those of higher ranks, which are the escapes of methods that have some; a method whose escape has the rank of other
 * candidates loses it.
 *
 * With lines (packet_lines.h) a packet is bound when it enters its queue, so that it can stand in the line of its
 * candidate. For the same reason it then enters in the decisions step of the cycle of its arrival, before any node
 * decides. Packets that a change sends to lines again are bound again. In a mixed line the next head keeps the channel
 * of the one before it if it can, else the tie rule binds it. A queue with one line is a FIFO, whose next head is bound
 * when the one before it is granted, in its node's decisions: no order of work has an influence.
 *
 * Invariant: the head of a queue in a part's list `unbound` got its candidates since the part's last decisions, or with
 * lines a packet has come to the queue. */
#include "simulate/binding.h"

#include "base/sort.h"
#include "simulate/agents.h"
#include "simulate/choose.h"
#include "simulate/core.h"
#include "simulate/packet_lines.h"
#include "simulate/port_load.h"

/* The candidate that a packet has been bound to: it keeps this one if its candidates change and have it still. */
typedef struct bond {
  uint64_t serial;
  uint32_t candidate; /* candidate_of_vc */
  uint16_t hop;       /* 1 + packet.hops; 0: none yet */
} bond;

struct binding {
  bool pops;                 /* a packet leaves a line, in the arrivals step */
  uint32_t old_candidate;    /* then: that of the line's last head; RIPSTOP_NONE: it had none */
  ripstop_sort_key *unbound; /* [the part's queues]: by index, which ascends with node and number; of: a packet that
                              * enters */
  size_t count;
  uint8_t *noted; /* [queues]: it is in `unbound`; this and `bond` are shared by all parts */
  bond *bond;     /* [queues]: of the last head that was bound */
};

uint32_t choose_of_list(const part *t, const queue *q, const packet *p, const open_list *list) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  int64_t load[UINT8_MAX];
  if (!s->choose) return break_tie(s, p, list->count);
  if (s->needs_load) port_loads(t, n, list, load);
  return s->choose(s->selection_config,
                   &(ripstop_choosing){.candidate = list->candidate,
                                       .open = list->number,
                                       .space = list->space,
                                       .load = s->needs_load ? load : NULL,
                                       .count = list->count,
                                       .capacity = is_interface(s, q->node) ? s->capacity : s->room_capacity,
                                       .ports = n->ports,
                                       .last_port = q->last_port == NO_PORT ? RIPSTOP_NONE : q->last_port,
                                       .seed = s->seed,
                                       .serial = serial_of(s, p),
                                       .hop = p->hops,
                                       .node = q->node,
                                       .in_port = q->in_port,
                                       .cycle = t->now,
                                       .source = p->source,
                                       .destination = p->destination,
                                       .message = s->needs_message ? agents_message(t, p) : 0,
                                       .state = s->selection_state ? s->selection_state[q->node] : NULL});
}

/* ------------------------------------------------------------------ heads */

/* Notes a queue whose head is to be bound, or that a packet is to enter. */
static void note(part *t, const queue *q, uint32_t packet_index) {
  struct binding *own = t->binding;
  const uint32_t index = index_of(&t->shape, q);
  if (own->noted[index]) return;
  own->noted[index] = 1;
  own->unbound[own->count++] = (ripstop_sort_key){index, packet_index};
}

static uint8_t lowest_rank(const queue *q) {
  uint8_t lowest = UINT8_MAX;
  for (const bundle *b = &q->candidates; b; b = b->next)
    if (b->rank < lowest) lowest = b->rank;
  return lowest;
}

/* The same as list_all where each candidate stands for several output VCs. */
static uint32_t list_all_with_vcs(const part *t, const queue *q, uint8_t rank, open_list *list) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  uint32_t others = 0;
  open_list one;
  list->count = 0;
  for (vc_walk walk = {.next = &q->candidates}; next_candidate(t, q, n, false, &walk);) {
    const int32_t room = most_room(&walk, n->room);
    if (walk.bundle->rank == rank) {
      (void)list_candidate_with_vcs(s, list, walk.bundle, walk.first, room);
      continue;
    }
    one.count = 0;
    (void)list_candidate_with_vcs(s, &one, walk.bundle, walk.first, room);
    t->candidate[1 + others++] = one.candidate[0];
  }
  return others;
}

/* Lists the candidates of this rank, or of the others behind it in t->candidate. Returns how many others there are. */
static uint32_t list_all(const part *t, const queue *q, uint8_t rank, open_list *list) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  uint32_t others = 0;
  open_list one;
  if (s->vcs > 1) return list_all_with_vcs(t, q, rank, list);
  list->count = 0;
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint64_t set = b->vcs; set; set &= set - 1) {
      const uint32_t vc = first_vc(b, set);
      if (b->rank == rank) {
        list_candidate(s, list, b, vc, n->room[vc]);
        continue;
      }
      one.count = 0;
      list_candidate(s, &one, b, vc, n->room[vc]);
      t->candidate[1 + others++] = one.candidate[0];
    }
  return others;
}

static uint32_t listed(const part *t, const open_list *list, uint32_t i) {
  return candidate_of_vc(&t->shape, list->head_request[i].vc);
}

/* The position of the candidate that the packet has been bound to before, else of the one that it is bound to now. */
static uint32_t bind_packet(const part *t, const queue *q, const open_list *list) {
  const packet *p = head_of(t, q);
  bond *old = &t->binding->bond[index_of(&t->shape, q)];
  const uint64_t serial = serial_of(&t->shape, p);
  for (uint32_t i = 0; i < list->count; i++)
    if (old->hop == p->hops + 1 && old->serial == serial && old->candidate == listed(t, list, i)) return i;
  const uint32_t position = choose_of_list(t, q, p, list);
  *old = (bond){.serial = serial, .candidate = listed(t, list, position), .hop = (uint16_t)(p->hops + 1)};
  return position;
}

/* ------------------------------------------------------------------ lines */

/* The position of the candidate of the head of a line, or of a packet that is to join one. */
static uint32_t bind_in_line(const part *t, const queue *q, const open_list *list) {
  const struct binding *own = t->binding;
  const packet *p = head_of(t, q);
  if (!own->pops || is_fifo(t)) return choose_of_list(t, q, p, list);
  for (uint32_t i = 0; i < list->count; i++)
    if (listed(t, list, i) == own->old_candidate) return i;
  return break_tie(&t->shape, p, list->count);
}

/* A queue with one line is a FIFO: a packet that waits behind others is bound when it becomes the head. */
static bool binds_later(const part *t, const queue *head) {
  const shape *s = &t->shape;
  return is_fifo(t) && !t->binding->pops && lines_of(t, &s->queue[s->node[head->node].queue + head->number]);
}

static void bind_line(part *t, queue *q) {
  open_list list;
  if (binds_later(t, q)) return;
  const uint32_t others = list_all(t, q, lowest_rank(q), &list);
  if (list.count < 2) return;
  t->candidate[0] = list.candidate[bind_in_line(t, q, &list)];
  replace_candidates(t, q, t->candidate, 1 + others);
}

void binding_note(part *t, queue *q) {
  if (has_lines(t, q))
    bind_line(t, q);
  else
    note(t, q, RIPSTOP_NONE);
}

bool binding_delays(part *t, queue *q, uint32_t packet_index) {
  if (!t->binding) return false;
  note(t, q, packet_index);
  return true;
}

void binding_pops(part *t, const queue *head, bool pops) {
  struct binding *own = t->binding;
  if (!own) return;
  own->pops = pops;
  own->old_candidate = RIPSTOP_NONE;
  if (any_candidate(head))
    own->old_candidate = candidate_of_vc(&t->shape, first_vc(&head->candidates, head->candidates.vcs));
}

/* ------------------------------------------------------------------ queues */

static void bind_head(part *t, queue *q) {
  open_list list;
  if (q->state != WAITING || !any_candidate(q)) return;
  const uint32_t others = list_all(t, q, lowest_rank(q), &list);
  if (list.count < 2) return;
  t->candidate[0] = list.candidate[bind_packet(t, q, &list)];
  keep_candidates(t, q, t->candidate, 1 + others);
}

static void bind_heads(part *t) {
  struct binding *own = t->binding;
  ripstop_sort_keys(own->unbound, own->count);
  for (size_t i = 0; i < own->count; i++) {
    queue *q = &t->shape.queue[own->unbound[i].key];
    own->noted[own->unbound[i].key] = 0;
    if (own->unbound[i].of == RIPSTOP_NONE)
      bind_head(t, q);
    else
      lines_add(t, q, (uint32_t)own->unbound[i].of, head_came(&t->shape, &t->packet[own->unbound[i].of], t->now));
  }
  own->count = 0;
}

/* ------------------------------------------------------------------ opening */

static void open_states(run *r, shape *s) {
  const ripstop_selection *selection = s->selection;
  if (!selection->state_size) return;
  s->selection_state = RIPSTOP_ARRAY(r->arena, s->fabric->nodes, void *);
  for (uint32_t v = s->ends; v < s->fabric->nodes; v++)
    s->selection_state[v] =
        ripstop_arena_array(r->arena, selection->state_size(s->selection_config, s->node[v].ports), 1);
}

void binding_open(run *r, uint32_t ports) {
  open_states(r, &r->part->shape);
  const bool binds = r->shape->binds && !r->plan->choose_early;
  uint8_t *noted = binds ? RIPSTOP_ARRAY(r->arena, r->shape->queues, uint8_t) : NULL;
  bond *bonds = binds ? RIPSTOP_ARRAY(r->arena, r->shape->queues, bond) : NULL;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    part *t = &r->part[i];
    t->shape.selection_state = r->shape->selection_state;
    if (r->shape->needs_load) t->port_load = RIPSTOP_ARRAY(r->arena, ports, int64_t);
    if (!binds) continue;
    t->binding = RIPSTOP_NEW(r->arena, struct binding);
    *t->binding = (struct binding){
        .unbound = RIPSTOP_ARRAY(r->arena, t->queues, ripstop_sort_key), .noted = noted, .bond = bonds};
    t->hook.before_decisions = bind_heads;
    t->shape.candidates_kept = 0;
  }
}
