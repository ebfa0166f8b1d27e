/* heads.c - the packet at the head of a queue: loads the candidates that the method permits, and checks them. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "simulate/binding.h"
#include "simulate/choose.h"
#include "simulate/core.h"
#include "simulate/packet_lines.h"

#include "base/no_heap.h"
#include "simulate/run_result.h"

/* ------------------------------------------------------------------ checks of a method's answer */

void break_rule(part *t, const queue *q, const char *what, unsigned number) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_error *err = run_fail(t->run, q->node, q->number);
  if (!err) return;
  ripstop_node_name(t->shape.fabric, q->node, name);
  ripstop_fail(err, "method %s: at %s its answer has %s %u", t->run->plan->method->name, name, what, number);
}

static bool is_allowed(const part *t, const queue *q, uint32_t port) {
  return t->run->view->port_up[port] || (t->hook.down_candidate && t->hook.down_candidate(t, q, port));
}

/* Checks one candidate by the rules of method.h. */
static __attribute__((noinline, cold)) bool check_candidate(part *t, const queue *q,
                                                            const ripstop_candidate *candidate) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  if (candidate->port >= n->ports) return break_rule(t, q, "a port that does not exist, port", candidate->port), false;
  if (!is_allowed(t, q, n->port + candidate->port))
    return break_rule(t, q, "a port that is down, port", candidate->port), false;
  if (candidate->channel >= s->plan_channels)
    return break_rule(t, q, "a virtual channel that does not exist, number", candidate->channel), false;
  if (candidate->space < 1 || candidate->space > 2)
    return break_rule(t, q, "a demand for space of", candidate->space), false;
  if (candidate->space == 2 && !t->run->plan->bubble)
    return break_rule(t, q, "bubble flow control, which its plan does not declare (plan.bubble): space",
                      candidate->space),
           false;
  return true;
}

/* Checks a candidate for several ports, one port at a time. */
static bool check_candidates(part *t, const queue *q, const ripstop_candidate *candidate) {
  ripstop_candidate one = *candidate;
  for (uint32_t i = 0; i <= candidate->more; i++, one.port++)
    if (!check_candidate(t, q, &one)) return false;
  return true;
}

/* The method answers that there are no candidates: the packet is lost. */
static void accept_none(part *t, queue *q, int answer) {
  if (answer == 0)
    break_rule(t, q, "a number of candidates out of range:", 0);
  else if (-answer <= (int)t->measure.losses)
    set_loss(q, (uint32_t)(RIPSTOP_LOST_METHOD - answer - 1));
  else
    break_rule(t, q, "a cause of loss that the method does not name, number", (unsigned)-answer);
}

/* ------------------------------------------------------------------ candidates */

/* Keeps one candidate of lowest rank, chosen by the tie rule. */
static uint32_t bind_early(const shape *s, const packet *p, ripstop_candidate *candidate, uint32_t candidates) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < candidates; i++)
    if (candidate[i].rank < candidate[best].rank) best = i;
  uint8_t rank = candidate[best].rank;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < candidates; i++) equal += candidate[i].rank == rank;
  uint32_t pick = equal > 1 ? break_tie(s, p, equal) : 0;
  for (uint32_t i = 0; i < candidates; i++)
    if (candidate[i].rank == rank && pick-- == 0) {
      candidate[0] = candidate[i];
      break;
    }
  return 1;
}

static_assert(offsetof(ripstop_candidate, rank) + sizeof(uint32_t) == sizeof(ripstop_candidate) &&
                  offsetof(bundle, rank) + sizeof(uint32_t) == offsetof(bundle, weight) + sizeof(uint16_t),
              "compared and copied as one");

/* Removes the candidates of a head that is not listed yet. */
static void forget_candidates(part *t, queue *q) {
  q->candidates.vcs = 0;
  if (q->candidates.next) drop_bundles(t, q->candidates.next);
  q->candidates.next = NULL;
}

/* Adds output VCs of one word, the first of them `lowest`, to the last bundle, or to a new bundle if the last one
 * differs in header, rank, space, marks or weight. Output VCs in a bundle ascend. */
static inline bundle *add_vcs(part *t, bundle *last, const ripstop_candidate *candidate, uint64_t vcs, uint64_t lowest,
                              uint32_t word) {
  if (lowest > last->vcs && word == last->word && candidate->header == last->header &&
      memcmp(&candidate->rank, &last->rank, sizeof(uint32_t)) == 0) {
    last->vcs |= vcs;
    return last;
  }
  if (last->vcs) last = last->next = take_bundle(t);
  last->vcs = vcs;
  last->header = candidate->header;
  last->next = NULL;
  last->word = word;
  memcpy(&last->rank, &candidate->rank, sizeof(uint32_t));
  return last;
}

/* Adds a candidate, which may stand for several ports. Returns NULL if it breaks a rule. */
static bundle *add_candidate(part *t, const queue *q, const sim_node *n, bundle *last,
                             const ripstop_candidate *candidate) {
  const shape *s = &t->shape;
  uint32_t vc = candidate->port * s->channels + candidate->channel;
  bool plain = candidate->port + candidate->more < n->ports && candidate->channel < s->channels &&
               candidate->space - 1u < s->plain_space &&
               !memchr(&t->run->view->port_up[n->port + candidate->port], 0, candidate->more + 1u);
  if (!plain && !check_candidates(t, q, candidate)) return NULL;
  for (uint32_t left = candidate->more + 1u, fit; left; left -= fit, vc += fit * s->channels) {
    fit = 1 + port_of_vc(s, 63 - vc % 64);
    if (fit > left) fit = left;
    uint64_t vcs = fit * s->channels < 64 ? s->first_vcs & (bit(fit * s->channels) - 1) : s->first_vcs;
    last = add_vcs(t, last, candidate, vcs << vc % 64, bit(vc), vc / 64);
  }
  return last;
}

/* Accepts the candidates from `candidate` on, after `all` others. If one breaks a rule, the head gets none and the run
 * fails. */
static __attribute__((noinline)) void accept_others(part *t, queue *q, bundle *last, const ripstop_candidate *candidate,
                                                    const ripstop_candidate *end, uint32_t all) {
  const sim_node *n = &t->shape.node[q->node];
  for (; candidate < end && last; candidate++) {
    last = add_candidate(t, q, n, last, candidate);
    all += 1u + candidate->more;
  }
  if (last && all > t->shape.candidates_max) break_rule(t, q, "a number of candidates out of range:", all);
  if (!last || all > t->shape.candidates_max) forget_candidates(t, q);
}

/* Gives a head without candidates these. */
static inline void accept_candidates(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  const uint32_t channels = s->channels;
  const uint8_t *up = &t->run->view->port_up[n->port];
  const ripstop_candidate *end = candidate + candidates;
  bundle *last = &q->candidates;
  for (const ripstop_candidate *w = candidate; w < end; w++) {
    uint32_t vc = w->port * channels + w->channel;
    if (SELDOM(!is_plain(s, n, up, w))) {
      accept_others(t, q, last, w, end, (uint32_t)(w - candidate));
      return;
    }
    last = add_vcs(t, last, w, bit(vc), bit(vc), vc / 64);
  }
}

/* Adds `count` consecutive output VCs of a candidate, which may lie in two words. */
static bundle *add_run(part *t, bundle *last, const ripstop_candidate *candidate, uint32_t first, uint32_t count) {
  while (count) {
    const uint32_t left = 64 - first % 64, fit = count < left ? count : left;
    last = add_vcs(t, last, candidate, (bit(fit) - 1) << first % 64, bit(first), first / 64);
    first += fit;
    count -= fit;
  }
  return last;
}

/* Gives a head without candidates these, each with its output VCs (vcs.h). */
static __attribute__((noinline)) void accept_with_vcs(part *t, queue *q, const ripstop_candidate *candidate,
                                                      uint32_t candidates) {
  const packet *p = head_of(t, q);
  bundle *last = &q->candidates;
  uint32_t all = 0;
  for (const ripstop_candidate *c = candidate; c < candidate + candidates; c++) {
    if (!check_candidates(t, q, c)) {
      forget_candidates(t, q);
      return;
    }
    for (uint32_t port = c->port; port <= (uint32_t)c->port + c->more; port++) {
      const vc_run own = vcs_of_candidate(&t->shape, p, port, c->channel);
      last = add_run(t, last, c, own.first, own.count);
    }
    all += 1u + c->more;
  }
  if (all <= t->shape.candidates_max) return;
  break_rule(t, q, "a number of candidates out of range:", all);
  forget_candidates(t, q);
}

static void accept(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates) {
  if (t->shape.vcs > 1)
    accept_with_vcs(t, q, candidate, candidates);
  else
    accept_candidates(t, q, candidate, candidates);
}

void replace_candidates(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates) {
  forget_candidates(t, q);
  accept(t, q, candidate, candidates);
}

/* Keeps one of the valid candidates, for methods whose packets settle early; or all of them, if a selection function
 * binds until binding.c. */
static void accept_early(part *t, queue *q, ripstop_candidate *candidate, uint32_t candidates) {
  accept(t, q, candidate, candidates);
  if (!any_candidate(q)) return;
  if (!t->run->plan->choose_early) {
    if (t->binding) binding_note(t, q);
    return;
  }
  candidates = (uint32_t)ripstop_candidates_expand(candidate, (int)candidates, t->shape.candidates_max);
  if (candidates < 2) return;
  forget_candidates(t, q);
  accept(t, q, candidate, bind_early(&t->shape, head_of(t, q), candidate, candidates));
}

/* The rare answers: none, too many, candidates of which one is kept, or that stand for several output VCs. */
static __attribute__((noinline)) void accept_answer(part *t, queue *q, ripstop_candidate *candidate, int candidates) {
  if (candidates <= 0) {
    if (candidates < 0 || !t->hook.candidates) accept_none(t, q, candidates);
  } else if (candidates > (int)t->shape.candidates_max) {
    break_rule(t, q, "a number of candidates out of range:", (unsigned)candidates);
  } else {
    accept_early(t, q, candidate, (uint32_t)candidates);
  }
}

static inline void load(part *t, queue *q) {
  const shape *s = &t->shape;
  const packet *p = head_of(t, q);
  ripstop_candidate *candidate = t->candidate;
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
                       .channel = q->plan_channel,
                       .class_ = p->class_};
  const ripstop_plan *plan = t->run->plan;
  int candidates = SELDOM(t->hook.candidates) ? t->hook.candidates(t, q, &head, candidate)
                                              : plan->method->route(plan, &head, candidate);
  if (USUALLY((uint32_t)candidates - 1 < s->candidates_kept))
    accept_candidates(t, q, candidate, (uint32_t)candidates);
  else
    accept_answer(t, q, candidate, candidates);
}

void load_candidates(part *t, queue *q) { load(t, q); }

uint32_t accept_bound(part *t, queue *q, const packet *p, ripstop_candidate *candidate, int candidates) {
  const shape *s = &t->shape;
  if (candidates <= 0) {
    if (candidates < 0 || !t->hook.candidates) accept_none(t, q, candidates);
    return 0;
  }
  set_loss(q, RIPSTOP_LOST_LINK); /* counts nothing: the run fails then */
  for (int i = 0; i < candidates; i++)
    if (!check_candidates(t, q, &candidate[i])) return 0;
  const uint32_t all = (uint32_t)ripstop_candidates_expand(candidate, candidates, s->candidates_max);
  if (all > s->candidates_max) {
    break_rule(t, q, "a number of candidates out of range:", all);
    return 0;
  }
  return t->run->plan->choose_early && all > 1 ? bind_early(s, p, candidate, all) : all;
}

/* One of the head's candidates is open. A candidate that needs more than one packet's space may count as open without
 * it. */
static bool may_go(const sim_node *n, const queue *q) {
  const uint64_t *shut = shut_vcs(n);
  for (const bundle *b = &q->candidates; b; b = b->next)
    if (b->vcs & ~shut[b->word]) return true;
  return false;
}

static __attribute__((noinline)) void go_or_wait_among_many(part *t, queue *q, const sim_node *n) {
  if (!any_candidate(q) || may_go(n, q))
    wake_queue(t, q);
  else
    list_among_many(n, q);
}

/* Wakes a head with an open candidate, or lists it. A head to be discarded is woken too. */
static inline __attribute__((always_inline)) void go_or_wait(part *t, queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  if (SELDOM(n->words > 1)) {
    go_or_wait_among_many(t, q, n);
    return;
  }
  const uint64_t vcs = vcs_wanted(q);
  if (SELDOM(!vcs) || vcs & ~*shut_vcs(n)) {
    n->sets[1] |= bit(q->number); /* dirty */
    wake_node(t, q->node);
  } else {
    list_for(n, q, vcs);
  }
}

void become_head(part *t, queue *q) {
  load(t, q);
  go_or_wait(t, q);
}

void keep_candidates(part *t, queue *q, const ripstop_candidate *candidate, uint32_t candidates) {
  drop_candidates(t, q);
  accept(t, q, candidate, candidates);
  go_or_wait(t, q);
}

void reload_head(part *t, queue *q) {
  if (has_lines(t, q)) {
    lines_rebuild(t, q);
    return;
  }
  if (!is_waiting(q)) return;
  drop_candidates(t, q);
  become_head(t, q);
}
