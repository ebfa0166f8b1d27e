/* heads.c - a packet at the head of its queue: which ways the method permits it, and whether they keep the rules. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "simulate/choose.h"
#include "simulate/core.h"

#include "base/no_heap.h"

/* ------------------------------------------------------------------ what a method may answer */

void break_rule(part *t, const queue *q, const char *what, unsigned number) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_error *err = run_fail(t->run, q->node, q->number);
  if (!err) return;
  ripstop_node_name(t->shape.fabric, q->node, name);
  ripstop_fail(err, "method %s: at %s it answers with %s %u", t->run->plan->method->name, name, what, number);
}

static bool is_allowed(const part *t, const queue *q, uint32_t port) {
  return t->run->view->port_up[port] || (t->hook.dead_way && t->hook.dead_way(t, q, port));
}

/* The rules of method.h for one way, and whether the next queue can ever have the space that it asks for. */
static __attribute__((noinline, cold)) bool check_way(part *t, const queue *q, const ripstop_way *way) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  if (way->port >= n->ports) return break_rule(t, q, "a port that does not exist, port", way->port), false;
  if (!is_allowed(t, q, n->port + way->port)) return break_rule(t, q, "a dead port, port", way->port), false;
  if (way->channel >= s->channels)
    return break_rule(t, q, "a channel that does not exist, channel", way->channel), false;
  if (way->space < 1 || way->space > 2) return break_rule(t, q, "a demand for space of", way->space), false;
  if (way->space == 1) return true;
  if (!s->credits || s->room != s->space)
    return break_rule(t, q, "bubble flow control, which needs credits and no output queues: space", way->space), false;
  if (units_needed(s, q->flits, way->space) > s->capacity)
    return break_rule(t, q, "bubble flow control, for which switch.in_queue is too small:", (unsigned)s->capacity),
           false;
  return true;
}

/* The usual way, for which nothing more needs to be looked at. */
static inline bool is_plain(const shape *s, const ripstop_way *way, uint32_t ports, const uint8_t *up) {
  return way->port < ports && up[way->port] && way->channel < s->channels && way->space - 1u < s->plain_space;
}

/* The answer is that there are no ways: the packet is lost. */
static void accept_none(part *t, queue *q, int answer) {
  if (answer == 0)
    break_rule(t, q, "a number of ways out of range:", 0);
  else if (-answer <= (int)t->measure.losses)
    set_loss(q, (uint32_t)(RIPSTOP_LOST_METHOD - answer - 1));
  else
    break_rule(t, q, "a loss that it does not name, number", (unsigned)-answer);
}

/* ------------------------------------------------------------------ ways */

/* Leaves one way of lowest rank. */
static uint32_t bind_early(const shape *s, const packet *p, ripstop_way *way, uint32_t ways) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < ways; i++)
    if (way[i].rank < way[best].rank) best = i;
  uint8_t rank = way[best].rank;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < ways; i++) equal += way[i].rank == rank;
  uint32_t pick = equal > 1 ? break_tie(s, p, equal) : 0;
  for (uint32_t i = 0; i < ways; i++)
    if (way[i].rank == rank && pick-- == 0) {
      way[0] = way[i];
      break;
    }
  return 1;
}

static_assert(offsetof(ripstop_way, marks) == offsetof(ripstop_way, space) + 1 &&
                  offsetof(ripstop_way, weight) == offsetof(ripstop_way, space) + 2,
              "compared as one");

/* Two ways differ in their lanes at most. */
static inline bool is_like(const ripstop_way *a, const ripstop_way *b) {
  return a->header == b->header && a->rank == b->rank &&
         memcmp(&a->space, &b->space, sizeof *a - offsetof(ripstop_way, space)) == 0;
}

static inline bundle bundle_of(const ripstop_way *way, uint32_t lane) {
  return (bundle){.lanes = bit(lane),
                  .header = way->header,
                  .weight = way->weight,
                  .word = (uint16_t)(lane / 64),
                  .rank = way->rank,
                  .space = way->space,
                  .marks = way->marks};
}

/* Keeps the ways, in bundles. */
static inline void keep_ways(part *t, queue *q, const ripstop_way *way, uint32_t ways) {
  const uint32_t channels = t->shape.channels;
  bundle *last = &q->ways;
  uint32_t lane = way->port * channels + way->channel;
  *last = bundle_of(way, lane);
  for (uint32_t i = 1; i < ways; i++) {
    lane = way[i].port * channels + way[i].channel;
    if (bit(lane) > last->lanes && lane / 64 == last->word && is_like(&way[i], &way[i - 1])) {
      last->lanes |= bit(lane);
      continue;
    }
    last = last->next = take_bundle(t);
    *last = bundle_of(&way[i], lane);
  }
}

/* The head waits for these ways, unless one of them is not proper: then nobody decides any more. */
static inline void accept_ways(part *t, queue *q, const sim_node *n, ripstop_way *way, uint32_t ways) {
  const uint8_t *up = &t->run->view->port_up[n->port];
  const shape *s = &t->shape;
  const uint32_t ports = n->ports;
  for (uint32_t i = 0; i < ways; i++)
    if (!is_plain(s, &way[i], ports, up) && !check_way(t, q, &way[i])) return;
  if (s->choose_early && ways > 1) ways = bind_early(s, head_of(t, q), way, ways);
  keep_ways(t, q, way, ways);
}

void load_ways(part *t, queue *q) {
  const shape *s = &t->shape;
  const packet *p = head_of(t, q);
  ripstop_way *way = t->way;
  q->state = WAITING;
  q->flits = p->flits;
  if (p->truncated) return;
  ripstop_head head = {.node = q->node,
                       .in_port = is_interface(s, q->node) ? RIPSTOP_NONE : q->in_port,
                       .source = p->source,
                       .destination = p->destination,
                       .header = p->header,
                       .channel = q->channel,
                       .class_ = p->class_};
  int ways = t->hook.ways ? t->hook.ways(t, q, &head, way) : ripstop_route(t->run->plan, &head, way);
  if (ways <= 0) {
    if (ways < 0 || !t->hook.ways) accept_none(t, q, ways);
    return;
  }
  if (ways > (int)s->ways_max)
    break_rule(t, q, "a number of ways out of range:", (unsigned)ways);
  else
    accept_ways(t, q, &s->node[q->node], way, (uint32_t)ways);
}

void ask_anew(part *t, queue *q) {
  if (!is_waiting(q)) return;
  drop_ways(t, q);
  become_head(t, q);
}
