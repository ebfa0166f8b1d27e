/* check_certificate.c - is a certificate true? The second opinion: it shares the fabric and the methods with the
 * prover, and nothing else. Every reachable state is enumerated plainly (visits.c), packet after packet.
 *
 * A deadlock is confirmed when each of its queues exists once and is alive; the packet in it can arrive there from
 * its source over permitted candidates, is not consumed there, and can wait for queues of the set alone: every
 * candidate leads into the set, or, where packets wait for one alone (lowest.h), one candidate that can be the one.
 *
 * Freedom from deadlock is confirmed when every queue between switches that a packet can occupy is in the order
 * exactly once, and every packet that can be in it is consumed or discarded there, or has a candidate into an earlier
 * queue (where packets wait for one alone: every candidate that can be it is one). No packet in the network waits
 * for queues that only end nodes feed, so these need no place.
 *
 * Bubble rings: queues in a cycle, each entered from the one before it with space for one packet and from everywhere
 * else with space for two, keep one free place (Carrion et al. 1997). In a proof they may empty as a whole: each
 * packet in them continues in the ring or has a candidate into an earlier queue. In a deadlock the packets of such a
 * ring must not all continue in it, for then the one before the free place would move.
 *
 * A queue (`lane`) is an output port x channels + channel. Time: (pairs or destinations) x states x headers per
 * queue. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "prove/lowest.h"
#include "prove/visits.h"
#include "route/plan_steps.h"

/* ------------------------------------------------------------------ printing */

static void report_queue(const checker *c, ripstop_text *out, uint32_t lane) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->fabric, sender(c, lane), from);
  ripstop_node_name(c->fabric, receiver(c, lane), to);
  ripstop_text_add(out, "queue %s port %u channel %u (to %s)", from,
                   lane / c->channels - c->fabric->port_base[sender(c, lane)], lane % c->channels, to);
}

static void report_packet(const checker *c, ripstop_text *out, const ripstop_head *head) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->fabric, head->source, from);
  ripstop_node_name(c->fabric, head->destination, to);
  ripstop_text_add(out, "packet %s -> %s header 0x%" PRIx64, from, to, head->header);
  if (c->plan->classes > 1) ripstop_text_add(out, " class %u", head->class_);
}

static ripstop_check refute_queue(checker *c, uint32_t lane, const char *what) {
  ripstop_text_add(c->verdict, "refuted: ");
  report_queue(c, c->verdict, lane);
  ripstop_text_add(c->verdict, " %s", what);
  return RIPSTOP_REFUTED;
}

static ripstop_check refute_head(checker *c, uint32_t lane, const ripstop_head *head, const char *what) {
  ripstop_text_add(c->verdict, "refuted: ");
  report_packet(c, c->verdict, head);
  ripstop_text_add(c->verdict, " in ");
  report_queue(c, c->verdict, lane);
  ripstop_text_add(c->verdict, " %s", what);
  return RIPSTOP_REFUTED;
}

/* "to 0.3: 0.0 > 0.0 > 0.1[2f]": the source, then the switches that receive it, with the header if there is one. */
static void report_walk(const checker *c, FILE *file, uint32_t end) {
  uint32_t length = 0;
  for (uint32_t i = end; i != RIPSTOP_NONE; i = c->visit[i].parent) length++;
  uint32_t *step = ripstop_realloc(NULL, length, sizeof *step), at = length;
  for (uint32_t i = end; i != RIPSTOP_NONE; i = c->visit[i].parent) step[--at] = i;
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->fabric, c->visit[end].head.destination, name);
  fprintf(file, "to %s:", name);
  for (uint32_t i = 0; i < length; i++) {
    const ripstop_head *head = &c->visit[step[i]].head;
    ripstop_node_name(c->fabric, head->node, name);
    fprintf(file, "%s%s", i ? " > " : " ", name);
    if (head->header) fprintf(file, "[%" PRIx64 "]", head->header);
  }
  fprintf(file, "\n");
  ripstop_free(step);
}

/* ------------------------------------------------------------------ the queues of the certificate */

/* Each must be alive and unique; c->place gets its index. */
static ripstop_check place_queues(checker *c) {
  const ripstop_certificate *certificate = c->certificate;
  for (uint32_t i = 0; i < certificate->queues; i++) {
    const ripstop_deadlocked_packet *queue = &certificate->queue[i];
    if (queue->class_ >= c->plan->classes) {
      ripstop_text_add(c->verdict, "refuted: class %u: the plan has classes 0 to %u", queue->class_,
                       c->plan->classes - 1);
      return RIPSTOP_REFUTED;
    }
    if (queue->channel >= c->channels) {
      ripstop_text_add(c->verdict, "refuted: channel %u: the plan has channels 0 to %u", queue->channel,
                       c->channels - 1);
      return RIPSTOP_REFUTED;
    }
    uint32_t lane = lane_of(c, queue);
    if (!c->plan->view->port_up[queue->port]) return refute_queue(c, lane, "has failed");
    if (c->place[lane] != RIPSTOP_NONE) return refute_queue(c, lane, "is named twice");
    c->place[lane] = i;
  }
  return RIPSTOP_CONFIRMED;
}

/* ------------------------------------------------------------------ a deadlock */

/* True if one of the wait sets of the head of c->candidate leads into the certificate's set alone. */
static bool waits_inside(const checker *c, const ripstop_head *head, int candidates) {
  const uint8_t lowest = lowest_rank_of(c->candidate, candidates);
  tally_of_ranks inside = {0};
  for (int i = 0; i < candidates; i++)
    tally_rank(&inside, c->candidate[i].rank == lowest,
               c->place[lane_of_candidate(c, head, &c->candidate[i])] != RIPSTOP_NONE);
  return some_set_has_all(c->plan, &inside);
}

static bool is_consumed(const checker *c, const ripstop_head *head, int candidates) {
  const uint8_t lowest = lowest_rank_of(c->candidate, candidates);
  tally_of_ranks ends = {0};
  for (int i = 0; i < candidates; i++)
    tally_rank(&ends, c->candidate[i].rank == lowest, leads_to_end(c, lane_of_candidate(c, head, &c->candidate[i])));
  return each_set_has_one(c->plan, &ends);
}

static ripstop_check check_deadlocked(checker *c, const ripstop_deadlocked_packet *deadlock_packets, FILE *walks) {
  uint32_t lane = lane_of(c, deadlock_packets), found;
  int candidates;
  visits_forget(c);
  visits_add_source(c, deadlock_packets->source, deadlock_packets->destination, deadlock_packets->class_);
  if (visits_complete(c)) return RIPSTOP_UNCHECKABLE;
  for (found = c->last[lane]; found != RIPSTOP_NONE; found = c->visit[found].before)
    if (c->visit[found].head.header == deadlock_packets->header) break;
  if (found == RIPSTOP_NONE) {
    ripstop_head claimed = {.source = deadlock_packets->source,
                            .destination = deadlock_packets->destination,
                            .header = deadlock_packets->header,
                            .class_ = deadlock_packets->class_};
    return refute_head(c, lane, &claimed, "cannot come there");
  }
  if (walks) report_walk(c, walks, found);
  ripstop_head head = c->visit[found].head;
  if (visits_ask(c, &head, &candidates)) return RIPSTOP_UNCHECKABLE;
  if (candidates == 0) return refute_head(c, lane, &head, "is discarded there");
  if (is_consumed(c, &head, candidates)) return refute_head(c, lane, &head, "is consumed there");
  if (!waits_inside(c, &head, candidates)) return refute_head(c, lane, &head, "need not wait for queues of the set");
  return RIPSTOP_CONFIRMED;
}

/* ------------------------------------------------------------------ bubble rings in a deadlock */

/* The entries of each queue, over all packets. */
typedef struct entries {
  uint32_t *narrow; /* [lanes]: the output VC from which it is entered with space for one packet; RIPSTOP_NONE: none */
  bool *open;       /* [lanes]: entered so from several output VCs, or from a NIC */
} entries;

static void note_entries(const checker *c, entries *e, uint32_t from, const ripstop_head *head, int candidates) {
  for (int i = 0; i < candidates; i++) {
    uint32_t to = lane_of_candidate(c, head, &c->candidate[i]);
    if (c->candidate[i].space > 1) continue;
    if (from == RIPSTOP_NONE || (e->narrow[to] != RIPSTOP_NONE && e->narrow[to] != from)) e->open[to] = true;
    e->narrow[to] = from;
  }
}

typedef ripstop_check each_visit(checker *c, uint32_t lane, const ripstop_head *head, int candidates, void *context);

/* Calls `act` for every head that packets of one class can have on their path to one destination, from all sources at
 * once or from one, with its candidates in c->way. */
static ripstop_check for_some_heads(checker *c, uint32_t destination, uint32_t class_, uint32_t from, uint32_t end,
                                    each_visit *act, void *context) {
  visits_forget(c);
  for (uint32_t source = from; source < end; source++)
    if (source != destination) visits_add_source(c, source, destination, class_);
  if (visits_complete(c)) return RIPSTOP_UNCHECKABLE;
  for (uint32_t i = 0; i < c->visits; i++) {
    int candidates;
    ripstop_head head = c->visit[i].head;
    if (visits_ask(c, &head, &candidates)) return RIPSTOP_UNCHECKABLE;
    ripstop_check result = act(c, c->visit[i].lane, &head, candidates, context);
    if (result != RIPSTOP_CONFIRMED) return result;
  }
  return RIPSTOP_CONFIRMED;
}

/* Calls it for every reachable head. Packets of all sources count as one if the method says that sources do not
 * matter. */
static ripstop_check for_all_heads(checker *c, each_visit *act, void *context) {
  uint32_t ends = c->fabric->ends, together = c->plan->method->by_source ? 1 : ends;
  ripstop_check result = RIPSTOP_CONFIRMED;
  for (uint32_t destination = 0; destination < ends; destination++)
    for (uint32_t class_ = 0; class_ < c->plan->classes; class_++)
      for (uint32_t from = 0; from < ends && result == RIPSTOP_CONFIRMED; from += together)
        result = for_some_heads(c, destination, class_, from, from + together, act, context);
  return result;
}

static ripstop_check collect_entries(checker *c, uint32_t lane, const ripstop_head *head, int candidates,
                                     void *context) {
  note_entries(c, context, lane, head, candidates);
  return RIPSTOP_CONFIRMED;
}

/* True if the packet of the certificate in `from` can only continue into `to`, if that has space for one packet. */
static int goes_on(checker *c, uint32_t from, uint32_t to, bool *result) {
  const ripstop_deadlocked_packet *deadlock_packets = &c->certificate->queue[c->place[from]];
  const ripstop_fabric *f = c->fabric;
  uint32_t in = f->peer[deadlock_packets->port];
  ripstop_head head = {.node = f->port_node[in],
                       .in_port = in - f->port_base[f->port_node[in]],
                       .source = deadlock_packets->source,
                       .destination = deadlock_packets->destination,
                       .header = deadlock_packets->header,
                       .channel = deadlock_packets->channel,
                       .class_ = deadlock_packets->class_};
  int candidates;
  if (visits_ask(c, &head, &candidates)) return -1;
  const uint8_t lowest = lowest_rank_of(c->candidate, candidates);
  tally_of_ranks goes = {0}, elsewhere = {0}; /* elsewhere: wait sets without `to` that stay in the set */
  for (int i = 0; i < candidates; i++) {
    const uint32_t lane = lane_of_candidate(c, &head, &c->candidate[i]);
    const bool on = lane == to && c->candidate[i].space == 1;
    tally_rank(&goes, c->candidate[i].rank == lowest, on);
    tally_rank(&elsewhere, c->candidate[i].rank == lowest, !on && c->place[lane] != RIPSTOP_NONE);
  }
  *result = goes.lowest + goes.higher > 0 && !some_set_has_all(c->plan, &elsewhere);
  return 0;
}

/* Follows the narrow entries back from `lane`; a ring returns to it. */
static ripstop_check check_ring(checker *c, const entries *e, uint32_t lane) {
  uint32_t at = lane, steps = 0;
  bool all = true;
  do {
    uint32_t before = e->narrow[at];
    if (e->open[at] || before == RIPSTOP_NONE || c->place[before] == RIPSTOP_NONE) return RIPSTOP_CONFIRMED;
    bool on;
    if (goes_on(c, before, at, &on)) return RIPSTOP_UNCHECKABLE;
    all &= on;
    at = before;
  } while (at != lane && ++steps < c->lanes);
  if (at != lane || !all) return RIPSTOP_CONFIRMED;
  return refute_queue(c, lane,
                      "is in a bubble ring whose packets all go on in it: one of them has a free place before it");
}

static ripstop_check check_deadlock(checker *c, FILE *walks) {
  const ripstop_certificate *certificate = c->certificate;
  if (certificate->queues == 0) {
    ripstop_text_add(c->verdict, "refuted: a deadlock without queues");
    return RIPSTOP_REFUTED;
  }
  ripstop_check result = RIPSTOP_CONFIRMED;
  for (uint32_t i = 0; i < certificate->queues && result == RIPSTOP_CONFIRMED; i++)
    result = check_deadlocked(c, &certificate->queue[i], walks);
  if (result != RIPSTOP_CONFIRMED) return result;
  ripstop_arena *scratch = ripstop_arena_new();
  entries e = {.narrow = RIPSTOP_ARRAY(scratch, c->lanes, uint32_t), .open = RIPSTOP_ARRAY(scratch, c->lanes, bool)};
  for (uint32_t i = 0; i < c->lanes; i++) e.narrow[i] = RIPSTOP_NONE;
  result = for_all_heads(c, collect_entries, &e);
  for (uint32_t i = 0; i < certificate->queues && result == RIPSTOP_CONFIRMED; i++)
    result = check_ring(c, &e, lane_of(c, &certificate->queue[i]));
  ripstop_arena_free(scratch);
  if (result == RIPSTOP_CONFIRMED)
    ripstop_text_add(
        c->verdict,
        "confirmed: a deadlock of %u queues, each packet of which can come there and waits for the others alone",
        certificate->queues);
  return result;
}

/* ------------------------------------------------------------------ freedom from deadlock */

typedef struct proof {
  uint32_t *start;     /* [queues]: where the ring of the queue starts, or the queue itself */
  uint32_t *successor; /* [queues]: the output VC after it in its ring; RIPSTOP_NONE: in no ring */
  bool *stood_in;      /* [queues] */
  uint64_t heads;
} proof;

/* Checks that the rings of the certificate are cycles of queues. */
static ripstop_check lay_rings(checker *c, proof *p) {
  const ripstop_certificate *certificate = c->certificate;
  for (uint32_t first = 0, last; first < certificate->queues; first = last) {
    uint32_t ring = certificate->ring[first];
    last = first + 1;
    while (ring && last < certificate->queues && certificate->ring[last] == ring) last++;
    for (uint32_t i = first; i < last; i++) {
      uint32_t next = lane_of(c, &certificate->queue[i + 1 < last ? i + 1 : first]);
      p->start[i] = first;
      p->successor[i] = ring ? next : RIPSTOP_NONE;
      if (ring && receiver(c, lane_of(c, &certificate->queue[i])) != sender(c, next))
        return refute_queue(c, next, "does not follow the one before it in its ring");
    }
  }
  return RIPSTOP_CONFIRMED;
}

/* Rings are entered from outside with space for two packets only. */
static ripstop_check check_entry(checker *c, const proof *p, uint32_t from, const ripstop_head *head,
                                 const ripstop_candidate *candidate) {
  uint32_t to = lane_of_candidate(c, head, candidate), place = c->place[to];
  if (place == RIPSTOP_NONE || p->successor[place] == RIPSTOP_NONE || candidate->space > 1) return RIPSTOP_CONFIRMED;
  if (from != RIPSTOP_NONE && c->place[from] != RIPSTOP_NONE && p->successor[c->place[from]] == to)
    return RIPSTOP_CONFIRMED;
  ripstop_text_add(c->verdict, "refuted: ");
  report_packet(c, c->verdict, head);
  ripstop_text_add(c->verdict, " enters a bubble ring with room for one packet: ");
  report_queue(c, c->verdict, to);
  return RIPSTOP_REFUTED;
}

/* True if this candidate never blocks: it leads to the destination, into an earlier queue, or onward in the ring.
 * Every queue of the order is earlier than one that only an end node feeds. */
static bool candidate_is_free(const checker *c, const proof *p, uint32_t from, const ripstop_head *head,
                              const ripstop_candidate *candidate) {
  uint32_t to = lane_of_candidate(c, head, candidate);
  if (leads_to_end(c, to)) return true;
  if (c->place[to] == RIPSTOP_NONE) return false;
  if (c->place[from] == RIPSTOP_NONE) return true;
  uint32_t place = c->place[from];
  return c->place[to] < p->start[place] || (to == p->successor[place] && candidate->space == 1);
}

static ripstop_check check_head(checker *c, uint32_t lane, const ripstop_head *head, int candidates, void *context) {
  proof *p = context;
  for (int i = 0; i < candidates; i++) {
    ripstop_check entry = check_entry(c, p, lane, head, &c->candidate[i]);
    if (entry != RIPSTOP_CONFIRMED) return entry;
  }
  if (lane == RIPSTOP_NONE) return RIPSTOP_CONFIRMED; /* no packet waits for a NIC */
  p->heads++;
  bool between_switches = !ripstop_is_end(c->fabric, sender(c, lane));
  if (between_switches && c->place[lane] == RIPSTOP_NONE)
    return refute_head(c, lane, head, "stands in no queue of the order");
  if (between_switches) p->stood_in[c->place[lane]] = true;
  const uint8_t lowest = lowest_rank_of(c->candidate, candidates);
  tally_of_ranks free_candidates = {0};
  for (int i = 0; i < candidates; i++)
    tally_rank(&free_candidates, c->candidate[i].rank == lowest, candidate_is_free(c, p, lane, head, &c->candidate[i]));
  if (candidates == 0 || each_set_has_one(c->plan, &free_candidates)) return RIPSTOP_CONFIRMED;
  return refute_head(c, lane, head, "has no candidate into an earlier queue");
}

static ripstop_check check_order(checker *c) {
  const ripstop_certificate *certificate = c->certificate;
  RIPSTOP_LOCAL_ARENA(scratch);
  proof p = {.start = RIPSTOP_ARRAY(scratch, certificate->queues + 1, uint32_t),
             .successor = RIPSTOP_ARRAY(scratch, certificate->queues + 1, uint32_t),
             .stood_in = RIPSTOP_ARRAY(scratch, certificate->queues + 1, bool)};
  ripstop_check result = lay_rings(c, &p);
  if (result == RIPSTOP_CONFIRMED) result = for_all_heads(c, check_head, &p);
  for (uint32_t i = 0; i < certificate->queues && result == RIPSTOP_CONFIRMED; i++)
    if (!p.stood_in[i])
      result = refute_queue(c, lane_of(c, &certificate->queue[i]), "is in the order, but no packet can stand in it");
  if (result == RIPSTOP_CONFIRMED)
    ripstop_text_add(c->verdict,
                     "confirmed: no deadlock; in the order of %u queues none of %" PRIu64
                     " heads waits for later ones alone",
                     certificate->queues, p.heads);
  return result;
}

/* ------------------------------------------------------------------ the whole certificate */

static ripstop_check check_plan(checker *c, FILE *walks) {
  RIPSTOP_LOCAL_ARENA(scratch);
  c->channels = c->plan->channels;
  c->lanes = c->fabric->ports * c->channels;
  c->last = RIPSTOP_ARRAY(scratch, c->lanes, uint32_t);
  c->place = RIPSTOP_ARRAY(scratch, c->lanes, uint32_t);
  c->candidate = RIPSTOP_ARRAY(scratch, c->plan->candidates_max + 1, ripstop_candidate);
  for (uint32_t i = 0; i < c->lanes; i++) c->last[i] = c->place[i] = RIPSTOP_NONE;
  ripstop_check result = place_queues(c);
  if (result == RIPSTOP_CONFIRMED) result = c->certificate->deadlock ? check_deadlock(c, walks) : check_order(c);
  ripstop_free(c->visit);
  return result;
}

ripstop_check ripstop_certificate_check(const ripstop_certificate *certificate, const ripstop_plan *plan,
                                        ripstop_text *verdict, FILE *walks, ripstop_error *err) {
  ripstop_text_begin(verdict); /* the text is the caller's */
  RIPSTOP_GUARD(err, RIPSTOP_UNCHECKABLE);
  checker c = {.certificate = certificate, .fabric = plan->fabric, .plan = plan, .verdict = verdict, .err = err};
  if (certificate->transient) {
    ripstop_fail(err, "the certificate is for transient states, not for a plan");
    return RIPSTOP_UNCHECKABLE;
  }
  return ripstop_plan_check_tables(plan, err) ? RIPSTOP_UNCHECKABLE : check_plan(&c, walks);
}
