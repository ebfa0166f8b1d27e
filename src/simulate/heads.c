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

/* The rules of method.h for one way. */
static __attribute__((noinline, cold)) bool check_way(part *t, const queue *q, const ripstop_way *way) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  if (way->port >= n->ports) return break_rule(t, q, "a port that does not exist, port", way->port), false;
  if (!is_allowed(t, q, n->port + way->port)) return break_rule(t, q, "a dead port, port", way->port), false;
  if (way->channel >= s->channels)
    return break_rule(t, q, "a channel that does not exist, channel", way->channel), false;
  if (way->space < 1 || way->space > 2) return break_rule(t, q, "a demand for space of", way->space), false;
  if (way->space == 2 && !t->run->plan->bubble)
    return break_rule(t, q, "bubble flow control, which its plan does not tell of: space", way->space), false;
  return true;
}

/* Those through several ports, one by one. */
static bool check_ways(part *t, const queue *q, const ripstop_way *way) {
  ripstop_way one = *way;
  for (uint32_t i = 0; i <= way->more; i++, one.port++)
    if (!check_way(t, q, &one)) return false;
  return true;
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

static_assert(offsetof(ripstop_way, rank) + sizeof(uint32_t) == sizeof(ripstop_way) &&
                  offsetof(bundle, rank) + sizeof(uint32_t) == offsetof(bundle, weight) + sizeof(uint16_t),
              "compared and copied as one");

/* Adds lanes of a word, of which `lowest` is the first, to the last bundle, or if it is not alike to one behind it. */
static inline bundle *add_lanes(part *t, bundle *last, const ripstop_way *way, uint64_t lanes, uint64_t lowest,
                                uint32_t word) {
  if (lowest > last->lanes && word == last->word && way->header == last->header &&
      memcmp(&way->rank, &last->rank, sizeof(uint32_t)) == 0) {
    last->lanes |= lanes;
    return last;
  }
  if (last->lanes) last = last->next = take_bundle(t);
  last->lanes = lanes;
  last->header = way->header;
  last->next = NULL;
  last->word = word;
  memcpy(&last->rank, &way->rank, sizeof(uint32_t));
  return last;
}

/* A way that may be through several ports, or not proper; then NULL. */
static bundle *add_way(part *t, const queue *q, const sim_node *n, bundle *last, const ripstop_way *way) {
  const shape *s = &t->shape;
  uint32_t lane = way->port * s->channels + way->channel;
  bool plain = way->port + way->more < n->ports && way->channel < s->channels && way->space - 1u < s->plain_space &&
               !memchr(&t->run->view->port_up[n->port + way->port], 0, way->more + 1u);
  if (!plain && !check_ways(t, q, way)) return NULL;
  for (uint32_t left = way->more + 1u, fit; left; left -= fit, lane += fit * s->channels) {
    fit = 1 + port_of_lane(s, 63 - lane % 64);
    if (fit > left) fit = left;
    uint64_t lanes = fit * s->channels < 64 ? s->first_lanes & (bit(fit * s->channels) - 1) : s->first_lanes;
    last = add_lanes(t, last, way, lanes << lane % 64, bit(lane), lane / 64);
  }
  return last;
}

/* Those from `way` on, behind `all` others; unless one of them is not proper: then nobody decides any more. */
static __attribute__((noinline)) void accept_others(part *t, queue *q, bundle *last, const ripstop_way *way,
                                                    const ripstop_way *end, uint32_t all) {
  const sim_node *n = &t->shape.node[q->node];
  for (; way < end && last; way++) {
    last = add_way(t, q, n, last, way);
    all += 1u + way->more;
  }
  if (last && all > t->shape.ways_max) break_rule(t, q, "a number of ways out of range:", all);
  if (!last || all > t->shape.ways_max) drop_ways(t, q);
}

/* A way through one port that is proper, as most are. `up`: of the node's ports. */
static inline bool is_plain(const shape *s, const sim_node *n, const uint8_t *up, const ripstop_way *way) {
  return !way->more && way->port < n->ports && up[way->port] && way->channel < s->channels &&
         way->space - 1u < s->plain_space;
}

/* The head, which has no ways, waits for these. */
static inline void accept_ways(part *t, queue *q, const ripstop_way *way, uint32_t ways) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  const uint32_t channels = s->channels;
  const uint8_t *up = &t->run->view->port_up[n->port];
  const ripstop_way *end = way + ways;
  bundle *last = &q->ways;
  for (const ripstop_way *w = way; w < end; w++) {
    uint32_t lane = w->port * channels + w->channel;
    if (SELDOM(!is_plain(s, n, up, w))) {
      accept_others(t, q, last, w, end, (uint32_t)(w - way));
      return;
    }
    last = add_lanes(t, last, w, bit(lane), bit(lane), lane / 64);
  }
}

/* Of those that are proper only one. */
static void accept_early(part *t, queue *q, ripstop_way *way, uint32_t ways) {
  accept_ways(t, q, way, ways);
  if (!any_way(q)) return;
  ways = (uint32_t)ripstop_ways_expand(way, (int)ways, t->shape.ways_max);
  if (ways < 2) return;
  drop_ways(t, q);
  accept_ways(t, q, way, bind_early(&t->shape, head_of(t, q), way, ways));
}

/* What is not so many ways as there may be, or ways of which one alone is kept. */
static __attribute__((noinline)) void accept_answer(part *t, queue *q, ripstop_way *way, int ways) {
  if (ways <= 0) {
    if (ways < 0 || !t->hook.ways) accept_none(t, q, ways);
  } else if (ways > (int)t->shape.ways_max) {
    break_rule(t, q, "a number of ways out of range:", (unsigned)ways);
  } else {
    accept_early(t, q, way, (uint32_t)ways);
  }
}

static inline void load(part *t, queue *q) {
  const shape *s = &t->shape;
  const packet *p = head_of(t, q);
  ripstop_way *way = t->way;
  q->state = WAITING;
  q->flits = p->flits;
  if (SELDOM(p->truncated)) {
    if (t->hook.remnant) t->hook.remnant(t, q);
    return;
  }
  ripstop_head head = {.node = q->node,
                       .in_port = is_interface(s, q->node) ? RIPSTOP_NONE : q->in_port,
                       .source = p->source,
                       .destination = p->destination,
                       .header = p->header,
                       .channel = q->channel,
                       .class_ = p->class_};
  const ripstop_plan *plan = t->run->plan;
  int ways = SELDOM(t->hook.ways) ? t->hook.ways(t, q, &head, way) : plan->method->route(plan, &head, way);
  if (USUALLY((uint32_t)ways - 1 < s->ways_kept))
    accept_ways(t, q, way, (uint32_t)ways);
  else
    accept_answer(t, q, way, ways);
}

void load_ways(part *t, queue *q) { load(t, q); }

/* One of the head's ways is open, unless it needs more than a packet's room. */
static bool may_go(const sim_node *n, const queue *q) {
  const uint64_t *shut = shut_lanes(n);
  for (const bundle *b = &q->ways; b; b = b->next)
    if (b->lanes & ~shut[b->word]) return true;
  return false;
}

static __attribute__((noinline)) void go_or_wait_among_many(part *t, queue *q, const sim_node *n) {
  if (!any_way(q) || may_go(n, q))
    wake_queue(t, q);
  else
    list_among_many(n, q);
}

/* Whoever has to be discarded may go too. */
void become_head(part *t, queue *q) {
  load(t, q);
  const sim_node *n = &t->shape.node[q->node];
  if (SELDOM(n->words > 1)) {
    go_or_wait_among_many(t, q, n);
    return;
  }
  const uint64_t lanes = lanes_wanted(q);
  if (SELDOM(!lanes) || lanes & ~*shut_lanes(n)) {
    n->sets[1] |= bit(q->number); /* dirty */
    wake_node(t, q->node);
  } else {
    list_for(n, q, lanes);
  }
}

void ask_anew(part *t, queue *q) {
  if (!is_waiting(q)) return;
  drop_ways(t, q);
  become_head(t, q);
}
